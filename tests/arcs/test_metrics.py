"""Success, utilization, harm, verification and cost over scored episodes, and what is undefined of them."""

import pytest

from pytest_memuse.arcs.figure import MeritFigure
from pytest_memuse.arcs.merit import METRICS, Merit
from pytest_memuse.arcs.types import Kind, Tier
from pytest_memuse.model import MemuseError
from pytest_memuse.profiles.figure import UndefinedFigure
from pytest_memuse.profiles.figures import Bound
from pytest_memuse.reports.assertions import explain_comparison
from tests.arcs.scored import episode, probes

TEN = [True] * 7 + [False] * 3


def test_dependent_and_independent_success_are_told_apart() -> None:
    independent = [episode(n, "2-independent", kind=Kind.INDEPENDENT, success=n > 1) for n in range(1, 5)]
    merit = Merit.of([*probes(TEN), *independent, episode(1, "1-plant", kind=Kind.PLANT, success=True)])
    assert merit.dependent_success == 0.7
    assert str(merit.dependent_success.counts) == "7 solved probes / 10 probe episodes"
    assert merit.independent_success == 0.75


def test_a_probe_satisfied_on_arrival_is_a_failure_and_is_counted() -> None:
    merit = Merit.of([*probes([True]), episode(2, satisfied_on_arrival=True)])
    assert merit.dependent_success == 0.5
    assert merit.satisfied_on_arrival.counts.numerator == 1


def test_ignore_rate_is_of_the_episodes_whose_block_held_every_value() -> None:
    merit = Merit.of(
        [
            *(episode(n, held=True, acted=n > 3) for n in range(1, 11)),
            *(episode(n, held=False, acted=True) for n in range(11, 15)),
            *(episode(n, held=None, acted=None) for n in range(15, 17)),
        ]
    )
    assert merit.ignore_rate == 0.3
    assert merit.utilization == 0.7
    assert merit.ignore_rate.counts.denominator == 10
    assert merit.holding.counts.denominator == 14
    assert merit.ignore_rate.bound is None
    assert len(merit.ignore_rate.responsible) == 3


def test_values_that_containment_cannot_see_make_the_ignore_rate_an_upper_bound() -> None:
    merit = Merit.of([episode(1, held=True, acted=False, untraceable=1), episode(2, held=True, acted=True)])
    assert merit.ignore_rate.bound is Bound.AT_MOST
    assert merit.utilization.bound is Bound.AT_LEAST
    assert "1 of them" in merit.ignore_rate.reason
    assert merit.untraceable == 0.5


def test_the_interval_is_over_arcs_and_not_over_episodes() -> None:
    ten_arcs = [episode(arc, f"{n}-probe", success=arc > 5) for arc in range(1, 11) for n in range(10)]
    hundred_arcs = [episode(arc, success=arc > 50) for arc in range(1, 101)]
    few, many = Merit.of(ten_arcs).dependent_success, Merit.of(hundred_arcs).dependent_success
    assert few.counts == many.counts
    assert few.upper - few.lower > 3 * (many.upper - many.lower)


def test_the_ignore_rate_of_nothing_held_is_undefined_and_no_assertion_on_it_passes() -> None:
    merit = Merit.of(episode(n, held=False, acted=False) for n in range(1, 4))
    told = r"there are no episodes that held[^`]+`merit\.ignore_rate\.defined`"
    with pytest.raises(UndefinedFigure, match=told):
        assert merit.ignore_rate < 0.2
    with pytest.raises(UndefinedFigure, match=told):
        assert merit.ignore_rate.upper < 0.2


def test_harm_is_clean_less_corrupted_success_on_the_same_probes() -> None:
    clean = probes([True] * 8 + [False] * 2)
    stale = probes([False] * 3 + [True] * 6 + [False], corruption="stale", rate=0.3)
    found = Merit.of([*clean, *stale]).stale_harm("stale", 0.3)
    assert found == pytest.approx(0.2)
    assert str(found.counts) == "3 solved clean and failed corrupted (1 the other way) / 10 paired episodes"
    assert found.lower < found < found.upper
    assert isinstance(found, MeritFigure)
    assert found.p is not None
    assert {one.arc for one in found.responsible} == {"arc-1", "arc-2", "arc-3"}


def test_harm_pairs_what_both_sides_ran_and_says_what_it_left_out() -> None:
    clean = probes([True] * 4)
    found = Merit.of([*clean, *probes([False, False], corruption="stale", rate=0.1)]).stale_harm("stale", 0.1)
    assert found == 1.0
    assert "2 episodes were run on one side only" in found.reason


def test_harm_at_a_rate_that_was_not_run_is_undefined() -> None:
    merit = Merit.of([*probes(TEN), *probes(TEN, corruption="distractor", rate=0.1)])
    with pytest.raises(UndefinedFigure, match=r"stale memory at 0\.3; there are distractor at 0\.1"):
        assert merit.stale_harm("stale", 0.3).upper < 0.15


def test_no_harm_in_ten_arcs_has_an_upper_bound_that_ten_arcs_can_support() -> None:
    found = Merit.of([*probes(TEN), *probes(TEN, corruption="stale", rate=0.3)]).stale_harm("stale", 0.3)
    assert found == 0
    assert found.upper == pytest.approx(0.308, abs=0.001)


def test_harm_to_a_memory_that_never_worked_says_that_there_was_nothing_to_lose() -> None:
    merit = Merit.of([*probes([False] * 10), *probes([False] * 10, corruption="stale", rate=0.3)])
    assert merit.stale_harm("stale", 0.3) == 0
    assert merit.stale_harm("stale", 0.3).reason.startswith("nothing to lose")


