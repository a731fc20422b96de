"""A smaller run of the simulation behind ``docs/statistics.md``: seeded, so that it says the same every time."""

import numpy as np
import pytest

from tests.benchmarks.gate.simulation import GENERATORS, bound_row, build, true_differences, verdict_row, wilson

BUILDS = 400


@pytest.mark.long
def test_a_build_in_which_nothing_changed_fails_about_as_often_as_alpha_says():
    cells = {
        (name, arcs): sum(verdict_row(name, arcs, seed, None, 1_000)[0] for seed in range(BUILDS))
        for name in GENERATORS
        for arcs in (12, 30)
    }
    low, high = wilson(sum(cells.values()), BUILDS * len(cells))
    # A gate that never failed would keep the first of these.
    assert low <= 0.05
    assert high >= 0.04
    # One of six cells leaves a 95 % interval about every fourth time; all stay within a common one.
    assert max(wilson(hits, BUILDS, z=2.64)[0] for hits in cells.values()) <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("change", ["harm", "relevance", "acted_on"])
def test_a_change_is_found_as_often_as_by_a_plain_maximum_on_sign_flips(change):
    rows = [verdict_row("dense", 100, seed, change, 1_000) for seed in range(100)]
    _, _, found, reference = (sum(column) for column in zip(*rows, strict=True))
    assert found >= reference - 2
    assert reference >= 60


@pytest.mark.long
def test_the_bounds_from_below_hold_together_under_a_real_change():
    rows = [bound_row("dense", 30, seed, "relevance", 500) for seed in range(150)]
    low, high = wilson(sum(row[0] for row in rows), len(rows))
    assert low <= 0.95 <= high or low > 0.95


def test_the_true_differences_are_those_that_the_generator_tends_to():
    rng = np.random.default_rng(0)
    for change in ("harm", "relevance", "acted_on"):
        found = [pair.current - pair.baseline for pair in build(GENERATORS["dense"], 1_000_000, rng, change)]
        signs = np.array([-1, -1, -1, -1, -1, 1, -1])
        assert signs * found == pytest.approx(true_differences(GENERATORS["dense"], change), rel=0.05, abs=3e-4)
