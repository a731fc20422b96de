"""Exchange of the two sides, arc by arc: what the gate's statistics are made of.

If nothing changed, each arc's baseline and current results could just as well stand on the other side. A sign vector
says for which arcs they do. Of the ways to write the paired contribution of an arc to the difference of two ratios,
this one recomputes the studentised difference under every exchange:

* with contributions linearised once, each side divided by its own total, the test is not exact: an arc that is much
  longer on one side makes that side's total, and is then weighed as if the total were known;
* with contributions at the pooled ratio and no division the test is exact, but as soon as one side delivers more than
  the other (twice the spans at the same rates, say) the arcs' own rates no longer cancel and the pairing is lost.

Recomputing keeps both: exact where the sides are exchangeable, and paired where their denominators differ. Where they
do not differ it is the wild cluster bootstrap with Rademacher signs, to the letter.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

RESAMPLES = 10_000
"""Sign vectors drawn where there are too many to take all of them."""

_BLOCK = 500
_ROUNDING = 2e-13


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One figure on both sides: one numerator and one denominator an arc, in the same order of arcs on both sides.

    The figure of a side is the sum of its numerators over the sum of its denominators, which must be positive. Arcs are
    the clusters, so whatever an arc holds several times (repeats, episodes, spans) is summed before it comes here.
    """

    baseline_numerator: FloatArray
    baseline_denominator: FloatArray
    current_numerator: FloatArray
    current_denominator: FloatArray

    @property
    def arcs(self) -> int:
        """Number of arcs."""
        return len(self.baseline_numerator)

    @property
    def baseline(self) -> float:
        """The baseline's figure."""
        return float(self.baseline_numerator.sum() / self.baseline_denominator.sum())

    @property
    def current(self) -> float:
        """The current figure."""
        return float(self.current_numerator.sum() / self.current_denominator.sum())

    @property
    def differing(self) -> int:
        """Arcs that differ between the sides, and so can tell a change.

        An arc that shows on both sides what most arcs show (no event, say, or nothing else) is not counted for having
        more spans on one of them: where events are rare, such arcs are many and tell next to nothing.
        """
        same = self.baseline_numerator == self.current_numerator
        same &= self.baseline_denominator == self.current_denominator
        rates = np.stack(
            [
                _rates(self.baseline_numerator, self.baseline_denominator),
                _rates(self.current_numerator, self.current_denominator),
            ]
        )
        values, counts = np.unique(rates, return_counts=True)
        same |= (rates == values[np.argmax(counts)]).all(axis=0)
        return int(np.count_nonzero(~same))