def test_harms_are_one_family() -> None:
    clean = probes([True] * 10)
    kinds = [("stale", 0.3, 2), ("contradiction", 0.3, 9), ("distractor", 0.3, 10)]
    corrupted = [e for c, r, good in kinds for e in probes([n < good for n in range(10)], corruption=c, rate=r)]
    found = Merit.of([*clean, *corrupted]).harms()
    assert [member.finding for member in found.members] == ["significant", "not significant", "not significant"]
    raw = [member.comparison.p for member in found.members]
    assert found.members[0].adjusted == pytest.approx(3 * (raw[0] or 0))


def test_corrupted_episodes_are_no_part_of_success_or_cost() -> None:
    merit = Merit.of([*probes(TEN), *probes([False] * 10, corruption="stale", rate=0.3, cost=9.0)])
    assert merit.dependent_success == 0.7
    assert merit.cost == pytest.approx(0.001)


def test_unknown_cost_is_undefined_and_never_zero() -> None:
    merit = Merit.of([episode(1, cost=None), episode(2)])
    assert not merit.cost.defined
    assert "1 of 2 episodes do not tell" in merit.cost.reason
    assert not merit.camu.defined
    assert merit.tokens == 100
    assert not Merit.of([episode(memory_tokens=None)]).tokens.defined


def test_an_episode_without_a_checks_result_is_no_failure() -> None:
    assert Merit.of([episode(1, success=None), episode(2, success=True)]).dependent_success == 1.0
    assert not Merit.of([episode(1, success=None)]).dependent_success.defined


def test_verified_is_of_the_episodes_that_acted() -> None:
    merit = Merit.of([episode(1, verified=True), episode(2, verified=False), episode(3, verified=None)])
    assert merit.verified == 0.5
    assert merit.verified.counts.denominator == 2


def test_a_figure_of_several_conditions_is_undefined_until_one_is_chosen() -> None:
    merit = Merit.of([*probes(TEN), *probes([True] * 10, condition="replay")])
    for name in METRICS:
        assert "several conditions (facts, replay)" in merit.metric(name).reason
    assert merit.where(condition="facts").dependent_success == 0.7
    assert not merit.stale_harm("stale", 0.1).defined


def test_choosing_keeps_the_floor_of_the_same_cell() -> None:
    none = [*probes([False] * 4, condition="none"), *probes([True] * 4, condition="none", domain="operations")]
    facts = [*probes([True] * 4), *probes([True] * 4, domain="operations")]
    merit = Merit.of([*none, *facts])
    assert merit.where(condition="facts").gain == 0.5
    assert merit.where(condition="facts", domain="retail").gain == 1.0
    assert merit.where(condition="facts", domain=("retail", "operations")).gain == 0.5


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"condition": "fact"}, r"has the condition 'fact'; did you mean 'facts'"),
        ({"tiers": "hard"}, r"cannot be chosen by 'tiers'; did you mean 'tier'"),
    ],
)
def test_a_choice_that_does_not_exist_names_the_nearest(chosen: dict[str, str], told: str) -> None:
    with pytest.raises(MemuseError, match=told):
        Merit.of(probes(TEN)).where(**chosen)


def test_an_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(AttributeError, match="did you mean 'ignore_rate'"):
        Merit.of(probes(TEN)).ignored_rate  # noqa: B018  # the access is what raises


def test_seeds_are_a_mean_with_their_spread() -> None:
    merit = Merit.of(
        [*probes([True] * 4, seed=0), *probes([True, False] * 2, seed=1), *probes([True] * 3 + [False], seed=2)]
    )
    found = merit.seeds("dependent_success")
    assert found.values == (1.0, 0.5, 0.75)
    assert (found.mean, found.deviation, found.gap) == (0.75, 0.25, 0.5)


def test_the_same_arc_of_two_seeds_is_two_clusters() -> None:
    merit = Merit.of([episode(1, seed=0, success=True), episode(1, seed=1)])
    assert merit.dependent_success.interval is not None


def test_one_memory_less_another_is_paired() -> None:
    merit = Merit.of([*probes(TEN), *probes([True] * 2 + [False] * 8, condition="retrieval")])
    found = merit.where(condition="facts").less(merit.where(condition="retrieval"))
    assert found == 0.5
    assert str(found.counts).startswith("5 solved by this one and failed by the other")


def test_a_failed_comparison_shows_counts_interval_p_and_the_episodes() -> None:
    stale = probes([False] * 3 + [True] * 7, corruption="stale", rate=0.3)
    harm = Merit.of([*probes([True] * 10), *stale]).stale_harm("stale", 0.3)
    lines = explain_comparison("<", harm, 0.15)
    assert lines is not None
    text = "\n".join(lines)
    assert "stale_harm('stale', 0.3) 0.300 < 0.15" in text
    assert "3 solved clean and failed corrupted (0 the other way) / 10 paired episodes" in text
    assert "95 % interval over arcs: " in text
    assert "two-sided p" in text
    assert "arc-1/4-probe: facts/starter, stale at 0.3" in text


def test_a_failed_comparison_with_a_bound_shows_what_it_bounds() -> None:
    harm = Merit.of([*probes(TEN), *probes(TEN, corruption="stale", rate=0.3)]).stale_harm("stale", 0.3)
    text = "\n".join(explain_comparison("<", harm.upper, 0.15) or ())
    assert "stale_harm('stale', 0.3).upper 0.308 < 0.15" in text
    assert "the upper bound of 0" in text
    assert "all 10 arcs differ by the same" in text


def test_figures_pool_tiers_and_domains_that_are_not_chosen() -> None:
    merit = Merit.of([*probes([True] * 2), *probes([False] * 2, tier=Tier.EASY)])
    assert merit.dependent_success == 0.5
    assert merit.where(tier="easy").dependent_success == 0.0
