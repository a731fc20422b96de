"""Reading a chat request: what was asked, what memory it carries, which tools there are, and what happened so far."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_RETURN_CODE = re.compile(r"<returncode>\s*(-?\d{1,6})\s*</returncode>|\"returncode\":\s*(-?\d{1,6})")
_SHOWN_MEMORY = re.compile(r"\[([^\[\]\s]{1,64})\] (.+)")
SUBMIT_COMMAND = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@dataclass(frozen=True, slots=True)
class Observation:
    """What came back after one assistant message: the text of every result, and whether one of them failed."""

    text: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of a request that the scripted model can use, by name; None where there is none of the kind."""

    shell: str | None = None
    memory: str | None = None
    can_update: bool = False


@dataclass(frozen=True, slots=True)
class Conversation:
    """A request, read. ``system`` is the text that carries recalled memory, ``task`` what the user wrote first.

    ``turns`` holds one observation for each assistant message that something followed. ``submit`` is the command that
    ends the work, None where the instructions name none.
    """

    system: str
    task: str
    turns: tuple[Observation, ...]
    tools: Tools
    submit: str | None


def conversation_of(request: Mapping[str, Any]) -> Conversation:
    """Read a request body; messages and tools of unexpected shape are passed over."""
    messages = [m for m in _list(request.get("messages")) if isinstance(m, Mapping)]
    first = next((i for i, m in enumerate(messages) if m.get("role") == "assistant"), len(messages))
    opening = messages[:first]
    system = "\n".join(text_of(m) for m in opening if m.get("role") in ("system", "developer"))
    task = "\n\n".join(text_of(m) for m in opening if m.get("role") == "user")
    return Conversation(
        system=system,
        task=task,
        turns=_turns(messages[first:]),
        tools=_tools(request),
        submit=SUBMIT_COMMAND if SUBMIT_COMMAND.split()[1] in system + task else None,
    )


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message, the text parts of a multi-part one joined by line breaks."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = [p.get("text") for p in _list(content) if isinstance(p, Mapping)]
    return "\n".join(p for p in parts if isinstance(p, str))


def shown_memories(text: str) -> list[tuple[str, str]]:
    """Return identifier and text of the memories in a search result: lines ``[id] text``, or JSON objects."""
    found = [(m[1], m[2]) for line in text.splitlines() if (m := _SHOWN_MEMORY.fullmatch(line.strip()))]
    if found:
        return found
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows = _list(data.get("results")) if isinstance(data, Mapping) else _list(data)
    pairs = [(r.get("id"), r.get("memory") or r.get("text")) for r in rows if isinstance(r, Mapping)]
    return [(i, t) for i, t in pairs if isinstance(i, str) and isinstance(t, str)]


def _turns(messages: Sequence[Mapping[str, Any]]) -> tuple[Observation, ...]:
    groups: list[list[Mapping[str, Any]]] = []
    for message in messages:
        if message.get("role") == "assistant":
            groups.append([])
        elif groups:
            groups[-1].append(message)
    # An assistant message that nothing follows is the model's own last word, not something to react to.
    return tuple(_observation(g) for g in groups if g)


def _observation(results: Sequence[Mapping[str, Any]]) -> Observation:
    texts = [text_of(m) for m in results]
    codes = [int(m[1] or m[2]) for text in texts if (m := _RETURN_CODE.search(text[:2000]))]
    # A reply that is no tool result says that the call was not understood or not carried out.
    failed = any(codes) or not any(m.get("role") == "tool" for m in results)
    return Observation(text="\n".join(texts), failed=failed)


def _tools(request: Mapping[str, Any]) -> Tools:
    shell = memory = None
    can_update = False
    only = _chosen(request.get("tool_choice"))
    if request.get("tool_choice") == "none":
        return Tools()
    for tool in _list(request.get("tools")):
        function = tool.get("function") if isinstance(tool, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(name, str) or only not in (None, name):
            continue
        parameters = function.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, Mapping) else None
        if not isinstance(properties, Mapping):
            continue
        action = properties.get("action")
        actions = _list(action.get("enum")) if isinstance(action, Mapping) else []
        if memory is None and "search" in actions:
            memory, can_update = name, "update" in actions
        elif shell is None and "command" in properties:
            shell = name
    return Tools(shell=shell, memory=memory, can_update=can_update)


def _chosen(choice: Any) -> str | None:
    function = choice.get("function") if isinstance(choice, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
