"""The registry of figures and the profile of a run (MemUse 3.5, A.4)."""

import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.profiles import (
    DEFAULT_GATED,
    FIGURES,
    Bound,
    EpisodeRow,
    Profile,
    RowOutcome,
    Run,
    SpanRow,
    UndefinedFigure,
    Usage,
    Worse,
    arc_contributions,
)
from pytest_memuse.profiles.axes import AXES, UNCERTAINTIES, share_on
from tests.profiles.runs import entries, entry, judged, misused, run_of, runs, used

IMPROVED = [spec.name for spec in FIGURES.values() if spec.worse is not Worse.NEITHER]


def test_the_gated_figures_are_figures_with_a_worse_direction() -> None:
    assert set(DEFAULT_GATED) <= set(IMPROVED)


def test_a_mean_share_weights_each_profiled_span_equally() -> None:
    run = run_of((judged(used()),), (judged(used(), entry(), entry(), entry()),))
    assert Profile.of(run).benefit_share == pytest.approx((1 + 0.25) / 2)
    assert str(Profile.of(run).benefit_share.counts) == "2 beneficial entries / 5 entries of profiled spans"


def test_yields_count_entries_per_hundred_profiled_spans() -> None:
    run = run_of((judged(used(), misused(), misused()),), (judged(entry()),))
    profile = Profile.of(run)
    assert (profile.benefit_yield, profile.harm_yield) == (50.0, 100.0)


def test_token_efficiency_divides_by_all_delivered_text() -> None:
    error = SpanRow("S2", RowOutcome.ERROR, characters=3999, entries=(entry(),))
    assert Profile.of(run_of((judged(used(), characters=401), error))).token_efficiency == 1e6 / (100 + 999)


def test_an_episode_without_deliveries_counts_in_coverage_and_in_delivered_tokens() -> None:
    profile = Profile.of(run_of((judged(used(), characters=400),), ()))
    assert profile.coverage_beneficial == 0.5
    assert profile.delivered_tokens == 50


def test_the_outcome_rate_leaves_unknown_outcomes_out() -> None:
    run = run_of((), (), ())
    outcomes = zip(run.episodes, (True, False, None), strict=True)
    run = replace(run, episodes=tuple(replace(episode, success=success) for episode, success in outcomes))
    rate = Profile.of(run).outcome_rate
    assert rate == 0.5
    assert [one.task for one in rate.responsible] == ["task-1"]


def test_restatements_are_a_share_of_all_deliveries() -> None:
    assert Profile.of(run_of((judged(entry(), deliveries=3), judged(entry())))).restatement_share == 0.5


def test_triage_rates_leave_spans_without_a_label_out() -> None:
    neutral = SpanRow("S2", RowOutcome.NEUTRAL, 0, (entry(),), triage=judged().triage)
    unjudged = SpanRow("S3", RowOutcome.UNJUDGED, 0, (entry(),))
    profile = Profile.of(run_of((judged(entry()), neutral, unjudged)))
    assert profile.neutral_rate == 1.0
    assert profile.triage_counts["unjudged"] == 1


@pytest.mark.parametrize("name", [name for name in FIGURES if name not in ("restatement_share",)])
def test_a_figure_with_an_empty_denominator_is_undefined_and_never_zero(name: str) -> None:
    figure = Profile.of(Run("suite", ())).figure(name)
    assert figure.defined is False
    with pytest.raises(UndefinedFigure, match=f"{name} is undefined: no ") as error:
        assert figure < 0.005
    assert (error.value.figure, error.value.reason) == (name, "undefined_figure")


@pytest.mark.parametrize(
    "use",
    [
        float,
        bool,
        int,
        hash,
        lambda f: f == 0,
        lambda f: f != 0,
        lambda f: f >= 0,
        lambda f: f > 1,
        lambda f: 1 - f,
        lambda f: f * 2,
        lambda f: sum([f, f]),
        lambda f: pytest.approx(1.0) == f,
    ],
)
def test_every_use_of_an_undefined_figure_raises(use: Any) -> None:
    with pytest.raises(UndefinedFigure):
        use(Profile.of(Run("suite", ())).harm_share)


def test_an_undefined_figure_can_be_shown() -> None:
    figure = Profile.of(Run("suite", ())).harm_share
    assert repr(figure) == "<harm_share is undefined: no span of this run was profiled>"
    assert f"{figure:.3f}" == "undefined"


def test_a_figure_is_undefined_where_the_judge_does_not_determine_a_signal_it_rests_on() -> None:
    profile = Profile.of(run_of((judged(used()), judged(used(), determines=("influence", "novelty")))))
    assert profile.acted_on_share == 1.0
    assert "effect, which the judge" in profile.benefit_share.reason
    assert "relevance, which the judge" in profile.information_gain_share.reason
    assert profile.delivered_tokens.defined


