"""Full replay (C1 of MERIT 3.4): every earlier transcript, in the order in which it was spoken."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.memory.conditions.parts import Line
from pytest_memuse.memory.conditions.records import Record, Store, Turn


@dataclass(frozen=True, slots=True)
class Transcripts:
    """Keeps every message as it was said; delivers all of them, each with its session and role.

    Where the block has a limit, the earliest messages are left out.
    """

    name: str = "message"
    heading: str = ""
    latest_first_kept: bool = True

    def identity(self) -> Mapping[str, str]:
        """Return nothing: there are no settings."""
        return {}

    def write(self, turns: Sequence[Turn], store: Store, scope: str) -> Sequence[Record]:
        """Return a record of each message."""
        episode = store.next_episode(scope)
        return [Record(self.name, scope, episode, turn.text, role=turn.role) for turn in turns]

    def read(self, query: str, store: Store, scope: str) -> Sequence[Line]:
        """Return all messages of the scope."""
        return [Line(f"[session {r.episode}] {r.role}: ", r) for r in store.records(self.name, scope)]
