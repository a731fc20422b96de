"""Stored forms of events: what stood in an earlier line is named and not said again.

A request repeats every earlier message of its conversation, the answer before it, and all its settings; stored so, a
recording grows with the length of an episode and not with its square:

- an exchange says which earlier one it is ``like``, and what differs: ``$but`` gives an object's other fields,
  ``$gone`` those that it lacks, ``$keep`` how many elements of a list come first, and ``$then`` what follows them;
- a message that repeats what the exchange's base was answered says what differs from that (``$said``, ``$gone``);
- a text or an element of a list that stood in an earlier line as it is, and takes more than naming it does, is named by
  its digest (``$ref``);
- a request's objects may come back with their keys in another order, which no comparison of requests minds; all else
  comes back in the order that it had;
- a stream of events is stored as what changes from event to event (``$stream``), a vector of 32-bit numbers as its
  bytes (``$f32``), and text that is bytes and no UTF-8 as these (``$bytes``), each only where that gives back exactly
  the same.

An object that itself holds such a name is wrapped (``$is``). `restoring` undoes all of it.
"""

import base64
import struct
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_memuse.model.digests import canonical_json, json_digest, text_digest
from pytest_memuse.recording.sameness import common_prefix, ordered_digest, same
from pytest_memuse.recording.streams import packed_stream

MARKS = frozenset({"$ref", "$f32", "$is", "$but", "$gone", "$keep", "$then", "$said", "$stream", "$bytes"})
"""Names of stored forms."""

SHORTEST_SHARED = 100
"""Characters of JSON that a value takes at least where it is named by its digest."""

_SHORTEST_VECTOR = 8
_SHORTEST_STREAM = 200
_BASES = 8
"""Exchanges of one address among which the likest is sought: conversations take turns, a few at a time."""

_FEW = 4
"""Elements that one step adds to a conversation."""

_OWN = frozenset({"type", "number"})
"""Fields that no exchange has from another."""

_ORDER_IS_NOTHING = "request"
"""The field whose objects may come back with their keys in another order."""


