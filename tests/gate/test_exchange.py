"""The statistic under exchange: exact against exchanging the data itself."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.gate.exchange import Pair, all_taken, exchange, sign_vectors
from tests.gate.pairs import make_pair, pairs


def studentised(pair: Pair, shift: float) -> float:
    """The statistic worked on the data themselves, arc by arc, by its definition."""
    n_c = pair.current_numerator - shift * pair.current_denominator
    d_c, n_b, d_b = pair.current_denominator, pair.baseline_numerator, pair.baseline_denominator
    ratio = (n_c.sum() + n_b.sum()) / (d_c.sum() + d_b.sum())
    contributions = [
        (nc - ratio * dc) / d_c.sum() - (nb - ratio * db) / d_b.sum()
        for nc, dc, nb, db in zip(n_c, d_c, n_b, d_b, strict=True)
    ]
    size = sum(u * u for u in contributions) ** 0.5
    return (n_c.sum() / d_c.sum() - n_b.sum() / d_b.sum()) / size if size > 1e-12 else 0.0


def exchanged(pair: Pair, signs: np.ndarray, shift: float) -> Pair:
    """The data with the sides of some arcs exchanged, after the null's shift was taken off the current side."""
    stay = signs > 0
    n_c = pair.current_numerator - shift * pair.current_denominator
    return Pair(
        np.where(stay, pair.baseline_numerator, n_c),
        np.where(stay, pair.baseline_denominator, pair.current_denominator),
        np.where(stay, n_c, pair.baseline_numerator),
        np.where(stay, pair.current_denominator, pair.baseline_denominator),
    )


@pytest.mark.parametrize("arcs", [1, 2, 5, 9])
def test_few_arcs_have_every_sign_vector_once_up_to_its_opposite(arcs):
    rows = np.concatenate(list(sign_vectors(arcs, np.random.default_rng(0))))
    found = {tuple(row) for row in rows} | {tuple(-row) for row in rows}
    assert len(rows) == 2 ** (arcs - 1)
    assert found == set(itertools.product([1.0, -1.0], repeat=arcs))


def test_the_first_sign_vector_is_the_identity_whether_all_are_taken_or_some_are_drawn():
    for arcs in (3, 14, 400):
        assert np.all(next(sign_vectors(arcs, np.random.default_rng(1)))[0] == 1.0)


def test_as_many_sign_vectors_are_drawn_as_asked_for_half_of_them_being_opposites():
    assert sum(len(block) for block in sign_vectors(50, np.random.default_rng(2), resamples=3_000)) == 1_500


@settings(deadline=None)
@given(pairs(1, 7), st.sampled_from([0.0, -0.3, 0.7]))
def test_each_statistic_is_that_of_the_exchanged_data(pair, shift):
    [figure] = exchange([pair], np.random.default_rng(3))
    found = figure.statistic(shift)
    for row, signs in enumerate(next(sign_vectors(pair.arcs, np.random.default_rng(3)))):
        assert found[row] == pytest.approx(studentised(exchanged(pair, signs, shift), 0.0), rel=1e-6, abs=1e-6)


def test_with_equal_denominators_it_is_the_wild_cluster_bootstrap():
    rng = np.random.default_rng(4)
    pair = make_pair(rng.normal(size=8), rng.normal(size=8), 2.0)
    [figure] = exchange([pair], rng)
    contribution = pair.current_numerator - pair.baseline_numerator
    signs = next(sign_vectors(8, rng))
    expected = signs @ contribution / np.sqrt(contribution @ contribution)
    assert np.allclose(figure.statistic(0.0), expected)


def test_a_small_change_of_widely_different_arcs_keeps_its_digits():
    before = 10.0 ** np.arange(12)
    now = before.copy()
    now[:6] += 1.0
    [figure] = exchange([make_pair(before, now)], np.random.default_rng(5))
    assert figure.statistic(0.0)[0] == pytest.approx(6 / np.sqrt(6), rel=1e-9)


def test_the_standard_error_is_that_of_a_paired_mean_where_denominators_are_equal():
    before, now = np.array([1.0, 2.0, 4.0, 3.0, 5.0]), np.array([2.0, 2.0, 3.0, 6.0, 5.5])
    [figure] = exchange([make_pair(before, now)], np.random.default_rng(6))
    assert figure.standard_error == pytest.approx(np.std(now - before, ddof=1) / np.sqrt(5))


