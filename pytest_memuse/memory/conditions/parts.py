"""A memory taken apart: what writes drafts and reads records back, and how records stand in the model's input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pytest_memuse.memory.conditions.records import Record, Store, Turn
from pytest_memuse.memory.rendering import RECALL_HEADING
from pytest_memuse.recording.rendered import Rendered, RenderedEntry


class Part(Protocol):
    """One memory of a condition; a hybrid has two. It keeps nothing itself: records are in the store.

    Both methods may raise `models.ModelRefusal`, and have then changed nothing.
    """

    @property
    def name(self) -> str:
        """Name of its records in the store and of its settings in the identity."""

    @property
    def heading(self) -> str:
        """Line above its records, empty where there is none."""

    @property
    def latest_first_kept(self) -> bool:
        """Whether a limit leaves out the earliest records; otherwise it cuts the end."""

    def identity(self) -> Mapping[str, str]:
        """Return every setting that shapes what is delivered."""

    def write(self, turns: Sequence[Turn], store: Store, scope: str) -> Sequence[Record]:
        """Return drafts of what an episode adds or overwrites; the store is not changed."""

    def read(self, query: str, store: Store, scope: str) -> Sequence["Line"]:
        """Return what is delivered for a query, in the order in which it is shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it is shown: after a mark that is no part of the entry."""

    mark: str
    record: Record


@dataclass(frozen=True, slots=True)
class Section:
    """The lines of one part, with the line above them."""

    heading: str
    lines: tuple[Line, ...]
    latest_first_kept: bool = False


def block_text(sections: Sequence[Section], *, query: str, limit: int | None) -> Rendered:
    """Render sections into one block of at most ``limit`` characters, its frame included; None sets no limit.

    Texts stand as they are stored. Where the limit cuts an entry, its ``value`` is the whole text; what is left out is
    no entry. A section that keeps its latest records loses whole ones from its beginning instead. Without any entry
    the text is empty.
    """
    text = RECALL_HEADING
    entries: list[RenderedEntry] = []
    for section in sections:
        before = ("\n" if entries else "") + (f"{section.heading}\n" if section.heading else "")
        room = None if limit is None else limit - len(text)
        lines = _latest(section.lines, before, room) if section.latest_first_kept else section.lines
        for line in lines:
            start = len(text) + len(before) + len(line.mark)
            if limit is not None and start >= limit:
                break
            shown = line.record.text if limit is None else line.record.text[: limit - start]
            text += before + line.mark + shown
            before = "\n"
            record = line.record
            place = (start, start + len(shown))
            entries.append(RenderedEntry(record.item, record.text, *place, namespace=record.scope))
    return Rendered(text if entries else "", tuple(entries), query=query)


def _latest(lines: Sequence[Line], before: str, room: int | None) -> Sequence[Line]:
    """Return the last lines that fit whole."""
    if room is None:
        return lines
    first, left = len(lines), room - len(before) + 1
    while first and (left := left - 1 - len(lines[first - 1].mark) - len(lines[first - 1].record.text)) >= 0:
        first -= 1
    return lines[first:]
