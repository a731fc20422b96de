"""The protocol that a memory system under test implements: one adapter class, six methods, and one that it may have.

An adapter is made once per arc by the user's ``memuse_memory`` factory, with an empty folder for its store.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from pytest_memuse.recording.rendered import Change, Rendered


@runtime_checkable
class MemorySystem(Protocol):
    """A memory system under test.

    Every method is called in the order of the episode and makes its HTTP calls in the calling thread, so that they can
    be recorded and attributed to it. ``scope`` is what keeps one project's memories from another's.
    """

    def identity(self) -> Mapping[str, str]:
        """Return everything that shapes what is delivered: name, versions, models, settings. Never a secret."""

    def recall(self, query: str, *, scope: str) -> Rendered:
        """Return the text that the host puts into the system message before the first call of an episode."""

    def tool(self) -> Mapping[str, Any] | None:
        """Return the function schema (OpenAI ``function`` object) of the memory tool, None where there is none."""

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        """Carry out a call of the memory tool. Bad arguments give a `Rendered` with ``failed`` set, never an error."""

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        """Write memories from an episode's user and assistant messages, after it; return what changed."""

    def close(self) -> None:
        """Release the store, so that another instance can open the same folder."""


@runtime_checkable
class Captured(Protocol):
    """What a memory system may offer besides: its store as it stands, where its writes cannot be seen otherwise.

    A system that extracts in the background returns nothing from ``extract``; captures before and after each episode
    still show what changed between them.
    """

    def snapshot(self, scope: str) -> Mapping[str, str]:
        """Return the whole store of a scope, the text of each item, as recall would show it whole."""
