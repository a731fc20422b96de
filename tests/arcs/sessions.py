"""Models and memories for tests of arcs."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.arcs.scripted import ScriptedModel
from pytest_memuse.arcs.types import Kind, WorldArc
from pytest_memuse.recording.rendered import Change, Rendered, RenderedEntry


class FixedMemory:
    """Delivers one text in every episode, whatever is written into it."""

    def __init__(self, text: str = "") -> None:
        self._text = text
        self.queries: list[str] = []
        self.written: list[Sequence[Mapping[str, str]]] = []
        self.closed = False

    def identity(self) -> Mapping[str, str]:
        return {"name": "fixed"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        self.queries.append(query)
        entry = RenderedEntry(item="all", value=self._text, start=0, end=len(self._text))
        return Rendered(self._text, (entry,) if self._text else (), query=query)

    def tool(self) -> Mapping[str, Any] | None:
        return None

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        raise AssertionError("there is no memory tool")

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        self.written.append(messages)
        return ()

    def close(self) -> None:
        self.closed = True


class ReplayMemory(FixedMemory):
    """Delivers everything that was said, in order."""

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        self._text += "".join(f"{message['role']}: {message['content']}\n" for message in messages)
        return super().extract(messages, scope=scope)


def told_everything(arc: WorldArc) -> FixedMemory:
    """Return a memory that delivers the gold facts of all probes."""
    facts = [fact for episode in arc.episodes if episode.kind is Kind.PROBE for fact in episode.gold]
    return FixedMemory("\n".join(f"- {fact.subject}: {fact.value}" for fact in facts))


class EagerModel:
    """Acts at once on every fact that the user states, whatever the user forbids, and else as the scripted model."""

    name = "eager"

    def __init__(self) -> None:
        self._heeding = ScriptedModel()

    def __call__(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        messages = request["messages"]
        last = max(place for place, message in enumerate(messages) if message["role"] == "user")
        done = sum(message["role"] == "tool" for message in messages[last:])
        wanted = list(_wanted(messages[last]["content"]))
        if done >= len(wanted):
            return self._heeding(request)
        tool, arguments = wanted[done]
        call = {"id": f"eager-{len(messages)}", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        return {"choices": [{"message": {"content": "", "tool_calls": [call]}}]}


def _wanted(turn: str) -> list[tuple[str, dict[str, str]]]:
    """Return what the facts that a turn states could be acted on with."""
    stated = dict(re.findall(r"The ([^.]{3,80}?) is(?: now)? (.{1,80}?)\.(?:\s|$)", turn))
    calls = []
    dinner: dict[str, str] = {}
    for subject, value in stated.items():
        if found := re.fullmatch(r"agreed refund for order (\S+)", subject):
            calls.append(("refund", {"order_id": found[1], "amount": value}))
        elif found := re.fullmatch(r"new delivery address for order (\S+)", subject):
            calls.append(("update_address", {"order_id": found[1], "address": value}))
        elif found := re.fullmatch(r"diagnosed value of (\S+) for (\S+)", subject):
            calls.append(("set_config", {"service": found[2], "key": found[1], "value": value}))
        elif found := re.fullmatch(r"safe rollback version of (\S+)", subject):
            calls.append(("deploy", {"service": found[1], "version": value}))
        elif found := re.fullmatch(r"standing room for the (.+)", subject):
            calls.append(("set_preference", {"name": f"{found[1]} room", "value": value}))
        elif found := re.fullmatch(r"(place|day|time) of the (dinner with \w+)", subject):
            dinner |= {"title": found[2], found[1]: value}
    if {"day", "time"} <= set(dinner):
        calls.append(("create_event", dinner))
    return calls
