"""A comparison with runs without memory, to the letter: the numbers of the paper's Table 10."""

from dataclasses import replace

import numpy as np
import pytest

from pytest_memuse.profiles import OutcomeComparison, compare_outcomes
from pytest_memuse.reports.data import outcomes_data
from pytest_memuse.reports.outcomes import outcome_lines
from tests.profiles.runs import entry, judged
from tests.profiles.table10 import baseline_runs, memory_runs
from tests.reports.golden import golden, text


@pytest.fixture(scope="module")
def published() -> OutcomeComparison:
    return compare_outcomes(memory_runs(), baseline_runs())


def lines_of(found: OutcomeComparison) -> list[str]:
    return outcome_lines(found, found.difference(np.random.default_rng(1), replicates=200))


def test_the_papers_comparison_on_one_screen(published: OutcomeComparison) -> None:
    assert text(lines_of(published)) == golden("outcomes")


def test_tasks_that_cannot_be_matched_are_named(published: OutcomeComparison) -> None:
    memory, baseline = memory_runs()[:1], baseline_runs()[:1]
    other = replace(baseline[0], episodes=tuple(replace(e, task_digest="new") for e in baseline[0].episodes))
    found = compare_outcomes(memory, [other])
    assert lines_of(found) == [
        "",
        "against 1 run without memory: 0 matched tasks in 1 run with memory",
        "  not matched, for not every run holds them in the same form: a/0, a/1, a/2, a/3, a/4, and 495 more",
    ]


def test_one_task_has_a_difference_and_no_interval() -> None:
    memory, baseline = memory_runs()[:1], baseline_runs()[:1]
    one = [replace(run, episodes=run.episodes[:1]) for run in (*memory, *baseline)]
    assert "no interval, fewer than two tasks" in lines_of(compare_outcomes(one[:1], one[1:]))[3]


def test_a_stratum_says_where_its_counts_are_undefined() -> None:
    run = memory_runs()[0]
    spans = (judged(entry(), determines=("relevance",)),)
    unread = replace(run, episodes=tuple(replace(e, spans=spans) for e in run.episodes))
    lines = lines_of(compare_outcomes([unread], baseline_runs()[:1]))
    undefined = "undefined: it rests on influence, which the judge of this run does not determine"
    assert undefined in lines
    assert lines[-3].split()[-3:] == ["undefined"] * 3


def test_programs_get_the_comparison_unrounded(published: OutcomeComparison) -> None:
    data = outcomes_data(published, published.difference(np.random.default_rng(1), replicates=200))
    assert data["changes"]["mean_gained"] == published.changes.mean_gained
    assert data["strata"]["groups"][0]["resolved"]["acted_on"] == 7
    assert (data["runs_with_memory"], data["runs_without_memory"], len(data["tasks"])) == (16, 4, 500)
