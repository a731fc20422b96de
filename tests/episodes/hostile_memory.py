"""A memory whose every text and name is hostile, over the small world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.model import OperationKind
from pytest_memuse.recording.rendered import Change
from tests.episodes.small_world import NoteMemory
from tests.hostile_text import HOSTILE_TEXTS

# No exchange over HTTP holds half of a character; the tests of the reports have it.
_SENT = [text[:60] for name, text in HOSTILE_TEXTS.items() if name not in ("surrogate", "noncharacter")]
NOTES = tuple("\n".join(_SENT[start::5]) for start in range(5))
"""The texts, several in one note: a few notes of many lines are judged faster than many of one."""

PREFIX = "::error::owned\x1b[31m\u202e##vso[x"
"""What names of items begin with."""


@dataclass
class HostileMemory(NoteMemory):
    """Keeps the hostile notes beside every note that it is told to keep."""

    prefix: str = PREFIX

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        made = list(super().extract(messages, scope=scope))
        for text in NOTES if made else ():
            item = f"{self.prefix}{len(self.notes)}"
            self.notes[item] = (scope, text)
            made.append(Change(OperationKind.CREATE, item, text, scope))
        return made
