"""The host side of the memory bridge: what an agent asks of its memory is carried out, recorded and delivered."""

from collections.abc import Mapping
from typing import Any

from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model.digests import canonical_json
from pytest_memuse.recording.rendered import Rendered
from pytest_memuse.recording.session import ArcRecorder


def offer_text(schema: Mapping[str, Any] | None) -> str:
    """Return the text under which an offered tool is recorded and compared; empty where none is offered."""
    return "" if schema is None else canonical_json(schema)


class RecordedMemory:
    """The memory of one episode, as the agent harness sees it (`agents.protocol.EpisodeMemory`)."""

    def __init__(self, memory: MemorySystem, recorder: ArcRecorder, task: str, scope: str) -> None:
        self._memory = memory
        self._recorder = recorder
        self._task = task
        self._scope = scope

    def recall(self) -> str:
        """Search the scope with the task's text and deliver the result by way of the system message."""
        with self._recorder.memory_work():
            given = self._memory.recall(self._task, scope=self._scope)
        number = self._recorder.operation("recall", self._scope, {"query": self._task}, given)
        if given.text:
            self._recorder.deliver(number, "system", given.text)
        return given.text

    def tool(self) -> Mapping[str, Any] | None:
        """Return the function schema of the memory tool; what is offered is recorded, since it shapes what is asked."""
        offered = self._memory.tool()
        self._recorder.operation("offer", self._scope, {}, Rendered(offer_text(offered)))
        return offered

    def call_tool(self, arguments: Mapping[str, Any], *, tool_call_id: str) -> str:
        """Carry out a tool call; a search's result is a delivery, an acknowledgement of a change is none."""
        with self._recorder.memory_work():
            given = self._memory.call_tool(arguments, scope=self._scope)
        asked = {"arguments": dict(arguments)}
        if given.query is not None:
            asked["query"] = given.query  # type: ignore[assignment]  # a query beside the arguments
        number = self._recorder.operation("tool", self._scope, asked, given)
        if given.query is not None and given.text:
            self._recorder.deliver(number, "tool_result", given.text, tool_call_id=tool_call_id)
        return given.text
