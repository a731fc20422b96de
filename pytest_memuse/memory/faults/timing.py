"""Faults of time: what is delivered not at all, too late, or over and over."""

from dataclasses import replace

from pytest_memuse.memory.faults.layout import joined
from pytest_memuse.memory.faults.truth import Touch
from pytest_memuse.memory.faults.wrapper import Moment, Planted, Struck
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.recording.rendered import Rendered


class Outage(Planted):
    """A memory system whose reads return nothing, while its writes still work.

    ``recall`` and the tool's ``search`` find nothing and reach neither store nor embedder; other tool calls, and the
    extraction after an episode, pass through.
    """

    name = "outage"

    def unasked(self, moment: Moment) -> Struck | None:
        """Return nothing, where it strikes."""
        if not self._chance.strikes("call", moment.number):
            return None
        text = "" if moment.is_recall else "No memories found."
        return Rendered(text=text, query=moment.query), (Touch("outage"),)


class LateDelivery(Planted):
    """Withholds a recall and hands it over with the next result of the memory tool, or the next recall of its scope.

    By then the agent has decided what to do. What nothing follows is never handed over.
    """

    name = "late"

    def __init__(self, memory: MemorySystem, *, rate: float = 1.0, seed: int = 0, arc: str = "") -> None:
        super().__init__(memory, rate=rate, seed=seed, arc=arc)
        self._withheld: dict[str, Rendered] = {}

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return what was withheld before, and withhold a recall that is struck."""
        late = self._withheld.pop(moment.scope, None)
        touches: tuple[Touch, ...] = ()
        if moment.is_recall and given.text and self._chance.strikes("call", moment.number):
            self._withheld[moment.scope] = given
            touches = tuple(Touch("withheld", entry.item, was=entry.value) for entry in given.entries)
            touches = touches or (Touch("withheld", was=given.text),)
            given = replace(given, text="", entries=())
        return self._with(late, given, touches)

    def acknowledged(self, given: Rendered, moment: Moment) -> Struck:
        """Return the acknowledgement with what was withheld."""
        late = self._withheld.pop(moment.scope, None)
        return self._with(late, given, ())

    def _with(self, late: Rendered | None, given: Rendered, touches: tuple[Touch, ...]) -> Struck:
        if late is None:
            return given, touches
        together = joined(given, late)
        query = together.query if together.query is not None else late.query or ""
        told = tuple(Touch("late", entry.item, now=entry.value) for entry in late.entries)
        return replace(together, query=query), (*touches, *told)


class Restated(Planted):
    """States everything over and over: the recall twice, and all of the episode so far with each result of the tool."""

    name = "restated"

    def __init__(self, memory: MemorySystem, *, rate: float = 1.0, seed: int = 0, arc: str = "") -> None:
        super().__init__(memory, rate=rate, seed=seed, arc=arc)
        self._told = Rendered("")

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return what was found with everything that the episode was told before."""
        if moment.is_recall:
            self._told = given
        again = self._again(given, moment)
        if not moment.is_recall and given.entries:
            self._told = joined(self._told, given)
        return again

    def acknowledged(self, given: Rendered, moment: Moment) -> Struck:
        """Return the acknowledgement with everything that the episode was told before."""
        return self._again(given, moment)

    def _again(self, given: Rendered, moment: Moment) -> Struck:
        if not self._told.text or not self._chance.strikes("call", moment.number):
            return given, ()
        told = joined(given, self._told)
        touches = tuple(Touch("restated", entry.item, now=entry.value) for entry in self._told.entries)
        return replace(told, query=told.query if told.query is not None else ""), touches or (Touch("restated"),)
