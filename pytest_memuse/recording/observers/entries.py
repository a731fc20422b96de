"""Which stored items a piece of memory text shows, and what to call its pieces where no store is known.

Matching is verbatim, as a JSON string, or a prefix that an ellipsis ends; how much of an entry is exposed is decided
later and by the rules of MemUse A.1.2.
"""

import json
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.errors import MemuseError, nearest
from pytest_memuse.recording.captures import ItemText

SHORTEST_PREFIX = 8
"""Characters that a shown prefix must have, as A.1.2 asks of a clipped entry."""

MOST_PLACES = 64
"""Places that are tried for one item in one text, so that repetitive text costs no more than long text."""

_ELLIPSES = ("…", "...")

Pieces = Literal["whole", "lines", "paragraphs"]
"""How memory text falls into entries where no stored item tells: all of it one entry, or each line, or paragraph."""


def check_texts(observer: str, **settings: object) -> None:
    """Raise `MemuseError` for a setting that is no text, or an empty one."""
    for name, value in settings.items():
        if not isinstance(value, str) or not value:
            raise MemuseError(f"the observer {observer!r} needs a text for {name!r}", reason="observer")


def check_lists(observer: str, **settings: object) -> None:
    """Raise `MemuseError` for a setting that is no list of texts, or an empty one."""
    for name, value in settings.items():
        if not (isinstance(value, tuple) and value and all(isinstance(text, str) for text in value)):
            raise MemuseError(f"the observer {observer!r} needs a list of texts for {name!r}", reason="observer")


def check_pieces(observer: str, pieces: object, key: object) -> None:
    """Raise `MemuseError` for pieces that there are not, and for a key that is not the two texts around one."""
    known = get_args(Pieces)
    if pieces not in known:
        told = f"the observer {observer!r} knows no pieces {pieces!r}; known are {', '.join(known)}"
        raise MemuseError(told + nearest(str(pieces), known), reason="observer")
    if key is not None and not (
        isinstance(key, tuple) and len(key) == 2 and all(isinstance(mark, str) for mark in key) and key[1]
    ):
        told = f"the observer {observer!r} needs for 'key' the texts before and after a displayed identifier"
        raise MemuseError(told, reason="observer")


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    version: ItemText


def entries_of(
    text: str, stored: Sequence[ItemText], *, pieces: Pieces, key: tuple[str, str] | None, name: str
) -> tuple[dict[str, Any], ...]:
    """Return the entries of memory text as plain data, in the order in which it shows them.

    They are the stored items whose text stands in it. Where it shows none, it falls into ``pieces``; ``key`` holds the
    texts before and after an identifier that is displayed at the beginning of a piece. A piece that displays none is
    called after ``name`` where it is the whole text, so that its versions are versions of one item, and else after its
    own content.
    """
    found = stored_entries(text, stored)
    if found:
        return found
    return tuple(_piece(piece, key, name if pieces == "whole" else "") for piece in _split(text, pieces))


def stored_entries(text: str, stored: Iterable[ItemText]) -> tuple[dict[str, Any], ...]:
    """Return the stored items that a text shows; where two claim the same place, the longer text has it."""
    matches = [match for version in stored for match in _matches(text, version)]
    taken: list[_Match] = []  # by place; none overlaps another
    for match in sorted(matches, key=lambda m: (m.start - m.end, m.start)):
        place = bisect(taken, match.start, key=lambda m: m.start)
        before, after = taken[place - 1 : place], taken[place : place + 1]
        if all(other.end <= match.start for other in before) and all(match.end <= other.start for other in after):
            taken.insert(place, match)
    shown: dict[tuple[str, str], dict[str, Any]] = {}
    for match in taken:
        version = match.version
        entry = {"item": version.item, "value": version.text, "namespace": version.namespace}
        shown.setdefault((version.namespace, version.item), entry)
    return tuple(shown.values())


def _matches(text: str, version: ItemText) -> Iterable[_Match]:
    for form in dict.fromkeys(
        (version.text, json.dumps(version.text)[1:-1], json.dumps(version.text, ensure_ascii=False)[1:-1])
    ):
        if not form.strip():
            continue
        start = _standing(text, form)
        if start is not None:
            yield _Match(start, start + len(form), version)
            return
    opening = version.text[:SHORTEST_PREFIX]
    if len(version.text) > SHORTEST_PREFIX and opening.strip():
        for start in _places(text, opening):
            shared = _shared(text, start, version.text)
            if text.startswith(_ELLIPSES, start + shared):
                yield _Match(start, start + shared, version)
                return


def _standing(text: str, form: str) -> int | None:
    """Return where a form stands in a text and is no part of a longer word or number; None where nowhere."""
    for start in _places(text, form):
        end = start + len(form)
        if not (_joins(text[start - 1 : start], form[0]) or _joins(form[-1], text[end : end + 1])):
            return start
    return None


def _places(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    for _ in range(MOST_PLACES):
        if start < 0:
            return
        yield start
        start = text.find(part, start + 1)


def _joins(left: str, right: str) -> bool:
    # Only where words are set apart by spaces; of other scripts any place is a border.
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def _shared(text: str, start: int, value: str) -> int:
    length = min(len(value), len(text) - start)
    return next((n for n in range(length) if text[start + n] != value[n]), length)


def _split(text: str, pieces: Pieces) -> list[str]:
    if pieces == "whole":
        return [text.strip()] if text.strip() else []
    parts = text.splitlines() if pieces == "lines" else text.replace("\r\n", "\n").split("\n\n")
    return [part.strip() for part in parts if part.strip()]


def _piece(piece: str, key: tuple[str, str] | None, name: str) -> dict[str, Any]:
    if key is not None and piece.startswith(key[0]):
        displayed, mark, rest = piece[len(key[0]) :].partition(key[1])
        if mark and displayed.strip():
            return {"item": displayed.strip(), "key": displayed.strip(), "value": rest.strip()}
    return {"item": name or f"text {text_digest(piece)[:12]}", "value": piece}
