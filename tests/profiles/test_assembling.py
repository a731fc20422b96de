"""From spans and judgments to rows (MemUse 3.5, A.4.1)."""

from dataclasses import replace

import pytest

from pytest_memuse.judging.answers import Accuracy, Assessment, Effect, Influence, Judgment, Novelty, Signal
from pytest_memuse.model import Episode, Operation, OperationKind, Outcome
from pytest_memuse.profiles import EntryRow, RowOutcome, Triage, Usage, creation_ordinals, episode_row, span_row
from pytest_memuse.spans import Span, build_spans
from tests.spans.episodes import delivery, episode

ACTED = Assessment(True, Accuracy.CORROBORATED, Novelty.NOVEL, Influence.ACTED_ON, Effect.HARMED, (1,))


def plain_episode() -> Episode:
    return episode(
        [["m"], ["m", "n"]],
        {"m": "use uv", "n": "port 81"},
        delivery("d1", 1, "m", "use uv"),
        delivery("d2", 2, "n", "port 81", item="B"),
    )


def spans_of(whole: Episode) -> tuple[Span, ...]:
    return build_spans(whole)


def test_a_judged_span_carries_signals_usage_and_triage() -> None:
    span = spans_of(plain_episode())[0]
    row = span_row(span, Judgment("S1", (ACTED,), frozenset({Signal.INFLUENCE, Signal.EFFECT})))
    assert (row.outcome, row.triage, row.determines) == (RowOutcome.JUDGED, Triage.NEGATIVE, ("effect", "influence"))
    assert row.entries == (
        EntryRow(
            item="A",
            text="use uv",
            exposure="full",
            window=(1, 2),
            relevance=True,
            accuracy="corroborated",
            novelty="novel",
            influence="acted_on",
            effect="harmed",
            anchors=(1,),
            usage=Usage.MISUSED,
            exposed=6,
        ),
    )
    assert type(row.entries[0].influence) is str


def test_an_eligible_span_that_was_not_judged_is_pending_or_an_error_with_its_reason() -> None:
    whole = plain_episode()
    row = episode_row(whole, spans_of(whole), {"S2": None}, reasons={"S2": "the budget ran out"})
    assert [span.outcome for span in row.spans] == [RowOutcome.UNJUDGED, RowOutcome.ERROR]
    assert [span.problems for span in row.spans] == [(), ("the budget ran out",)]
    assert [span.triage for span in row.spans] == [None, None]


def test_a_judgment_of_some_entries_only_is_no_accepted_answer() -> None:
    row = span_row(spans_of(plain_episode())[0], Judgment("S1", ()))
    assert (row.outcome, row.problems) == (RowOutcome.ERROR, ("the judgment assesses 0 of 1 entries",))


def test_a_neutral_span_has_a_triage_label_and_no_signals() -> None:
    whole = episode(
        [["m"], ["m", "t"]],
        {"m": "use uv", "t": "use uv"},
        delivery("d1", 1, "m", "use uv"),
        delivery("d2", 2, "t", "use uv", place={"slot": "read"}),
    )
    row = episode_row(whole, spans_of(whole), {"S2": Judgment("S2", (ACTED,))}).spans[1]
    assert (row.outcome, row.triage) == (RowOutcome.NEUTRAL, Triage.NEUTRAL)
    assert (row.entries[0].influence, row.entries[0].usage, row.entries[0].window) == (None, None, None)


def test_an_error_span_keeps_its_text_volume_and_says_why() -> None:
    whole = replace(plain_episode(), task=None)
    row = episode_row(whole, spans_of(whole), {})
    assert [span.characters for span in row.spans] == [6, 7]
    assert row.spans[0].problems == ("missing_task: the recording does not hold the task",)


@pytest.mark.parametrize(("outcome", "success"), [(None, None), (Outcome(None), None), (Outcome(False), False)])
def test_an_outcome_that_no_check_decided_is_unknown(outcome: Outcome | None, success: bool | None) -> None:
    whole = replace(plain_episode(), outcome=outcome)
    row = episode_row(whole, spans_of(whole), {})
    assert (row.success, row.steps, row.task) == (success, 2, "test")


def test_stored_text_that_the_agent_never_saw_is_not_repeated() -> None:
    whole = episode([["m"]], {"m": "sits by it"}, delivery("d1", 1, "m", "sits by it", entry={"value": "a secret"}))
    (entry,) = span_row(spans_of(whole)[0], None).entries
    assert (entry.text, entry.exposure) == ("", "unknown")


def test_ordinals_count_creations_over_the_arc_in_its_order() -> None:
    create, update = OperationKind.CREATE, OperationKind.UPDATE
    first = replace(plain_episode(), operations=(Operation("o1", create, item="B"), Operation("o2", update, item="A")))
    second = replace(plain_episode(), operations=(Operation("o3", create, item="B"), Operation("o4", create, item="C")))
    ordinals = creation_ordinals([first, second])
    assert ordinals == {("", "B"): 0, ("", "C"): 1}
    row = episode_row(first, spans_of(first), {}, ordinals=ordinals)
    assert [span.entries[0].ordinal for span in row.spans] == [None, 0]
