"""OpenAI's Chat Completions, as every compatible endpoint speaks them."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pytest_memuse.model import Message, ToolCall, Usage
from pytest_memuse.recording.dialects.events import DONE, StreamEvent
from pytest_memuse.recording.dialects.fields import count, dollars, json_text, mapping, mappings, string, text_of
from pytest_memuse.recording.dialects.types import Folded, ReadAnswer, Readings, ReadRequest


def read_request(body: Mapping[str, Any], readings: Readings) -> ReadRequest:
    """Read the messages of a request; what is no message is passed over and makes the request unreadable."""
    raw = body.get("messages")
    if not isinstance(raw, list):
        return ReadRequest(whole=False)
    pointers = readings.pointers(len(raw))
    found = [(pointer, message) for pointer, message in zip(pointers, raw, strict=True) if isinstance(message, Mapping)]
    return ReadRequest(
        messages=tuple(readings.known(said) or readings.message(said, partial(_message, said)) for _, said in found),
        pointers=tuple(pointer for pointer, _ in found),
        whole=len(found) == len(raw),
    )


def read_answer(body: Mapping[str, Any]) -> ReadAnswer:
    """Read a response body; its first choice is what the agent goes on with."""
    said = next(mappings(body.get("choices")), {}).get("message")
    raw = mapping(body.get("usage"))
    return ReadAnswer(
        message=_message(said) if isinstance(said, Mapping) else None,
        id=string(body.get("id")),
        model=str(body.get("model") or ""),
        usage=Usage(
            input=count(raw.get("prompt_tokens")),
            output=count(raw.get("completion_tokens")),
            cached=count(mapping(raw.get("prompt_tokens_details")).get("cached_tokens")),
            reasoning=count(mapping(raw.get("completion_tokens_details")).get("reasoning_tokens")),
        ),
        cost=dollars(raw.get("cost")),
    )


def fold(events: Iterable[StreamEvent]) -> Folded:
    """Put a stream's chunks together; it has ended with a finish reason or with OpenAI's closing word."""
    body: dict[str, Any] = {}
    message = _GrowingMessage()
    ended = failed = False
    for event in events:
        ended = ended or event.text == DONE
        failed = failed or bool(event.data.get("error"))
        body |= {name: value for name, value in event.data.items() if name in _KEPT and value is not None}
        for choice in mappings(event.data.get("choices")):
            if choice.get("index", 0) == 0:
                message.take(mapping(choice.get("delta")))
                ended = ended or choice.get("finish_reason") is not None
    if message.begun:
        body["choices"] = [{"index": 0, "message": message.whole()}]
    return Folded(body, ended and not failed)


_KEPT = frozenset({"id", "model", "usage"})


class _GrowingMessage:
    """An assistant message whose deltas are still coming in."""

    def __init__(self) -> None:
        self.begun = False
        self._texts: list[str] = []
        self._calls: dict[Any, _GrowingCall] = {}

    def take(self, delta: Mapping[str, Any]) -> None:
        self.begun = True
        self._texts.append(string(delta.get("content")))
        for part in mappings(delta.get("tool_calls")):
            place = part.get("index")
            # Some endpoints number no calls and send each of them whole.
            key = place if isinstance(place, int) else string(part.get("id")) or len(self._calls)
            self._calls.setdefault(key, _GrowingCall()).take(part)

    def whole(self) -> dict[str, Any]:
        calls = [call.whole() for call in self._calls.values()]
        out: dict[str, Any] = {"role": "assistant", "content": "".join(self._texts)}
        return out | {"tool_calls": calls} if calls else out


class _GrowingCall:
    def __init__(self) -> None:
        self._id = ""
        self._names: list[str] = []
        self._arguments: list[str] = []

    def take(self, part: Mapping[str, Any]) -> None:
        function = mapping(part.get("function"))
        self._id = self._id or string(part.get("id"))
        self._names.append(string(function.get("name")))
        self._arguments.append(string(function.get("arguments")))

    def whole(self) -> dict[str, Any]:
        function = {"name": "".join(self._names), "arguments": "".join(self._arguments)}
        return {"id": self._id, "type": "function", "function": function}


def _message(raw: Mapping[str, Any]) -> Message:
    return Message(
        role=str(raw.get("role", "")),
        text=text_of(raw.get("content")),
        tool_calls=tuple(_tool_call(call) for call in mappings(raw.get("tool_calls"))),
        tool_call_id=str(raw["tool_call_id"]) if raw.get("tool_call_id") is not None else None,
    )


def _tool_call(raw: Mapping[str, Any]) -> ToolCall:
    custom = mapping(raw.get("custom"))
    if custom:
        return ToolCall(str(raw.get("id", "")), str(custom.get("name", "")), string(custom.get("input")))
    function = mapping(raw.get("function"))
    arguments = function.get("arguments")
    return ToolCall(
        id=str(raw.get("id", "")),
        name=str(function.get("name", "")),
        arguments=arguments if isinstance(arguments, str) else json_text(arguments),
    )
