"""What a suite can see: approximations that are about right, and None where nothing supports a number."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from pytest_memuse.gate.exchange import exchange
from pytest_memuse.gate.power import POWER, arcs_for, arcs_needed, smallest_detectable
from pytest_memuse.gate.resampling import Decision, decide
from pytest_memuse.profiles.figures import Worse
from tests.gate.pairs import make_pair


def decided(differences, seed=0) -> Decision:
    pair = make_pair(np.zeros(len(differences)), differences)
    return decide([pair], [Worse.HIGHER], np.random.default_rng(seed), bounds=False)[0]


@pytest.mark.parametrize(("alpha", "arcs"), [(0.5, 1), (0.05, 5), (0.01, 7), (0.001, 10)])
def test_so_many_arcs_are_needed_before_anything_can_be_rejected(alpha, arcs):
    assert arcs_for(alpha) == arcs


def test_the_smallest_detectable_change_is_found_about_four_times_in_five():
    rng = np.random.default_rng(1)
    change = np.median([smallest_detectable(decided(rng.normal(size=40)), 0.0, 40) for _ in range(20)])
    found = [decided(rng.normal(change, 1, 40)).regressed for _ in range(150)]
    assert 0.7 <= np.mean(found) <= 0.9


def test_so_many_arcs_give_the_observed_difference_a_verdict_four_times_in_five():
    rng = np.random.default_rng(2)
    noise = rng.normal(size=30)
    standard = (noise - noise.mean()) / noise.std(ddof=1)
    needed = arcs_needed(decided(standard + 0.25), 0.0, 30)
    found = [decided(rng.normal(0.25, 1, needed)).regressed for _ in range(120)]
    assert 0.7 <= np.mean(found) <= 0.9


def test_the_arcs_needed_are_the_fewest_that_see_the_difference():
    """What can be seen falls with the root of the arcs, so that so many arcs are enough, and one fewer is not."""
    for seed in range(20):
        decision = decided(np.random.default_rng(seed).normal(0.3, 1, 30))
        enough = 30 * (smallest_detectable(decision, 0.0, 30) / abs(decision.worse)) ** 2
        assert 0 <= arcs_needed(decision, 0.0, 30) - enough < 1


@pytest.mark.parametrize("arcs", [6, 9, 30])
def test_the_critical_value_is_reached_by_a_difference_of_so_many_standard_errors(arcs):
    noise = np.random.default_rng(arcs).normal(size=arcs)
    noise -= noise.mean()
    decision = decided(noise)
    shift = smallest_detectable(decision, 0.0, arcs) - 0.8416212335729143 * decision.standard_error
    just = noise + shift
    assert just.sum() / np.sqrt(just @ just) == pytest.approx(decision.critical)


def test_more_arcs_see_less_and_a_tolerance_is_added_to_what_they_see():
    rng = np.random.default_rng(3)
    few, many = (decided(rng.normal(size=arcs)) for arcs in (15, 240))
    assert smallest_detectable(few, 0.0, 15) > 2.5 * smallest_detectable(many, 0.0, 240)
    assert smallest_detectable(many, 1.5, 240) == pytest.approx(1.5 + smallest_detectable(many, 0.0, 240))


def test_a_difference_nearer_to_the_tolerance_needs_more_arcs_from_either_side():
    decision = decided(np.random.default_rng(4).normal(0.3, 1, 30))
    beyond = [arcs_needed(decision, limit, 30) for limit in (0.0, 0.5 * decision.worse, 0.9 * decision.worse)]
    within = [arcs_needed(decision, limit * decision.worse, 30) for limit in (3.0, 2.0, 1.1)]
    assert beyond == sorted(beyond)
    assert within == sorted(within)
    assert beyond[0] < beyond[-1]


def test_a_critical_value_about_zero_becomes_standard_errors_about_the_mean():
    """Were the observed statistic itself the critical value, the change that just reaches it is the observed one."""
    pair = make_pair(np.zeros(9), np.random.default_rng(6).normal(1, 1, 9))
    [figure] = exchange([pair], np.random.default_rng(0))
    decision = decide([pair], [Worse.HIGHER], np.random.default_rng(0))[0]
    reached = replace(decision, critical=float(figure.statistic(0.0)[0]))
    in_addition = smallest_detectable(reached, 0.0, 9) - decision.worse
    assert in_addition == pytest.approx(NormalDist().inv_cdf(POWER) * decision.standard_error)


def test_nothing_supports_a_number_without_spread_or_difference():
    still = decided(np.zeros(12))
    assert smallest_detectable(still, 0.0, 12) is None
    assert arcs_needed(still, 0.0, 12) is None
    alike = decided(np.ones(12))
    assert smallest_detectable(alike, 0.0, 12) is None
    exactly_at = replace(decided(np.random.default_rng(5).normal(size=12)), worse=0.5)
    assert arcs_needed(exactly_at, 0.5, 12) is None


def test_too_few_arcs_need_as_many_as_could_show_anything():
    assert arcs_needed(decided(np.zeros(3)), 0.0, 3) == 5
