"""Outcomes against effects and against runs without memory (MemUse 4.3, A.5.4, A.6.4)."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model import MemuseError
from pytest_memuse.profiles import (
    EpisodeRow,
    OutcomeComparison,
    Profile,
    RowOutcome,
    Run,
    compare_outcomes,
    split_repeats,
)
from pytest_memuse.profiles.resolve_rates import rate_difference
from tests.profiles.runs import entry, judged, misused, used
from tests.profiles.table10 import baseline_runs, memory_runs


@pytest.fixture(scope="module")
def published() -> OutcomeComparison:
    return compare_outcomes(memory_runs(), baseline_runs())


def percent(value: float | None) -> float:
    assert value is not None
    return round(100 * value, 2)


def test_table_10_follows_from_its_counts(published: OutcomeComparison) -> None:
    strata = published.strata.groups
    assert [s.tasks for s in strata] == [104, 22, 13, 33, 328]
    assert [s.all.episodes for s in strata] == [1664, 352, 208, 527, 5246]
    assert [percent(s.resolved_share.value) for s in strata] == [4.27, 27.84, 44.71, 77.42, 98.34]
    assert [s.all.acted_on for s in strata] == [144, 36, 17, 36, 411]
    assert [s.all.beneficial for s in strata] == [79, 12, 7, 25, 260]
    assert [percent(s.all.share("beneficial").value) for s in strata] == [4.75, 3.41, 3.37, 4.74, 4.96]
    assert [percent(s.resolved_with("beneficial").value) for s in strata] == [7.59, 25.00, 71.43, 88.00, 99.23]
    assert [s.all.harmful for s in strata] == [5, 4, 0, 1, 6]
    assert (published.strata.without_result, published.strata.unplaced) == (3, 0)


def test_most_gains_and_losses_hold_no_acted_on_entry(published: OutcomeComparison) -> None:
    gains, losses = published.strata.groups[0].resolved, published.strata.groups[4].failed
    assert (gains.episodes, gains.acted_on, gains.beneficial) == (71, 7, 6)
    assert (losses.episodes, losses.received, losses.acted_on, losses.harmful) == (87, 85, 7, 1)


def test_outcomes_hide_the_published_numbers_of_effects(published: OutcomeComparison) -> None:
    hidden = published.hidden
    assert (hidden.beneficial, hidden.beneficial_failed, hidden.harmful, hidden.harmful_passed) == (383, 89, 16, 5)
    assert hidden.unknown_outcomes == 3


def test_baseline_runs_differ_in_the_published_number_of_tasks_in_each_direction(published: OutcomeComparison) -> None:
    changes = published.baseline_changes
    assert changes.pairs == 12
    assert changes.mean_gained == changes.mean_lost == pytest.approx(18.1, abs=0.05)


def test_gains_and_losses_follow_from_the_strata_and_lie_where_they_were_published(
    published: OutcomeComparison,
) -> None:
    """4.3: the configurations gain 17.3 to 20.4 tasks and lose 15.3 to 21.4; over all four together it is the mean."""
    changes, strata = published.changes, published.strata.groups
    assert changes.pairs == 64
    assert changes.gained == sum(s.resolved.episodes * (4 - s.solved_by) for s in strata)
    without_result = (0, 0, 0, 1, 2)
    assert changes.lost == sum(
        (s.failed.episodes + unknown) * s.solved_by for s, unknown in zip(strata, without_result, strict=True)
    )
    assert changes.mean_gained is not None
    assert changes.mean_lost is not None
    assert 17.3 < changes.mean_gained < 20.4
    assert 15.3 < changes.mean_lost < 21.4


def test_the_pooled_difference_is_that_of_the_published_rates(published: OutcomeComparison) -> None:
    """The sixteen rates of Table 8 sum to 1,165.8 %, the baseline's four to 291.8 %."""
    found = published.difference(np.random.default_rng(1))
    assert found.difference == pytest.approx((1165.8 / 16 - 291.8 / 4) / 100)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower < 0 < found.upper


