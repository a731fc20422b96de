"""Cohen's kappa of two readers' labels, with a lower bound that takes the labels of one case together."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
"""Confidence of the one-sided lower bound."""

_QUANTILE = NormalDist().inv_cdf(LEVEL)


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance, its lower bound, and the numbers of labels and of cases that they rest on.

    ``value`` is None where nothing was labelled or chance alone explains all: both readers gave one value throughout.
    ``lower`` is None there too, and where there are fewer than two cases.
    """

    value: float | None
    lower: float | None
    labels: int
    cases: int


def cohen_kappa(counts: Mapping[tuple[Hashable, Hashable], int]) -> float | None:
    """Return Cohen's kappa of a table of counts by the two readers' values; None where it is undefined."""
    total = sum(counts.values())
    if not total:
        return None
    chance = _chance(*_margins(counts), total)
    if chance == 1:
        return None
    return (_agreed(counts) / total - chance) / (1 - chance)


def kappa_of(labels: Iterable[tuple[Hashable, Hashable, Hashable]]) -> Kappa:
    """Return the kappa of labels, each as (case, one reader's value, the other's). Their order has no influence.

    The bound is the lower of two. The first is from the linearised variance over cases (Fleiss, Cohen and Everitt's,
    summed by case). It is too sure of itself where nearly all labels agree, and says nothing where all do; the second
    therefore puts Wilson's bound for the agreement, with the number of cases for its sample size, in place of it.
    """
    found = list(labels)
    counts = Counter((first, second) for _, first, second in found)
    cases, total = len({case for case, _, _ in found}), len(found)
    value = cohen_kappa(counts)
    if value is None or cases < 2:
        return Kappa(value, None, total, cases)
    rows, columns = _margins(counts)
    chance, agreed = _chance(rows, columns, total), _agreed(counts) / total
    shares: defaultdict[Hashable, list[float]] = defaultdict(list)
    for case, first, second in found:
        expected = (columns[first] + rows[second]) / total
        gain = (float(first == second) - agreed) * (1 - chance)
        shares[case].append((gain - (1 - agreed) * (expected - 2 * chance)) / (1 - chance) ** 2)
    spread = math.fsum(math.fsum(share) ** 2 for share in shares.values())
    deviation = math.sqrt(cases / (cases - 1) * spread) / total
    floor = (_wilson(agreed, cases) - chance) / (1 - chance)
    return Kappa(value, max(-1.0, min(value - _QUANTILE * deviation, floor)), total, cases)


def _margins(counts: Mapping[tuple[Hashable, Hashable], int]) -> tuple[Counter[Hashable], Counter[Hashable]]:
    rows: Counter[Hashable] = Counter()
    columns: Counter[Hashable] = Counter()
    for (first, second), count in counts.items():
        rows[first] += count
        columns[second] += count
    return rows, columns


def _agreed(counts: Mapping[tuple[Hashable, Hashable], int]) -> int:
    return sum(count for (first, second), count in counts.items() if first == second)


def _chance(rows: Counter[Hashable], columns: Counter[Hashable], total: int) -> float:
    """Return the agreement that independent readers with these margins would have; whole numbers up to the end."""
    return sum(count * columns[value] for value, count in rows.items()) / total**2


def _wilson(share: float, size: int) -> float:
    square = _QUANTILE**2
    centre = share + square / (2 * size)
    reach = _QUANTILE * math.sqrt(share * (1 - share) / size + square / (4 * size**2))
    return (centre - reach) / (1 + square / size)
