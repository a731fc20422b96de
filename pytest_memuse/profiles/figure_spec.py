"""What a figure is: a ratio of sums over episodes, of whose parts the gate's statistics are made."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.judging.answers import Signal
from pytest_memuse.profiles.axes import Axis, Holds, undetermined
from pytest_memuse.profiles.rows import EpisodeRow, Run, SpanRow

Contribution = tuple[float, float]
"""What one episode adds to a figure's numerator and denominator."""


class Worse(StrEnum):
    """In which direction a figure gets worse."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Kind(StrEnum):
    """How a figure's interval is found.

    A share of units, a count of entries per unit, a count of entries per amount of something without units (tokens),
    any other amount per unit.
    """

    SHARE = "share"
    COUNT = "count"
    RATE = "rate"
    AMOUNT = "amount"


class Bound(StrEnum):
    """What redacted placements of unknown size make of a figure that rests on text volume (A.4.4)."""

    AT_LEAST = "at least"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One figure: ``scale * sum(numerators) / sum(denominators)`` over the episodes of a run.

    ``contribution`` is one episode's numerator and denominator, ``counts`` its raw counts of ``counted`` and ``among``
    (for a mean of span shares these are entries, which the mean itself weights by span). ``rests_on`` are the signals
    without which the figure is undefined. ``entry`` tells the entries that make the numerator; ``if_redacted`` what the
    figure becomes where delivered text has no recorded size. ``empty`` is the reason for an empty denominator.
    ``outside`` is what a span outside every episode adds, None where such a span has no part in the figure. ``axis`` is
    the axis whose entries are counted, and ``highest`` the same figure with those counted too that could be.
    """

    name: str
    title: str
    unit: str
    worse: Worse
    contribution: Callable[[EpisodeRow], Contribution]
    counts: Callable[[EpisodeRow], tuple[int, int]]
    counted: str
    among: str
    empty: str
    rests_on: frozenset[Signal] = frozenset()
    scale: float = 1.0
    kind: Kind = Kind.SHARE
    entry: Holds | None = None
    if_redacted: Bound | None = None
    outside: Callable[[SpanRow], tuple[int, int]] | None = None
    axis: Axis | None = None
    highest: "FigureSpec | None" = None

    @property
    def holder(self) -> str:
        """What a test reads the figure from."""
        return "profile"

    def value_of(self, contributions: Iterable[Contribution]) -> float | None:
        """Return the figure of summed contributions, None where the denominator is empty."""
        pairs = list(contributions)
        denominator = sum(pair[1] for pair in pairs)
        return self.scale * sum(pair[0] for pair in pairs) / denominator if denominator else None

    def undefined_reason(self, run: Run) -> str | None:
        """Return why the figure is undefined for a run, None where it is defined."""
        reason = undetermined(run.spans, self.rests_on)
        if reason is not None:
            return reason
        counted = any(self.contribution(episode)[1] for episode in run.episodes)
        return None if counted or self.outside_of(run)[1] else self.empty

    def outside_of(self, run: Run) -> tuple[int, int]:
        """Return what spans outside every episode add to numerator and denominator; they belong to no arc."""
        parts = [] if self.outside is None else [self.outside(span) for span in run.outside]
        return sum(part[0] for part in parts), sum(part[1] for part in parts)

    def bound_of(self, run: Run) -> Bound | None:
        """Return what redacted text makes of the figure, None where it is exact."""
        return self.if_redacted if any(span.redacted for span in (*run.spans, *run.outside)) else None
