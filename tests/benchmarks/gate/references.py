"""Other ways to gate seven figures, written for comparison only: each says which figures it calls worse."""

from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from pytest_memuse.gate.exchange import Pair
from pytest_memuse.gate.resampling import ALPHA
from tests.benchmarks.gate.generators import SIGNS

_OF_THE_BASELINE = 400
_FLIPS = 2_000

METHODS = (
    "plain maximum",
    "Holm on sign flips",
    "Bonferroni, paired",
    "each figure, paired",
    "outside the baseline's",
)


def references(pairs: Sequence[Pair], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return a row for each of `METHODS` and a column for each figure: the figure is called worse.

    The first two flip the signs of the paired contributions at the pooled ratio: one single step on the largest
    studentised sum, and each figure by itself with Holm's correction. The third and fourth are normal intervals of the
    paired difference, one-sided at alpha over the figures and two-sided at alpha. The last is what is usual: worse than
    the two-sided percentile interval of the baseline alone.
    """
    table = _flipped(pairs, rng)
    observed = table[0] - 1e-9
    largest = np.mean(table.max(axis=1)[:, None] >= observed, axis=0) <= ALPHA
    holm = _holm(np.mean(table >= observed, axis=0))
    paired = _z_values(pairs)
    two_sided = NormalDist().inv_cdf(1 - ALPHA / 2)
    bonferroni = NormalDist().inv_cdf(1 - ALPHA / len(pairs))
    return np.stack([largest, holm, paired > bonferroni, paired > two_sided, _outside(pairs, rng)])


def _flipped(pairs: Sequence[Pair], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the studentised sum of each figure (column) under each sign vector (row), the observed one first."""
    columns = []
    for pair, sign in zip(pairs, SIGNS, strict=True):
        ratio = (pair.baseline_numerator.sum() + pair.current_numerator.sum()) / (
            pair.baseline_denominator.sum() + pair.current_denominator.sum()
        )
        before = pair.baseline_numerator - ratio * pair.baseline_denominator
        contribution = sign * (pair.current_numerator - ratio * pair.current_denominator - before)
        size = np.sqrt(np.sum(contribution**2))
        columns.append(contribution / size if size > 0 else contribution)
    stacked = np.stack(columns, axis=1)
    bits = rng.integers(0, 256, (_FLIPS, -(-len(stacked) // 8)), dtype=np.uint8)
    flips = 1.0 - 2.0 * np.unpackbits(bits, axis=1, count=len(stacked))
    flips[0] = 1.0
    table: NDArray[np.float64] = flips @ stacked
    return table


def _holm(p: NDArray[np.float64]) -> NDArray[np.bool_]:
    rejected = np.zeros(len(p), dtype=bool)
    for step, index in enumerate(np.argsort(p)):
        if p[index] > ALPHA / (len(p) - step):
            break
        rejected[index] = True
    return rejected


def _z_values(pairs: Sequence[Pair]) -> NDArray[np.float64]:
    """Return how much worse each figure is, in standard errors of the paired difference."""
    out = []
    for pair, sign in zip(pairs, SIGNS, strict=True):
        before = _influences(pair.baseline_numerator, pair.baseline_denominator)
        now = _influences(pair.current_numerator, pair.current_denominator)
        error = np.sqrt(np.sum((now - before) ** 2) * pair.arcs / (pair.arcs - 1))
        out.append(sign * (pair.current - pair.baseline) / error if error > 0 else 0.0)
    return np.array(out)


def _influences(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    total = denominator.sum()
    influences: NDArray[np.float64] = (numerator - numerator.sum() / total * denominator) / total
    return influences


def _outside(pairs: Sequence[Pair], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which current figures are worse than the percentile interval of their baselines over resampled arcs."""
    arcs = pairs[0].arcs
    drawn = rng.integers(0, arcs, (_OF_THE_BASELINE, arcs)) + arcs * np.arange(_OF_THE_BASELINE)[:, None]
    times = np.bincount(drawn.ravel(), minlength=_OF_THE_BASELINE * arcs).reshape(_OF_THE_BASELINE, arcs) * 1.0
    numerators = times @ np.stack([pair.baseline_numerator for pair in pairs], axis=1)
    denominators = times @ np.stack([pair.baseline_denominator for pair in pairs], axis=1)
    low, high = np.quantile(numerators / denominators, [ALPHA / 2, 1 - ALPHA / 2], axis=0)
    current = np.array([pair.current for pair in pairs])
    return np.where(SIGNS > 0, current > high, current < low)
