"""Shares by delivery form and route, volumes, delays, and spans outside every episode (MemUse 4.4, A.4, A.6.5)."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from pytest_memuse.model import Delivery, Entry, Placement
from pytest_memuse.profiles import (
    EntryRow,
    EpisodeRow,
    FormShares,
    Profile,
    RowOutcome,
    Run,
    SpanRow,
    Triage,
    UndefinedFigure,
    Usage,
    delivery_shares,
    outside_rows,
    run_from_dict,
    run_to_dict,
)
from pytest_memuse.profiles.delays import Delays
from pytest_memuse.profiles.delivered import COPIES, NO_ENTRIES, UNALLOCATED
from tests.profiles.runs import entry, judged, misused, run_of, runs, used


def forms(run: Run, **more: Any) -> dict[str, FormShares]:
    return {row.form: row for row in delivery_shares(run, **more)}


def by_item(span: SpanRow, entry: EntryRow) -> str:
    return entry.item


def neutral(**more: Any) -> SpanRow:
    return SpanRow("S9", RowOutcome.NEUTRAL, 400, (entry(),), Triage.NEUTRAL, **more)


def test_tokens_are_allocated_in_proportion_to_exposed_characters() -> None:
    span = judged(entry("persona", exposed=30), entry("scene", exposed=10), entry("scene", exposed=None))
    found = forms(run_of((span,)), form_of=by_item)
    assert {form: row.tokens.part for form, row in found.items()} == {"persona": 75.0, "scene": 25.0}
    assert found["persona"].tokens.whole == 100


def test_text_without_an_exposed_character_is_allocated_to_its_form_if_that_is_one() -> None:
    alike, mixed = judged(entry("a"), entry("a")), judged(entry("a"), entry("b"))
    found = forms(run_of((alike, mixed)), form_of=by_item)
    assert found["a"].tokens.part == found[UNALLOCATED].tokens.part == 100
    assert found["b"].tokens.part == 0


def test_copies_of_visible_entries_are_a_form_with_volume_and_without_rates() -> None:
    run = run_of((judged(used(), form="recall", route="host_scheduled"), neutral(form="recall", route="x")))
    copies = forms(run)[COPIES]
    assert (copies.tokens.value, copies.judged, copies.routes) == (0.5, 0, ("x",))
    assert copies.relevant.value is copies.acted_on.value is copies.harmful.value is None
    assert copies.beneficial.value == 0
    assert str(copies.relevant) == "0 of 0"


def test_rates_are_over_the_judged_entries_of_the_form_and_benefit_is_of_the_whole_run() -> None:
    card = judged(used(), misused(), entry(relevance=False), entry(influence="selected"), form="card")
    preview = judged(used(), used(), form="preview")
    failed = replace(judged(used(), form="card"), outcome=RowOutcome.ERROR)
    row = forms(run_of((card, preview, failed)))["card"]
    assert (row.spans, row.judged) == (2, 4)
    assert (row.beneficial.part, row.beneficial.whole) == (1, 3)
    assert (row.relevant.value, row.acted_on.value, row.harmful.value, row.selected.value) == (0.75, 0.5, 0.25, 0.25)


def test_a_rate_that_rests_on_what_the_judge_does_not_determine_is_undefined() -> None:
    run = run_of((judged(used(), form="card", determines=("effect", "influence")),))
    row = forms(run)["card"]
    assert (row.relevant.value, row.acted_on.value, row.beneficial.value) == (None, 1.0, 1.0)
    assert "which the judge of this run does not determine" in str(row.relevant)


def test_empty_spans_and_spans_outside_every_episode_stay_in_the_denominator() -> None:
    run = run_of((judged(used(), form="card"), SpanRow("S2", RowOutcome.EMPTY, 400)))
    run = replace(run, outside=(SpanRow("O1", RowOutcome.UNASSESSABLE, 800, (entry(),), form="card"),))
    found = forms(run)
    assert (found["card"].tokens.part, found["card"].tokens.whole) == (300, 400)
    assert found[NO_ENTRIES].tokens.part == 100


def test_the_published_restatements_are_shares_of_the_deliveries() -> None:
    """A.6.5: 45,279 of TencentDB's 51,242 deliveries and 43,077 of Mem0's 55,051."""
    for restatements, deliveries, percent in ((45279, 51242, 88.4), (43077, 55051, 78.2)):
        spans = deliveries - restatements
        rows = (judged(entry(), form="f", deliveries=restatements + 1), *[judged(entry(), form="f")] * (spans - 1))
        share = forms(run_of(rows))["f"].restatements
        assert (share.part, share.whole) == (restatements, deliveries)
        assert 100 * (share.value or 0) == pytest.approx(percent, abs=0.05)


@pytest.mark.parametrize(
    ("form", "beneficial", "whole", "percent"),
    [("full card", 81, 84, 96.43), ("task recall", 147, 194, 75.77), ("full skill", 123, 143, 86.01)],
)
def test_the_published_shares_of_beneficial_entries(form: str, beneficial: int, whole: int, percent: float) -> None:
    run = run_of((judged(*[used()] * beneficial, form=form), judged(*[used()] * (whole - beneficial), form="other")))
    assert 100 * (forms(run)[form].beneficial.value or 0) == pytest.approx(percent, abs=0.005)


@given(runs)
@settings(deadline=None, database=None)
def test_forms_and_outcome_classes_share_out_every_token_delivery_and_beneficial_entry(run: Run) -> None:
    profile = Profile.of(run)
    for rows in (profile.forms, profile.routes, delivery_shares(run, by_item)):
        assert sum(row.tokens.part or 0 for row in rows) == pytest.approx(profile.tokens)
        assert sum(row.restatements.whole for row in rows) == sum(s.deliveries for s in (*run.spans, *run.outside))
        assert sum(row.beneficial.part or 0 for row in rows) == sum({row.beneficial.whole for row in rows})
        assert sum(row.judged for row in rows) == sum(
            len(s.entries) for s in run.spans if s.outcome is RowOutcome.JUDGED
        )
    assert sum(volume.tokens.part or 0 for volume in profile.volumes.values()) == profile.tokens
    assert sum(volume.spans for volume in profile.volumes.values()) == len(run.spans) + len(run.outside)


def test_volumes_go_by_triage_label_and_otherwise_by_outcome_class() -> None:
    run = run_of(
        (judged(used(), triage=Triage.POSITIVE), neutral(), SpanRow("S3", RowOutcome.ERROR, 40, redacted=True))
    )
    volumes = Profile.of(run).volumes
    assert (volumes["positive"].spans, volumes["neutral"].spans, volumes["error"].unknown_sizes) == (1, 1, 1)
    assert (volumes["neutral"].tokens.part, volumes["neutral"].tokens.whole) == (100, 210)


# --- delays


def acted(*anchors: int, **more: Any) -> EntryRow:
    return entry(influence="acted_on", anchors=anchors, **more)


def test_a_delay_runs_from_the_first_consuming_step_to_the_first_anchored_action() -> None:
    span = judged(acted(3), acted(9, 4), acted(8), entry(anchors=(7,)), first=3, last=5)
    delays = Profile.of(run_of((span,))).delays
    assert delays.steps == (0, 1, 5)
    assert (delays.later.part, delays.later.whole) == (2, 3)
    assert delays.five_or_more.part == 1


def test_the_published_delays_are_shares_of_the_acted_on_entries() -> None:
    """4.2 and A.6.3: of 714 acted-on entries 51.8 % were first acted on later, 11.1 % at least five steps later."""
    entries = [acted(6)] * 79 + [acted(2)] * (370 - 79) + [acted(1)] * (714 - 370)
    delays = Profile.of(run_of((judged(*entries),))).delays
    assert 100 * (delays.later.value or 0) == pytest.approx(51.8, abs=0.05)
    assert 100 * (delays.five_or_more.value or 0) == pytest.approx(11.1, abs=0.05)


def test_an_acted_on_entry_without_an_anchor_has_no_delay_and_is_counted() -> None:
    delays = Profile.of(run_of((judged(acted()), judged(acted(2), first=None)))).delays
    assert (delays, delays.later.value) == (Delays((), 2), None)


def test_delays_are_undefined_where_the_judge_does_not_determine_influence() -> None:
    delays = Profile.of(run_of((judged(acted(2), determines=("relevance",)),))).delays
    assert delays.later.part is None
    assert "rests on influence" in delays.undefined


# --- spans outside every recorded episode


def test_spans_outside_every_episode_keep_their_cost_and_establish_nothing_else() -> None:
    run = run_of((judged(used()),), (judged(entry()),))
    with_outside = replace(run, outside=(judged(used(), misused(), characters=800),))
    inside, both = Profile.of(run), Profile.of(with_outside)
    assert both.token_efficiency == inside.token_efficiency / 2
    assert str(both.token_efficiency.counts) == "1 beneficial entries / 400 delivered tokens"
    assert both.delivered_tokens == 200
    assert inside.delivered_tokens == 100
    assert (both.token_efficiency.interval, inside.token_efficiency.interval is None) == (None, False)
    same = ("coverage_beneficial", "benefit_share", "harm_yield", "restatement_share", "positive_rate")
    assert [float(both.figure(f)) for f in same] == [float(inside.figure(f)) for f in same]
    assert (both.triage_counts, both.recurring) == (inside.triage_counts, inside.recurring)
    assert both.volumes["outside"].tokens.part == 200
    assert both.warnings[0].startswith("spans outside every recorded episode: 1;")


def test_text_outside_every_episode_makes_an_efficiency_of_nothing_zero_but_no_volume_per_episode() -> None:
    run = Run("s", (), (SpanRow("O1", RowOutcome.UNASSESSABLE, 400),))
    assert Profile.of(run).token_efficiency == 0
    with pytest.raises(UndefinedFigure, match="no episode was recorded"):
        assert Profile.of(run).delivered_tokens > 0


def test_redacted_text_makes_volume_a_lower_bound_with_a_warning() -> None:
    run = replace(run_of((judged(used()),)), outside=(SpanRow("O1", RowOutcome.UNASSESSABLE, 0, redacted=True),))
    profile = Profile.of(run)
    assert profile.delivered_tokens.bound == "at least"
    assert profile.token_efficiency.bound == "at most"
    assert profile.warnings[0].startswith("1 of 2 spans hold redacted text without a recorded size")
    assert Profile.of(run_of((judged(used()),))).warnings == ()


def test_deliveries_outside_every_episode_become_unassessable_spans_with_restatements() -> None:
    def delivery(name: str, text: str | None, *entries: Entry) -> Delivery:
        return Delivery(name, entries, (Placement("host", text, characters=None if text else 12),), "call-of-nobody")

    note = Entry("A", "use uv", version="1")
    first, again, other = delivery("d1", "use uv", note), delivery("d2", "use uv", note), delivery("d3", None)
    rows = outside_rows([first, again, other])
    assert [(r.outcome, r.deliveries, r.characters, r.first) for r in rows] == [
        (RowOutcome.UNASSESSABLE, 2, 12, None),
        (RowOutcome.EMPTY, 1, 12, None),
    ]


@given(runs)
@settings(deadline=None, database=None, max_examples=30)
def test_a_run_with_outside_spans_is_written_and_read_again(run: Run) -> None:
    run = replace(run, outside=run.spans)
    assert run_from_dict(json.loads(json.dumps(run_to_dict(run)))) == run


def test_rows_written_before_these_fields_were_there_are_read() -> None:
    old = {
        "suite": "s",
        "episodes": [
            {"id": "E", "arc": "a", "task": "t", "spans": [
                {"id": "S1", "outcome": "judged", "characters": 4, "entries": [{"item": "A", "usage": "used"}]}
            ]}
        ],
    }  # fmt: skip
    run = run_from_dict(old)
    assert run.outside == ()
    assert run.spans[0].entries == (EntryRow("A", usage=Usage.USED),)
    assert run_to_dict(run) == old


def test_accuracy_and_effect_are_counted_against_each_other() -> None:
    """4.4: 3 of 16 harmful entries were contradicted, 5 others irrelevant; 10 contradicted claims still helped."""
    harmful = [misused(accuracy="contradicted")] * 3 + [misused(relevance=False)] * 5 + [misused()] * 8
    helped = [used(accuracy="contradicted")] * 10 + [used()] * 411
    found = Profile.of(run_of((judged(*harmful, *helped),))).effects_by_accuracy
    assert found is not None
    assert (found.harmful, found.harmful_contradicted, found.harmful_irrelevant) == (16, 3, 5)
    assert (found.beneficial, found.beneficial_contradicted) == (421, 10)
    assert Profile.of(run_of((judged(used(), determines=("effect", "influence")),))).effects_by_accuracy is None


def test_an_episode_without_spans_adds_nothing() -> None:
    run = Run("s", (EpisodeRow("E", "a", "t"),))
    assert Profile.of(run).forms == ()
    assert Profile.of(run).delays.later.value is None
