"""Two judges of one suite: what they agree on, and what their disagreements move."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Accuracy, Assessment, Effect, Influence, Judgment, Novelty, Signal
from pytest_memuse.model import Delivery, Entry, MemuseError, Placement
from pytest_memuse.profiles.agreement import JudgesAgreement
from pytest_memuse.profiles.assembling import span_row
from pytest_memuse.profiles.judge_noise import judge_noise
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.replacing import Moved
from pytest_memuse.profiles.rows import EpisodeRow, Run, Usage
from pytest_memuse.profiles.undefined import UndefinedFigure
from pytest_memuse.spans import Exposure, ExposureKind, Span, SpanEntry, SpanOutcome, Window

IMPROVED, HARMED = Effect.IMPROVED, Effect.HARMED
EVERY = frozenset(Signal)


def acted(effect: Effect | None = None) -> Assessment:
    return Assessment(True, Accuracy.CORROBORATED, Novelty.NOVEL, Influence.ACTED_ON, effect, (1,))


def idle(influence: Influence | None = Influence.NONE) -> Assessment:
    return Assessment(False, Accuracy.UNCONTRADICTED, Novelty.REDUNDANT, influence, None)


def run_of(arcs: Sequence[Sequence[Assessment]], determines: frozenset[Signal] = EVERY, text: str = "t") -> Run:
    """Return a run of arcs with an episode each, which has one span of these entries."""
    return Run("s", tuple(_episode(f"arc-{n}", of, determines, text) for n, of in enumerate(arcs)))


def _episode(arc: str, of: Sequence[Assessment], determines: frozenset[Signal], text: str) -> EpisodeRow:
    entries = tuple(
        SpanEntry(Entry(f"i{n}"), Exposure(ExposureKind.FULL, f"{text}{n}"), Window(1, 3)) for n in range(len(of))
    )
    deliveries = (Delivery("d", (), (Placement("p", "x" * 400),), None),)
    span = Span("S1", deliveries, entries, 1, 1, SpanOutcome.ELIGIBLE, 400)
    row = span_row(span, Judgment("S1", tuple(of), determines))
    return EpisodeRow(f"{arc}/e", arc, f"task of {arc}", success=True, steps=3, spans=(row,))


MINE = [[acted(IMPROVED), idle()], [acted(None), idle()], [idle(), idle(None)], [acted(HARMED), idle()]]
THEIRS = [[acted(IMPROVED), acted(HARMED)], [acted(IMPROVED), idle()], [idle(), idle()], [acted(HARMED), idle()]]


def agreement(mine: Run | None = None, theirs: Run | None = None) -> JudgesAgreement:
    return JudgesAgreement.of("A", mine or run_of(MINE), "B", theirs or run_of(THEIRS))


def by_name(moved: Sequence[Moved]) -> dict[str, tuple[float | None, float | None]]:
    return {one.figure: (one.before, one.after) for one in moved}


def test_agreement_is_counted_by_signal_and_kappa_is_clustered_by_arc() -> None:
    influence = agreement().influence
    assert (influence.paired.agreed, len(influence.paired.pairs)) == (6, 8)
    assert influence.raw == 0.75
    # By chance: acted on 3/8 * 4/8, none 4/8 * 4/8.
    assert influence.kappa.value == pytest.approx((0.75 - 28 / 64) / (1 - 28 / 64))
    assert isinstance(influence.kappa.lower, float)
    assert influence.kappa.arcs == 4
    assert influence.paired.confusion == {
        ("acted_on", "acted_on"): 3,
        ("none", "none"): 3,
        ("none", "acted_on"): 1,
        (None, "none"): 1,
    }


def test_effects_are_compared_where_both_judges_see_an_action() -> None:
    effect = agreement().effect
    assert (effect.paired.agreed, len(effect.paired.pairs)) == (2, 3)
    assert effect.paired.confusion[None, "improved"] == 1


def test_an_assertion_on_kappa_holds_or_fails_as_a_number_does() -> None:
    found = agreement(theirs=run_of(MINE))
    assert found.influence.kappa.value == 1
    assert found.influence.kappa.lower > 0
    assert not found.influence.kappa.lower > 0.9


@pytest.mark.parametrize(
    ("mine", "theirs", "reason"),
    [
        (run_of([[idle()], [idle()]]), None, "both judges give one and the same value throughout"),
        (run_of([[acted(), idle()]]), None, "a bound takes entries of at least two arcs"),
        (run_of(MINE, frozenset({Signal.NOVELTY})), None, "neither judge determines influence"),
        (run_of(MINE), run_of(MINE, frozenset({Signal.NOVELTY})), "B does not determine influence"),
        (run_of(MINE), run_of(MINE, text="other"), "no span was judged by both judges"),
    ],
)
def test_an_undefined_kappa_refuses_with_its_reason(mine: Run, theirs: Run | None, reason: str) -> None:
    kappa = agreement(mine, theirs or mine).influence.kappa
    with pytest.raises(UndefinedFigure, match=reason) as caught:
        assert kappa.lower > 0.6
    assert "influence.kappa.lower is undefined" in str(caught.value)
    assert reason in repr(kappa)


def test_a_disagreement_moves_what_its_cell_and_its_entry_say() -> None:
    found = agreement()
    moved = by_name(found.moves(Signal.INFLUENCE))
    # Of four spans with two entries each: 3 of 8 are acted on with A, 4 of 8 with B's influence.
    assert moved["acted_on_share"] == pytest.approx((0.375, 0.5))
    assert moved["influence_uncertainty"] == pytest.approx((0.125, 0))
    assert "benefit_share" not in moved  # an action that B alone sees has no effect from A
    cells = {(cell.first, cell.second): by_name(cell.moved) for cell in found.cells(Signal.INFLUENCE)}
    assert cells["none", "acted_on"]["acted_on_share"] == pytest.approx((0.375, 0.5))
    assert "acted_on_share" not in cells[None, "none"]
    one = next(d for d in found.disagreements() if d.signal is Signal.INFLUENCE)
    assert (one.pair.episode, one.pair.entry, one.task, one.step) == ("arc-0/e", 1, "task of arc-0", 1)
    assert by_name(one.moved)["acted_on_share"] == pytest.approx((0.375, 0.5))


def test_an_effect_in_place_of_another_moves_benefit_harm_and_the_labels() -> None:
    moved = by_name(agreement().moves(Signal.EFFECT))
    assert moved["benefit_share"] == pytest.approx((1 / 8, 2 / 8))
    assert moved["positive_rate"] == pytest.approx((0.25, 0.5))
    assert moved["unresolved_rate"] == pytest.approx((0.25, 0))


def test_spans_that_are_not_the_same_or_not_judged_by_both_are_counted_and_left_out() -> None:
    theirs = run_of(THEIRS)
    changed = replace(theirs, episodes=(*theirs.episodes[:2], *run_of(THEIRS[:1], text="other").episodes))
    found = agreement(theirs=changed)
    assert (len(found.spans), found.only_first, found.only_second) == (2, 2, 1)


def test_repeats_of_an_episode_are_paired_in_order() -> None:
    mine, theirs = run_of([[acted(IMPROVED)]]), run_of([[acted(HARMED)]])
    both = replace(mine, episodes=(*mine.episodes, *theirs.episodes))
    assert agreement(both, both).effect.raw == 1


def test_the_share_of_the_prevalent_value_is_over_both_judges() -> None:
    assert agreement().influence.paired.prevalent == ("none", 8 / 16)


ASSESSMENTS = st.builds(
    Assessment,
    st.sampled_from([True, False, None]),
    st.sampled_from([*Accuracy, None]),
    st.sampled_from([*Novelty, None]),
    st.sampled_from([*Influence, None]),
    st.sampled_from([*Effect, None]),
    st.just((1,)),
    st.booleans(),
)
PAIRS = st.lists(st.lists(st.tuples(ASSESSMENTS, ASSESSMENTS), min_size=1, max_size=3), min_size=1, max_size=4)


@given(PAIRS)
def test_with_every_signal_replaced_the_profile_is_the_other_judges(
    arcs: list[list[tuple[Assessment, Assessment]]],
) -> None:
    mine = run_of([[first for first, _ in arc] for arc in arcs])
    theirs = run_of([[second for _, second in arc] for arc in arcs])
    moved = {one.figure: one.after for one in JudgesAgreement.of("A", mine, "B", theirs).moves()}
    before, after = Profile.of(mine), Profile.of(theirs)
    for figure in before:
        if figure.defined:
            expected = float(after.figure(figure.name))
            assert moved.get(figure.name, float(figure)) == pytest.approx(expected, abs=1e-9), figure.name


@given(PAIRS)
def test_a_judge_agrees_with_itself_and_moves_nothing(arcs: list[list[tuple[Assessment, Assessment]]]) -> None:
    run = run_of([[first for first, _ in arc] for arc in arcs])
    found = JudgesAgreement.of("A", run, "A", run)
    assert found.moves() == ()
    assert list(found.disagreements()) == []
    assert all(one.paired.agreed == len(one.paired.pairs) for one in found.signals)


# The judge's own noise


def test_repeated_judging_splits_every_figure_that_rests_on_signals() -> None:
    found = {one.figure: one for one in judge_noise([run_of(MINE), run_of(THEIRS)])}
    acted_on = found["acted_on_share"].split
    assert acted_on is not None
    # Arcs' shares: 1/2 and 1, 1/2 and 1/2, 0 and 0, 1/2 and 1/2.
    assert acted_on.value == pytest.approx(7 / 16)
    assert acted_on.judge == pytest.approx(0.125 / 4)
    assert "outcome_rate" not in found
    assert "delivered_tokens" not in found


def test_a_figure_that_is_undefined_in_a_judging_says_why_and_other_arcs_are_refused() -> None:
    found = judge_noise([run_of(MINE), run_of(MINE, EVERY - {Signal.RELEVANCE})])
    reasons = {one.figure: one.reason for one in found if one.split is None}
    assert "relevance" in reasons["relevance_share"]
    with pytest.raises(MemuseError, match="two judgings of the same arcs"):
        judge_noise([run_of(MINE), run_of(MINE[:2])])


def test_the_usage_of_an_undetermined_influence_is_the_judges_whose_it_is() -> None:
    unread = replace(idle(None), window_read=False)
    found = agreement(run_of([[idle()], [idle(None)]]), run_of([[unread], [idle(None)]]))
    moved = by_name(found.moves(Signal.INFLUENCE))
    assert moved["unresolved_rate"] == (0, 0.5)
    assert found.run.episodes[1].spans[0].entries[0].usage is Usage.AMBIGUOUS
