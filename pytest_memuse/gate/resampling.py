"""The procedure of the gate: maximum over all gated figures, stepped down, with bounds that invert the same test.

One question is asked of all figures at once, each in its worse direction: is it worse by more than its tolerance? The
largest studentised difference is compared with its distribution under the exchange of sides, and what that rejects is
taken out before the rest is asked again. So a build in which nothing changed fails with the probability ``alpha``,
however many figures are gated. The same is asked in the better direction, for *improved* and for the other bound.

A bound inverts the test that gave the verdict: the figure's own null is moved until the test, with every other figure
held where the verdict had it, no longer rejects. A figure that only a later step rejects has its tolerance itself for
a bound, and is worse by more than that; a figure that is not rejected has the bound of the last step's family. These
are the simultaneous bounds that belong to a step-down test, and why verdict and bound cannot disagree.

Where the sign vectors are drawn, a share of them estimates the p-value only, and one build could pass and fail by the
seed alone. What is called rejected is therefore what that error cannot explain: `p_value` adds two standard errors to
the share, so that what the gate rejects, all sign vectors would reject as well. With 10,000 vectors the share has to be
at most 4.58 % for an alpha of 5 %; where all vectors are taken there is no error, and the level is alpha itself.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pytest_memuse.gate.exchange import RESAMPLES, ExchangedFigure, FloatArray, Pair, all_taken, exchange
from pytest_memuse.profiles.figures import Worse

ALPHA = 0.05
"""Probability that a build fails in which nothing changed."""

STANDARD_ERRORS = 2.0
"""By how many of its own standard errors a p-value of drawn sign vectors is stated above its estimate."""

_SIGNS = {Worse.HIGHER: 1, Worse.LOWER: -1}
_TIE = 1e-9
_REACH = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 64.0, 512.0)
_HALVINGS = 24


@dataclass(frozen=True, slots=True)
class Bound:
    """A simultaneous one-sided bound. ``value`` is None where the arcs support none.

    ``excluded`` says that the test rejected the value itself, so that the truth lies beyond it.
    """

    value: float | None
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What the procedure says of one figure. Everything is counted in the worse direction, in the figure's unit.

    ``worse`` is the difference; ``at_least`` and ``at_most`` bound it from either side, each with the confidence
    1 - alpha over all figures at once. ``p_worse`` and ``p_better`` are adjusted for the number of figures, and for the
    error of drawn sign vectors (`p_value`).
    ``critical`` is the studentised difference that the figure had to exceed; ``differing`` counts the arcs that
    differ between the sides (`Pair.differing`).
    """

    worse: float
    standard_error: float
    at_least: Bound
    at_most: Bound
    p_worse: float
    p_better: float
    regressed: bool
    improved: bool
    critical: float
    differing: int


def too_few_arcs(arcs: int, alpha: float = ALPHA) -> bool:
    """Return whether not even the most extreme exchange of so many arcs is rarer than ``alpha``."""
    return 0.5**arcs > alpha


def p_value(reached: int, vectors: int, *, drawn: bool) -> float:
    """Return the p-value when ``reached`` of so many sign vectors give a statistic at least as large as the observed.

    Of drawn vectors the share has an error, and the p-value is stated as large as that error may have hidden.
    """
    share = reached / vectors
    error = STANDARD_ERRORS * math.sqrt(share * (1.0 - share) / vectors) if drawn else 0.0
    return min(1.0, share + error)


def decide(
    pairs: Sequence[Pair],
    directions: Sequence[Worse],
    rng: np.random.Generator,
    *,
    tolerances: Sequence[float] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    bounds: bool = True,
) -> list[Decision]:
    """Return a decision for each figure. ``tolerances`` are absolute and not negative, 0 by default.

    All pairs hold the same arcs in the same order, and every direction is one in which a figure can get worse. With too
    few arcs nothing is rejected and no bound is given. ``bounds=False`` leaves the bounds out, for verdicts alone.
    """
    if not pairs:
        return []
    limits = list(tolerances) if tolerances is not None else [0.0] * len(pairs)
    figures = exchange(pairs, rng, resamples, shifts=bounds or any(limits))
    signs = [_SIGNS[direction] for direction in directions]
    drawn = not all_taken(pairs[0].arcs, resamples)
    worse = _Direction(figures, signs, limits, alpha, drawn)
    better = _Direction(figures, [-sign for sign in signs], limits, alpha, drawn)
    return [
        Decision(
            worse=signs[index] * figure.difference,
            standard_error=figure.standard_error,
            at_least=worse.bound(index) if bounds else Bound(None),
            at_most=_mirrored(better.bound(index)) if bounds else Bound(None),
            p_worse=worse.p[index],
            p_better=better.p[index],
            regressed=worse.rejected[index],
            improved=better.rejected[index],
            critical=worse.critical(index),
            differing=figure.differing,
        )
        for index, figure in enumerate(figures)
    ]


