"""Intervals over arcs, against published quantiles and by simulation."""

import math

import numpy as np
import pytest

from pytest_memuse.profiles import Kind, Profile, UndefinedFigure
from pytest_memuse.profiles.intervals import beta_quantile, interval, is_rough, student_quantile
from tests.benchmarks.interval_coverage import coverage
from tests.profiles.runs import entry, judged, misused, run_of


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (5, 2.57058), (11, 2.20099), (30, 2.04227), (1e9, 1.95996)]
)
def test_student_s_quantiles_are_the_tabulated_ones(freedom: float, quantile: float) -> None:
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=3e-4)


def test_the_beta_quantile_gives_the_exact_binomial_bounds() -> None:
    """Of 20 units 3 count: the bounds at which the binomial tails are exactly 2.5 %."""
    lower, upper = beta_quantile(0.025, 3, 18), beta_quantile(0.975, 4, 17)
    above = sum(math.comb(20, k) * lower**k * (1 - lower) ** (20 - k) for k in range(3, 21))
    below = sum(math.comb(20, k) * upper**k * (1 - upper) ** (20 - k) for k in range(4))
    assert (above, below) == pytest.approx((0.025, 0.025))


def test_no_event_among_few_entries_has_an_upper_bound_above_zero() -> None:
    few = Profile.of(run_of(*[(judged(entry()),)] * 12)).harm_share
    many = Profile.of(run_of(*[(judged(entry()),) * 100] * 12)).harm_share
    assert few.lower == many.lower == 0
    assert 0.2 < few.upper < 0.4
    assert 3.69 / 1200 < many.upper < 0.02


def test_without_an_event_the_units_of_an_arc_are_not_taken_for_independent() -> None:
    """Of ten units in each of twelve arcs less is to be learnt than of one in each of 120, and more than of twelve."""
    clustered = interval([(0.0, 10.0)] * 12, Kind.SHARE, 1.0)
    single = interval([(0.0, 1.0)] * 120, Kind.SHARE, 1.0)
    arcs = interval([(0.0, 1.0)] * 12, Kind.SHARE, 1.0)
    assert clustered is not None
    assert single is not None
    assert arcs is not None
    assert single[1] == pytest.approx(1 - 0.025 ** (1 / 120))
    assert 1.3 * single[1] < clustered[1] < 0.3 * arcs[1]


def test_an_amount_of_few_uneven_arcs_is_called_rough_and_that_of_many_even_ones_is_not() -> None:
    even, uneven = [(10.0 + n % 2, 1.0) for n in range(30)], [(1.0 if n else 50.0, 1.0) for n in range(30)]
    assert not is_rough(even, Kind.AMOUNT)
    assert is_rough(even[:10], Kind.AMOUNT)
    assert is_rough(uneven, Kind.AMOUNT)


def test_a_rate_with_few_events_is_called_rough_and_a_share_never() -> None:
    arcs = [(float(n < 3), 100.0) for n in range(40)]
    assert is_rough(arcs, Kind.RATE)
    assert not is_rough(arcs, Kind.SHARE)
    assert not is_rough([(1.0, 100.0)] * 40, Kind.RATE)


def test_no_harmful_entry_leaves_the_harm_yield_an_upper_bound_above_zero() -> None:
    figure = Profile.of(run_of(*[(judged(entry()),) * 10] * 12)).harm_yield
    assert figure.lower == 0
    assert 3.69 * 100 / 120 < figure.upper < 6


def test_every_entry_counted_leaves_room_below_one() -> None:
    figure = Profile.of(run_of(*[(judged(misused()),)] * 12)).harm_share
    assert figure.upper == 1
    assert 0.6 < figure.lower < 0.8


def test_fewer_than_two_arcs_have_no_interval() -> None:
    figure = Profile.of(run_of((judged(entry()),), (judged(misused()),), arcs=1)).harm_share
    assert figure.interval is None
    with pytest.raises(UndefinedFigure, match=r"harm_share\.upper is undefined: an interval needs two arcs"):
        assert figure.upper < 0.9


def test_arcs_without_a_denominator_are_no_clusters() -> None:
    assert interval([(1, 2), (0, 0)], Kind.SHARE, 1.0) is None


def test_repeats_within_an_arc_do_not_narrow_the_interval_where_they_agree() -> None:
    """Twelve arcs that are all one way or all the other say no more for being repeated a hundred times."""
    once = interval([(float(n % 2), 1.0) for n in range(12)], Kind.SHARE, 1.0)
    often = interval([(100.0 * (n % 2), 100.0) for n in range(12)], Kind.SHARE, 1.0)
    assert once is not None
    assert often is not None
    assert often[1] - often[0] > 0.8 * (once[1] - once[0])


@pytest.mark.parametrize(
    ("kind", "rate", "spread"), [(Kind.SHARE, 0.05, 0.0), (Kind.SHARE, 0.3, 0.2), (Kind.COUNT, 0.4, 0.2)]
)
def test_the_interval_covers_the_truth_about_as_often_as_it_says(kind: Kind, rate: float, spread: float) -> None:
    """Twelve arcs of ten units, each arc with a rate of its own around the truth; 300 repetitions."""
    generator = np.random.default_rng(20)
    covered = 0
    for _ in range(300):
        rates = np.clip(rate + spread * generator.choice([-1, 1], 12), 0, 1)
        numerators = generator.binomial(10, rates) if kind is Kind.SHARE else generator.poisson(10 * rates)
        found = interval([(float(n), 10.0) for n in numerators], kind, 1.0)
        assert found is not None
        covered += found[0] <= rate <= found[1]
    assert covered / 300 > 0.92


@pytest.mark.parametrize(("kind", "share", "arcs"), [(Kind.SHARE, 0.02, 30), (Kind.COUNT, 0.02, 30)])
def test_the_interval_of_a_rare_share_holds_where_it_comes_in_clusters(kind: Kind, share: float, arcs: int) -> None:
    """The cells in which an interval that trusts the variance of a few arcs held in 75 to 83 % of runs."""
    found = coverage(kind, share, arcs, 0.3, builds=300)
    assert found.held / found.builds > 0.93
