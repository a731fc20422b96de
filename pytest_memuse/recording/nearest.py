"""The nearest recorded request to one that is missing, and the first place where the two differ.

Found within bounds, however many exchanges there are and however long their bodies: bodies are compared by their ends,
where conversations differ, first by their words and then, the likeliest few, character by character.
"""

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_memuse.model.errors import printable
from pytest_memuse.recording.recording import Exchange

_COMPARED = 2000
"""Characters of each body's end that are compared."""

_CLOSELY = 12
"""Exchanges that are compared character by character."""

_TALK = frozenset({"messages", "input"})

_WORD = re.compile(r"\w+")


def nearest_request(method: str, uri: str, body: Any, exchanges: Sequence[Exchange]) -> str:
    """Return a sentence that names the nearest recorded request and the first difference from it."""
    same_place = [e for e in exchanges if e.method == method and _path(e.uri) == _path(uri)]
    if not same_place:
        return f"no {method} request to {_path(uri)} was recorded"
    best = _nearest(body, same_place)
    place, recorded, asked = next(_differences(best.request, body, ""), ("", None, None))
    if not place:
        if best.uri != uri:
            return f"the nearest recorded request is exchange {best.number}, whose address is {printable(best.uri)!r}"
        return f"the nearest recorded request is exchange {best.number}, equal but for matching rules"
    return (
        f"the nearest recorded request is exchange {best.number}; they first differ at {place}: "
        f"recorded {printable(_around(recorded, asked), 160)!r}, asked {printable(_around(asked, recorded), 160)!r}"
    )


def _nearest(body: Any, exchanges: Sequence[Exchange]) -> Exchange:
    wanted = _end(body)
    words = set(_WORD.findall(wanted))

    def shared_words(exchange: Exchange) -> int:
        found = _WORD.findall(_end(exchange.request))
        return 2 * len(words.intersection(found)) - len(found)

    likeliest = sorted(exchanges, key=shared_words, reverse=True)[:_CLOSELY] if len(exchanges) > 1 else exchanges
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted)

    def likeness(exchange: Exchange) -> float:
        matcher.set_seq1(_end(exchange.request))
        return matcher.quick_ratio()

    return max(likeliest, key=likeness)


def _end(value: Any) -> str:
    """Return the last characters of the texts and numbers of a value, without walking over the rest of it."""
    parts: list[str] = []
    left = _COMPARED
    waiting = [value]
    while waiting and left > 0:
        item = waiting.pop()
        if isinstance(item, dict):
            # Where conversations differ comes first, not the tools that stand behind it in the alphabet.
            ordered = sorted(item.items(), key=lambda pair: (pair[0] in _TALK, pair[0]))[-_COMPARED:]
            waiting.extend(part for pair in ordered for part in pair)
        elif isinstance(item, list):
            waiting.extend(item[-_COMPARED:])
        else:
            text = item[-left:] if isinstance(item, str) else str(item)[:left]
            parts.append(text)
            left -= len(text) + 1
    return " ".join(reversed(parts))


def _path(uri: str) -> str:
    rest = uri.split("://", 1)[-1]
    return "/" + rest.split("/", 1)[1].split("?", 1)[0] if "/" in rest else "/"


def _differences(recorded: Any, asked: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for key in sorted(set(recorded) | set(asked)):
            yield from _differences(recorded.get(key), asked.get(key), f"{place}/{key}")
    elif isinstance(recorded, list) and isinstance(asked, list):
        for index, (left, right) in enumerate(zip(recorded, asked, strict=False)):
            yield from _differences(left, right, f"{place}/{index}")
        if len(recorded) != len(asked):
            shorter = min(len(recorded), len(asked))
            yield (
                f"{place}/{shorter}",
                recorded[shorter] if len(recorded) > shorter else "nothing",
                asked[shorter] if len(asked) > shorter else "nothing",
            )
    elif recorded != asked:
        yield place or "/", recorded, asked


def _around(text: Any, other: Any) -> str:
    """Return the part of a text around its first difference from another."""
    if not isinstance(text, str) or not isinstance(other, str):
        return str(text)
    shared = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, shared - 40)
    return ("…" if start else "") + text[start : shared + 100]
