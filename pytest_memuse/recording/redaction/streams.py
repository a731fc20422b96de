"""Bodies that are a stream of events: server-sent events, or one JSON value a line.

A model sends its words in pieces, so a secret may begin in one event and end in another. The texts that stand at the
same place of consecutive events are read as one.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model.json_text import parse_json
from pytest_memuse.recording.redaction.spans import REDACTED, Span, Tally

_LINE = re.compile(r"(data:[ ]?|(?=[{\[]))([^\r\n]*)")
_STREAM = re.compile(r"(?:(?:data|event|id|retry)?:|[{\[])")
_TOLD_APART_BY = ("index", "output_index", "content_index", "summary_index", "item_id")
"""Fields that tell apart what an API sends in turns: several answers, several tool calls."""

_DEEPEST = 64
_ROUNDS = 8

Channel = tuple[Any, ...]


@dataclass(slots=True)
class _Piece:
    """A text, ``holder[place]``, of an event that may go on in later ones. ``start`` is where it is in the whole."""

    event: int
    holder: Any
    place: Any
    start: int = 0
    text: str = ""


@dataclass(slots=True)
class _Event:
    """An event at ``[begin, end)`` of the stream; ``box`` holds its value, so that a text that is one can change."""

    begin: int
    end: int
    box: list[Any]
    changed: bool = False


def is_stream(text: str) -> bool:
    """Tell whether a text is a stream of at least two events."""
    begun = text.lstrip("\ufeff\r\n")
    return _STREAM.match(begun) is not None and "\n" in begun


def redacted_stream(
    text: str,
    each: Callable[[Any], Any],
    find: Callable[[str], list[Span]],
    tally: Tally | None,
) -> str:
    """Return a stream without secrets: each event by itself, with ``each``, then what goes over several of them.

    Events without a secret stay as they are, character by character. What goes over several events is replaced where
    it begins, and taken out of the others.
    """
    events = _events(text, each)
    pieces: dict[Channel, list[_Piece]] = {}
    for number, event in enumerate(events):
        for channel, holder, place in _texts(event.box, (), 0):
            pieces.setdefault(channel, []).append(_Piece(number, holder, place))
    for found in pieces.values():
        # What every event repeats, such as the answer's id, does not go on.
        if any(piece.holder[piece.place] != found[0].holder[found[0].place] for piece in found):
            for _ in range(_ROUNDS):
                if not _across(found, events, find, tally):
                    break
    return _written(text, events)


def _events(text: str, each: Callable[[Any], Any]) -> list[_Event]:
    out = []
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        found = _LINE.match(text, at, end)
        if found and found.group(2):
            raw = found.group(2)
            try:
                value = parse_json(raw) if raw[0] in "{[" else raw
            except ValueError:
                value = raw
            clean = each(value)
            out.append(_Event(*found.span(2), [clean], clean != value))
        elif end > at:
            line = text[at:end]
            clean = each(line)
            if clean != line:
                out.append(_Event(at, end, [clean], True))
        at = end + 1
    return out


def _texts(holder: Any, channel: Channel, depth: int) -> Iterator[tuple[Channel, Any, Any]]:
    if depth > _DEEPEST:
        return
    if isinstance(holder, dict):
        apart = tuple(str(holder[name]) for name in _TOLD_APART_BY if isinstance(holder.get(name), (int, str)))
        kind = holder.get("type") if isinstance(holder.get("type"), str) else ""
        channel = (*channel, kind, *apart)
    for place, item in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
        # The place in a list says nothing: an event lists only what it adds, and tells by its index where.
        inner = (*channel, place if isinstance(place, str) else "")
        if isinstance(item, str):
            if not (isinstance(place, str) and place in ("type", *_TOLD_APART_BY)):
                yield inner, holder, place
        elif isinstance(item, (dict, list)):
            yield from _texts(item, inner, depth + 1)


def _across(pieces: list[_Piece], events: list[_Event], find: Callable[[str], list[Span]], tally: Tally | None) -> bool:
    at = 0
    for piece in pieces:
        piece.start, piece.text = at, piece.holder[piece.place]
        at += len(piece.text)
    spans = find("".join(piece.text for piece in pieces))
    first = 0
    for span in spans:
        while pieces[first].start + len(pieces[first].text) <= span.start:
            first += 1
        shown = REDACTED
        for piece in itertools.islice(pieces, first, None):
            if piece.start >= span.end:
                break
            low, high = max(span.start - piece.start, 0), min(span.end - piece.start, len(piece.text))
            now = piece.holder[piece.place]
            # Spans come in order, so what the piece lost to an earlier one stands before this one.
            shift = len(now) - len(piece.text)
            piece.holder[piece.place] = now[: low + shift] + shown + now[high + shift :]
            events[piece.event].changed = True
            shown = ""
        if tally is not None:
            tally[span.kind] = tally.get(span.kind, 0) + 1
    return bool(spans)


def _written(text: str, events: list[_Event]) -> str:
    out, done = [], 0
    for event in events:
        if not event.changed:
            continue
        value = event.box[0]
        out += [text[done : event.begin], value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]
        done = event.end
    return "".join(out) + text[done:]
