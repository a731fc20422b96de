"""Understanding a request: what was asked, what memory it carries, which tools there are, and what happened so far."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_memuse.agents.scripted.asked import Asked, Offer
from pytest_memuse.model import Message
from pytest_memuse.model.digests import json_digest

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

    @property
    def digest(self) -> str:
        """Digest of how the conversation opens; the same for all requests of an episode."""
        return json_digest([self.system, self.task])


def conversation_of(asked: Asked) -> Conversation:
    """Understand a request."""
    messages = asked.messages
    first = next((i for i, m in enumerate(messages) if m.role == "assistant"), len(messages))
    opening = messages[:first]
    system = "\n".join(m.text for m in opening if m.role in ("system", "developer"))
    task = "\n\n".join(m.text for m in opening if m.role == "user")
    return Conversation(
        system=system,
        task=task,
        turns=_turns(messages[first:]),
        tools=_tools([offer for offer in asked.offers if asked.only in (None, offer.name)]),
        submit=SUBMIT_COMMAND if SUBMIT_COMMAND.split()[1] in system + task else None,
    )


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


def _turns(messages: Sequence[Message]) -> tuple[Observation, ...]:
    groups: list[list[Message]] = []
    for message in messages:
        if message.role == "assistant":
            groups.append([])
        elif groups:
            groups[-1].append(message)
    # An assistant message that nothing follows is the model's own last word, not something to react to.
    return tuple(_observation(g) for g in groups if g)


def _observation(results: Sequence[Message]) -> Observation:
    codes = [int(m[1] or m[2]) for result in results if (m := _RETURN_CODE.search(result.text[:2000]))]
    # A reply that is no tool result says that the call was not understood or not carried out.
    failed = any(codes) or not any(message.is_tool_result for message in results)
    return Observation(text="\n".join(message.text for message in results), failed=failed)


def _tools(offers: Sequence[Offer]) -> Tools:
    shell = memory = None
    can_update = False
    for offer in offers:
        action = offer.properties.get("action")
        actions = _list(action.get("enum")) if isinstance(action, Mapping) else []
        if memory is None and "search" in actions:
            memory, can_update = offer.name, "update" in actions
        elif shell is None and "command" in offer.properties:
            shell = offer.name
    return Tools(shell=shell, memory=memory, can_update=can_update)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