def _mirrored(bound: Bound) -> Bound:
    return Bound(None if bound.value is None else -bound.value, bound.excluded)


class _Direction:
    """The stepped-down test of all figures in one direction, and the bounds that invert it."""

    def __init__(
        self,
        figures: Sequence[ExchangedFigure],
        signs: Sequence[int],
        limits: Sequence[float],
        alpha: float,
        drawn: bool,
    ) -> None:
        self._figures = figures
        self._signs = signs
        self._limits = limits
        self._alpha = alpha
        self._drawn = drawn
        self._statistics = [self._statistic(index, limit) for index, limit in enumerate(limits)]
        order = sorted(range(len(figures)), key=lambda index: -self._statistics[index][0])
        self.p = [1.0] * len(figures)
        largest = 0.0
        for step, index in enumerate(order):
            # Never below an earlier step's: a figure is rejected only together with all that differ more.
            largest = max(largest, self._p(self._statistics[index][0], self._maxima(order[step:])))
            self.p[index] = largest
        self.rejected = [p <= alpha for p in self.p]
        self._all = tuple(order)
        self._last = tuple(index for index in order if not self.rejected[index])
        self._critical = {members: self._exceeded(members) for members in {self._all, self._last} if members}

    def bound(self, index: int) -> Bound:
        """Return the lower bound of how far the figure lies in this direction."""
        figure, limit = self._figures[index], self._limits[index]
        rejected = self.rejected[index]
        if figure.standard_error == 0.0:
            # Every arc differs by the same: the test holds, but there is no spread to say how much more than that.
            return Bound(limit, excluded=True) if rejected else Bound(None)
        others = [other for other in (self._all if rejected else self._last) if other != index]
        rest = self._maxima(others) if others else None
        estimate = self._signs[index] * figure.difference
        if self._rejects(index, limit, rest):
            return Bound(self._crossing(index, limit, estimate, rest))
        if rejected:
            return Bound(limit, excluded=True)
        accepted = min(limit, estimate)
        for reach in _REACH:
            beyond = min(limit, estimate) - reach * figure.standard_error
            if self._rejects(index, beyond, rest):
                return Bound(self._crossing(index, beyond, accepted, rest))
            accepted = beyond
        return Bound(None)

    def critical(self, index: int) -> float:
        """Return the value that the figure's statistic had to exceed, in the family that decided on it."""
        return self._critical[self._all if self.rejected[index] else self._last]

    def _exceeded(self, members: Sequence[int]) -> float:
        """Return the value that the largest statistic of some figures has to exceed for its p-value to be small."""
        both = np.concatenate(self._maxima(members))
        vectors = len(both)
        allowed = bisect_right(range(vectors), self._alpha, key=lambda n: p_value(n, vectors, drawn=self._drawn)) - 1
        return float(np.partition(both, vectors - 1 - allowed)[vectors - 1 - allowed])

    def _statistic(self, index: int, shift: float) -> FloatArray:
        sign = self._signs[index]
        return sign * self._figures[index].statistic(sign * shift)

    def _maxima(self, members: Sequence[int]) -> tuple[FloatArray, FloatArray]:
        """Return the largest statistic of some figures under each sign vector, and under each vector's opposite."""
        stacked = np.stack([self._statistics[index] for index in members])
        return stacked.max(axis=0), -stacked.min(axis=0)

    def _rejects(self, index: int, shift: float, rest: tuple[FloatArray, FloatArray] | None) -> bool:
        own = self._statistic(index, shift)
        maxima = (own, -own)
        if rest is not None:
            maxima = (np.maximum(own, rest[0]), np.maximum(-own, rest[1]))
        return self._p(own[0], maxima) <= self._alpha

    def _crossing(
        self, index: int, rejected: float, accepted: float, rest: tuple[FloatArray, FloatArray] | None
    ) -> float:
        """Return the shift, between one that the test rejects and one that it does not, where it ceases to reject."""
        for _ in range(_HALVINGS):
            middle = (rejected + accepted) / 2
            if self._rejects(index, middle, rest):
                rejected = middle
            else:
                accepted = middle
        return accepted

    def _p(self, observed: float, maxima: tuple[FloatArray, FloatArray]) -> float:
        """Return the p-value of an observed statistic against maxima; ties count as reaching it."""
        reached = observed - _TIE * max(1.0, abs(observed))
        count = sum(int(np.count_nonzero(side >= reached)) for side in maxima)
        return p_value(count, 2 * len(maxima[0]), drawn=self._drawn)
