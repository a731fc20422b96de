"""A figure's two sides, arc by arc: from the rows of two runs to what the procedure takes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_memuse.gate.exchange import FloatArray, Pair
from pytest_memuse.profiles.figures import FigureSpec
from pytest_memuse.profiles.rows import Run


@dataclass(frozen=True, slots=True)
class Side:
    """A figure of one run. ``value`` is None where it is undefined, and ``undefined`` then says why.

    ``counts`` is how much was counted, among how much. ``only_a_bound`` is set where redacted text of unknown size
    makes the figure one: the truth is then worse than the value, for every figure that text volume enters.
    """

    value: float | None
    undefined: str = ""
    counts: tuple[int, int] = (0, 0)
    only_a_bound: bool = False


@dataclass(frozen=True, slots=True)
class FigureSides:
    """A figure on both sides; ``pair`` is None unless it is defined on both."""

    spec: FigureSpec
    baseline: Side
    current: Side
    pair: Pair | None


def figure_sides(spec: FigureSpec, baseline: Run, current: Run, arcs: Sequence[str]) -> FigureSides:
    """Return a figure's sides, both runs holding the matched tasks of the given arcs only.

    Spans outside every episode belong to no task and no arc, so there is nothing to match and to resample them by: they
    are left out on both sides, of values, counts and bounds alike.
    """
    baseline, current = replace(baseline, outside=()), replace(current, outside=())
    before, now = _side(spec, baseline), _side(spec, current)
    pair = None
    if before.value is not None and now.value is not None:
        pair = Pair(*_by_arc(spec, baseline, arcs), *_by_arc(spec, current, arcs))
    return FigureSides(spec, before, now, pair)


def _side(spec: FigureSpec, run: Run) -> Side:
    undefined = spec.undefined_reason(run)
    if undefined is not None:
        return Side(None, undefined)
    counts = [spec.counts(episode) for episode in run.episodes]
    return Side(
        value=spec.value_of(spec.contribution(episode) for episode in run.episodes),
        counts=(sum(count[0] for count in counts), sum(count[1] for count in counts)),
        only_a_bound=spec.bound_of(run) is not None,
    )


def _by_arc(spec: FigureSpec, run: Run, arcs: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return numerators, in the figure's unit, and denominators, everything that an arc holds summed."""
    place = {arc: index for index, arc in enumerate(arcs)}
    numerators, denominators = np.zeros(len(arcs)), np.zeros(len(arcs))
    for episode in run.episodes:
        numerator, denominator = spec.contribution(episode)
        numerators[place[episode.arc]] += spec.scale * numerator
        denominators[place[episode.arc]] += denominator
    return numerators, denominators
