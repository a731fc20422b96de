"""The difference of resolve rates with its paired bootstrap over tasks (MemUse A.5.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import TYPE_CHECKING

from pytest_memuse.profiles.share import Share

if TYPE_CHECKING:
    from numpy.random import Generator

REPLICATES = 5000
_PERCENTILES = (2.5, 97.5)
_DRAWN_AT_ONCE = 1_000_000
"""Tasks drawn in one array; more replicates than that go through in several."""


@dataclass(frozen=True, slots=True)
class RateDifference:
    """Mean resolve rate with memory less that without, as a fraction, over the matched tasks.

    ``memory`` and ``baseline`` are the resolve rates of the runs, ``lower`` and ``upper`` the 2.5th and 97.5th
    percentile of the replicates. They describe how tasks vary, given the recorded sequences: that an evolving memory
    makes tasks depend on each other is not modelled. Everything is None where it is undefined: the difference without
    a matched task, the interval with fewer than two.
    """

    memory: tuple[Share, ...]
    baseline: tuple[Share, ...]
    tasks: int
    difference: float | None
    lower: float | None
    upper: float | None
    replicates: int

    @property
    def memory_deviation(self) -> float | None:
        """Sample standard deviation of the resolve rates with memory, None for fewer than two runs."""
        return _deviation(self.memory)

    @property
    def baseline_deviation(self) -> float | None:
        """Sample standard deviation of the resolve rates without memory, None for fewer than two runs."""
        return _deviation(self.baseline)


def _deviation(rates: Sequence[Share]) -> float | None:
    values = [rate.value for rate in rates if rate.value is not None]
    return stdev(values) if len(values) > 1 else None


def rate_difference(
    memory: Sequence[Sequence[bool]],
    baseline: Sequence[Sequence[bool]],
    generator: "Generator",
    replicates: int = REPLICATES,
) -> RateDifference:
    """Return the difference of resolve rates. ``memory`` and ``baseline`` hold, run by run, which tasks were solved.

    A replicate draws as many tasks as there are, with replacement, and keeps every outcome of each task drawn.
    """
    tasks = len(memory[0])
    with_memory, without = len(memory), len(baseline)
    # Whole numbers, so that equal replicates are equal exactly.
    paired = [
        without * sum(run[task] for run in memory) - with_memory * sum(run[task] for run in baseline)
        for task in range(tasks)
    ]
    scale = with_memory * without
    lower, upper = _percentiles(paired, generator, replicates) if tasks > 1 else (None, None)
    return RateDifference(
        memory=tuple(Share(sum(run), tasks) for run in memory),
        baseline=tuple(Share(sum(run), tasks) for run in baseline),
        tasks=tasks,
        difference=mean(paired) / scale if tasks else None,
        lower=None if lower is None else lower / scale,
        upper=None if upper is None else upper / scale,
        replicates=replicates,
    )


def _percentiles(paired: Sequence[int], generator: "Generator", replicates: int) -> tuple[float, float]:
    # Imported here because a session that compares no outcomes needs no arrays.
    import numpy as np

    values = np.asarray(paired, dtype=np.int64)
    count = len(values)
    rows = max(1, _DRAWN_AT_ONCE // count)
    sums = [
        values[generator.integers(0, count, size=(min(rows, replicates - done), count))].sum(axis=1)
        for done in range(0, replicates, rows)
    ]
    lower, upper = np.percentile(np.concatenate(sums), _PERCENTILES) / count
    return float(lower), float(upper)
