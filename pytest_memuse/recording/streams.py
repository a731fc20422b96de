"""A stream of events, stored as what changes from event to event.

Every event of a model's stream repeats identifiers, model and time beside the one word that it brings. Stored is the
first event whole and of each later one only the parts that differ from an earlier one of the same build.
"""

from collections.abc import Iterator
from typing import Any

_BETWEEN = "\n\n"
_FEWEST = 4
_LOOKED_BACK = 4
"""Events among which one of the same build is sought; streams alternate between few kinds."""

_WORTH = 0.8
"""Packed is what takes at most this part of the stream's length."""


def packed_stream(text: str) -> list[Any] | None:
    """Return the stored form of a stream; None where the text is none, or would not get much shorter.

    An element is an event as it is, or ``[back, [part, ...], text, ...]``: one event after another, each being the one
    so many places before it with these of its parts replaced by the next texts. Parts are what stands between quotation
    marks.
    """
    events = text.split(_BETWEEN)
    if len(events) < _FEWEST:
        return None
    parts = [event.split('"') for event in events]
    out: list[Any] = []
    size = 0
    for number, own in enumerate(parts):
        back = next((b for b in range(1, min(number, _LOOKED_BACK) + 1) if len(parts[number - b]) == len(own)), 0)
        changed = [at for at, part in enumerate(own) if part != parts[number - back][at]] or [0]
        texts = [own[at] for at in changed]
        short = sum(map(len, texts)) + 3 * len(texts)
        if not back or short + 9 > len(events[number]):
            out.append(events[number])
            size += len(events[number]) + 3
        elif out and isinstance(out[-1], list) and out[-1][:2] == [back, changed]:
            out[-1].extend(texts)
            size += short
        else:
            out.append([back, changed, *texts])
            size += short + 9
    return out if size <= _WORTH * len(text) else None


def unpacked_stream(stored: Any, most: int) -> str:
    """Return the stream of a stored form. Raises ValueError where it is damaged or longer than ``most`` characters."""
    if not isinstance(stored, list):
        raise ValueError("the stored stream is not a list")
    parts: list[list[str]] = []
    size = 0
    for element in stored:
        for own in [element.split('"')] if isinstance(element, str) else _changed(element, parts):
            parts.append(own)
            size += sum(map(len, own)) + len(own) + 1
            if size > most + len(_BETWEEN):
                raise ValueError("the stored stream is too long")
    return _BETWEEN.join('"'.join(own) for own in parts)


def _changed(element: Any, parts: list[list[str]]) -> Iterator[list[str]]:
    """Yield the events that an element stands for; each is expected to be added to ``parts`` before the next."""
    if not isinstance(element, list) or len(element) < 3:
        raise ValueError("an event of the stored stream is damaged")
    back, places, *texts = element
    if not isinstance(places, list) or not places or len(texts) % len(places):
        raise ValueError("an event of the stored stream is damaged")
    if type(back) is not int or not 0 < back <= len(parts):
        raise ValueError("an event of the stored stream stands for one that is not there")
    for start in range(0, len(texts), len(places)):
        own = list(parts[-back])
        for at, text in zip(places, texts[start:], strict=False):
            if type(at) is not int or not 0 <= at < len(own) or not isinstance(text, str):
                raise ValueError("an event of the stored stream is damaged")
            own[at] = text
        yield own
