"""Breakdowns beside the figures (MemUse 4.3, A.4.1, A.4.2)."""

from dataclasses import replace
from typing import Any

from pytest_memuse.profiles import EntryRow, Profile, RowOutcome, Run, SpanRow, Usage
from tests.profiles.runs import entry, judged, misused, run_of, used


def ignored(**more: Any) -> EntryRow:
    return entry(usage=Usage.IGNORED, **more)


def test_ignored_entries_are_irrelevant_where_relevance_is_false_and_go_by_novelty_otherwise() -> None:
    span = judged(
        ignored(relevance=False),
        ignored(),
        ignored(novelty="redundant"),
        ignored(novelty=None, relevance=None),
        used(),
    )
    unused = Profile.of(run_of((span,))).unused
    assert (unused.irrelevant, unused.novel, unused.redundant, unused.undetermined) == (1, 1, 1, 1)
    assert unused.relevant == 2


def test_an_item_recurs_by_namespace_and_episode_not_by_number_of_deliveries() -> None:
    twice = (judged(entry("A")), judged(entry("A")))
    run = run_of(twice, (judged(entry("A", namespace="other")),), (judged(entry("B")),), (judged(entry("B")),))
    recurring = Profile.of(run).recurring
    assert recurring.items == (("", "B"),)
    assert recurring.share_of_relevant_entries == 2 / 5
    assert recurring.relevance_coverage_without == 0.5


def test_rates_of_nothing_are_undefined() -> None:
    profile = Profile.of(Run("suite", ()))
    assert profile.recurring.share_of_relevant_entries is None
    assert profile.recurring.relevance_coverage_without is None
    assert profile.conditional_effects.share("improved") is None
    assert profile.hidden_by_outcomes.failed_share is None


def test_effects_without_an_action_are_no_conditional_effects() -> None:
    effects = Profile.of(run_of((judged(used(), misused(), entry(effect="improved")),))).conditional_effects
    assert (effects.acted_on, effects.improved, effects.harmed) == (2, 1, 1)


def test_an_unknown_outcome_hides_nothing_and_is_counted_apart() -> None:
    run = run_of((judged(used()),), (judged(used()),), (judged(misused()),))
    outcomes = (None, False, True)
    run = replace(run, episodes=tuple(replace(e, success=s) for e, s in zip(run.episodes, outcomes, strict=True)))
    hidden = Profile.of(run).hidden_by_outcomes
    assert (hidden.beneficial, hidden.beneficial_failed) == (1, 1)
    assert (hidden.harmful, hidden.harmful_passed) == (1, 1)
    assert hidden.unknown_outcomes == 1


def test_tokens_are_rounded_down_per_span_after_summing_its_deliveries() -> None:
    spans = (SpanRow("S1", RowOutcome.ERROR, 7), SpanRow("S2", RowOutcome.EMPTY, 7))
    profile = Profile.of(run_of(spans))
    assert profile.tokens == 2
    assert profile.tokens_by_span == (("E0", "S1", 1), ("E0", "S2", 1))


def test_corrected_effects_are_counted_over_the_run() -> None:
    assert Profile.of(run_of((judged(entry(), corrected=2),), (judged(entry(), corrected=1),))).corrected_effects == 3
