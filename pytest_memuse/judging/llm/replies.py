"""What an endpoint answered, in bounds and in plain data; and messages as they go back to it.

A model may write anything, and so may whoever stands between: halves of characters, which no request can carry,
identifiers that no API takes back, a hundred thousand tool calls. What is beyond the bounds is cut or replaced here, so
that everything after this works on text that can be kept, sent and shown; a cut answer then fails its checks.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from pytest_memuse.judging.answer_parsing import LONGEST_ANSWER
from pytest_memuse.judging.evidence.tools import LONGEST_ARGUMENTS
from pytest_memuse.judging.llm.conversation import Reply
from pytest_memuse.judging.llm.failures import Failure, FailureKind
from pytest_memuse.judging.llm.outcome import Message, Usage
from pytest_memuse.model.json_text import parse_json

_MOST_CALLS = 64
"""Tool calls of one response that are kept; the others are not part of the conversation."""

_LONGEST_NAME = 200

_IDENTIFIER = re.compile(r"[!-~]{1,8000}")
"""An identifier that can go back. Some are long: LiteLLM puts what Gemini signs into them, and wants it back."""

_TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""Names of tools that APIs take, also in the calls of a conversation."""

_NO_TOOL = "no_such_tool"
_SHOWN = 500
_HALVES = re.compile("[\ud800-\udfff]")

_OWN_BLOCKS = ("thinking_blocks", "reasoning_content")
"""What some providers want back with the message: their models' reasoning before a tool call."""


def reply_of(response: Any) -> Reply:
    """Return what a response of LiteLLM says. Raises `Failure` where it holds no message."""
    try:
        said = response.choices[0].message
        content = said.content if isinstance(said.content, str) else ""
        message: dict[str, Any] = {"role": "assistant", "content": _cut(content, LONGEST_ANSWER + 1)}
        calls = _told_apart([_call(call) for call in (said.tool_calls or [])[:_MOST_CALLS]])
    except (AttributeError, IndexError, TypeError) as error:
        raise Failure(FailureKind.PASSING, "the endpoint's response holds no message") from error
    if calls:
        message["tool_calls"] = calls
    for name in _OWN_BLOCKS:
        value = getattr(said, name, None)
        if value := _cut(value, LONGEST_ANSWER) if isinstance(value, str) else _plain(value):
            message[name] = value
    return Reply(message, _usage(response))


def _call(call: Any) -> dict[str, Any]:
    function = {
        "name": _cut(str(call.function.name or ""), _LONGEST_NAME),
        "arguments": _cut(str(call.function.arguments or ""), LONGEST_ARGUMENTS + 1),
    }
    return {"id": str(call.id or ""), "type": "function", "function": function}


def _told_apart(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return calls whose identifiers can go back: all as they were, or all by number.

    Some endpoints give none, or several of a response the same one.
    """
    names = {call["id"] for call in calls}
    if len(names) == len(calls) and all(map(_IDENTIFIER.fullmatch, names)):
        return calls
    return [{**call, "id": f"call_{number}"} for number, call in enumerate(calls, start=1)]


def _cut(text: str, longest: int) -> str:
    """Return the beginning of a text, with a mark where half a character stands: no request could carry it."""
    return _HALVES.sub("\ufffd", text[:longest])


def _plain(value: Any) -> Any:
    """Return a value as JSON data, None where it is larger or deeper than what is kept of a conversation."""
    try:
        text = json.dumps(value, default=str, ensure_ascii=False)
        return parse_json(_cut(text, LONGEST_ANSWER)) if len(text) <= LONGEST_ANSWER else None
    except (ValueError, RecursionError):
        return None


def _usage(response: Any) -> Usage:
    """Return what a call used. LiteLLM fills in zeros where nothing was reported; no call has an empty input."""
    reported = getattr(response, "usage", None)
    tokens_in = _count(getattr(reported, "prompt_tokens", None)) or None
    if tokens_in is None:
        return Usage(1, None, None, None, None)
    details = getattr(reported, "prompt_tokens_details", None)
    cached = _count(getattr(details, "cached_tokens", None))
    cost = getattr(response, "_hidden_params", {}).get("response_cost")
    if not isinstance(cost, (int, float)) or isinstance(cost, bool) or not cost > 0:
        cost = getattr(reported, "cost", None)
    known = isinstance(cost, (int, float)) and not isinstance(cost, bool) and 0 <= cost < float("inf")
    output = _count(getattr(reported, "completion_tokens", None))
    return Usage(1, tokens_in, cached, output, float(cost) if known and cost is not None else None)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def sendable(message: Message) -> dict[str, Any]:
    """Return a message as it goes out: arguments that are no JSON object are wrapped, since APIs refuse them, and so
    are names that no tool can have.
    """
    sent = dict(message)
    if sent.get("tool_calls"):
        sent["tool_calls"] = [{**call, "function": _sendable_function(call["function"])} for call in sent["tool_calls"]]
    return sent


def _sendable_function(function: Mapping[str, str]) -> dict[str, str]:
    name, arguments = function["name"], function["arguments"]
    return {
        "name": name if _TOOL.fullmatch(name) else _NO_TOOL,
        "arguments": arguments if _is_object(arguments) else json.dumps({"unreadable": arguments[:_SHOWN]}),
    }


def _is_object(text: str) -> bool:
    try:
        return isinstance(parse_json(text), dict)
    except ValueError:
        return False
