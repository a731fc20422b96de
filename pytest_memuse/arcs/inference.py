"""Paired comparisons by arc: bootstrap interval and p, Holm within a family, and how seeds spread (MERIT 3.6, 5.7).

A replicate draws as many arcs as there are, with replacement, and keeps both sides of each arc drawn. The interval is
the 2.5th to the 97.5th percentile of the replicates' differences. The two-sided p is twice the smaller share of
replicates that reach or cross zero, the observed one counted among them, so that it is never below 2 / (R + 1).

Where all arcs differ by the same, resampling shows no spread, and a percentile interval would claim certainty. Then p
is that of the exact exchange of the sides arc by arc (2 to the 1 - n, and no smaller than above), and the interval of a
difference of rates is the exact binomial one: with 95 % confidence no more than 1 - 0.025^(1/n) of all arcs differ
otherwise, and those by anything from -1 to 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray

from pytest_memuse.gate.exchange import Pair

RESAMPLES = 10_000
"""Replicates of the paired bootstrap."""

SEED = 20_260_601
"""Seed of the replicates: the same episodes give the same intervals, whatever else was asked for before."""

ALPHA = 0.05
"""Level at which a difference is called significant, after Holm's adjustment."""

_PERCENTILES = (2.5, 97.5)
_TAIL = 0.025
_DRAWN_AT_ONCE = 1_000_000
_ROUNDING = 1e-12


class Method(StrEnum):
    """Where interval and p come from: resampled arcs, the exact count where arcs do not vary, or nowhere."""

    BOOTSTRAP = "bootstrap"
    EXACT = "exact"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The second side of a pair less the first, over arcs.

    ``difference`` is None without an arc that both sides hold; interval and p are None with fewer than two, and
    ``reason`` says why. ``differing`` counts the arcs whose sides differ.
    """

    difference: float | None
    lower: float | None
    upper: float | None
    p: float | None
    arcs: int
    differing: int
    method: Method
    reason: str = ""

    @property
    def smallest_p(self) -> float:
        """The smallest p that exchanges of so many arcs can give; above the level asked for, nothing is conclusive."""
        return min(1.0, 2.0 * 0.5**self.arcs)


def compare(pair: Pair, *, bounded: bool = True, seed: int = SEED, resamples: int = RESAMPLES) -> Comparison:
    """Compare the two sides of a pair, of which each arc has a positive denominator on both.

    ``bounded`` says that the sides are rates, from 0 to 1; a difference of amounts has no interval where arcs do not
    vary.
    """
    arcs = pair.arcs
    if arcs == 0:
        return Comparison(None, None, None, None, 0, 0, Method.NONE, "no arc was run on both sides")
    difference = _plain(pair.current - pair.baseline)
    if arcs == 1:
        told = "one arc has no spread: an interval needs two"
        return Comparison(difference, None, None, None, 1, pair.differing, Method.NONE, told)
    drawn = _replicates(pair, seed, resamples)
    if float(np.ptp(drawn)) <= _ROUNDING * max(1.0, abs(difference)):
        return _without_spread(difference, pair, bounded, resamples)
    lower, upper = np.percentile(drawn, _PERCENTILES)
    crossing = min(int(np.count_nonzero(drawn <= 0)), int(np.count_nonzero(drawn >= 0)))
    p = min(1.0, 2 * (crossing + 1) / (resamples + 1))
    return Comparison(difference, _plain(float(lower)), _plain(float(upper)), p, arcs, pair.differing, Method.BOOTSTRAP)


def _replicates(pair: Pair, seed: int, resamples: int) -> NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    columns = np.stack(
        [pair.baseline_numerator, pair.baseline_denominator, pair.current_numerator, pair.current_denominator], axis=1
    )
    arcs, rows = pair.arcs, max(1, _DRAWN_AT_ONCE // pair.arcs)
    even = np.full(arcs, 1 / arcs)
    parts = []
    for done in range(0, resamples, rows):
        times = generator.multinomial(arcs, even, size=min(rows, resamples - done))
        sums = times @ columns
        parts.append(sums[:, 2] / sums[:, 3] - sums[:, 0] / sums[:, 1])
    drawn = np.concatenate(parts)
    drawn[np.abs(drawn) <= _ROUNDING] = 0.0
    return drawn


def _without_spread(difference: float, pair: Pair, bounded: bool, resamples: int) -> Comparison:
    arcs = pair.arcs
    p = 1.0 if difference == 0 else max(2 / (resamples + 1), min(1.0, 2.0 * 0.5**arcs))
    told = f"all {arcs} arcs differ by the same"
    if not bounded:
        return Comparison(difference, None, None, p, arcs, pair.differing, Method.EXACT, told)
    otherwise = 1 - _TAIL ** (1 / arcs)
    lower = max(-1.0, difference * (1 - otherwise) - otherwise)
    upper = min(1.0, difference * (1 - otherwise) + otherwise)
    return Comparison(difference, lower, upper, p, arcs, pair.differing, Method.EXACT, told)


def _plain(value: float) -> float:
    """Return a difference without what rounding left of it, so that 0.7 - 0.2 is 0.5."""
    return round(value, 12) + 0.0


def holm(values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Return the p values of a family, adjusted after Holm. One that is None stays None and counts as a member."""
    members = len(values)
    order = sorted((p, place) for place, p in enumerate(values) if p is not None)
    out: list[float | None] = [None] * members
    largest = 0.0
    for rank, (p, place) in enumerate(order):
        largest = max(largest, min(1.0, (members - rank) * p))
        out[place] = largest
    return tuple(out)