@pytest.mark.filterwarnings("error")
def test_one_arc_gives_no_standard_error():
    [figure] = exchange([make_pair([1.0], [2.0])], np.random.default_rng(7))
    assert figure.standard_error == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_where_every_arc_says_the_same_on_both_sides_rounding_is_not_studentised(seed):
    """Each arc stands off the common ratio by as much of its side's total then as now, over other denominators."""
    rng = np.random.default_rng(seed)
    spans_before, spans_now = rng.uniform(1, 5, 9), rng.uniform(1, 5, 9)
    off = rng.normal(size=9)
    off -= off.mean()
    pair = Pair(
        0.3 * spans_before + off * spans_before.sum(), spans_before, 0.3 * spans_now + off * spans_now.sum(), spans_now
    )
    [figure] = exchange([pair], rng)
    assert figure.statistic(0.0)[0] == pytest.approx(0.0, abs=1e-6)


def test_arcs_that_an_exchange_leaves_as_they_are_do_not_differ():
    pair = Pair(np.array([1.0, 2.0, 3.0]), np.ones(3), np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.0]))
    assert pair.differing == 1


def test_all_sign_vectors_are_taken_where_the_resamples_suffice():
    assert [all_taken(arcs) for arcs in (1, 13, 14, 5_000)] == [True, True, False, False]
    assert all_taken(14, resamples=2**14)


@pytest.mark.parametrize("arcs", [3, 40])
def test_each_arc_is_exchanged_in_half_of_the_sign_vectors_and_independently_of_the_others(arcs):
    rows = np.concatenate(list(sign_vectors(arcs, np.random.default_rng(8))))
    rows = np.concatenate([rows, -rows])
    assert set(np.unique(rows)) == {-1.0, 1.0}
    assert np.all(np.mean(rows, axis=0) == 0)
    together = rows.T @ rows / len(rows) - np.eye(arcs)
    assert np.abs(together).max() < 5 / np.sqrt(len(rows) / 2) if arcs > 13 else np.all(together == 0)


def test_figures_answer_alike_for_no_difference_with_and_without_shifts():
    rng = np.random.default_rng(9)
    pair = Pair(rng.poisson(2.0, 20) * 1.0, rng.integers(1, 5, 20) * 1.0, rng.poisson(2.0, 20) * 1.0, np.ones(20))
    [with_shifts], [without] = (exchange([pair], np.random.default_rng(1), shifts=shifts) for shifts in (True, False))
    assert np.allclose(with_shifts.statistic(0.0), without.statistic(0.0), rtol=1e-12, atol=1e-12)


def test_figures_over_one_denominator_are_exchanged_as_each_would_be_alone():
    rng = np.random.default_rng(10)
    spans = rng.integers(1, 5, 30) * 1.0, rng.integers(1, 5, 30) * 1.0
    pairs = [Pair(rng.poisson(1.0, 30) * 1.0, spans[0], rng.poisson(1.0, 30) * 1.0, spans[1]) for _ in range(3)]
    together = exchange(pairs, np.random.default_rng(1), 400)
    for pair, figure in zip(pairs, together, strict=True):
        [alone] = exchange([pair], np.random.default_rng(1), 400)
        assert np.allclose(alone.statistic(0.2), figure.statistic(0.2), rtol=1e-9, atol=1e-9)


def test_an_arc_that_shows_what_most_show_does_not_differ_for_having_more_spans():
    """Rare events, or events that are rarely missing: only the arcs with the exception tell anything."""
    spans_before, spans_now = np.array([1.0, 2.0, 3.0, 4.0, 1.0]), np.array([2.0, 1.0, 1.0, 5.0, 1.0])
    events = np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    assert Pair(np.zeros(5), spans_before, events, spans_now).differing == 1
    assert Pair(spans_before, spans_before, spans_now - events, spans_now).differing == 1
    assert Pair(spans_before * [1, 1, 1, 0.5, 0.5], spans_before, spans_now, spans_now).differing == 2


def test_what_rounding_leaves_of_one_rate_in_every_arc_is_not_studentised():
    rng = np.random.default_rng(11)
    before, now = rng.uniform(1, 9, 20), rng.uniform(1, 9, 20)
    [figure] = exchange([Pair(0.1 * before, before, 0.1 * now, now)], rng, 200)
    assert not figure.statistic(0.0).any()
    assert figure.standard_error == 0.0
