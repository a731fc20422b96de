"""From a beneficial or harmful entry back to the episode that wrote its item (MemUse 4.4, A.6.6, Table 12)."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from pytest_memuse.profiles.axes import AXES
from pytest_memuse.profiles.histories import Change, ItemHistory, Recall
from pytest_memuse.profiles.rows import EntryRow
from pytest_memuse.profiles.share import Share


@dataclass(frozen=True, slots=True)
class Trace:
    """One assessed entry and where its item comes from: ``recall.origin`` created it, ``recall.written`` wrote it last.

    ``gap`` counts task positions from the creating episode to this one, ``same_scope`` says whether both have one
    scope; each is None where the origin is unobserved.
    """

    history: ItemHistory
    recall: Recall
    entry: EntryRow

    @property
    def origin(self) -> Change | None:
        return self.recall.origin

    @property
    def gap(self) -> int | None:
        return None if self.origin is None else self.recall.place.position - self.origin.place.position

    @property
    def same_scope(self) -> bool | None:
        return None if self.origin is None else self.recall.place.scope == self.origin.place.scope

    @property
    def from_earlier_episode(self) -> bool:
        """Whether an earlier episode of the arc created the item, which is what Table 12 calls a traced origin."""
        return self.origin is not None and self.origin.place.episode != self.recall.place.episode


def traces(histories: Iterable[ItemHistory], axis: str = "benefit") -> tuple[Trace, ...]:
    """Return a trace of every assessed entry that counts on an axis: ``benefit``, ``harm``, or any of `AXES`.

    An item that helped more than once gives as many traces.
    """
    holds = AXES[axis].holds
    return tuple(
        Trace(history, recall, entry)
        for history in histories
        for recall in history.recalls
        for entry in recall.assessed
        if holds(entry)
    )


@dataclass(frozen=True, slots=True)
class Origins:
    """Where the entries of some traces come from, the counts beside each share (Table 12).

    ``traced`` are those whose item an earlier episode of the arc created, ``own_episode`` those whose own episode did;
    of the rest the origin is ``unobserved``. Of the traced ones: ``same_scope``; ``gaps`` in task positions, shortest
    first; ``from_failed`` source episodes among those with a known outcome; ``source_unknown`` without one.
    """

    traced: Share
    own_episode: int
    unobserved: int
    same_scope: Share
    gaps: tuple[int, ...]
    from_failed: Share
    source_unknown: int

    @property
    def median_gap(self) -> float | None:
        """The median gap in task positions, None without a traced entry."""
        return median(self.gaps) if self.gaps else None


def origins(found: Iterable[Trace]) -> Origins:
    """Sum up where the entries of some traces come from."""
    every = tuple(found)
    traced = [(trace, trace.origin) for trace in every if trace.from_earlier_episode]
    outcomes = [origin.place.success for _, origin in traced if origin is not None]
    known = [outcome for outcome in outcomes if outcome is not None]
    return Origins(
        traced=Share(len(traced), len(every)),
        own_episode=sum(trace.origin is not None and not trace.from_earlier_episode for trace in every),
        unobserved=sum(trace.origin is None for trace in every),
        same_scope=Share(sum(trace.same_scope is True for trace, _ in traced), len(traced)),
        gaps=tuple(sorted(trace.gap for trace, _ in traced if trace.gap is not None)),
        from_failed=Share(known.count(False), len(known)),
        source_unknown=len(outcomes) - len(known),
    )