@pytest.mark.parametrize(
    ("system", "rates", "mean"),
    [("MemGovern", (74.0, 72.6, 73.6, 73.2), 73.35), ("TencentDB", (73.8, 72.0, 72.2, 72.6), 72.65)],
)
def test_the_published_resolve_rates_give_the_published_differences(
    system: str, rates: tuple[float, ...], mean: float
) -> None:
    """Table 8's runs against the baseline's mean of 72.95 %; an episode without a result counts as not resolved."""
    memory = [
        Run("s", tuple(EpisodeRow(str(n), "a", str(n), success=(n < round(5 * rate)) or None) for n in range(500)))
        for rate in rates
    ]
    comparison = compare_outcomes(memory, baseline_runs())
    found = comparison.difference(np.random.default_rng(1))
    assert found.difference == pytest.approx((mean - 72.95) / 100)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower < (mean - 72.95) / 100 < found.upper
    assert found.replicates == 5000
    assert comparison.without_result == sum(500 - round(5 * rate) for rate in rates)
    gained, lost = comparison.changes.mean_gained, comparison.changes.mean_lost
    assert gained is not None
    assert lost is not None
    assert gained - lost == pytest.approx(5 * (mean - 72.95))


def test_deviations_are_sample_standard_deviations_over_runs() -> None:
    found = compare_outcomes(memory_runs(), baseline_runs()).difference(np.random.default_rng(1), 10)
    assert [round(100 * (rate.value or 0), 1) for rate in found.baseline] == [75.0, 72.0, 73.0, 71.8]
    assert found.baseline_deviation == pytest.approx(np.std([0.75, 0.72, 0.73, 0.718], ddof=1))


outcomes = st.integers(1, 6).flatmap(
    lambda tasks: st.tuples(
        *(st.lists(st.lists(st.booleans(), min_size=tasks, max_size=tasks), min_size=1, max_size=3) for _ in range(2))
    )
)


def runs_of(table: list[list[bool]]) -> list[Run]:
    return [
        Run("s", tuple(EpisodeRow(f"{n}", "a", f"t{n}", success=solved) for n, solved in enumerate(run)))
        for run in table
    ]


@given(outcomes)
@settings(deadline=None, database=None)
def test_gains_less_losses_are_the_difference_of_the_rates(tables: tuple[list[list[bool]], list[list[bool]]]) -> None:
    comparison = compare_outcomes(*(runs_of(table) for table in tables))
    changes, tasks = comparison.changes, len(comparison.tasks)
    found = comparison.difference(np.random.default_rng(0), 50)
    assert changes.pairs == len(tables[0]) * len(tables[1])
    assert found.difference == pytest.approx((changes.gained - changes.lost) / changes.pairs / tasks)
    assert comparison.baseline_changes.gained == comparison.baseline_changes.lost
    assert sum(stratum.tasks for stratum in comparison.strata.groups) == tasks
    assert sum(stratum.all.episodes for stratum in comparison.strata.groups) == tasks * len(tables[0])


@given(outcomes)
@settings(deadline=None, database=None)
def test_exchanging_the_sides_exchanges_gains_and_losses(tables: tuple[list[list[bool]], list[list[bool]]]) -> None:
    one, other = (runs_of(table) for table in tables)
    there, back = compare_outcomes(one, other).changes, compare_outcomes(other, one).changes
    assert (there.gained, there.lost) == (back.lost, back.gained)


def test_the_interval_is_that_of_every_possible_resample() -> None:
    """Five tasks with paired differences 1, 0, 0, 0 and -1: 3,125 equally likely resamples, listed."""
    memory, without = [True, True, True, False, False], [False, True, True, False, True]
    found = rate_difference([memory], [without], np.random.default_rng(3), 20_000)
    means = [sum(draw) / 5 for draw in itertools.product((1, 0, 0, 0, -1), repeat=5)]
    assert (found.lower, found.upper) == tuple(np.percentile(means, (2.5, 97.5), method="inverted_cdf")) == (-0.6, 0.6)


def test_a_seed_gives_the_same_interval_and_many_replicates_need_no_more_memory_at_once() -> None:
    table = [[bool((n * 7) % 3) for n in range(3000)]], [[bool((n * 5) % 4) for n in range(3000)]]
    one, again = (rate_difference(*table, np.random.default_rng(8), 700) for _ in range(2))
    assert one == again
    assert one.lower is not None
    assert one.upper is not None
    assert one.lower < (one.difference or 0) < one.upper