def _rates(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return each arc's own figure; 0 for one that adds nothing."""
    rates = np.zeros_like(numerator)
    return np.divide(numerator, denominator, out=rates, where=denominator > 0)


def all_taken(arcs: int, resamples: int = RESAMPLES) -> bool:
    """Return whether ``resamples`` suffice for every sign vector of so many arcs, so that nothing is left to a draw."""
    return arcs < 60 and 1 << arcs <= resamples


def sign_vectors(arcs: int, rng: np.random.Generator, resamples: int = RESAMPLES) -> Iterator[FloatArray]:
    """Yield sign vectors in blocks of rows: all of them where ``resamples`` suffice, as many random ones otherwise.

    Only one of each pair of opposite vectors is yielded, since the other one's statistic is the negative of its own;
    the first row is the identity. A random draw is valid too, because the identity and the opposites belong to it.
    """
    for block in _exchanged(arcs, rng, resamples):
        yield 1.0 - 2.0 * block


def _exchanged(arcs: int, rng: np.random.Generator, resamples: int) -> Iterator[FloatArray]:
    """Yield the same with 1 for an arc that is exchanged and 0 for one that is not."""
    if all_taken(arcs, resamples):
        rows = 2 ** max(arcs - 1, 0)
        for start in range(0, rows, _BLOCK):
            numbers = np.arange(start, min(start + _BLOCK, rows))[:, None]
            yield ((numbers >> np.arange(arcs)[None, :]) & 1).astype(np.float64)
        return
    rows, width = max(1, resamples // 2), -(-arcs // 8)
    for start in range(0, rows, _BLOCK):
        # One random bit an arc: at hundreds of arcs the draw would otherwise cost more than what is done with it.
        random = rng.integers(0, 256, (min(_BLOCK, rows - start), width), dtype=np.uint8)
        if start == 0:
            random[0] = 0
        yield np.unpackbits(random, axis=1, count=arcs).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class ExchangedFigure:
    """One figure's studentised difference under every sign vector, for any difference that the null names.

    The null "current = baseline + shift" is imposed by taking the shift off the current numerators. What is then left
    of each arc at the pooled ratio is split into the half sum of the sides (``mean``) and their half difference
    (``half``), each linear in the shift. Exchange keeps the first and turns the sign of the second.
    """

    difference: float
    standard_error: float
    differing: int
    total: float
    columns: tuple[FloatArray, ...]
    mean_squares: tuple[float, float, float]
    half_squares: tuple[float, float, float]

    def statistic(self, shift: float) -> FloatArray:
        """Return the studentised difference from ``shift`` under each sign vector, the observed one first.

        A shift other than 0 needs an exchange that was asked for shifts.
        """
        numerator, denominator, product = self.columns[:3]
        if shift != 0.0:
            half_shift, cross_shift, cross_square = self.columns[3:]
            numerator = numerator - shift * half_shift
            product = product - shift * (cross_shift - shift * cross_square)
        mean_square = _quadratic(self.mean_squares, shift)
        half_square = _quadratic(self.half_squares, shift)
        uneven = denominator / self.total
        twist = 2.0 * uneven * product
        uneven *= uneven
        uneven *= mean_square
        uneven += half_square
        # The variance is what the twist leaves of that. Where only rounding is left, there is nothing to studentise.
        nothing = uneven * (1.0 - _ROUNDING) <= twist
        uneven -= twist
        uneven[nothing] = np.inf
        out: FloatArray = numerator / np.sqrt(uneven, out=uneven)
        return out


def exchange(
    pairs: Sequence[Pair], rng: np.random.Generator, resamples: int = RESAMPLES, *, shifts: bool = True
) -> list[ExchangedFigure]:
    """Return each figure under one common set of sign vectors, so that figures of one arc move together.

    All pairs must have the same arcs in the same order, at least one. Without ``shifts`` the figures answer for the
    null of no difference only, at half the work.
    """
    parts = [_split(pair) for pair in pairs]
    distinct: dict[bytes, tuple[int, FloatArray]] = {}
    places = []
    for part in parts:
        # Figures over one denominator (spans, say) share half of their columns.
        columns = part.columns if shifts else part.columns[:3]
        places.append([distinct.setdefault(column.tobytes(), (len(distinct), column))[0] for column in columns])
    table = np.stack([column for _, column in distinct.values()])
    # A sign is 1 - 2 * bit, and so is its sum: the bits need no other pass over what is by far the largest array.
    exchanged = np.concatenate([table @ block.T for block in _exchanged(pairs[0].arcs, rng, resamples)], axis=1)
    exchanged *= -2.0
    exchanged += table.sum(axis=1, keepdims=True)
    return [
        ExchangedFigure(
            difference=pair.current - pair.baseline,
            standard_error=_standard_error(pair, pair.current - pair.baseline),
            differing=pair.differing,
            total=part.total,
            columns=tuple(exchanged[index] for index in place),
            mean_squares=part.mean_squares,
            half_squares=part.half_squares,
        )
        for pair, part, place in zip(pairs, parts, places, strict=True)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """An arc's residuals at the pooled ratio as half sums and half differences, with what an exchange multiplies."""

    total: float
    columns: tuple[FloatArray, ...]
    mean_squares: tuple[float, float, float]
    half_squares: tuple[float, float, float]


def _split(pair: Pair) -> _Split:
    n_b, d_b = pair.baseline_numerator, pair.baseline_denominator
    n_c, d_c = pair.current_numerator, pair.current_denominator
    total = float(d_b.sum() + d_c.sum())
    ratio = float(n_b.sum() + n_c.sum()) / total
    weight = float(d_c.sum()) / total
    half = ((n_c - n_b) - ratio * (d_c - d_b)) / 2
    half_shift = ((1 - weight) * d_c + weight * d_b) / 2
    mean = ((n_c + n_b) - ratio * (d_c + d_b)) / 2
    mean_shift = ((1 - weight) * d_c - weight * d_b) / 2
    # What rounding leaves of a residual that is zero would otherwise be studentised to any size.
    size = np.abs(n_b) + np.abs(n_c) + abs(ratio) * (d_b + d_c)
    half[np.abs(half) <= 1e-13 * size] = 0.0
    cross_shift = half * mean_shift + half_shift * mean
    return _Split(
        total=total,
        columns=(half, d_c - d_b, half * mean, half_shift, cross_shift, half_shift * mean_shift),
        mean_squares=_squares(mean, mean_shift),
        half_squares=_squares(half, half_shift),
    )


def _standard_error(pair: Pair, difference: float) -> float:
    """Return the standard error of the difference; 0 where the arcs leave no spread to estimate it from."""
    if pair.arcs < 2:
        return 0.0
    d_b, d_c = pair.baseline_denominator, pair.current_denominator
    on_baseline = (pair.baseline_numerator - pair.baseline * d_b) / d_b.sum()
    on_current = (pair.current_numerator - pair.current * d_c) / d_c.sum()
    error = float(np.sqrt(np.sum((on_current - on_baseline) ** 2) * pair.arcs / (pair.arcs - 1)))
    size = max(abs(difference), abs(pair.baseline), abs(pair.current))
    return error if error > 1e-9 * size else 0.0


def _squares(fixed: FloatArray, linear: FloatArray) -> tuple[float, float, float]:
    """Return the coefficients of the sum of squares of ``fixed - shift * linear`` in powers of the shift."""
    return float(fixed @ fixed), -2.0 * float(fixed @ linear), float(linear @ linear)


def _quadratic(coefficients: tuple[float, float, float], shift: float) -> float:
    constant, linear, square = coefficients
    return max(0.0, constant + shift * (linear + shift * square))
