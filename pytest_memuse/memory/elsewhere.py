"""Memory that reaches the agent without us: behind a proxy, or built into its harness."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_memuse.recording.rendered import Change, Rendered


class MemoryElsewhere:
    """Stands where a memory system is asked for, and gives nothing: what is delivered is seen by observers.

    ``identity`` names the system that is really at work. ``snapshot`` returns the whole store of a scope, the text of
    each item, where that can be read; it is called while recording only. A replay cannot ask such a system anything,
    so a change of it shows when the arc is recorded again, and not before.
    """

    def __init__(
        self, identity: Mapping[str, str], *, snapshot: Callable[[str], Mapping[str, str]] | None = None
    ) -> None:
        self._identity = dict(identity)
        if snapshot is not None:
            self.snapshot = snapshot

    def identity(self) -> Mapping[str, str]:
        """Return what was said of the system that is at work."""
        return self._identity

    def recall(self, query: str, *, scope: str) -> Rendered:
        """Return nothing."""
        return Rendered("")

    def tool(self) -> Mapping[str, Any] | None:
        """Return no tool: the agent has its own."""
        return None

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        """Refuse: there is no tool."""
        return Rendered("There is no memory tool.", failed=True)

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        """Write nothing: the system at work writes by itself."""
        return ()

    def close(self) -> None:
        """Do nothing."""