def test_one_task_has_a_difference_and_no_interval() -> None:
    found = rate_difference([[True]], [[False]], np.random.default_rng(0))
    assert (found.difference, found.lower, found.upper, found.memory_deviation) == (1.0, None, None, None)


def test_tasks_of_another_digest_or_in_some_runs_only_are_listed_and_left_out() -> None:
    a, b, c = (EpisodeRow(n, "arc", n, task_digest="1", success=True) for n in "abc")
    found = compare_outcomes([Run("s", (a, b, c))], [Run("s", (a, replace(b, task_digest="2")))])
    assert found.tasks == (("arc", "a"),)
    assert found.unmatched == (("arc", "b"), ("arc", "c"))


def test_nothing_in_common_leaves_everything_undefined() -> None:
    a, b = (Run("s", (EpisodeRow(n, "arc", n, success=True),)) for n in "ab")
    found = compare_outcomes([a], [b])
    assert found.difference(np.random.default_rng(0)).difference is None
    assert found.strata.groups[0].resolved_share.value is None
    assert found.baseline_changes.mean_gained is None


def test_runs_without_memory_may_know_no_arcs() -> None:
    memory = Run("s", (EpisodeRow("e", "arc", "t", success=True),))
    alone = Run("s", (EpisodeRow("e", "e", "t", success=False),))
    assert Profile.of(memory).against(alone).tasks == ()
    assert Profile.of(memory).against(alone, match_arcs=False).changes.gained == 1


def test_a_task_without_a_baseline_result_is_in_no_stratum() -> None:
    memory = Run("s", tuple(EpisodeRow(n, "a", n, success=True) for n in "ab"))
    without = Run("s", (EpisodeRow("a", "a", "a", success=None), EpisodeRow("b", "a", "b", success=True)))
    strata = compare_outcomes([memory], [without]).strata
    assert (strata.unplaced, [s.tasks for s in strata.groups]) == (1, [0, 1])


def test_counts_that_rest_on_what_the_judge_does_not_determine_are_undefined() -> None:
    spans = (judged(used(), determines=("influence",)),)
    memory = Run("s", (EpisodeRow("e", "a", "t", success=True, spans=spans),))
    stratum = compare_outcomes([memory], [Run("s", (EpisodeRow("e", "a", "t", success=True),))]).strata.groups[1]
    assert (stratum.all.acted_on, stratum.all.beneficial, stratum.all.harmful) == (1, None, None)
    assert stratum.all.share("beneficial").value is None
    assert "rests on effect" in str(stratum.all.share("beneficial"))
    assert stratum.resolved_with("beneficial").value is None


def test_an_entry_of_an_unjudged_span_is_no_use() -> None:
    spans = (replace(judged(used(), misused()), outcome=RowOutcome.ERROR), judged(entry()))
    memory = Run("s", (EpisodeRow("e", "a", "t", success=True, spans=spans),))
    group = compare_outcomes([memory], [memory]).strata.groups[1].all
    assert (group.received, group.acted_on, group.beneficial, group.harmful) == (1, 0, 0, 0)


def test_repeats_of_a_task_are_runs_of_their_own() -> None:
    rows = [EpisodeRow(f"{n}{r}", "a", n, success=r == "1") for r in "123" for n in "ab"][:5]
    with pytest.raises(MemuseError, match="holds the task 'a/a' twice") as error:
        compare_outcomes([Run("s", tuple(rows))], [Run("s", tuple(rows[:2]))])
    assert error.value.reason == "task_twice"
    repeats = split_repeats(Run("s", tuple(rows)))
    assert [[e.id for e in run.episodes] for run in repeats] == [["a1", "b1"], ["a2", "b2"], ["a3"]]


def test_runs_without_outcomes_are_refused_and_not_taken_for_failures() -> None:
    run = Run("billing", (EpisodeRow("e", "a", "t"),))
    with pytest.raises(MemuseError, match="no episode of a run of suite 'billing' has a known outcome"):
        compare_outcomes([run], [run])
    with pytest.raises(MemuseError, match="at least one run with memory and one without"):
        compare_outcomes([run], [])
