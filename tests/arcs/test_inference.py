"""The paired bootstrap by arc, Holm's adjustment, and the spread of seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.arcs.inference import RESAMPLES, Comparison, Finding, Method, compare, family, holm, seed_spread
from pytest_memuse.gate.exchange import Pair


def rates(before: list[float], after: list[float], weights: list[float] | None = None) -> Pair:
    size = np.asarray(weights if weights is not None else [1.0] * len(before))
    return Pair(np.asarray(before) * size, size, np.asarray(after) * size, size)


BEFORE = [0.0, 0.5, 0.0, 0.5, 0.5, 1.0, 0.0, 0.5]
AFTER = [1.0, 0.5, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0]


def test_interval_and_p_are_those_of_resampled_arcs() -> None:
    found = compare(rates(BEFORE, AFTER), seed=3)
    differences = np.asarray(AFTER) - np.asarray(BEFORE)
    drawn = np.random.default_rng(99).choice(differences, (200_000, len(differences))).mean(axis=1)

    assert found.difference == pytest.approx(differences.mean())
    assert found.method is Method.BOOTSTRAP
    assert (found.lower, found.upper) == pytest.approx(tuple(np.percentile(drawn, (2.5, 97.5))), abs=0.03)
    assert found.p == pytest.approx(2 * (drawn <= 0).mean(), abs=0.01)
    assert (found.arcs, found.differing) == (8, 6)


def test_the_same_pair_gives_the_same_interval_whatever_was_compared_before() -> None:
    first = compare(rates(BEFORE, AFTER))
    compare(rates(AFTER, BEFORE[::-1]))
    assert compare(rates(BEFORE, AFTER)) == first


def test_exchanging_the_sides_turns_the_sign_and_keeps_p() -> None:
    there, back = compare(rates(BEFORE, AFTER)), compare(rates(AFTER, BEFORE))
    assert there.lower is not None
    assert there.upper is not None
    assert (back.difference, back.lower, back.upper) == pytest.approx(
        (-(there.difference or 0), -there.upper, -there.lower)
    )
    assert back.p == pytest.approx(there.p)


def test_an_arc_with_more_episodes_weighs_more() -> None:
    found = compare(rates([0.0, 0.0], [1.0, 0.0], [3.0, 1.0]))
    assert found.difference == 0.75


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12),
    st.integers(0, 2**32),
)
def test_p_is_never_zero_and_the_interval_holds_the_difference(pairs: list[tuple[int, int]], seed: int) -> None:
    found = compare(rates([a / 2 for a, _ in pairs], [b / 2 for _, b in pairs]), seed=seed, resamples=500)
    assert found.p is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.difference is not None
    assert 2 / 501 <= found.p <= 1
    assert -1 <= found.lower <= found.difference <= found.upper <= 1
    assert found.lower < found.upper


def test_one_arc_gives_a_difference_and_no_inference() -> None:
    found = compare(rates([0.0], [1.0]))
    assert (found.difference, found.lower, found.upper, found.p) == (1.0, None, None, None)
    assert "needs two" in found.reason


def test_without_an_arc_nothing_is_defined() -> None:
    nothing = compare(rates([], []))
    assert (nothing.difference, nothing.p, nothing.arcs) == (None, None, 0)


def test_arcs_that_all_differ_by_the_same_have_the_exact_p_and_no_interval_of_width_zero() -> None:
    ten = compare(rates([0.0] * 10, [1.0] * 10))
    assert ten.method is Method.EXACT
    assert ten.p == 2 * 0.5**10
    assert ten.upper == 1.0
    # One arc in three may be otherwise, and of those nothing is known: 1 - 2 (1 - 0.025 ** 0.1).
    assert ten.lower == pytest.approx(0.383, abs=0.001)


def test_an_exact_p_is_no_smaller_than_a_resampled_one_can_be() -> None:
    assert compare(rates([0.0] * 30, [1.0] * 30)).p == 2 / 10_001


def test_arcs_that_do_not_differ_bound_the_difference_by_their_number() -> None:
    ten, hundred = compare(rates([0.5] * 10, [0.5] * 10)), compare(rates([0.5] * 100, [0.5] * 100))
    assert ten.p == hundred.p == 1.0
    assert ten.upper == pytest.approx(0.308, abs=0.001)
    assert hundred.upper == pytest.approx(0.036, abs=0.001)


def test_amounts_that_do_not_vary_have_no_interval() -> None:
    found = compare(rates([10.0] * 4, [12.0] * 4), bounded=False)
    assert (found.difference, found.lower, found.upper) == (2.0, None, None)


def test_holm_steps_down_and_never_falls_below_a_smaller_p() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5, 0.9]) == (1.0, 1.0)
    assert holm([]) == ()


def test_a_member_without_p_counts_in_its_family() -> None:
    assert holm([0.01, None]) == (0.02, None)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_adjusted_values_keep_their_order_and_are_between_p_and_bonferroni(values: list[float]) -> None:
    adjusted = [p for p in holm(values) if p is not None]
    assert len(adjusted) == len(values)
    for raw, found in zip(values, adjusted, strict=True):
        assert raw <= found <= min(1.0, len(values) * raw) + 1e-12
    order = sorted(range(len(values)), key=lambda place: values[place])
    assert [adjusted[place] for place in order] == sorted(adjusted)


def test_a_family_says_what_each_member_comes_to() -> None:
    def test(p: float | None, arcs: int = 10) -> Comparison:
        return Comparison(0.2, None, None, p, arcs, arcs, Method.BOOTSTRAP)

    found = family("harm", {"a": test(0.001), "b": test(0.04), "c": test(0.001, arcs=4), "d": test(None)})
    assert [member.finding for member in found.members] == [
        Finding.SIGNIFICANT,
        Finding.NOT_SIGNIFICANT,
        Finding.TOO_FEW_ARCS,
        Finding.UNDEFINED,
    ]
    assert found["a"].adjusted == pytest.approx(0.004)


def test_seeds_spread_by_sample_deviation_and_largest_gap() -> None:
    found = seed_spread([0.2, 0.8, 0.5])
    assert (found.mean, found.deviation, found.gap) == pytest.approx((0.5, 0.3, 0.6))


def test_one_seed_has_a_mean_and_no_spread() -> None:
    assert (seed_spread([0.4]).mean, seed_spread([0.4]).deviation, seed_spread([0.4]).gap) == (0.4, None, None)
    assert seed_spread([]).mean is None


def test_the_number_of_resamples_is_the_papers() -> None:
    assert RESAMPLES == 10_000
    assert compare(rates([0.0] * 20, [1.0] * 19 + [0.5])).p == pytest.approx(2 / 10_001)
