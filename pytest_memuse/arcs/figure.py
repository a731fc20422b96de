"""Figures of arcs for a test to assert on: profile figures whose bounds explain themselves too."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np

from pytest_memuse.arcs.inference import Comparison, compare
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.gate.exchange import Pair
from pytest_memuse.profiles.figure import Behind, Counts, Figure, Responsible, UndefinedValue
from pytest_memuse.profiles.figures import Bound, Contribution, Kind
from pytest_memuse.profiles.intervals import interval, is_rough

ArcKey = tuple[str, str, int, str]
"""Domain, tier, seed and name of an arc: the cluster of every interval and test."""


@dataclass(frozen=True, slots=True)
class MeritSpec:
    """What a figure says of itself. ``name`` is how a test reads it from ``holder``."""

    name: str
    title: str
    unit: str
    holder: str = "merit"


class MeritFigure(Figure):
    """A defined figure of scored episodes.

    ``comparison`` is the paired test behind a difference.
    """

    comparison: Comparison | None = None

    @property
    def p(self) -> float | None:
        """The two-sided p of a difference; None where it is no difference, or where the arcs give none."""
        return None if self.comparison is None else self.comparison.p

    def no_interval_reason(self) -> str:
        """Return why there is no interval; a difference's comparison says it itself."""
        return (self.comparison.reason if self.comparison is not None else "") or super().no_interval_reason()


class UndefinedMerit(UndefinedValue):
    """Stands for a figure without a value."""

    p = None
    comparison = None


def arc_of(episode: ScoredEpisode) -> ArcKey:
    """Return the arc of an episode; runs of it under several conditions are the same one."""
    return (episode.domain, str(episode.tier), episode.seed, episode.arc)


def by_arc(episodes: Iterable[ScoredEpisode], part: Callable[[ScoredEpisode], Contribution]) -> list[Contribution]:
    """Return what each arc adds to a ratio, in order of first appearance."""
    sums: dict[ArcKey, Contribution] = {}
    for episode in episodes:
        numerator, denominator = part(episode)
        before = sums.get(arc_of(episode), (0.0, 0.0))
        sums[arc_of(episode)] = (before[0] + numerator, before[1] + denominator)
    return list(sums.values())


def share(
    spec: MeritSpec,
    episodes: Sequence[ScoredEpisode],
    holds: Callable[[ScoredEpisode], bool],
    *,
    counted: str,
    among: str,
    blame: bool,
    at_most: str = "",
    at_least: str = "",
) -> MeritFigure:
    """Return the share of episodes of which something holds, its interval by arc.

    ``blame`` says which episodes it is owed to: those of which it holds, or the others. ``at_most`` and ``at_least``
    are reasons for which the value is a bound only.
    """
    count = sum(holds(episode) for episode in episodes)
    counts = Counts(count, counted, len(episodes), among)
    if not episodes:
        return undefined(spec, f"there are no {among}", counts)
    arcs = by_arc(episodes, lambda episode: (float(holds(episode)), 1.0))
    found = MeritFigure(
        count / len(episodes),
        spec,
        counts,
        Bound.AT_MOST if at_most else Bound.AT_LEAST if at_least else None,
        Behind(
            partial(interval, arcs, Kind.SHARE, 1.0),
            lambda counted: tuple(
                responsible(episode)
                for episode in episodes
                if holds(episode) is (blame if counted is None else counted)
            ),
            rough=partial(is_rough, arcs, Kind.SHARE),
            kind=Kind.SHARE,
            clusters=len(arcs),
        ),
    )
    found.reason = at_most or at_least
    return found


def mean(
    spec: MeritSpec, episodes: Sequence[ScoredEpisode], amount: Callable[[ScoredEpisode], float | None]
) -> MeritFigure:
    """Return the mean of an amount over episodes; undefined where any of them does not tell, since unknown is not 0."""
    known = sum(amount(episode) is not None for episode in episodes)
    counts = Counts(known, f"episodes with known {spec.title}", len(episodes), "episodes")
    if not episodes:
        return undefined(spec, "there are no episodes", counts)
    if known < len(episodes):
        return undefined(spec, f"{len(episodes) - known} of {len(episodes)} episodes do not tell", counts)
    arcs = by_arc(episodes, lambda episode: (amount(episode) or 0.0, 1.0))
    value = sum(part for part, _ in arcs) / len(episodes)
    behind = Behind(
        partial(interval, arcs, Kind.AMOUNT, 1.0),
        rough=partial(is_rough, arcs, Kind.AMOUNT),
        kind=Kind.AMOUNT,
        clusters=len(arcs),
    )
    return MeritFigure(value, spec, counts, None, behind)


def difference(
    spec: MeritSpec,
    sides: Iterable[tuple[Contribution, Contribution]],
    counts: Counts,
    *,
    empty: str,
    bounded: bool = True,
    blamed: Sequence[ScoredEpisode] = (),
) -> MeritFigure:
    """Return the second side less the first over arcs that both hold, with its paired bootstrap.

    ``sides`` are what each arc adds to either side's ratio; an arc with an empty denominator on a side is left out.
    """
    pairs = [(a, b) for a, b in sides if a[1] > 0 and b[1] > 0]
    if not pairs:
        return undefined(spec, empty, counts)
    columns = np.asarray([(*a, *b) for a, b in pairs], dtype=np.float64).T
    comparison = compare(Pair(*columns), bounded=bounded)
    bounds = None
    if comparison.lower is not None and comparison.upper is not None:
        bounds = (comparison.lower, comparison.upper)
    found = MeritFigure(
        comparison.difference or 0.0,
        spec,
        counts,
        None,
        Behind(lambda: bounds, lambda _: tuple(responsible(episode) for episode in blamed), clusters=len(pairs)),
    )
    found.comparison = comparison
    found.reason = comparison.reason
    return found


def undefined(spec: MeritSpec, reason: str, counts: Counts | None = None) -> MeritFigure:
    """Return the stand-in for a figure that has no value. To a type checker it is the figure that a test asks for."""
    return cast(MeritFigure, UndefinedMerit(spec, counts or Counts(0, "episodes", 0, "episodes"), reason))


def responsible(episode: ScoredEpisode) -> Responsible:
    """Return an episode as one that a figure is owed to."""
    condition = "/".join(part for part in (episode.condition, episode.variant) if part)
    corrupted = f", {episode.corruption} at {episode.rate:g}" if episode.corruption else ""
    told = f"{'held' if episode.held else 'not held'}, {'acted on' if episode.acted else 'not acted on'}"
    said = told if episode.held is not None else ("solved" if episode.success else "not solved")
    return Responsible(
        arc=episode.arc,
        episode=episode.episode,
        task=episode.episode,
        item=condition + corrupted,
        told=said,
    )
