"""A recorder that is told exchanges by hand: what a bridge says is checked against requests made here."""

from collections.abc import Sequence
from typing import Any

from pytest_memuse.model import Episode
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import read_lines, write_lines
from pytest_memuse.recording.observers import Observer
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.session import ArcRecorder

CHAT = "http://model/v1/chat/completions"


class Bridged:
    """A bridge over a fresh recorder, with agent and memory calls made by hand."""

    def __init__(self) -> None:
        self.recorder = ArcRecorder()
        self.bridge = Bridge(self.recorder, "shop")

    def ask(
        self, *messages: dict[str, Any], said: str = "ok", calls: Sequence[dict[str, Any]] = (), uri: str = CHAT
    ) -> None:
        """Make one model call whose request holds the messages."""
        message: dict[str, Any] = {"role": "assistant", "content": said}
        if calls:
            message["tool_calls"] = list(calls)
        answer = {"model": "m", "choices": [{"message": message}]}
        self.recorder.exchange("POST", uri, {"model": "m", "messages": list(messages)}, 200, "OK", answer, {})

    def embed(self) -> None:
        """Make one embedding call."""
        answer = {"data": [{"embedding": [0.5]}]}
        self.recorder.exchange("POST", "http://model/v1/embeddings", {"input": "x"}, 200, "OK", answer, {})

    def recording(self) -> Recording:
        """Return what was recorded, written and read again."""
        made = Recording("s", "a", tuple(self.recorder.events))
        read = read_lines([line.encode() for line in write_lines(made)], "test")
        assert read == made
        return read

    def episodes(self, *observers: Observer) -> tuple[Episode, ...]:
        """Return the episodes of the log that is derived."""
        return derive_log(self.recording(), observers).episodes


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def tool_call(name: str, call: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}


def tool_result(call: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": text}
