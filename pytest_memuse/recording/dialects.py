"""What a recorded model call says, by API: messages of the request, the response, usage.

Chat Completions is read; a call of another API has an input that this module cannot read and is marked as a gap.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pytest_memuse.model import Message, ToolCall, Usage
from pytest_memuse.recording.recording import Exchange


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A model call in the project's terms. ``readable`` is False where the request's messages could not be read."""

    messages: tuple[Message, ...]
    response: Message | None
    model: str
    usage: Usage
    readable: bool


def read_call(exchange: Exchange) -> ReadCall:
    """Read a recorded model call."""
    request = exchange.request if isinstance(exchange.request, Mapping) else {}
    answer = exchange.response if isinstance(exchange.response, Mapping) else {}
    done = 200 <= exchange.status < 300
    if not urlsplit(exchange.uri).path.endswith("/chat/completions") and done:
        # Another API: the call completed a step, and what it carried cannot be read.
        model = str(answer.get("model") or request.get("model") or "")
        return ReadCall((), Message("assistant", ""), model, Usage(), readable=False)
    raw = request.get("messages")
    readable = isinstance(raw, list) and all(isinstance(message, Mapping) for message in raw)
    messages = tuple(_message(message) for message in raw) if readable and isinstance(raw, list) else ()
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    said = first.get("message")
    response = _message(said) if isinstance(said, Mapping) and done else None
    model = answer.get("model") or request.get("model") or ""
    return ReadCall(messages, response, str(model), _usage(answer.get("usage")), readable)


def conversation(exchanges: Sequence[Exchange]) -> list[dict[str, str]]:
    """Return what user and assistant said in an episode, from its last call; tool calls and outputs are left out.

    This is what memories are extracted from (MemUse 4.1).
    """
    for exchange in reversed(exchanges):
        call = read_call(exchange)
        if call.readable and call.response is not None:
            spoken = [m for m in (*call.messages, call.response) if m.role in ("user", "assistant") and m.text.strip()]
            return [{"role": m.role, "content": m.text} for m in spoken]
    return []


def _message(raw: Mapping[str, Any]) -> Message:
    calls = raw.get("tool_calls")
    return Message(
        role=str(raw.get("role", "")),
        text=text_of(raw.get("content")),
        tool_calls=tuple(_tool_call(call) for call in calls if isinstance(call, Mapping))
        if isinstance(calls, list)
        else (),
        tool_call_id=str(raw["tool_call_id"]) if raw.get("tool_call_id") is not None else None,
    )


def text_of(content: Any) -> str:
    """Return the text of a message's content; the texts of its parts are joined by line breaks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            part["text"] for part in content if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        )
    return ""


def _tool_call(raw: Mapping[str, Any]) -> ToolCall:
    called = raw.get("function")
    function: Mapping[str, Any] = called if isinstance(called, Mapping) else {}
    arguments = function.get("arguments")
    return ToolCall(
        id=str(raw.get("id", "")),
        name=str(function.get("name", "")),
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
    )


def _usage(raw: Any) -> Usage:
    if not isinstance(raw, Mapping):
        return Usage()
    return Usage(
        input=_count(raw.get("prompt_tokens")),
        output=_count(raw.get("completion_tokens")),
        cached=_count(_inside(raw, "prompt_tokens_details").get("cached_tokens")),
        reasoning=_count(_inside(raw, "completion_tokens_details").get("reasoning_tokens")),
    )


def _inside(raw: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = raw.get(name)
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
