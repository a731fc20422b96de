"""Server-sent events: the text of a stream to its events."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_memuse.recording.dialects.fields import mapping, parsed, string

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
DONE = "[DONE]"
"""The data with which OpenAI's Chat Completions end a stream."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event: its ``kind`` (the event field, else what its data calls its type), its data as text and as JSON."""

    kind: str
    text: str
    data: Mapping[str, Any]


def stream_events(text: str) -> Iterator[StreamEvent]:
    """Yield the events of a stream, one that lacks its closing empty line included.

    Data that is no JSON object gives an event with empty data.
    """
    kind = ""
    lines: list[str] = []
    for line in _lines(text):
        if not line:
            if lines:
                yield _event(kind, lines)
            kind, lines = "", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            kind = value
        elif name == "data":
            lines.append(value)
    if lines:
        yield _event(kind, lines)


def is_stream(headers: Mapping[str, str], body: Any) -> bool:
    """Return whether a response is the text of an event stream: it says so, or it begins like one."""
    if not isinstance(body, str):
        return False
    kinds = (str(value) for name, value in headers.items() if name.lower() == "content-type")
    return any("text/event-stream" in kind.lower() for kind in kinds) or body.startswith(("data:", "event:"))


def _lines(text: str) -> Iterator[str]:
    # Not splitlines: it also ends lines at characters that stand for themselves inside of JSON strings.
    start = 0
    for match in _LINE_BREAK.finditer(text):
        yield text[start : match.start()]
        start = match.end()
    yield text[start:]


def _event(kind: str, lines: list[str]) -> StreamEvent:
    text = "\n".join(lines)
    data = mapping(parsed(text))
    return StreamEvent(kind or string(data.get("type")), text, data)
