"""The gate beside ``scipy.stats.bootstrap``, on the same 15,271 spans of 2,000 arcs and 11 figures, in one run.

``python -m tests.benchmarks.gate.speed`` prints the processor seconds of each, after one to three minutes. Both compute
with one thread: scipy has no use for more here, and what linear algebra waits for on a busy machine is not work.
"""

import json
import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from pytest_memuse.gate.exchange import RESAMPLES, Pair
from pytest_memuse.gate.resampling import decide
from pytest_memuse.profiles.figures import Worse

ARCS, SPANS, FIGURES = 2_000, 15_271, 11
_BATCH = 100
"""Replicates that scipy holds at once: it is fastest with few, and memory stays bounded."""

Array = NDArray[np.float64]
Side = tuple[NDArray[np.int64], Array, Array]


def spans(rng: np.random.Generator) -> Side:
    """Return each span's arc, and a row of numerators and of denominators for each figure: shares, then per token."""
    arc = np.sort(np.concatenate([np.arange(ARCS), rng.integers(0, ARCS, SPANS - ARCS)]))
    numerators = rng.binomial(10, 0.1, (FIGURES, SPANS)).astype(float)
    denominators = np.full((FIGURES, SPANS), 10.0)
    denominators[6:] = rng.lognormal(6, 0.5, (FIGURES - 6, SPANS))
    return arc, numerators, denominators


def by_arc(side: Side) -> tuple[Array, Array]:
    arc, numerators, denominators = side
    return tuple(np.stack([np.bincount(arc, row, ARCS) for row in rows]) for rows in (numerators, denominators))


def gate(baseline: Side, current: Side) -> None:
    """From spans to verdicts and both bounds of every figure."""
    sides = [*by_arc(baseline), *by_arc(current)]
    pairs = [Pair(*(rows[figure] for rows in sides)) for figure in range(FIGURES)]
    decide(pairs, [Worse.HIGHER] * FIGURES, np.random.default_rng(1))


def difference(before: Array, among: Array, now: Array, of: Array, axis: int = -1) -> Array:
    return now.sum(axis) / of.sum(axis) - before.sum(axis) / among.sum(axis)


def scipy_bootstrap(rows: tuple[Array, Array, Array, Array]) -> None:
    """One call a figure: paired, vectorised, percentile. The default method, BCa, costs a jackknife more."""
    for figure in range(FIGURES):
        bootstrap(
            tuple(side[figure] for side in rows),
            difference,
            paired=True,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=_BATCH,
            method="percentile",
            random_state=np.random.default_rng(2),
        )


def seconds(work: Callable[[], None]) -> float:
    """Return the processor time of a piece of work, over all threads: other programs on the machine add nothing."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    """Run both whole, with 10,000 resamples, and print the seconds as JSON.

    scipy resamples the spans, since it knows no clusters ("spans"). Beside it stands what a careful user would write:
    the spans are summed by arc first and scipy resamples the arcs, without the time for summing ("arcs"). The gate's
    time holds summing, verdicts and bounds, and is the median of runs before and after scipy's.
    """
    rng = np.random.default_rng(0)
    baseline, current = spans(rng), spans(rng)
    sums = (*by_arc(baseline), *by_arc(current))
    gate(baseline, current)
    runs = [seconds(lambda: gate(baseline, current)) for _ in range(5)]
    on_arcs = seconds(lambda: scipy_bootstrap(sums))
    on_spans = seconds(lambda: scipy_bootstrap((*baseline[1:], *current[1:])))
    runs += [seconds(lambda: gate(baseline, current)) for _ in range(5)]
    print(json.dumps({"gate": float(np.median(runs)), "spans": on_spans, "arcs": on_arcs}))


if __name__ == "__main__":
    main()
