"""The host side of the memory bridge: what an agent asks of its memory is carried out, recorded and delivered."""

from collections.abc import Mapping
from typing import Any

from pytest_memuse.memory.protocol import Captured, MemorySystem
from pytest_memuse.model.digests import canonical_json
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.rendered import Rendered


def offer_text(schema: Mapping[str, Any] | None) -> str:
    """Return the text under which an offered tool is recorded and compared; empty where none is offered."""
    return "" if schema is None else canonical_json(schema)


def capture_store(memory: MemorySystem, bridge: Bridge, scope: str) -> None:
    """Capture what the memory system holds in a scope, where it can tell (`memory.protocol.Captured`)."""
    if isinstance(memory, Captured):
        with bridge.work():
            store = memory.snapshot(scope)
            bridge.snapshot(store, scope)


class RecordedMemory:
    """The memory of one episode, as the agent harness sees it (`agents.protocol.EpisodeMemory`)."""

    def __init__(self, memory: MemorySystem, bridge: Bridge, task: str, scope: str) -> None:
        self._memory = memory
        self._bridge = bridge
        self._task = task
        self._scope = scope

    def recall(self) -> str:
        """Search the scope with the task's text and deliver the result by way of the system message."""
        with self._bridge.work():
            given = self._memory.recall(self._task, scope=self._scope)
        recalled = self._bridge.report("recall", {"query": self._task}, given, self._scope)
        if given.text:
            self._bridge.deliver(given.text, operations=[recalled], slot="system")
        return given.text

    def tool(self) -> Mapping[str, Any] | None:
        """Return the function schema of the memory tool; what is offered is recorded, since it shapes what is asked."""
        with self._bridge.work():
            offered = self._memory.tool()
        self._bridge.report("offer", {}, Rendered(offer_text(offered)), self._scope)
        return offered

    def call_tool(self, arguments: Mapping[str, Any], *, tool_call_id: str) -> str:
        """Carry out a tool call; a search's result is a delivery, an acknowledgement of a change is none."""
        with self._bridge.work():
            given = self._memory.call_tool(arguments, scope=self._scope)
        asked: dict[str, Any] = {"arguments": dict(arguments)}
        if given.query is not None:
            asked["query"] = given.query
        called = self._bridge.report("tool", asked, given, self._scope)
        if given.query is not None and given.text:
            self._bridge.deliver(given.text, operations=[called], slot="tool_result", tool_call_id=tool_call_id)
        return given.text
