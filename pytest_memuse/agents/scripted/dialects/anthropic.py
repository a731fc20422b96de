"""The scripted model by Anthropic's Messages."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_memuse.agents.scripted.asked import MODEL_NAME, Asked, Envelope, Reply, offer_of, tokens
from pytest_memuse.agents.scripted.dialects.frames import frame, pieces
from pytest_memuse.recording.dialects.anthropic import read_request
from pytest_memuse.recording.dialects.types import Readings


def read(body: Mapping[str, Any]) -> Asked:
    """Read a request; blocks and tools of unexpected shape are passed over."""
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise ValueError("'messages' must be a list of at least one message")
    tools, choice = body.get("tools"), body.get("tool_choice")
    chosen = choice if isinstance(choice, Mapping) else {}
    name = chosen.get("name")
    offers = (offer_of(tool, parameters="input_schema") for tool in (tools if isinstance(tools, list) else ()))
    return Asked(
        messages=read_request(body, Readings()).messages,
        offers=() if chosen.get("type") == "none" else tuple(offer for offer in offers if offer is not None),
        only=name if isinstance(name, str) else None,
    )


def write(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    """Return the body of a message."""
    return {
        **_head(envelope),
        "content": _blocks(reply, envelope),
        "stop_reason": _stop(reply),
        "usage": {**_input(envelope), "output_tokens": _output(reply)},
    }


def stream(reply: Reply, envelope: Envelope) -> Iterator[str]:
    """Yield the events of a message, block by block."""
    return (frame(event, event=event["type"]) for event in _events(reply, envelope))


def refusal(problem: str) -> dict[str, Any]:
    """Return an error of Anthropic's shape."""
    return {"type": "error", "error": {"type": "invalid_request_error", "message": problem}}


def _events(reply: Reply, envelope: Envelope) -> Iterator[dict[str, Any]]:
    begun = {**_head(envelope), "content": [], "stop_reason": None, "usage": {**_input(envelope), "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    for index, block in enumerate(_blocks(reply, envelope)):
        yield from _block_events(block, index, reply)
    ending = {"stop_reason": _stop(reply), "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": _output(reply)}}
    yield {"type": "message_stop"}


def _block_events(block: dict[str, Any], index: int, reply: Reply) -> Iterator[dict[str, Any]]:
    if block["type"] == "text":
        begun = {**block, "text": ""}
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    else:
        begun = {**block, "input": {}}
        arguments = reply.call.arguments if reply.call else ""
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces(arguments)]
    yield {"type": "content_block_start", "index": index, "content_block": begun}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _blocks(reply: Reply, envelope: Envelope) -> list[dict[str, Any]]:
    said: dict[str, Any] = {"type": "text", "text": reply.text}
    if reply.call is None:
        return [said]
    given = json.loads(reply.call.arguments)
    return [said, {"type": "tool_use", "id": f"toolu_{envelope.digest[:24]}", "name": reply.call.name, "input": given}]


def _head(envelope: Envelope) -> dict[str, Any]:
    name = f"msg_{envelope.digest[:24]}"
    return {"id": name, "type": "message", "role": "assistant", "model": MODEL_NAME, "stop_sequence": None}


def _stop(reply: Reply) -> str:
    return "end_turn" if reply.call is None else "tool_use"


def _input(envelope: Envelope) -> dict[str, int]:
    parts = (envelope.body.get(name) or "" for name in ("system", "messages", "tools"))
    given = sum(tokens(part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)) for part in parts)
    return {"input_tokens": given, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}


def _output(reply: Reply) -> int:
    return tokens(reply.text) + (tokens(reply.call.arguments) if reply.call else 0)
