"""Planted faults: wrappers that break a memory system in one known way, to see whether the gate notices."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.recording.rendered import Change, Rendered


class Outage:
    """A memory system whose reads return nothing, while its writes still work.

    ``recall`` and the tool's ``search`` find nothing and reach neither store nor embedder; other tool calls, and the
    extraction after an episode, pass through.
    """

    def __init__(self, memory: MemorySystem) -> None:
        self._memory = memory

    def identity(self) -> Mapping[str, str]:
        """Return the identity of the wrapped system, with the fault named."""
        return {**self._memory.identity(), "fault": "outage"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        """Return an empty text: nothing is put into the system message."""
        return Rendered(text="", query=query)

    def tool(self) -> Mapping[str, Any] | None:
        """Return the wrapped system's function schema."""
        return self._memory.tool()

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        """Answer a search with no results; pass every other call on."""
        if arguments.get("action") == "search":
            query = arguments.get("query")
            return Rendered(text="No memories found.", query=query if isinstance(query, str) else None)
        return self._memory.call_tool(arguments, scope=scope)

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        """Let the wrapped system write its memories."""
        return self._memory.extract(messages, scope=scope)

    def close(self) -> None:
        """Close the wrapped system."""
        self._memory.close()
