"""The judge's own noise, on data whose answer is known."""

from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.noise import one_way, split_variance
from pytest_memuse.model import MemuseError

VALUES = st.floats(-100, 100, allow_nan=False)
GROUPS = st.integers(2, 6).flatmap(lambda k: st.lists(st.lists(VALUES, min_size=k, max_size=k), min_size=2, max_size=8))


def test_a_table_that_was_worked_by_hand() -> None:
    # Means 2, 5 and 8 about 5. Within: 6 times 1 over 3 degrees of freedom. Between: 2 * (9 + 0 + 9) over 2, which is
    # 18; (18 - 2) / 2 = 8.
    assert one_way([[1, 3], [4, 6], [7, 9]]) == pytest.approx((2, 8))


def test_arcs_that_were_judged_a_different_number_of_times() -> None:
    # 5 values in groups of 3 and 2: means 2 and 7, grand mean 4. Within: 2 + 2 over 3. Between: 3 * 4 + 2 * 9 = 30.
    # (5 - (9 + 4) / 5) / 1 = 2.4 values a group.
    within, between = one_way([[1, 2, 3], [6, 8]])
    assert within == pytest.approx(4 / 3)
    assert between == pytest.approx((30 - 4 / 3) / 2.4)


def test_a_judge_that_repeats_itself_has_no_noise_and_arcs_that_are_alike_none_of_their_own() -> None:
    assert one_way([[1, 1], [3, 3]]) == pytest.approx((0, 2))
    within, between = one_way([[1, 3], [1, 3], [1, 3]])
    # All of it is the judge's, and the estimate for arcs is below zero: it is not cut off.
    assert (within, between) == pytest.approx((2, -1))


def test_too_little_to_tell_judge_and_arcs_apart_is_refused() -> None:
    for groups in ([[1, 2]], [[1], [2]], [[1, 2], []]):
        with pytest.raises(MemuseError) as caught:
            one_way(groups)
        assert caught.value.reason == "noise"


def test_a_share_of_equal_arcs_is_split_as_its_arcs_values_are() -> None:
    # Two arcs of 10 spans: 2 and 4 of them in the first judging, 4 and 6 in the second.
    found = split_variance([{"a": (2, 10), "b": (4, 10)}, {"a": (4, 10), "b": (6, 10)}], scale=100)
    within, between = one_way([[20, 40], [40, 60]])
    assert (found.value, found.arcs, found.repeats) == (40, 2, 2)
    assert (found.judge, found.agent) == pytest.approx((within, between))
    assert found.variance == pytest.approx((within + between) / 2)
    assert found.judge_deviation == pytest.approx((within / 2) ** 0.5)


def test_a_negative_estimate_is_told_as_it_is_and_its_share_is_the_judges() -> None:
    found = split_variance([{"a": (0, 1), "b": (0, 1)}, {"a": (1, 1), "b": (1, 1)}])
    assert found.agent < 0
    assert found.judge_share == 1
    same = split_variance([{"a": (1, 2), "b": (1, 2)}] * 2)
    assert (same.judge, same.agent, same.judge_share) == (0, 0, None)


def test_repeats_of_other_arcs_and_an_empty_denominator_are_refused() -> None:
    with pytest.raises(MemuseError, match="different arcs"):
        split_variance([{"a": (1, 2), "b": (1, 2)}, {"a": (1, 2), "c": (1, 2)}])
    with pytest.raises(MemuseError, match="denominator is empty"):
        split_variance([{"a": (0, 0), "b": (0, 0)}] * 2)
    with pytest.raises(MemuseError):
        split_variance([])


def test_over_many_draws_the_estimates_are_those_of_the_model() -> None:
    random = Random(7)

    def drawn() -> tuple[float, float]:
        arcs = [random.gauss(0, 2) for _ in range(12)]
        return one_way([[arc + random.gauss(0, 1) for _ in range(3)] for arc in arcs])

    found = [drawn() for _ in range(1500)]
    # Unbiased: standard errors of these means are about 0.007 and 0.05.
    assert fmean(judge for judge, _ in found) == pytest.approx(1, abs=0.04)
    assert fmean(agent for _, agent in found) == pytest.approx(4, abs=0.25)


@given(GROUPS)
def test_the_two_parts_make_the_whole(groups: list[list[float]]) -> None:
    repeats, arcs = len(groups[0]), len(groups)
    within, between = one_way(groups)
    values = [value for group in groups for value in group]
    grand = fmean(values)
    total = sum((value - grand) ** 2 for value in values)
    squares = within * arcs * (repeats - 1) + (between * repeats + within) * (arcs - 1)
    assert squares == pytest.approx(total, rel=1e-6, abs=1e-6)
    assert within >= 0
    assert between >= -within / repeats - 1e-9


@given(GROUPS, VALUES, st.randoms(use_true_random=False))
def test_neither_a_shift_nor_the_order_changes_them(groups: list[list[float]], shift: float, random: Random) -> None:
    moved = [[value + shift for value in random.sample(group, len(group))] for group in groups]
    assert one_way(random.sample(moved, len(moved))) == pytest.approx(one_way(groups), rel=1e-5, abs=1e-5)


@given(GROUPS)
def test_of_full_denominators_the_figures_variance_is_that_of_arc_means(groups: list[list[float]]) -> None:
    repeats = [{str(arc): (group[k], 1.0) for arc, group in enumerate(groups)} for k in range(len(groups[0]))]
    found = split_variance(repeats)
    within, between = one_way(groups)
    assert (found.judge, found.agent) == pytest.approx((within, between), rel=1e-5, abs=1e-5)
    assert found.value == pytest.approx(fmean(value for group in groups for value in group), abs=1e-9)
