"""A figure's two sides, arc by arc, add up to the figure that the profile shows."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.gate.comparison import Comparison, compare
from pytest_memuse.gate.sides import figure_sides
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.rows import Usage
from pytest_memuse.reports.gate import gate_lines
from tests.gate.rows import entry, episode, span, suite


def uneven(shift):
    """Arcs of one to three episodes with different spans, entries, sizes and outcomes."""
    usages = (Usage.USED, Usage.MISUSED, Usage.IGNORED, Usage.UNPRODUCTIVE)

    def make(arc, number):
        spans = [
            span(
                *(entry(usage=usages[(number + k + shift) % 4]) for k in range(1 + (number + s) % 3)),
                characters=90 * (s + 1),
            )
            for s in range(1 + (number + shift) % 3)
        ]
        return [episode(arc, *spans, task=f"t{t}", success=(number + t + shift) % 3 > 0) for t in range(1 + number % 3)]

    return suite(7, make)


@pytest.mark.parametrize("spec", FIGURES.values(), ids=FIGURES)
def test_the_arcs_add_up_to_the_figure_of_each_side(spec):
    before, now = uneven(0), uneven(1)
    sides = figure_sides(spec, before, now, before.arcs)
    assert sides.pair is not None
    assert sides.pair.arcs == 7
    assert sides.pair.baseline == pytest.approx(sides.baseline.value)
    assert sides.pair.current == pytest.approx(sides.current.value)


def test_an_arc_holds_everything_that_its_episodes_and_spans_add():
    before, now = uneven(0), uneven(1)
    pair = figure_sides(FIGURES["token_efficiency"], before, now, before.arcs).pair
    tokens = [sum(s.tokens for e in before.episodes if e.arc == arc for s in e.spans) for arc in before.arcs]
    assert pair.baseline_denominator.tolist() == tokens
    assert len(set(tokens)) == 3


def test_arcs_stand_in_the_same_place_on_both_sides_whatever_order_they_ran_in():
    run = uneven(0)
    backwards = type(run)(run.suite, run.episodes[::-1])
    pair = figure_sides(FIGURES["delivered_tokens"], run, backwards, run.arcs).pair
    assert np.array_equal(pair.baseline_numerator, pair.current_numerator)
    assert pair.differing == 0


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.lists(st.integers(1, 6), min_size=8, max_size=8))
def test_repeats_of_an_arc_never_make_more_clusters(before, now):
    """However often each arc was run, on whichever side: as many clusters as arcs, each with everything it holds."""

    def repeated(times):
        def make(arc, number):
            return [episode(arc, span(entry()), id=f"{arc}-{repeat}") for repeat in range(times[number])]

        return suite(len(before), make)

    baseline, current = repeated(before), repeated(now)
    pair = figure_sides(FIGURES["outcome_rate"], baseline, current, baseline.arcs).pair
    assert pair.arcs == len(before)
    assert pair.baseline_denominator.tolist() == before
    assert pair.current_denominator.tolist() == now[: len(before)]


def test_counts_stand_beside_the_value():
    sides = figure_sides(FIGURES["outcome_rate"], uneven(0), uneven(1), uneven(0).arcs)
    solved = [e.success for e in uneven(0).episodes]
    assert sides.baseline.counts == (sum(solved), len(solved))


@pytest.mark.parametrize("spec", FIGURES.values(), ids=FIGURES)
def test_spans_outside_every_episode_have_no_part_in_either_side(spec):
    """They belong to no arc: a value that held them would not be what the arcs add up to."""
    before, now = uneven(0), uneven(1)
    outside = (span(characters=90_000, redacted=True),)
    without = figure_sides(spec, before, now, before.arcs)
    with_them = figure_sides(spec, replace(before, outside=outside), replace(now, outside=outside), before.arcs)
    assert (with_them.baseline, with_them.current) == (without.baseline, without.current)


def test_a_run_of_outside_spans_alone_defines_no_figure():
    nothing = replace(uneven(0), episodes=(), outside=(span(characters=400),))
    sides = figure_sides(FIGURES["token_efficiency"], nothing, nothing, ())
    assert sides.pair is None
    assert sides.baseline.undefined


def test_what_was_delivered_outside_every_episode_is_told_beside_the_gate():
    run = uneven(0)
    moved = compare(run, replace(run, outside=(span(characters=90_000),)))
    assert isinstance(moved, Comparison)
    assert moved.matching.outside == (0, 22_500)
    told = "not compared, delivered outside every episode: 0 tokens in the baseline, 22,500 now"
    assert told in gate_lines(moved, "main", "main")