class Finding(StrEnum):
    """What a test within its family comes to."""

    SIGNIFICANT = "significant"
    NOT_SIGNIFICANT = "not significant"
    TOO_FEW_ARCS = "too few arcs"
    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Tested:
    """One member of a family. ``adjusted`` is its p after Holm."""

    name: str
    comparison: Comparison
    adjusted: float | None
    alpha: float = ALPHA

    @property
    def finding(self) -> Finding:
        """What the test comes to at the family's level; with too few arcs nothing is significant."""
        if self.adjusted is None:
            return Finding.UNDEFINED
        if self.comparison.smallest_p > self.alpha:
            return Finding.TOO_FEW_ARCS
        return Finding.SIGNIFICANT if self.adjusted <= self.alpha else Finding.NOT_SIGNIFICANT


@dataclass(frozen=True, slots=True)
class Family:
    """A family of hypotheses that was declared together; Holm's adjustment is within it."""

    name: str
    members: tuple[Tested, ...]

    def __getitem__(self, name: str) -> Tested:
        return next(member for member in self.members if member.name == name)


def family(name: str, comparisons: Mapping[str, Comparison], alpha: float = ALPHA) -> Family:
    """Return the family of these comparisons, each with its adjusted p."""
    adjusted = holm([comparison.p for comparison in comparisons.values()])
    members = zip(comparisons.items(), adjusted, strict=True)
    return Family(name, tuple(Tested(member, found, p, alpha) for (member, found), p in members))


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """A figure over seeds: its mean, the sample standard deviation, and the largest gap between two seeds (5.7).

    ``mean`` is None without a seed, the others with fewer than two: one seed has no spread, not one of zero.
    """

    values: tuple[float, ...]
    mean: float | None
    deviation: float | None
    gap: float | None


def seed_spread(values: Sequence[float]) -> SeedSpread:
    """Return the mean of a figure over seeds and how far it spreads; ``values`` holds one value a seed."""
    found = tuple(float(value) for value in values)
    if len(found) < 2:
        return SeedSpread(found, found[0] if found else None, None, None)
    return SeedSpread(found, fmean(found), stdev(found), max(found) - min(found))
