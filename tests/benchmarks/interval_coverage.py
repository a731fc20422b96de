"""How often the intervals shown beside figures hold: `python -m tests.benchmarks.interval_coverage` prints the table.

Each build draws arcs of 2 to 18 units. Units of an arc are alike to a degree (``correlation``, the intraclass
correlation of a beta-binomial): 0 is independent units, 0.1 and 0.3 arcs in which what goes wrong goes wrong often.
Counts are drawn in the same way, each arc with a rate of its own, a gamma variable of the same relative spread.
Amounts are lognormal with mean 1, of a spread that grows with the correlation.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pytest_memuse.profiles.figures import Kind
from pytest_memuse.profiles.intervals import interval, is_rough

SHARES = (0.005, 0.02, 0.2)
ARCS = (10, 30, 100)
CORRELATIONS = (0.0, 0.1, 0.3)
UNITS = (2, 19)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often intervals held in one cell, and how often among those that are not called rough."""

    kind: Kind
    share: float
    arcs: int
    correlation: float
    builds: int
    held: int
    too_low: int
    plain: int
    plain_held: int

    def __str__(self) -> str:
        plain = f"{self.plain_held / self.plain:.1%}" if self.plain >= 50 else "–"
        return (
            f"| {self.kind} | {self.share} | {self.arcs} | {self.correlation} | {self.held / self.builds:.1%} | "
            f"{self.too_low / self.builds:.1%} | {1 - self.plain / self.builds:.0%} | {plain} |"
        )


def build(
    rng: np.random.Generator, kind: Kind, share: float, arcs: int, correlation: float
) -> list[tuple[float, float]]:
    """Return the contributions of each arc of one build."""
    units = rng.integers(*UNITS, size=arcs)
    if kind is Kind.SHARE:
        strength = (1 - correlation) / correlation if correlation else 0.0
        rates = rng.beta(share * strength, (1 - share) * strength, arcs) if correlation else np.full(arcs, share)
        counts = rng.binomial(units, rates)
    elif kind is Kind.AMOUNT:
        deep = 0.3 + 2 * correlation
        counts = units * rng.lognormal(-deep * deep / 2, deep, arcs) * share
    else:
        spread = correlation * (1 - share) / share
        rates = rng.gamma(1 / spread, share * spread, arcs) if correlation else np.full(arcs, share)
        counts = rng.poisson(units * rates)
    return [(float(count), float(unit)) for count, unit in zip(counts, units, strict=True)]


def coverage(kind: Kind, share: float, arcs: int, correlation: float, builds: int, seed: int = 7) -> Coverage:
    """Return how often the interval of a cell's builds holds the truth."""
    rng = np.random.default_rng([seed, arcs, round(share * 1000), round(correlation * 100), list(Kind).index(kind)])
    held = low = plain = plain_held = 0
    for _ in range(builds):
        clusters = build(rng, kind, share, arcs, correlation)
        found = interval(clusters, kind, 1.0)
        holds = found is not None and found[0] <= share <= found[1]
        held += holds
        low += found is not None and found[1] < share
        if not is_rough(clusters, kind):
            plain += 1
            plain_held += holds
    return Coverage(kind, share, arcs, correlation, builds, held, low, plain, plain_held)


def cells(builds: int, many: tuple[int, ...] = ARCS) -> Iterator[Coverage]:
    """Return the coverage of every cell."""
    for kind in Kind:
        for correlation in CORRELATIONS:
            for share in SHARES if kind is not Kind.AMOUNT else (1.0,):
                for arcs in many:
                    yield coverage(kind, share, arcs, correlation, builds)


if __name__ == "__main__":
    import sys

    print("| kind | share | arcs | correlation | holds | upper end too low | called rough | holds where not rough |")
    print("|---|---|---|---|---|---|---|---|")
    for cell in cells(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        print(cell, flush=True)
