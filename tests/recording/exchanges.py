"""Recorded exchanges for tests, as a cassette would hold them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.recording.recording import Exchange

STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def exchange(
    path: str, request: object, response: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Exchange:
    """Return an exchange with an endpoint on this machine."""
    uri = f"http://localhost{path}" if path.startswith("/") else path
    return Exchange(1, Actor.AGENT, "POST", uri, request, status, "", headers or {}, response)


def streamed(path: str, request: object, frames: Sequence[str]) -> Exchange:
    """Return an exchange whose response is a stream of frames."""
    return exchange(path, request, "".join(frames), headers=STREAM)


def frame(data: Mapping[str, Any], *, named: bool = False) -> str:
    """Return one event of a stream; ``named`` puts its type before it as Anthropic and the Responses API do."""
    return (f"event: {data['type']}\n" if named else "") + f"data: {json.dumps(data)}\n\n"
