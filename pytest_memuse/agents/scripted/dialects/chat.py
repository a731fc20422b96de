"""The scripted model by OpenAI's Chat Completions."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_memuse.agents.scripted.asked import MODEL_NAME, Asked, Envelope, Reply, offer_of, tokens
from pytest_memuse.agents.scripted.dialects.frames import frame, pieces
from pytest_memuse.recording.dialects.chat import read_request
from pytest_memuse.recording.dialects.types import Readings


def read(body: Mapping[str, Any]) -> Asked:
    """Read a request; messages and tools of unexpected shape are passed over."""
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise ValueError("'messages' must be a list of at least one message")
    tools, choice = body.get("tools"), body.get("tool_choice")
    chosen = choice.get("function") if isinstance(choice, Mapping) else None
    name = chosen.get("name") if isinstance(chosen, Mapping) else None
    functions = [tool.get("function") for tool in tools if isinstance(tool, Mapping)] if isinstance(tools, list) else []
    offers = (offer_of(function, parameters="parameters") for function in functions)
    return Asked(
        messages=read_request(body, Readings()).messages,
        offers=() if choice == "none" else tuple(offer for offer in offers if offer is not None),
        only=name if isinstance(name, str) else None,
    )


def write(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    """Return the body of a chat completion."""
    message = _message(reply, envelope)
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply), "logprobs": None}
    return {
        "id": f"chatcmpl-{envelope.digest}",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL_NAME,
        "system_fingerprint": envelope.fingerprint,
        "choices": [choice],
        "usage": _usage(message, envelope),
    }


def stream(reply: Reply, envelope: Envelope) -> Iterator[str]:
    """Yield the chunks of a completion, with its usage last where the request's stream options ask for it."""
    options = envelope.body.get("stream_options")
    counted = isinstance(options, Mapping) and bool(options.get("include_usage"))
    head: dict[str, Any] = {
        "id": f"chatcmpl-{envelope.digest}",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL_NAME,
        "system_fingerprint": envelope.fingerprint,
    }
    tail: dict[str, Any] = {"usage": None} if counted else {}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        return frame({**head, "choices": [choice], **tail})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.text):
        yield chunk({"content": piece})
    message = _message(reply, envelope)
    for call in message.get("tool_calls", ()):
        opening = {**call, "function": {"name": call["function"]["name"], "arguments": ""}}
        yield chunk({"tool_calls": [{"index": 0, **opening}]})
        for piece in pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    yield chunk({}, _finish(reply))
    if counted:
        yield frame({**head, "choices": [], "usage": _usage(message, envelope)})
    yield "data: [DONE]\n\n"


def refusal(problem: str) -> dict[str, Any]:
    """Return an error of OpenAI's shape."""
    return {"error": {"message": problem, "type": "invalid_request_error", "param": None, "code": None}}


def _message(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.call is None:
        return message
    function = {"name": reply.call.name, "arguments": reply.call.arguments}
    return message | {"tool_calls": [{"id": f"call_{envelope.digest[:24]}", "type": "function", "function": function}]}


def _finish(reply: Reply) -> str:
    return "stop" if reply.call is None else "tool_calls"


def _usage(message: Mapping[str, Any], envelope: Envelope) -> dict[str, int]:
    tools = envelope.body.get("tools") or ""
    usage = {
        "prompt_tokens": _tokens(envelope.body["messages"]) + _tokens(tools),
        "completion_tokens": _tokens(message),
    }
    return {**usage, "total_tokens": sum(usage.values())}


def _tokens(value: Any) -> int:
    return tokens(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
