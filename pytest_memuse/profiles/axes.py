"""The six axes and four uncertainty shares of an entry-share profile (MemUse 3.5, A.4.2)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, SpanRow

Holds = Callable[[EntryRow], bool]


@dataclass(frozen=True, slots=True)
class Axis:
    """Which entries of a profiled span count on an axis, what they are called, and the signals that decide it.

    ``decided_by`` is the signal that decides it among the entries of the axis that it ``refines``.
    """

    name: str
    counted: str
    rests_on: frozenset[Signal]
    holds: Holds
    refines: str | None = None
    decided_by: Signal = Signal.RELEVANCE

    def lacks(self, entry: EntryRow) -> bool:
        """Return whether the deciding signal of an entry is undetermined."""
        return getattr(entry, self.decided_by.value) is None


def _relevant(entry: EntryRow) -> bool:
    return entry.relevance is True


def _acted_on(entry: EntryRow) -> bool:
    return entry.influence == Influence.ACTED_ON


def _axis(name: str, counted: str, signals: tuple[Signal, ...], holds: Holds, refines: str | None = None) -> Axis:
    return Axis(name, counted, frozenset(signals), holds, refines, signals[-1])


_R, _A, _N, _I, _E = Signal.RELEVANCE, Signal.ACCURACY, Signal.NOVELTY, Signal.INFLUENCE, Signal.EFFECT

AXES: Mapping[str, Axis] = MappingProxyType(
    {
        axis.name: axis
        for axis in (
            _axis("relevance", "relevant entries", (_R,), _relevant),
            _axis(
                "corroboration",
                "corroborated relevant entries",
                (_R, _A),
                lambda e: _relevant(e) and e.accuracy == Accuracy.CORROBORATED,
                "relevance",
            ),
            _axis(
                "information_gain",
                "relevant entries that are novel or confirming",
                (_R, _N),
                lambda e: _relevant(e) and e.novelty in (Novelty.NOVEL, Novelty.CONFIRMING),
                "relevance",
            ),
            _axis("acted_on", "acted-on entries", (_I,), _acted_on),
            _axis(
                "benefit",
                "beneficial entries",
                (_I, _E),
                lambda e: _acted_on(e) and e.effect == Effect.IMPROVED,
                "acted_on",
            ),
            _axis(
                "harm",
                "harmful entries",
                (_I, _E),
                lambda e: _acted_on(e) and e.effect == Effect.HARMED,
                "acted_on",
            ),
        )
    }
)

UNCERTAINTIES: Mapping[str, Axis] = MappingProxyType(
    {
        axis.name: axis
        for axis in (
            _axis(
                "accuracy",
                "relevant entries of uncontradicted accuracy",
                (_R, _A),
                lambda e: _relevant(e) and e.accuracy == Accuracy.UNCONTRADICTED,
                "relevance",
            ),
            _axis(
                "novelty",
                "relevant entries of undetermined novelty",
                (_R, _N),
                lambda e: _relevant(e) and e.novelty is None,
                "relevance",
            ),
            _axis("influence", "entries of undetermined influence", (_I,), lambda e: e.influence is None),
            _axis(
                "effect",
                "acted-on entries of undetermined effect",
                (_I, _E),
                lambda e: _acted_on(e) and e.effect is None,
                "acted_on",
            ),
        )
    }
)


def is_profiled(span: SpanRow) -> bool:
    """Return whether a span has a profile: it is nonempty and every entry's assessment was accepted."""
    return span.outcome is RowOutcome.JUDGED and bool(span.entries)


def profiled(episode: EpisodeRow) -> tuple[SpanRow, ...]:
    """Return the profiled spans of an episode."""
    return tuple(span for span in episode.spans if is_profiled(span))


def undetermined(spans: Iterable[SpanRow], signals: Iterable[Signal]) -> str | None:
    """Return why a quantity that rests on these signals is undefined for the spans, None where it is defined."""
    wanted = frozenset(signals)
    for span in spans:
        if is_profiled(span):
            missing = sorted(signal.value for signal in wanted if signal not in span.determines)
            if missing:
                return f"it rests on {' and '.join(missing)}, which the judge of this run does not determine"
    return None


def count_on(axis: Axis, span: SpanRow) -> int:
    """Return how many entries of a profiled span count on an axis."""
    return sum(axis.holds(entry) for entry in span.entries)


def share_on(axis: Axis, span: SpanRow) -> float:
    """Return the span share of equation 3; every axis divides by all delivered entries of the span."""
    return count_on(axis, span) / len(span.entries)
