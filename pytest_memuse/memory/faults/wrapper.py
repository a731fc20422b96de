"""What every planted fault has in common: it wraps a memory system, decides where to strike, and keeps the truth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pytest_memuse.memory.faults.chance import Chance
from pytest_memuse.memory.faults.truth import Touch, as_data
from pytest_memuse.memory.protocol import Captured, MemorySystem
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.rendered import TRUTH, Change, Rendered


@dataclass(frozen=True, slots=True)
class Moment:
    """One call of the memory system: its number in the arc from 1, its scope and query, whether it is the recall."""

    number: int
    scope: str
    query: str
    is_recall: bool


Struck = tuple[Rendered, tuple[Touch, ...]]
"""What is given instead, and what was done to it."""


class Planted:
    """A memory system that is wrong in one known way, wherever the fault strikes; what it stores stays as it is.

    At ``rate`` (0 to 1) a fault strikes; whether it does is a function of ``seed``, the fault, ``arc`` and, for faults
    of single entries, of the item's number in the order in which the wrapper first met it, for faults of deliveries of
    the call's number in the arc. Where no ``arc`` is named, it is known by its first query. What was done is in the
    ``extra`` of what is given, under `rendered.TRUTH`; a recording keeps it beside the operation, where neither the
    agent nor a judge reads it.
    """

    name: ClassVar[str] = ""

    def __init__(self, memory: MemorySystem, *, rate: float = 1.0, seed: int = 0, arc: str = "") -> None:
        self._memory = memory
        self._chance = Chance(self.name, rate, seed, arc)
        self._calls = 0
        self._items: dict[str, int] = {}
        if isinstance(memory, Captured):
            # The protocol is told by the method being there.
            self.snapshot = memory.snapshot

    def identity(self) -> Mapping[str, str]:
        """Return the identity of the wrapped system, with the fault named."""
        told = {"fault": self.name}
        if self._chance.rate != 1.0:
            told["fault_rate"] = f"{self._chance.rate:g}"
        if self._chance.seed:
            told["fault_seed"] = str(self._chance.seed)
        return {**self._memory.identity(), **told}

    def recall(self, query: str, *, scope: str) -> Rendered:
        """Return what the wrapped system recalls, with the fault in it where it strikes."""
        moment = self._moment(query, scope, is_recall=True)
        if (instead := self.unasked(moment)) is not None:
            return _told(self.name, *instead)
        given = self._memory.recall(query, scope=scope)
        self._meet(given)
        return _told(self.name, *self.struck(given, moment))

    def tool(self) -> Mapping[str, Any] | None:
        """Return the wrapped system's function schema."""
        return self._memory.tool()

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        """Pass a call on; where it was a search, the fault may strike what it found."""
        query = arguments.get("query")
        moment = self._moment(query if isinstance(query, str) else "", scope, is_recall=False)
        if arguments.get("action") == "search" and (instead := self.unasked(moment)) is not None:
            return _told(self.name, *instead)
        given = self._memory.call_tool(arguments, scope=scope)
        self._meet(given)
        self.changed(given.changes)
        if given.failed:
            return given
        if given.query is None or given.changes:
            return _told(self.name, *self.acknowledged(given, moment))
        return _told(self.name, *self.struck(given, replace(moment, query=given.query or moment.query)))

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        """Let the wrapped system write its memories."""
        changes = tuple(self._memory.extract(messages, scope=scope))
        for change in changes:
            self.item_number(change.item)
        self.changed(changes)
        return changes

    def close(self) -> None:
        """Close the wrapped system."""
        self._memory.close()

    def item_number(self, item: str) -> int:
        """Return the item's number in the order in which items were met; identifiers may be made at random."""
        return self._items.setdefault(item, len(self._items) + 1)

    # What a fault is made of.

    def unasked(self, moment: Moment) -> Struck | None:
        """Return what is given without asking the wrapped system at all; None where it is asked."""
        return None

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return what is given instead of a recall or of what a search found."""
        return given, ()

    def acknowledged(self, given: Rendered, moment: Moment) -> Struck:
        """Return what is given instead of the acknowledgement of a change."""
        return given, ()

    def changed(self, changes: Sequence[Change]) -> None:
        """Follow what the wrapped system wrote."""

    def _moment(self, query: str, scope: str, *, is_recall: bool) -> Moment:
        if not self._chance.arc:
            self._chance = replace(self._chance, arc=text_digest(f"{scope}\n{query}"))
        self._calls += 1
        return Moment(self._calls, scope, query, is_recall)

    def _meet(self, given: Rendered) -> None:
        for change in given.changes:
            self.item_number(change.item)
        for entry in given.entries:
            self.item_number(entry.item)


def _told(fault: str, given: Rendered, touches: tuple[Touch, ...]) -> Rendered:
    if not touches:
        return given
    return replace(given, extra={**given.extra, TRUTH: as_data(fault, touches)})
