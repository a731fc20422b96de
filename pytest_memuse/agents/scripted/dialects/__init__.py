"""The APIs that the scripted model is served by: each reads a request and writes a reply, whole or as a stream."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_memuse.agents.scripted.asked import Asked, Envelope, Reply
from pytest_memuse.agents.scripted.dialects import anthropic, chat, responses
from pytest_memuse.recording.dialects import Api

__all__ = ["DIALECTS", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One API. ``read`` raises ValueError, with a text for the caller, where it cannot do what a request asks for.

    ``stream`` yields the frames of an event stream; ``refusal`` gives the body of an error.
    """

    read: Callable[[Mapping[str, Any]], Asked]
    write: Callable[[Reply, Envelope], dict[str, Any]]
    stream: Callable[[Reply, Envelope], Iterator[str]]
    refusal: Callable[[str], dict[str, Any]]


DIALECTS: Mapping[Api, Dialect] = {
    Api.CHAT: Dialect(chat.read, chat.write, chat.stream, chat.refusal),
    Api.RESPONSES: Dialect(responses.read, responses.write, responses.stream, chat.refusal),
    Api.ANTHROPIC: Dialect(anthropic.read, anthropic.write, anthropic.stream, anthropic.refusal),
}