class Compactor:
    """Gives the events of one recording their stored forms, line by line.

    A line refers to lines before it only. What a line brings counts once it was written, which `keep` says.
    """

    def __init__(self) -> None:
        # Digest and digest in order of what a name stands for.
        self._known: dict[str, tuple[str, str]] = {}
        self._fresh: dict[str, tuple[str, str]] = {}
        self._ordered = True
        self._said: Any = None
        self._bases: dict[tuple[Any, Any], deque[dict[str, Any]]] = {}
        self._line: dict[str, Any] = {}

    def stored(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Return the stored form of an event's line (`lines.event_to_line`)."""
        self._line = dict(line)
        stored = self._line_stored(line)
        # The first of two values that share a name keeps it, here and when they are read.
        self._fresh = {}
        for digest, value in nameable(stored):
            if name_of(digest) not in self._fresh and name_of(digest) not in self._known:
                self._fresh[name_of(digest)] = digest, ordered_digest(value, digest)
        return stored

    def keep(self) -> None:
        """Let later lines refer to the line whose stored form was given last."""
        for name, digests in self._fresh.items():
            self._known.setdefault(name, digests)
        if self._line.get("type") == "exchange":
            place = self._line.get("method"), self._line.get("uri")
            self._bases.setdefault(place, deque(maxlen=_BASES)).appendleft(self._line)

    def _line_stored(self, line: Mapping[str, Any]) -> dict[str, Any]:
        own = {name: value for name, value in line.items() if name in _OWN}
        rest = {name: value for name, value in line.items() if name not in _OWN}
        base = self._base(line) if line.get("type") == "exchange" else None
        self._said = None
        if base is not None:
            self._said = said_in(base)
            own["like"] = base["number"]
        for name, value in rest.items():
            self._ordered = name != _ORDER_IS_NOTHING
            if base is None:
                own[name] = self._stored(value)
            elif name not in base or not same(base[name], value, ordered=self._ordered):
                own[name] = self._difference(base.get(name), value)
        lacks = [] if base is None else sorted(base.keys() - rest.keys() - _OWN)
        return {**own, "lacks": lacks} if lacks else own

    def _base(self, line: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the exchange of the address whose request the line's goes on from furthest, the latest of equals."""
        best, furthest = None, -1
        for base in self._bases.get((line.get("method"), line.get("uri")), ()):
            kept, more = _continued(base.get("request"), line.get("request"))
            if kept > furthest:
                best, furthest = base, kept
            if more <= _FEW:
                break
        return best

    def _difference(self, base: Any, value: Any) -> Any:
        """Return the stored form of a value that stands where ``base`` stood."""
        if isinstance(base, dict) and isinstance(value, dict) and self._goes_on_from(base, value):
            but = {
                key: self._difference(base.get(key), item)
                for key, item in value.items()
                if key not in base or not same(base[key], item, ordered=self._ordered)
            }
            gone = sorted(base.keys() - value.keys())
            return {"$but": but, "$gone": gone} if gone else {"$but": but}
        if isinstance(base, list) and isinstance(value, list):
            kept = common_prefix(base, value, ordered=self._ordered)
            if kept and _packed_vector(value) is None:
                return {"$keep": kept, "$then": [self._next(item) for item in value[kept:]]}
        return self._stored(value)

    def _goes_on_from(self, base: dict[str, Any], value: dict[str, Any]) -> bool:
        """Tell whether an object can be given by what differs from another one."""
        if not base.keys() & value.keys():
            return False
        # What the base has stands first, in its order.
        restored = [key for key in base if key in value] + [key for key in value if key not in base]
        return not self._ordered or restored == list(value)

    def _stored(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            packed = _packed_vector(value)
            return packed if packed is not None else [self._element(item) for item in value]
        if not isinstance(value, dict):
            return value
        inner = {key: self._stored(item) for key, item in value.items()}
        return {"$is": inner} if MARKS & value.keys() else inner

    def _next(self, value: Any) -> Any:
        said = self._said
        if said is None or not isinstance(value, dict) or value.get("role") != said["role"]:
            return self._element(value)
        if not self._goes_on_from(said, value):
            return self._element(value)
        difference = self._difference(said, value)
        gone = {"$gone": difference["$gone"]} if "$gone" in difference else {}
        return {"$said": difference["$but"], **gone}

    def _element(self, value: Any) -> Any:
        digest = element_digest(value)
        return self._named(digest, value) or self._stored(value)

    def _named(self, digest: str | None, value: Any) -> dict[str, str] | None:
        known = None if digest is None else self._known.get(name_of(digest))
        if digest is None or known is None or known[0] != digest:
            return None
        if self._ordered and known[1] != ordered_digest(value, digest):
            return None
        return {"$ref": name_of(digest)}

    def _text(self, text: str) -> Any:
        if len(text) >= SHORTEST_SHARED:
            named = self._named(json_digest(text), text)
            if named is not None:
                return named
        if not text.isascii():
            packed = _packed_bytes(text)
            if packed is not None:
                return packed
        stream = packed_stream(text) if len(text) >= _SHORTEST_STREAM and '"' in text else None
        return text if stream is None else {"$stream": stream}


def nameable(stored: Any) -> Iterator[tuple[str, Any]]:
    """Yield digest and value of everything in a stored form that later lines may name.

    These are long texts, and long objects that are elements of a list, that stand there as they are. What names others
    cannot be named itself, so that no chain of names stands for more than its first link says.
    """
    waiting = [stored]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if len(value) >= SHORTEST_SHARED:
                yield json_digest(value), value
        elif isinstance(value, dict):
            if not {"$f32", "$bytes", "$stream"} & value.keys():
                waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
            for item in value:
                digest = element_digest(item)
                if digest is not None and _is_plain(item):
                    yield digest, item


def _is_plain(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if MARKS & item.keys():
                return False
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return True


def said_in(exchange: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the message that a chat completion answered with; the next request goes on from it."""
    response = exchange.get("response")
    choices = response.get("choices") if isinstance(response, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    said = first.get("message") if isinstance(first, dict) else None
    return said if isinstance(said, dict) and isinstance(said.get("role"), str) else None


def name_of(digest: str) -> str:
    """Return the name of a value within a recording: enough of its digest to tell it from all others there."""
    return digest[:16]


def element_digest(value: Any) -> str | None:
    """Return the digest that names an element of a list where it is an object and long enough, else None."""
    if not isinstance(value, dict):
        return None
    text = canonical_json(value)
    return text_digest(text) if len(text) >= SHORTEST_SHARED else None


def _continued(base: Any, request: Any) -> tuple[int, int]:
    """Return how many elements of its lists a request has from a base, and how many more it has."""
    if not isinstance(base, dict) or not isinstance(request, dict):
        return 0, 0 if base == request else _FEW + 1
    kept = more = 0
    for name, items in request.items():
        if isinstance(items, list):
            then = base.get(name)
            shared = common_prefix(then, items, ordered=False) if isinstance(then, list) else 0
            kept += shared
            more += len(items) - shared
    return kept, more


def _packed_vector(items: list[Any]) -> dict[str, str] | None:
    if len(items) < _SHORTEST_VECTOR or not all(type(item) is float for item in items):
        return None
    try:
        packed = struct.pack(f"<{len(items)}f", *items)
    except OverflowError:
        return None
    if list(struct.unpack(f"<{len(items)}f", packed)) != items:
        return None
    return {"$f32": base64.b64encode(packed).decode("ascii")}


def _packed_bytes(text: str) -> dict[str, str] | None:
    """Return the stored form of a text that stands for bytes which are no UTF-8, None for any other."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        pass
    else:
        return None
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    if raw.decode("utf-8", "surrogateescape") != text:
        return None
    return {"$bytes": base64.b64encode(raw).decode("ascii")}
