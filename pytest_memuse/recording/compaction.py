"""Stored forms of JSON values: distinct messages once, vectors of 32-bit numbers packed.

A request repeats every earlier message of its conversation; stored by content, a recording grows with the length of an
episode and not with its square. Packing happens only where unpacking gives back exactly the same numbers.
"""

import base64
import binascii
import struct
from collections.abc import Callable, Mapping
from typing import Any

from pytest_memuse.model.digests import json_digest

_SHARED = frozenset({"messages", "tools", "input", "system"})
"""Fields of a request body whose values (or whose elements, where they are lists) are stored once."""

_MARKS = ("$ref", "$f32", "$is")
_SHORTEST_VECTOR = 8


def compact(value: Any, share: Callable[[str, Any], None], *, depth: int = 0) -> Any:
    """Return the stored form of a JSON value; ``share(digest, value)`` is called for every value stored apart."""
    if isinstance(value, list):
        packed = _packed(value)
        return packed if packed is not None else [compact(item, share, depth=depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if any(mark in value for mark in _MARKS):
        return {"$is": {key: compact(item, share, depth=depth + 2) for key, item in value.items()}}
    return {
        key: _shared(item, share)
        if depth == 0 and key in _SHARED and isinstance(item, list)
        else compact(item, share, depth=depth + 1)
        for key, item in value.items()
    }


def expand(value: Any, shared: Mapping[str, Any]) -> Any:
    """Return the JSON value of a stored form.

    Raises KeyError for an unknown digest and ValueError for a damaged vector.
    """
    if isinstance(value, list):
        return [expand(item, shared) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        if "$ref" in value:
            return shared[value["$ref"]]
        if "$f32" in value:
            return _unpacked(value["$f32"])
        if "$is" in value:
            return {key: expand(item, shared) for key, item in value["$is"].items()}
    return {key: expand(item, shared) for key, item in value.items()}


def _shared(items: list[Any], share: Callable[[str, Any], None]) -> list[Any]:
    out: list[Any] = []
    for item in items:
        if not isinstance(item, dict):
            out.append(item)
            continue
        digest = json_digest(item)
        share(digest, item)
        out.append({"$ref": digest})
    return out


def _packed(items: list[Any]) -> dict[str, str] | None:
    if len(items) < _SHORTEST_VECTOR or not all(type(item) is float for item in items):
        return None
    try:
        packed = struct.pack(f"<{len(items)}f", *items)
    except OverflowError:
        return None
    if list(struct.unpack(f"<{len(items)}f", packed)) != items:
        return None
    return {"$f32": base64.b64encode(packed).decode("ascii")}


def _unpacked(text: str) -> list[float]:
    try:
        packed = base64.b64decode(text, validate=True)
    except (binascii.Error, TypeError) as error:
        raise ValueError(f"the vector is not base64: {error}") from None
    if len(packed) % 4:
        raise ValueError("the vector's length is not a multiple of four bytes")
    return list(struct.unpack(f"<{len(packed) // 4}f", packed))
