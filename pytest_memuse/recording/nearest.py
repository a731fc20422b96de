"""The nearest recorded request to one that is missing, and the first place where the two differ."""

import difflib
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_memuse.model.errors import printable
from pytest_memuse.recording.recording import Exchange

_COMPARED = 4000
"""Characters of each body that are compared; enough to rank, and bounded."""


def nearest_request(method: str, uri: str, body: Any, exchanges: Sequence[Exchange]) -> str:
    """Return a sentence that names the nearest recorded request and the first difference from it."""
    same_place = [e for e in exchanges if e.method == method and _path(e.uri) == _path(uri)]
    if not same_place:
        return f"no {method} request to {_path(uri)} was recorded"
    wanted = repr(body)[-_COMPARED:]
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)

    def likeness(exchange: Exchange) -> float:
        matcher.set_seq1(repr(exchange.request)[-_COMPARED:])
        return matcher.quick_ratio()

    best = max(same_place, key=likeness)
    place, recorded, asked = next(_differences(best.request, body, ""), ("", None, None))
    if not place:
        return f"the nearest recorded request is exchange {best.number}, which is equal but used up"
    return (
        f"the nearest recorded request is exchange {best.number}; they first differ at {place}: "
        f"recorded {printable(_around(recorded, asked), 160)!r}, asked {printable(_around(asked, recorded), 160)!r}"
    )


def _path(uri: str) -> str:
    rest = uri.split("://", 1)[-1]
    return "/" + rest.split("/", 1)[1].split("?", 1)[0] if "/" in rest else "/"


def _differences(recorded: Any, asked: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for key in sorted(set(recorded) | set(asked)):
            yield from _differences(recorded.get(key), asked.get(key), f"{place}/{key}")
    elif isinstance(recorded, list) and isinstance(asked, list) and len(recorded) == len(asked):
        for index, (left, right) in enumerate(zip(recorded, asked, strict=True)):
            yield from _differences(left, right, f"{place}/{index}")
    elif recorded != asked:
        yield place or "/", recorded, asked


def _around(text: Any, other: Any) -> str:
    """Return the part of a text around its first difference from another."""
    if not isinstance(text, str) or not isinstance(other, str):
        return str(text)
    shared = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, shared - 40)
    return ("…" if start else "") + text[start : shared + 100]
