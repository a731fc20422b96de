"""A smaller run of the simulation behind ``docs/statistics.md``: seeded, so that it says the same every time."""

from collections.abc import Sequence

import numpy as np
import pytest

from pytest_memuse.gate.exchange import Pair
from pytest_memuse.gate.verdicts import Verdict
from tests.benchmarks.gate.generators import CHANGED_FIGURE, SIGNS, generators
from tests.benchmarks.gate.references import METHODS
from tests.benchmarks.gate.rows import KINDS, Cell, columns
from tests.benchmarks.gate.simulation import batch
from tests.benchmarks.gate.tables import wilson

GENERATORS = ("dense", "sparse", "repeats")


def share(sums: Sequence[int], table: str, column: str, builds: int) -> float:
    return sums[columns(table).index(column)] / builds


def test_a_build_in_which_nothing_changed_seldom_fails():
    """Few builds, for every day: no more fail than a rate of 5 % explains, in one of a hundred such tests."""
    builds = 30
    failed = sum(batch(Cell("verdicts", name, 20, "none", 2_000), 0, builds)[0] for name in GENERATORS)
    assert wilson(failed, 3 * builds, z=2.33)[0] <= 0.05


@pytest.mark.long
def test_a_build_in_which_nothing_changed_fails_about_as_often_as_alpha_says():
    builds = 400
    cells = {
        (name, arcs): batch(Cell("verdicts", name, arcs, "none", 2_000), 0, builds)
        for name in GENERATORS
        for arcs in (12, 30)
    }
    failed = {place: sums[0] for place, sums in cells.items()}
    low, high = wilson(sum(failed.values()), builds * len(cells))
    # A gate that never failed would keep the first of these.
    assert low <= 0.05
    assert high >= 0.03
    # One of six cells leaves a 95 % interval about every fourth time; all stay within a common one.
    assert max(wilson(hits, builds, z=2.64)[0] for hits in failed.values()) <= 0.05
    # What is usual is caught by the same measure.
    usual = sum(sums[columns("verdicts").index("fails: each figure, paired")] for sums in cells.values())
    assert wilson(usual, builds * len(cells), z=2.64)[0] > 0.05


@pytest.mark.long
@pytest.mark.parametrize("change", list(CHANGED_FIGURE))
def test_a_change_is_found_about_as_often_as_by_a_plain_maximum(change):
    builds = 150
    sums = batch(Cell("verdicts", "dense", 100, change, 10_000), 0, builds)
    plain = share(sums, "verdicts", "found: plain maximum", builds)
    assert share(sums, "verdicts", "found: gate", builds) >= plain - 0.02
    assert plain >= 0.6


@pytest.mark.long
def test_what_rare_entries_cannot_show_is_inconclusive_and_never_held():
    builds = 60
    sums = batch(Cell("kinds", "sparse", 20, "harm", 2_000), 0, builds)
    kinds = dict(zip(columns("kinds"), sums, strict=True))
    assert kinds[f"any: {Verdict.HELD}"] == 0
    assert kinds[f"changed: {Verdict.INCONCLUSIVE}"] >= 0.9 * builds
    assert sum(kinds[f"any: {kind}"] for kind in KINDS) == 7 * builds


@pytest.mark.long
@pytest.mark.parametrize(("generator", "change"), [("dense", "harm"), ("repeats", "relevance"), ("sparse", "harm")])
def test_held_is_seldom_said_of_a_change_that_exceeds_the_tolerance(generator, change):
    builds = 100
    sums = batch(Cell("kinds", generator, 100, change, 2_000, "just less"), 0, builds)
    assert wilson(sums[columns("kinds").index("held wrongly")], builds)[0] <= 0.05


@pytest.mark.long
@pytest.mark.parametrize("arcs", [10, 30])
@pytest.mark.parametrize("generator", GENERATORS)
def test_bounds_without_the_label_hold_together_under_a_real_change(generator, arcs):
    builds = 120
    sums = batch(Cell("bounds", generator, arcs, "relevance", 2_000), 0, builds)
    for side in ("below", "above"):
        hits = sums[columns("bounds").index(f"all {side}, unlabelled")]
        assert wilson(hits, builds)[1] >= 0.95 or hits / builds >= 0.93


@pytest.mark.parametrize(("name", "change"), [("dense", "harm"), ("repeats", "relevance"), ("sparse", "acted_on")])
def test_the_true_differences_are_those_that_the_generator_tends_to(name, change):
    source = generators()
    pairs = source.build(name, 60_000, np.random.default_rng(0), change)
    found = SIGNS * [pair.current - pair.baseline for pair in pairs]
    assert found == pytest.approx(source.worse_by(name, change), rel=0.15, abs=1.5e-3)


def test_the_arcs_are_the_same_on_both_sides():
    [relevance, *_] = generators().build("dense", 2_000, np.random.default_rng(1))
    assert isinstance(relevance, Pair)
    rates = np.stack(
        [
            relevance.baseline_numerator / relevance.baseline_denominator,
            relevance.current_numerator / relevance.current_denominator,
        ]
    )
    assert np.corrcoef(rates)[0, 1] > 0.5


def test_every_method_has_a_column_for_builds_that_fail_and_one_for_changes_that_are_found():
    assert len(columns("verdicts")) == 2 * (1 + len(METHODS))
    assert len(batch(Cell("verdicts", "dense", 8, "harm", 200), 0, 1)) == len(columns("verdicts"))
