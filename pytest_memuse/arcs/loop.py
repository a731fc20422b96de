"""One session: the model is asked, its tool calls are carried out, and it is asked again (the scaffold of MERIT 3.4).

The loop is the same whatever the memory; only the memory block in the system message differs.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_memuse.arcs.prompts import system_message
from pytest_memuse.arcs.users import ScriptedUser
from pytest_memuse.arcs.worlds import World
from pytest_memuse.model.errors import MemuseError

ChatModel = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""From a Chat Completions request to its response, both as JSON values."""

STEP_LIMIT = 16
"""Model calls of one session."""


class Noted(Protocol):
    """Is told each model call, after it."""

    def __call__(self, request: Mapping[str, Any], response: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True, slots=True)
class Executed:
    """One tool call that was carried out. ``failed`` where the tool refused it; ``changes`` where it wrote."""

    name: str
    arguments: Mapping[str, str]
    result: str
    failed: bool
    changes: bool


@dataclass(frozen=True, slots=True)
class Session:
    """What happened in a session; ``limited`` where the step limit ended it."""

    executed: tuple[Executed, ...]
    limited: bool


def run_session(
    ask: ChatModel,
    model: str,
    world: World,
    user: ScriptedUser,
    memory: str,
    *,
    noted: Noted,
    step_limit: int = STEP_LIMIT,
) -> Session:
    """Run a session to its end: until the user has nothing more to say, or the step limit.

    Raises `MemuseError` where the model's response is none of Chat Completions; what is wrong with a tool call is told
    to the model.
    """
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": system_message(memory)},
        {"role": "user", "content": user.first()},
    ]
    tools = [{"type": "function", "function": schema} for schema in world.tools()]
    executed: list[Executed] = []
    for _ in range(step_limit):
        request = {"model": model, "messages": list(messages), "tools": tools, "temperature": 0}
        response = ask(request)
        noted(request, response)
        said = _said(response)
        messages.append(said)
        calls = said.get("tool_calls", [])
        for call in calls:
            done = _carried_out(world, call["function"])
            executed.append(done)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": done.result})
        if not calls:
            reply = user.reply(said["content"])
            if reply is None:
                return Session(tuple(executed), limited=False)
            messages.append({"role": "user", "content": reply})
    return Session(tuple(executed), limited=True)


def _carried_out(world: World, function: Mapping[str, str]) -> Executed:
    name, before = function["name"], world.changes
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except (ValueError, RecursionError):
        arguments = None
    result = world.call(name, arguments)
    kept = {str(k): str(v) for k, v in arguments.items()} if isinstance(arguments, dict) else {}
    return Executed(name, kept, result, result.startswith('{"error":'), world.changes != before)


def _said(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return the assistant's message as the next request holds it."""
    try:
        message = response["choices"][0]["message"]
        said: dict[str, Any] = {"role": "assistant", "content": str(message.get("content") or "")}
        calls = [
            {
                "id": str(call["id"]),
                "type": "function",
                "function": {"name": str(call["function"]["name"]), "arguments": str(call["function"]["arguments"])},
            }
            for call in message.get("tool_calls") or ()
        ]
    except (AttributeError, IndexError, KeyError, TypeError):
        raise MemuseError(
            "the model's response is none of the Chat Completions API",
            reason="model",
            mend="a response holds `choices`, the first with a `message` of `content` and `tool_calls`",
        ) from None
    return said | {"tool_calls": calls} if calls else said
