"""The procedure: step-down maxima, and bounds that invert the same test."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.gate.exchange import Pair, exchange
from pytest_memuse.gate.resampling import ALPHA, decide, p_value, too_few_arcs
from pytest_memuse.profiles.figures import Worse
from tests.gate.pairs import figures, make_pair, uncommon
from tests.gate.test_exchange import exchanged, studentised

HIGHER, LOWER = Worse.HIGHER, Worse.LOWER


def run(pairs, directions=None, **more):
    return decide(pairs, directions or [HIGHER] * len(pairs), np.random.default_rng(11), **more)


def swapped(pair: Pair) -> Pair:
    return Pair(pair.current_numerator, pair.current_denominator, pair.baseline_numerator, pair.baseline_denominator)


def taken(pair: Pair, arcs) -> Pair:
    return Pair(
        pair.baseline_numerator[arcs],
        pair.baseline_denominator[arcs],
        pair.current_numerator[arcs],
        pair.current_denominator[arcs],
    )


def brute_force_p(pairs: list[Pair]) -> list[float]:
    """Step-down maxima over every exchange of the data themselves."""
    vectors = [np.array(v) for v in itertools.product([1.0, -1.0], repeat=pairs[0].arcs)]
    table = [[studentised(exchanged(pair, v, 0.0), 0.0) for pair in pairs] for v in vectors]
    observed = table[0]
    order = sorted(range(len(pairs)), key=lambda index: -observed[index])
    out, largest = [1.0] * len(pairs), 0.0
    for step, index in enumerate(order):
        reached = [max(row[other] for other in order[step:]) >= observed[index] - 1e-7 for row in table]
        largest = max(largest, sum(reached) / len(reached))
        out[index] = largest
    return out


@settings(max_examples=25, deadline=None)
@given(figures(2, 6))
def test_the_enumeration_equals_brute_force(pairs):
    assert [d.p_worse for d in run(pairs)] == pytest.approx(brute_force_p(pairs))


@settings(max_examples=30, deadline=None)
@given(figures(5, 11), st.sampled_from([0.0, 0.1, 0.5]))
def test_verdict_and_bound_never_disagree(pairs, limit):
    for decision in run(pairs, [HIGHER, LOWER, HIGHER], tolerances=[limit] * 3):
        least, most = decision.at_least, decision.at_most
        beyond = least.value is not None and (least.value > limit or (least.value == limit and least.excluded))
        below = most.value is not None and (most.value < -limit or (most.value == -limit and most.excluded))
        assert decision.regressed == beyond == (decision.p_worse <= ALPHA)
        assert decision.improved == below == (decision.p_better <= ALPHA)


@settings(max_examples=30, deadline=None)
@given(figures(5, 11))
def test_no_interval_is_without_width(pairs):
    for decision in run(pairs):
        least, most = decision.at_least.value, decision.at_most.value
        assert least is None or most is None or least < most


@settings(max_examples=30, deadline=None)
@given(figures(5, 11))
def test_the_difference_lies_between_its_bounds(pairs):
    for decision in run(pairs):
        if decision.at_least.value is not None:
            assert decision.at_least.value <= decision.worse + 1e-9
        if decision.at_most.value is not None:
            assert decision.at_most.value >= decision.worse - 1e-9


@settings(max_examples=25, deadline=None)
@given(figures(5, 11))
def test_swapping_the_sides_swaps_regressed_and_improved(pairs):
    for there, back in zip(run(pairs), run([swapped(pair) for pair in pairs]), strict=True):
        assert (there.regressed, there.improved) == (back.improved, back.regressed)
        assert there.p_worse == pytest.approx(back.p_better)
        for one, other in ((there.at_least, back.at_most), (there.at_most, back.at_least)):
            assert (one.value is None) == (other.value is None)
            assert one.value is None or one.value == pytest.approx(-other.value, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(figures(5, 11), st.sampled_from([1e-6, 0.125, 3.0, 1e6]))
def test_the_unit_of_a_figure_changes_nothing_but_the_bounds_unit(pairs, scale):
    scaled = [
        Pair(p.baseline_numerator * scale, p.baseline_denominator, p.current_numerator * scale, p.current_denominator)
        for p in pairs
    ]
    for one, other in zip(run(pairs), run(scaled), strict=True):
        assert one.p_worse == pytest.approx(other.p_worse)
        assert one.regressed == other.regressed
        if one.at_least.value is not None:
            assert other.at_least.value == pytest.approx(one.at_least.value * scale, rel=1e-6, abs=1e-6 * scale)


@settings(max_examples=25, deadline=None)
@given(figures(5, 10), st.randoms(use_true_random=False))
def test_the_order_of_the_arcs_changes_nothing(pairs, random):
    order = list(range(pairs[0].arcs))
    random.shuffle(order)
    for one, other in zip(run(pairs), run([taken(pair, order) for pair in pairs]), strict=True):
        assert one.p_worse == pytest.approx(other.p_worse)
        assert (one.at_least.value is None) == (other.at_least.value is None)
        assert one.at_least.value is None or one.at_least.value == pytest.approx(other.at_least.value, abs=1e-6)


def test_the_direction_of_a_figure_turns_its_verdict():
    pair = make_pair(np.zeros(10), np.arange(1.0, 11.0))
    assert [run([pair], [d])[0].regressed for d in (HIGHER, LOWER)] == [True, False]
    assert [run([pair], [d])[0].improved for d in (HIGHER, LOWER)] == [False, True]
    assert [run([pair], [d])[0].worse for d in (HIGHER, LOWER)] == [5.5, -5.5]


def test_one_seed_gives_one_answer_where_sign_vectors_are_drawn():
    rng = np.random.default_rng(12)
    pair = make_pair(rng.normal(size=40), rng.normal(0.3, 1, size=40))
    assert run([pair]) == run([pair])


def test_a_figure_without_difference_costs_the_others_nothing():
    rng = np.random.default_rng(13)
    changed, still = make_pair(rng.normal(size=10), rng.normal(1, 1, size=10)), make_pair(np.ones(10), np.ones(10))
    alone, beside = run([changed])[0], run([changed, still])[0]
    assert alone.p_worse == beside.p_worse
    assert alone.at_least == beside.at_least


def test_a_second_figure_that_moves_alike_costs_nothing_and_an_independent_one_does():
    rng = np.random.default_rng(14)
    changed = make_pair(rng.normal(size=12), rng.normal(0.6, 1, size=12))
    alike = make_pair(changed.baseline_numerator * 2, changed.current_numerator * 2)
    other = make_pair(rng.normal(size=12), rng.normal(size=12))
    alone = run([changed])[0].p_worse
    assert run([changed, alike])[0].p_worse == pytest.approx(alone)
    assert run([changed, other])[0].p_worse > alone


def test_a_figure_that_only_a_later_step_rejects_is_worse_by_more_than_its_tolerance():
    zero = np.zeros(7)
    strong = make_pair(zero, [3.1, 2.9, 3.6, 3.1, 2.5, 3.4, 4.3])
    weak = make_pair(zero, [-0.3, 0.2, 0.4, 0.6, 1.3, 1.9, 0.8])
    open_still = make_pair(zero, [1.8, 0.2, -0.4, 0.3, 0.9, -1.4, 0.7])
    first, second, third = run([strong, weak, open_still])
    assert first.at_least.value > 0
    assert not first.at_least.excluded
    assert (second.regressed, third.regressed) == (True, False)
    assert (second.at_least.value, second.at_least.excluded) == (0.0, True)


def test_every_arc_worse_by_the_same_has_regressed_without_a_bound_that_claims_more():
    [decision] = run([make_pair(np.ones(12), np.zeros(12))], [LOWER])
    assert decision.regressed
    assert (decision.at_least.value, decision.at_least.excluded) == (0.0, True)
    assert decision.at_most.value is None


def test_no_event_on_either_side_gives_neither_verdict_nor_bound():
    [decision] = run([make_pair(np.zeros(30), np.zeros(30))])
    assert not decision.regressed
    assert not decision.improved
    assert decision.at_least.value is None
    assert decision.at_most.value is None


def test_four_arcs_are_too_few_and_five_are_not():
    assert [too_few_arcs(n) for n in (0, 1, 4, 5)] == [True, True, True, False]
    for arcs, rejected in ((4, False), (5, True)):
        assert run([make_pair(np.zeros(arcs), np.arange(1.0, arcs + 1))])[0].regressed is rejected


def test_four_arcs_have_no_bound_on_either_side():
    [decision] = run([make_pair(np.zeros(4), [1.0, 2.0, -1.0, 5.0])])
    assert decision.standard_error > 0
    assert (decision.at_least.value, decision.at_most.value) == (None, None)


def test_a_p_value_of_exactly_alpha_rejects():
    [decision] = run([make_pair(np.zeros(5), np.arange(1.0, 6.0))], alpha=1 / 32)
    assert (decision.p_worse, decision.regressed) == (1 / 32, True)
    assert decision.at_least.value > 0


def test_what_got_better_by_less_than_the_tolerance_has_not_improved():
    better = make_pair(np.zeros(12), -np.random.default_rng(23).normal(0.3, 0.03, size=12))
    within, beyond = (run([better], tolerances=[limit])[0] for limit in (0.5, 0.1))
    assert (within.improved, beyond.improved) == (False, True)
    assert -0.5 < within.at_most.value < 0


@pytest.mark.parametrize("arcs", [8, 40])
def test_the_critical_value_is_exceeded_by_as_many_sign_vectors_as_alpha_allows_and_not_one_more(arcs):
    pair = make_pair(np.zeros(arcs), np.random.default_rng(24).normal(size=arcs))
    [decision] = run([pair])
    half = exchange([pair], np.random.default_rng(11))[0].statistic(0.0)
    both, drawn = np.concatenate([half, -half]), arcs > 13
    above, reached = (int(np.count_nonzero(both > decision.critical)), int(np.count_nonzero(both >= decision.critical)))
    assert p_value(above, len(both), drawn=drawn) <= ALPHA < p_value(reached, len(both), drawn=drawn)


def test_a_tolerance_moves_the_null_and_not_the_bound_of_a_lone_figure():
    rng = np.random.default_rng(16)
    pair = make_pair(np.zeros(12), rng.normal(1, 0.3, size=12))
    plain, tolerant, lenient = (run([pair], tolerances=[t])[0] for t in (0.0, 0.5, 5.0))
    assert plain.regressed
    assert tolerant.regressed
    assert not lenient.regressed
    assert plain.at_least.value == pytest.approx(tolerant.at_least.value) == pytest.approx(lenient.at_least.value)
    assert lenient.at_most.value < 5.0


def test_twice_the_spans_at_the_same_rates_still_pairs_the_arcs():
    rng = np.random.default_rng(17)
    rate, spans = rng.uniform(0.1, 0.9, 60), rng.integers(3, 6, 60).astype(float)
    now = rate * 0.95 * 2 * spans
    pair = Pair(rate * spans, spans, now, 2 * spans)
    assert run([pair], [LOWER])[0].regressed


def test_no_figure_is_no_decision():
    assert run([]) == []


def test_a_figure_that_is_rejected_widens_the_others_bounds_no_more():
    strong = make_pair(np.zeros(7), [3.1, 2.9, 3.6, 3.1, 2.5, 3.4, 4.3])
    open_still = make_pair(np.zeros(7), [1.8, 0.2, -0.4, 0.3, 0.9, -1.4, 0.7])
    [alone], [rejected, beside] = run([open_still]), run([strong, open_still])
    assert rejected.regressed
    assert beside.at_least == alone.at_least
    # What it has to exceed is therefore that of the figures that are left; the rejected one was asked beside all.
    assert beside.critical == alone.critical < rejected.critical
    # In the better direction nothing is rejected, and both figures still share the error there.
    assert beside.at_most.value > alone.at_most.value


def test_a_p_value_of_all_sign_vectors_is_their_share():
    assert p_value(51, 1_024, drawn=False) == 51 / 1_024


def test_a_p_value_of_drawn_sign_vectors_is_stated_two_standard_errors_above_their_share():
    assert p_value(400, 10_000, drawn=True) == pytest.approx(0.04 + 2 * (0.04 * 0.96 / 10_000) ** 0.5)
    assert p_value(10_000, 10_000, drawn=True) == 1.0
    stated = [p_value(reached, 500, drawn=True) for reached in range(501)]
    assert stated == sorted(stated)
    assert p_value(458, 10_000, drawn=True) <= ALPHA < p_value(459, 10_000, drawn=True)


def share_of_all(pair: Pair) -> float:
    """The p-value of every sign vector of sixteen arcs, more than are taken by default."""
    return run([pair], resamples=2**16, bounds=False)[0].p_worse


def test_what_all_sign_vectors_would_not_reject_is_rejected_under_hardly_any_seed():
    """A pair just above alpha. By the bare share of drawn vectors it would pass or fail by the seed alone."""
    rng = np.random.default_rng(18)
    noise = rng.normal(size=16)
    low, high = 0.0, 2.0
    for _ in range(14):
        shift = (low + high) / 2
        low, high = (shift, high) if share_of_all(make_pair(np.zeros(16), noise + shift)) > ALPHA else (low, shift)
    pair = make_pair(np.zeros(16), noise + low)
    assert ALPHA < share_of_all(pair) < ALPHA + 2e-3
    p_values = [decide([pair], [HIGHER], np.random.default_rng(seed), bounds=False)[0].p_worse for seed in range(200)]
    assert sum(p <= ALPHA for p in p_values) <= 10
    bare = sum(p <= p_value(500, 10_000, drawn=True) for p in p_values)
    assert 40 <= bare <= 160


def test_what_is_clearly_worse_is_rejected_under_every_seed():
    rng = np.random.default_rng(19)
    pair = make_pair(np.zeros(30), rng.normal(0.75, 1, 30))
    assert run([pair])[0].p_worse < 0.01
    assert all(decide([pair], [HIGHER], np.random.default_rng(s), bounds=False)[0].regressed for s in range(50))


def test_drawing_many_sign_vectors_comes_to_what_all_of_them_say():
    rng = np.random.default_rng(20)
    pairs = [make_pair(rng.normal(size=16), rng.normal(0.3, 1, 16)) for _ in range(3)]
    every, drawn = (run(pairs, resamples=number, bounds=False) for number in (2**16, 2**15))
    for one, other in zip(every, drawn, strict=True):
        error = (one.p_worse * (1 - one.p_worse) / 2**15) ** 0.5
        assert -2 * error <= other.p_worse - one.p_worse <= 6 * error


@settings(max_examples=10, deadline=None)
@given(figures(14, 22), st.sampled_from([0.0, 0.5]))
def test_verdict_and_bound_never_disagree_where_sign_vectors_are_drawn(pairs, limit):
    for decision in run(pairs, tolerances=[limit] * 3, resamples=1_000):
        least, most = decision.at_least, decision.at_most
        beyond = least.value is not None and (least.value > limit or (least.value == limit and least.excluded))
        below = most.value is not None and (most.value < -limit or (most.value == -limit and most.excluded))
        assert decision.regressed == beyond == (decision.p_worse <= ALPHA)
        assert decision.improved == below == (decision.p_better <= ALPHA)


@settings(max_examples=10, deadline=None)
@given(figures(14, 22))
def test_swapping_the_sides_swaps_the_verdicts_where_sign_vectors_are_drawn(pairs):
    there, back = (run(found, resamples=1_000, bounds=False) for found in (pairs, [swapped(pair) for pair in pairs]))
    for one, other in zip(there, back, strict=True):
        assert (one.regressed, one.improved) == (other.improved, other.regressed)
        assert (one.p_worse, one.p_better) == (other.p_better, other.p_worse)


@pytest.mark.filterwarnings("error")
@settings(max_examples=30, deadline=None)
@given(st.integers(5, 16).flatmap(lambda arcs: st.lists(uncommon(arcs), min_size=1, max_size=3)))
def test_whatever_is_counted_no_number_is_undefined_by_accident(pairs):
    for decision in run(pairs, resamples=100):
        numbers = [decision.worse, decision.standard_error, decision.p_worse, decision.p_better, decision.critical]
        numbers += [bound.value for bound in (decision.at_least, decision.at_most) if bound.value is not None]
        assert np.all(np.isfinite(numbers))
        assert 0 < decision.p_worse <= 1
        assert 0 < decision.p_better <= 1


@settings(max_examples=20, deadline=None)
@given(st.integers(5, 24), st.sampled_from([10.0, 1e3, 1e9]), st.integers(0, 2**20))
def test_one_arc_above_all_others_decides_nothing_alone(arcs, size, seed):
    now = np.random.default_rng(seed).uniform(0.5e-3, 1e-3, arcs) * (-1.0) ** np.arange(arcs)
    now[0] = size
    [decision] = run([make_pair(np.zeros(arcs), now)], resamples=500)
    assert decision.p_worse >= 0.1
    assert not decision.regressed
    assert not decision.improved


def test_arcs_that_all_tie_are_counted_as_reaching_the_observed():
    """Five of ten arcs worse by one: of the 32 ways to sign them only one is as bad, whatever the five still do."""
    pair = make_pair(np.zeros(10), [1.0] * 5 + [0.0] * 5)
    assert run([pair])[0].p_worse == 1 / 32
    mixed = make_pair(np.zeros(10), [1.0] * 5 + [-1.0] * 5)
    assert run([mixed])[0].p_worse == pytest.approx((1 + 252 / 1_024) / 2)


def test_a_figure_without_spread_and_one_without_event_leave_the_others_their_bounds():
    rng = np.random.default_rng(21)
    plain = make_pair(rng.normal(size=12), rng.normal(0.5, 1, 12))
    still, empty = make_pair(np.ones(12), np.ones(12)), make_pair(np.zeros(12), np.zeros(12))
    alone, beside = run([plain])[0], run([still, plain, empty])[1]
    assert (alone.at_least, alone.at_most) == (beside.at_least, beside.at_most)


def test_an_arc_that_stands_on_one_side_only_is_counted_there():
    rng = np.random.default_rng(22)
    before, now = rng.poisson(3.0, 8) * 1.0, rng.poisson(3.0, 8) * 1.0
    spans_before, spans_now = np.full(8, 4.0), np.full(8, 4.0)
    before[0] = spans_before[0] = 0.0
    pair = Pair(before, spans_before, now, spans_now)
    assert run([pair])[0].worse == pytest.approx(now.sum() / 32 - before.sum() / 28)
    assert run([pair])[0].p_worse == pytest.approx(brute_force_p([pair])[0])