def test_redacted_text_makes_volume_a_lower_bound_and_efficiency_an_upper_bound() -> None:
    profile = Profile.of(run_of((judged(used()), judged(used(), redacted=True))))
    assert profile.delivered_tokens.bound is Bound.AT_LEAST
    assert profile.token_efficiency.bound is Bound.AT_MOST
    assert "no recorded size" in profile.token_efficiency.reason
    assert (profile.benefit_share.bound, profile.benefit_share.reason) == (None, "")


def test_an_unknown_figure_names_the_nearest_one() -> None:
    with pytest.raises(AttributeError, match=r"no figure 'harm_shares'; did you mean 'harm_share'\?"):
        _ = Profile.of(Run("suite", ())).harm_shares
    with pytest.raises(KeyError, match="did you mean"):
        Profile.of(Run("suite", ())).figure("harm_shares")


def test_the_entries_responsible_say_where_they_are_and_what_became_of_them() -> None:
    harm = misused("B", anchors=(4, 6), text="use port 8080")
    run = run_of((judged(entry(), harm, first=2),), (judged(used("C"), id="S7", first=5),))
    (one,) = Profile.of(run).harm_share.responsible
    assert (one.task, one.episode, one.span, one.step) == ("task-0", "E0", "S1", 4)
    assert (one.item, one.text, one.usage) == ("B", "use port 8080", Usage.MISUSED)


def test_where_less_is_worse_the_entries_responsible_are_those_that_do_not_count() -> None:
    run = run_of((judged(entry("A", relevance=False), entry("B"), misused("C", relevance=False)),))
    assert [one.item for one in Profile.of(run).relevance_share.responsible] == ["C", "A"]
    assert [one.step for one in Profile.of(run).relevance_share.responsible] == [1, 1]


def test_a_figure_is_a_number_and_leaves_its_process_as_one() -> None:
    figure = Profile.of(run_of((judged(used()),))).benefit_share
    assert figure * 2 + 1 == 3.0
    assert f"{figure:.2f}" == "1.00"
    copy = pickle.loads(pickle.dumps(figure))
    assert type(copy) is float
    assert copy == 1.0


def test_contributions_add_up_over_arcs_to_the_figure() -> None:
    run = run_of((judged(used()),), (judged(entry()),), (judged(entry(), used()),), arcs=2)
    arcs = arc_contributions(run, FIGURES["benefit_share"])
    assert arcs == {"arc-0": (1.5, 2.0), "arc-1": (0.0, 1.0)}
    assert FIGURES["benefit_share"].value_of(arcs.values()) == Profile.of(run).benefit_share == 0.5


@given(st.lists(entries, min_size=1, max_size=5))
@settings(deadline=None, database=None)
def test_an_axis_never_exceeds_the_axis_that_it_refines(some: list[Any]) -> None:
    span = judged(*some)
    refining = [axis for axis in (*AXES.values(), *UNCERTAINTIES.values()) if axis.refines is not None]
    assert len(refining) == 7
    for axis in refining:
        assert axis.refines is not None
        assert share_on(axis, span) <= share_on(AXES[axis.refines], span) <= 1


@given(runs, st.randoms(use_true_random=False))
@settings(deadline=None, database=None, max_examples=40)
def test_the_order_of_unrelated_episodes_changes_no_figure(run: Run, random: Any) -> None:
    shuffled = list(run.episodes)
    random.shuffle(shuffled)
    one, other = Profile.of(run), Profile.of(replace(run, episodes=tuple(shuffled)))
    for before, after in zip(one, other, strict=True):
        assert before.defined == after.defined
        assert before.counts == after.counts
        if before.defined:
            assert float(before) == pytest.approx(float(after))
            assert (before.interval or ()) == pytest.approx(after.interval or ())
    assert one.triage_counts == other.triage_counts
    assert set(one.recurring.items) == set(other.recurring.items)


@given(runs)
@settings(deadline=None, database=None, max_examples=40)
def test_a_share_lies_between_zero_and_one_and_within_its_interval(run: Run) -> None:
    for figure in Profile.of(run):
        if figure.defined:
            assert float(figure) >= 0
            assert figure.behind.kind != "share" or float(figure) <= 1
            if figure.interval is not None:
                assert figure.interval[0] - 1e-9 <= float(figure) <= figure.interval[1] + 1e-9


def test_an_episode_outside_every_arc_is_impossible_so_each_counts_once() -> None:
    run = Run("suite", (EpisodeRow("E", "a", "t", steps=3), EpisodeRow("E", "b", "t", steps=5)))
    assert Profile.of(run).steps == 4
