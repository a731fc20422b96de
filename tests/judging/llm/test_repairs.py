"""What checks did to answers, and what calls used, counted over outcomes that are made by hand."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_memuse.judging import Signal
from pytest_memuse.judging.answers import Judgment
from pytest_memuse.judging.llm.outcome import (
    Attempt,
    ErrorReason,
    Rollback,
    SpanJudgment,
    Usage,
    span_judgment_from_data,
    span_judgment_to_data,
)
from pytest_memuse.judging.llm.repairs import Changes, changed_signals, repairs_of, use_of
from pytest_memuse.judging.violations import Violation, ViolationCode
from tests.judging.llm.endpoint import assessed, in_turn, says
from tests.judging.llm.judging import ALL_READ, READ, judged

UNREAD = ViolationCode.UNREAD_WINDOW
JSON = ViolationCode.INVALID_JSON
VALUES: dict[str, Any] = {signal.value: None for signal in Signal}


def signals(*entries: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {f"e{number}": VALUES | dict(values) for number, values in enumerate(entries, start=1)}


def rejected(*codes: ViolationCode, values: Mapping[str, Any] | None = None, entries: Any = None) -> Attempt:
    given = entries if entries is not None else None if values is None else signals(values)
    return Attempt(1, tuple(Violation(code, "no") for code in codes), signals=given)


def accepted(*entries: Mapping[str, Any]) -> Attempt:
    return Attempt(2, signals=signals(*entries or ({},)))


def span(*attempts: Attempt, calls: tuple[Usage, ...] = (Usage(1, 100, 50, 10, 0.5),), **changes: Any) -> SpanJudgment:
    judgment = Judgment("S1", ()) if attempts and attempts[-1].accepted else None
    return SpanJudgment("S1", "", judgment, attempts=attempts, calls=calls, **changes)


def test_a_span_that_is_accepted_at_once_is_no_repair() -> None:
    found = repairs_of([span(accepted())])
    assert (found.spans, found.accepted, found.followed_up, found.repaired, found.rejected) == (1, 1, 0, 0, 0)
    assert (found.answers, found.spans_by_code, found.errors) == ({}, {}, {})


def test_answers_and_spans_are_counted_by_what_was_wrong_and_overlap() -> None:
    twice = span(rejected(UNREAD, UNREAD, JSON), rejected(UNREAD), accepted())
    found = repairs_of([twice, span(rejected(JSON), accepted()), span(accepted())])
    assert found.answers == {JSON: 2, UNREAD: 2}
    assert found.spans_by_code == {JSON: 2, UNREAD: 1}
    assert (found.rejected, found.followed_up, found.repaired, found.incomplete_reads) == (3, 2, 2, 1)


def test_a_span_whose_answers_were_never_accepted_is_followed_up_and_not_repaired() -> None:
    lost = span(rejected(UNREAD, values={"influence": "none"}), error=ErrorReason.FOLLOW_UPS)
    silent = span(calls=(), error=ErrorReason.REQUEST)
    found = repairs_of([lost, silent])
    assert (found.spans, found.accepted, found.followed_up, found.repaired) == (2, 0, 1, 0)
    assert found.errors == {ErrorReason.FOLLOW_UPS: 1, ErrorReason.REQUEST: 1}
    assert found.changes == Changes()


def test_a_repair_changes_the_signals_that_differ_between_the_first_answer_and_the_accepted_one() -> None:
    first = rejected(UNREAD, values={"influence": "none", "relevance": True})
    kept = span(first, accepted({"influence": "none", "relevance": True}))
    moved = span(first, rejected(JSON), accepted({"influence": "acted_on", "relevance": False}))
    unreadable = span(rejected(JSON), accepted({"influence": "acted_on"}))
    found = repairs_of([kept, moved, unreadable])
    assert changed_signals(kept) == frozenset()
    assert changed_signals(moved) == frozenset({Signal.INFLUENCE, Signal.RELEVANCE})
    assert changed_signals(unreadable) is None
    assert found.changes == Changes(2, 1, {Signal.RELEVANCE: 1, Signal.INFLUENCE: 1})


def test_changes_of_spans_that_were_sent_back_for_reads_are_counted_apart() -> None:
    other = span(rejected(ViolationCode.BAD_VALUE, values={"effect": None}), accepted({"effect": "improved"}))
    reads = span(rejected(UNREAD, values={}), accepted())
    found = repairs_of([other, reads])
    assert found.changes == Changes(2, 1, {Signal.EFFECT: 1})
    assert found.coverage_changes == Changes(1, 0)


def test_an_entry_that_only_one_answer_assesses_changes_nothing() -> None:
    partial = rejected(ViolationCode.WRONG_ENTRIES, entries={"e1": VALUES})
    assert changed_signals(span(partial, accepted({}, {"influence": "none"}))) == frozenset()


def test_forced_rolled_back_and_corrected_spans_are_counted() -> None:
    done = span(accepted(), forced=True, corrected=2, rollbacks=(Rollback(1, 5),))
    lost = span(rejected(JSON), forced=True, corrected=1, error=ErrorReason.CALLS)
    found = repairs_of([done, lost])
    assert (found.forced, found.forced_accepted, found.rolled_back, found.corrected) == (2, 1, 1, 2)


def test_use_is_averaged_over_the_spans_that_were_asked_about() -> None:
    known = Usage(1, 100, 75, 10, 0.25)
    found = use_of([span(accepted(), calls=(known, known, known)), span(accepted(), calls=(known,)), span(calls=())])
    assert (found.spans, found.calls, found.calls_a_span, found.cached_share) == (2, 4, 2.0, 0.75)
    assert (found.input.each(found.spans), found.cost.each(found.spans)) == (200.0, 0.5)


def test_what_no_call_reports_is_unknown_and_what_some_report_is_a_lower_bound() -> None:
    nothing = Usage(1, None, None, None, None)
    silent = use_of([span(accepted(), calls=(nothing,))])
    assert (silent.cached_share, silent.input.known, silent.input.reporting, silent.cost.each(1)) == (
        None,
        False,
        0,
        None,
    )
    some = use_of([span(accepted(), calls=(Usage(1, 100, 50, 10, None), nothing))])
    assert (some.input.total, some.input.reporting, some.input.calls, some.input.known) == (100, 1, 2, False)
    assert some.cached_share == 0.5
    assert use_of([]).calls_a_span is None
    assert not use_of([]).cost.known


def test_a_cache_that_serves_nothing_has_a_share_of_zero() -> None:
    assert use_of([span(accepted(), calls=(Usage(1, 100, 0, 10, 0.0),))]).cached_share == 0.0


def test_an_outcome_that_was_written_and_read_again_counts_the_same() -> None:
    answers = (says(assessed(novelty="novel")), ALL_READ, says(assessed(novelty="redundant")))
    with judged(in_turn(READ, *answers)) as (found, _):
        pass
    assert repairs_of([found]).changes == Changes(1, 1, {Signal.NOVELTY: 1})
    again = span_judgment_from_data(span_judgment_to_data(found))
    assert repairs_of([again]) == repairs_of([found])
    assert use_of([again]) == use_of([found])
    assert use_of([found]).calls_a_span == 4
    bare = replace(again, messages=())
    assert use_of([bare]) == use_of([found])
