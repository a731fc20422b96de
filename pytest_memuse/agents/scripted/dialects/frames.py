"""Frames of an event stream."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

PIECE = 24
"""Characters of one delta: small, so that what is streamed comes in several pieces."""


def frame(data: Mapping[str, Any], *, event: str = "") -> str:
    """Return one event as it goes over the wire, in ASCII, so that lone surrogates can go out as they came in."""
    named = f"event: {event}\n" if event else ""
    return f"{named}data: {json.dumps(data)}\n\n"


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces; nothing for an empty one."""
    return (text[start : start + PIECE] for start in range(0, len(text), PIECE))
