"""The scripted model by OpenAI's Responses."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_memuse.agents.scripted.asked import MODEL_NAME, Asked, Envelope, Reply, offer_of, tokens
from pytest_memuse.agents.scripted.dialects.frames import frame, pieces
from pytest_memuse.recording.dialects.responses import read_request
from pytest_memuse.recording.dialects.types import Readings


def read(body: Mapping[str, Any]) -> Asked:
    """Read a request. One that goes on from an earlier response is refused: nothing is kept between requests."""
    if body.get("previous_response_id") or body.get("conversation"):
        raise ValueError("the scripted model keeps no responses; send the whole input instead of an identifier")
    asked = read_request(body, Readings())
    if not body.get("input") or not asked.messages:
        raise ValueError("'input' must be a text or a list of at least one item")
    tools, choice = body.get("tools"), body.get("tool_choice")
    name = choice.get("name") if isinstance(choice, Mapping) else None
    offers = (offer_of(tool, parameters="parameters") for tool in (tools if isinstance(tools, list) else ()))
    return Asked(
        messages=asked.messages,
        offers=() if choice == "none" else tuple(offer for offer in offers if offer is not None),
        only=name if isinstance(name, str) else None,
    )


def write(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    """Return the body of a response."""
    return _response(envelope, _items(reply, envelope), _usage(reply, envelope))


def stream(reply: Reply, envelope: Envelope) -> Iterator[str]:
    """Yield the events of a response, item by item; the last one holds the response whole."""
    for number, event in enumerate(_events(reply, envelope)):
        yield frame({**event, "sequence_number": number}, event=event["type"])


def _events(reply: Reply, envelope: Envelope) -> Iterator[dict[str, Any]]:
    begun = {**_response(envelope, [], None), "status": "in_progress"}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    items = _items(reply, envelope)
    for index, item in enumerate(items):
        yield from (_message_events if item["type"] == "message" else _call_events)(item, index)
    whole = _response(envelope, items, _usage(reply, envelope))
    yield {"type": "response.completed", "response": whole}


def _message_events(item: dict[str, Any], index: int) -> Iterator[dict[str, Any]]:
    part = item["content"][0]
    place: dict[str, Any] = {"item_id": item["id"], "output_index": index, "content_index": 0}
    begun = {**item, "status": "in_progress", "content": []}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"]):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _call_events(item: dict[str, Any], index: int) -> Iterator[dict[str, Any]]:
    place: dict[str, Any] = {"item_id": item["id"], "output_index": index}
    begun = {**item, "status": "in_progress", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    for piece in pieces(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    done = {"name": item["name"], "arguments": item["arguments"]}
    yield {"type": "response.function_call_arguments.done", **place, **done}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _items(reply: Reply, envelope: Envelope) -> list[dict[str, Any]]:
    name = envelope.digest[:24]
    part = {"type": "output_text", "text": reply.text, "annotations": [], "logprobs": []}
    said = {"id": f"msg_{name}", "type": "message", "status": "completed", "role": "assistant", "content": [part]}
    if reply.call is None:
        return [said]
    called = {
        "id": f"fc_{name}",
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{name}",
        "name": reply.call.name,
        "arguments": reply.call.arguments,
    }
    return [said, called]


def _response(envelope: Envelope, items: list[dict[str, Any]], usage: dict[str, Any] | None) -> dict[str, Any]:
    body = envelope.body
    tools = body.get("tools")
    return {
        "id": f"resp_{envelope.digest}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": None,
        "metadata": {"fingerprint": envelope.fingerprint},
        "model": MODEL_NAME,
        "output": items,
        "parallel_tool_calls": False,
        "previous_response_id": None,
        "reasoning": {"effort": None, "summary": None},
        "store": False,
        "temperature": None,
        "text": {"format": {"type": "text"}},
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": tools if isinstance(tools, list) else [],
        "top_p": None,
        "truncation": "disabled",
        "usage": usage,
    }


def _usage(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    parts = (envelope.body.get(name) or "" for name in ("instructions", "input", "tools"))
    given = sum(tokens(part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)) for part in parts)
    made = tokens(reply.text) + (tokens(reply.call.arguments) if reply.call else 0)
    return {
        "input_tokens": given,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": given + made,
    }
