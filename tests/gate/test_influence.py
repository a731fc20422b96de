"""By how much each task moved a figure, and what such movements are measured by."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.gate.influence import Movement, movement
from pytest_memuse.gate.matching import TaskKey, episodes_by_task
from pytest_memuse.gate.sides import figure_sides
from pytest_memuse.profiles.figures import FIGURES, Worse
from pytest_memuse.profiles.rows import Run, Usage
from tests.gate.rows import entry, episode, span, suite

TOKENS = FIGURES["delivered_tokens"]


def moved(figure: str, before: Run, now: Run) -> Movement:
    sides = figure_sides(FIGURES[figure], before, now, before.arcs)
    return movement(sides, episodes_by_task(before), episodes_by_task(now))


def delivering(*arcs: tuple[int, ...]) -> Run:
    """Return a run of arcs whose tasks deliver so many tokens each."""

    def make(arc, number):
        return [episode(arc, span(entry(), characters=4 * t), task=f"t{n}") for n, t in enumerate(arcs[number])]

    return suite(len(arcs), make)


def used(*spans: tuple[int, int], repeats: int = 1) -> Run:
    """Return a run of arcs with so many spans that helped, one more in each repeat, and so many that harmed."""

    def make(arc, number):
        helped, harmed = spans[number]
        good, bad = span(entry()), span(entry(usage=Usage.MISUSED))
        return [
            episode(
                arc,
                *[good] * (helped + repeat),
                *[bad] * harmed,
                id=f"{arc}-{repeat}",
                success=helped + repeat > harmed,
            )
            for repeat in range(repeats)
        ]

    return suite(len(spans), make)


def test_a_task_that_delivers_more_at_the_figures_own_rate_moved_it_by_nothing():
    found = moved("harm_yield", used((1, 1), (2, 2), (1, 1)), used((1, 1), (8, 8), (1, 1)))
    assert list(found.by_task.values()) == pytest.approx([0.0, 0.0, 0.0])


def test_tasks_of_other_rates_moved_a_figure_by_what_one_of_them_weighs_more():
    """Half the spans harmed then. Now the task of harm alone has as many spans as all others had together."""
    before, now = used((1, 0), (0, 1), (1, 1)), used((1, 0), (0, 4), (1, 1))
    found = moved("harm_yield", before, now)
    weights = {"arc-00": -0.5 / 7 + 0.5 / 4, "arc-01": 2.0 / 7 - 0.5 / 4, "arc-02": 0.0}
    assert found.by_task == pytest.approx({TaskKey(arc, "probe"): 100 * weight for arc, weight in weights.items()})


SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=4).filter(
    lambda arcs: any(sum(arc) for arc in arcs)
)


@pytest.mark.parametrize("figure", ["harm_yield", "relevance_share", "token_efficiency", "outcome_rate"])
@settings(max_examples=10)
@given(SPANS, SPANS, st.integers(1, 3), st.integers(1, 3))
def test_whatever_the_tasks_hold_and_however_often_they_ran_their_shares_add_up(figure, before, now, then_runs, runs):
    then_run, now_run = used(*before, repeats=then_runs), used(*now, repeats=runs)
    sides = figure_sides(FIGURES[figure], then_run, now_run, then_run.arcs)
    found = moved(figure, then_run, now_run)
    sign = 1 if FIGURES[figure].worse is Worse.HIGHER else -1
    expected = sign * (sides.current.value - sides.baseline.value)
    assert sum(found.by_task.values()) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_tasks_of_an_arc_that_make_up_for_each_other_are_no_movement_and_no_spread():
    even, uneven = delivering((200, 200), (200, 200)), delivering((300, 100), (300, 100))
    found = moved("delivered_tokens", even, uneven)
    assert sorted(found.by_task.values()) == pytest.approx([-25.0, -25.0, 25.0, 25.0])
    assert found.unit == pytest.approx(0.0)
    assert moved("delivered_tokens", uneven, uneven).unit == pytest.approx(0.0)


def test_movements_are_measured_by_the_largest_of_both_spreads_and_what_moved():
    narrow, wide = delivering((100,), (300,)), delivering((50,), (350,))
    spreads = {"narrow": (2 * 100**2) ** 0.5 / 2, "wide": (2 * 150**2) ** 0.5 / 2}
    assert moved("delivered_tokens", narrow, narrow).unit == pytest.approx(spreads["narrow"])
    assert moved("delivered_tokens", narrow, wide).unit == pytest.approx(spreads["wide"])
    assert moved("delivered_tokens", wide, narrow).unit == pytest.approx(spreads["wide"])
    far = moved("delivered_tokens", narrow, delivering((1100,), (1300,)))
    assert far.unit == pytest.approx((2 * 500**2) ** 0.5)


def test_of_a_figure_that_is_undefined_now_each_task_moved_what_it_held():
    found = moved("harm_yield", used((1, 0), (2, 1)), used((0, 0), (0, 0)))
    assert found.by_task == pytest.approx({TaskKey("arc-00", "probe"): 0.25, TaskKey("arc-01", "probe"): 0.75})


def test_a_figure_that_is_new_was_moved_by_nobody():
    found = moved("harm_yield", used((0, 0), (0, 0)), used((1, 0), (2, 1)))
    assert (dict(found.by_task), found.unit) == ({}, 0.0)
