"""Places in a text that are to be replaced, and replacing them."""

from collections.abc import Callable, Iterable, MutableMapping
from typing import NamedTuple

REDACTED = "<redacted>"

Tally = MutableMapping[str, int]
"""Counts what was replaced, by kind. Values are never kept."""


class Span(NamedTuple):
    """A secret at ``[start, end)`` of a text. ``kind`` says what found it."""

    start: int
    end: int
    kind: str


def merged(text: str, spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order, those that overlap as one.

    A span inside a replacement that already stands in the text is dropped, and one that touches the inside of such a
    replacement takes it in whole: what a rule makes of a replacement is the same replacement again.
    """
    standing = []
    start = text.find(REDACTED)
    while start >= 0:
        standing.append((start, start + len(REDACTED)))
        start = text.find(REDACTED, start + len(REDACTED))
    out: list[Span] = []
    for begin, end, kind in sorted(spans):
        for left, right in standing:
            if begin < right and end > left:
                if left <= begin and end <= right:
                    begin = end
                    break
                begin, end = min(begin, left), max(end, right)
        if begin == end:
            continue
        if out and begin < out[-1].end:
            out[-1] = out[-1]._replace(end=max(end, out[-1].end))
        else:
            out.append(Span(begin, end, kind))
    return out


def replaced(text: str, spans: Iterable[Span], tally: Tally | None = None) -> str:
    """Return the text with every span replaced. ``spans`` are in order and do not overlap."""
    out, done = [], 0
    for start, end, kind in spans:
        out += [text[done:start], REDACTED]
        done = end
        if tally is not None:
            tally[kind] = tally.get(kind, 0) + 1
    return "".join(out) + text[done:]


def until_settled(text: str, find: Callable[[str], list[Span]], tally: Tally | None = None) -> str:
    """Replace what ``find`` finds until it finds nothing more, so that doing it again changes nothing.

    What stood beside a secret can be found only once that is gone: a key that was glued to another one, for example.
    """
    for _ in range(_ROUNDS):
        spans = find(text)
        if not spans:
            return text
        text = replaced(text, spans, tally)
    return REDACTED  # nothing that still changes after so many rounds is let through


_ROUNDS = 16
