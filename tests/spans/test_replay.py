"""Inputs replayed from messages, retractions and history rewrites (MemUse A.1.1, A.1.3)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    HistoryChange,
    HistoryKind,
    Message,
    Operation,
    OperationKind,
    Placement,
    Proof,
    Step,
    Task,
)
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.episodes import LOST, EventLog
from pytest_memuse.model.log import read_log, write_log
from pytest_memuse.spans import (
    ProblemKind,
    SpanOutcome,
    build_spans,
    prior_context,
    recording_problems,
    replay,
    replay_inputs,
)
from tests.spans.conversations import conversation, damaged, with_changes_alone

A, B, C, D, E = (Message("user", name) for name in "ABCDE")
_NAMES = {message.digest: message.text for message in (A, B, C, D, E)} | {LOST: "?"}


def append(step: int, kept: int, *messages: Message) -> HistoryChange:
    return HistoryChange(HistoryKind.APPEND, f"call-{step}", kept, (), tuple(m.digest for m in messages))


def retraction(step: int, kept: int, *removed: Message) -> HistoryChange:
    return HistoryChange(HistoryKind.RETRACTION, f"call-{step}", kept, tuple(m.digest for m in removed))


def rewrite(step: int, kept: int, *messages: Message, removed: tuple[Message, ...] = ()) -> HistoryChange:
    new = tuple(m.digest for m in messages)
    return HistoryChange(HistoryKind.REWRITE, f"call-{step}", kept, tuple(m.digest for m in removed), new)


def episode(*history: HistoryChange, steps: int = 0, exact: dict[int, str] | None = None) -> Episode:
    """Return an episode; ``exact`` gives the exact requests by step, a letter for each message."""
    letters = {name: digest for digest, name in _NAMES.items()}
    requests = {n: tuple(letters[letter] for letter in text) for n, text in (exact or {}).items()}
    count = steps or max(int(change.before.removeprefix("call-")) for change in history)
    return Episode(
        id="e",
        steps=tuple(Step(n, Call(f"call-{n}", Actor.AGENT, requests.get(n, ()))) for n in range(1, count + 1)),
        deliveries=(),
        messages={m.digest: m for m in (A, B, C, D, E)},
        task=Task("e", "Do it."),
        history=history,
    )


def inputs(found: Episode) -> list[str]:
    """Return each step's input, a letter for each message, with an exclamation mark where it has a gap."""
    calls = [step.call for step in replay_inputs(found).steps]
    return ["".join(_NAMES[d] for d in call.input) + "!" * call.gap for call in calls]


def test_messages_are_replayed_in_recorded_order() -> None:
    assert inputs(episode(append(1, 0, A), append(1, 1, B), append(2, 2, C, D))) == ["AB", "ABCD"]


def test_a_call_before_which_nothing_changed_reads_what_the_step_before_it_read() -> None:
    assert inputs(episode(append(1, 0, A), append(3, 1, B), steps=4)) == ["A", "A", "AB", "AB"]


def test_a_trailing_retraction_above_a_kept_prefix_is_a_known_removal() -> None:
    assert inputs(episode(append(1, 0, A, B, C), retraction(2, 1, B, C), append(2, 1, D))) == ["ABC", "AD"]


def test_a_retraction_need_not_name_what_it_removes() -> None:
    assert inputs(episode(append(1, 0, A, B, C), retraction(2, 1))) == ["ABC", "A"]


def test_a_rewrite_puts_its_messages_behind_the_kept_prefix() -> None:
    assert inputs(episode(append(1, 0, A, B, C), rewrite(2, 1, D, removed=(B, C)))) == ["ABC", "AD"]


def test_missing_positions_within_the_visible_history_are_a_gap() -> None:
    assert inputs(episode(append(1, 0, A), append(2, 3, B), append(3, 4, C))) == ["A", "A??B!", "A??BC!"]


def test_a_message_that_the_log_does_not_hold_is_a_gap() -> None:
    lost = HistoryChange(HistoryKind.APPEND, "call-2", 1, (), ("0" * 32,))
    found = replay_inputs(episode(append(1, 0, A), lost, retraction(3, 1), append(3, 1, B)))
    assert [step.call.gap for step in found.steps] == [False, True, False]


def test_a_removal_above_a_kept_prefix_takes_a_gap_above_it_away() -> None:
    assert inputs(episode(append(1, 0, A), append(2, 3, B), retraction(3, 1), append(3, 1, C))) == ["A", "A??B!", "AC"]


def test_a_removal_that_keeps_a_lost_position_keeps_the_gap() -> None:
    assert inputs(episode(append(1, 0, A), append(2, 2, B), retraction(3, 2, B))) == ["A", "A?B!", "A?!"]


@pytest.mark.parametrize("removed", [(C,), (A,), (B, C)])
def test_a_retraction_without_its_visible_target_is_a_gap(removed: tuple[Message, ...]) -> None:
    assert inputs(episode(append(1, 0, A, B), retraction(2, 1, *removed), append(3, 1, D))) == ["AB", "A!", "AD!"]


def test_a_retraction_of_nothing_is_a_gap() -> None:
    assert inputs(episode(append(1, 0, A, B), retraction(2, 2))) == ["AB", "AB!"]


def test_an_invalid_retained_prefix_is_a_gap() -> None:
    assert inputs(episode(append(1, 0, A), retraction(2, 3))) == ["A", "A??!"]
    assert inputs(episode(append(1, 0, A), rewrite(2, 3, B))) == ["A", "A??B!"]


def test_messages_appended_where_others_stand_are_a_gap() -> None:
    assert inputs(episode(append(1, 0, A, B), append(2, 1, C))) == ["AB", "AC!"]


def test_a_rewrite_of_the_whole_history_ends_every_gap() -> None:
    assert inputs(episode(append(1, 0, A), retraction(2, 1, E), rewrite(3, 0, C, D))) == ["A", "A!", "CD"]


def test_a_prefix_that_nobody_could_send_is_not_built() -> None:
    found = replay_inputs(episode(append(1, 0, A), retraction(2, 10**12), append(3, 10**12, B)))
    assert [len(step.call.input) for step in found.steps] == [1, 0, 1]
    assert [step.call.gap for step in found.steps] == [False, True, True]


def test_a_short_history_of_endless_inputs_is_replayed_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MOST_REPLAYED", 5)
    found = episode(append(1, 0, A, B), append(2, 2, C), append(3, 3, D))
    assert inputs(found) == ["AB", "ABC", "!"]
    assert inputs(replay_inputs(found)) == ["AB", "ABC", "!"]


def test_changes_that_name_a_call_which_is_already_past_leave_both_in_doubt() -> None:
    assert inputs(episode(append(1, 0, A), append(2, 1, B), append(1, 2, C), append(3, 3, D)))[1:] == ["AB", "??CD!"]
    assert inputs(episode(append(1, 0, A), append(2, 1, B), append(1, 2, C)))[0] == "A!"


def test_what_a_failed_call_read_is_replayed_too_and_a_retry_says_what_it_read() -> None:
    whole = episode(append(1, 0, A), append(2, 2, C))
    failed = Call("lost", Actor.AGENT, completed=False)
    change = HistoryChange(HistoryKind.APPEND, "lost", 1, (), (B.digest,))
    told = replace(whole, failed_calls=(failed,), history=(whole.history[0], change, whole.history[1]))
    assert inputs(told) == ["A", "ABC"]
    assert replay_inputs(told).failed_calls[0].input == (A.digest, B.digest)
    # Whether step 2 came before or after the failed call is not recorded where nothing changed before step 2.
    assert inputs(replace(told, history=told.history[:2])) == ["A", "AB!"]
    assert inputs(replace(told, history=(*told.history[:2], append(2, 2)))) == ["A", "AB"]


def test_where_exact_requests_and_history_are_there_they_must_agree() -> None:
    history = (append(1, 0, A), append(2, 1, B), append(3, 2, C))
    assert inputs(episode(*history, exact={1: "A", 2: "AB", 3: "ABC"})) == ["A", "AB", "ABC"]
    assert inputs(episode(*history, exact={1: "A", 2: "AD", 3: "ADC"})) == ["A", "AD!", "ADC"]
    assert inputs(episode(*history, exact={1: "A", 3: "ABC"})) == ["A", "AB", "ABC"]


def test_a_retraction_without_target_is_a_gap_beside_an_exact_request_as_well() -> None:
    found = episode(append(1, 0, A, B), retraction(2, 1, E), append(3, 1, C), exact={1: "AB", 2: "A", 3: "AC"})
    assert inputs(found) == ["AB", "A!", "AC"]


def test_changes_alone_are_checked_against_the_requests_that_they_lie_between() -> None:
    requests = {1: "ABC", 2: "ABCD", 3: "AE"}
    assert inputs(episode(rewrite(3, 1, E, removed=(B, C, D)), exact=requests)) == ["ABC", "ABCD", "AE"]
    assert inputs(episode(rewrite(3, 1, C), exact=requests)) == ["ABC", "ABCD", "AE!"]
    assert inputs(episode(retraction(3, 1, C, D), exact=requests)) == ["ABC", "ABCD", "AE!"]
    assert inputs(episode(retraction(3, 4), exact=requests)) == ["ABC", "ABCD", "AE!"]


def test_changes_alone_give_no_input_to_a_call_without_an_exact_request() -> None:
    assert inputs(episode(rewrite(2, 0, C), exact={1: "A"})) == ["A", ""]


def test_an_episode_without_a_history_is_returned_as_it_is() -> None:
    found = episode(steps=1, exact={1: "A"})
    assert replay_inputs(found) is found


@given(st.integers(0, 10**9))
def test_the_history_of_a_conversation_gives_exactly_its_requests(seed: int) -> None:
    made = conversation(seed)
    found = replay_inputs(made.told)
    assert (found.steps, found.failed_calls) == (made.exact.steps, made.exact.failed_calls)
    both = made.both
    assert replay_inputs(both) is both


@given(st.integers(0, 10**9))
def test_changes_that_were_found_by_comparing_exact_requests_agree_with_them(seed: int) -> None:
    compared = with_changes_alone(conversation(seed).exact)
    assert replay_inputs(compared) is compared


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_replaying_twice_is_replaying_once_whatever_the_record(seed: int, damage: int) -> None:
    made = conversation(seed)
    for whole in (made.told, made.both):
        once = replay_inputs(damaged(whole, damage))
        assert replay_inputs(once) == once


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_replay_invents_no_input(seed: int, damage: int) -> None:
    """An input without a gap was sent, or the damage left a history that is whole in itself."""
    made = conversation(seed)
    broken = damaged(made.both, damage)
    for before, after in zip(broken.steps, replay_inputs(broken).steps, strict=True):
        assert before.call.gap <= after.call.gap
        if before.call.input:
            assert after.call.input == before.call.input
        if not after.call.gap:
            assert all(digest in broken.messages for digest in after.call.input)


@given(st.integers(0, 10**9), st.booleans())
def test_a_log_with_history_only_is_written_and_read(seed: int, damage: bool) -> None:
    made = conversation(seed)
    for whole in (made.told, made.both, replay_inputs(damaged(made.told, seed) if damage else made.told)):
        named = {d for c in (*whole.failed_calls, *(s.call for s in whole.steps)) for d in c.input}
        named |= {d for change in whole.history for d in change.messages}
        trimmed = replace(whole, messages={d: m for d, m in whole.messages.items() if d in named})
        written = list(write_log(EventLog((trimmed,))))
        assert read_log(written, "log").episodes == (trimmed,)
        assert list(write_log(read_log(written, "log"))) == written


def _delivered(found: Episode, step: int | None, message: Message, name: str = "d", **more: object) -> Episode:
    proof = Proof("host", text_digest(message.text), message=message.digest)
    entry = Entry(message.text, message.text, version="1")
    call = None if step is None else f"call-{step}"
    made = Delivery(name, (entry,), (Placement("host", message.text, proofs=(proof,)),), call, **more)  # type: ignore[arg-type]
    return replace(found, deliveries=(*found.deliveries, made))


def test_spans_of_a_log_with_history_only_are_those_of_its_exact_requests() -> None:
    history = (append(1, 0, A, B), append(2, 2, C), rewrite(3, 1, D), append(4, 2, B))
    told = episode(*history)
    exact = episode(exact={1: "AB", 2: "ABC", 3: "AD", 4: "ADB"}, steps=4)
    for number, step in enumerate((1, 2, 4)):
        told = _delivered(told, step, B, f"d{number}")
        exact = _delivered(exact, step, B, f"d{number}")
    assert build_spans(told) == build_spans(exact)
    assert [[d.id for d in span.deliveries] for span in build_spans(told)] == [["d0", "d1"], ["d2"]]
    for span in build_spans(told):
        assert prior_context(told, span) == prior_context(exact, span)


def test_a_reconstruction_gap_in_a_consuming_input_makes_an_error_span() -> None:
    found = _delivered(episode(append(1, 0, A), append(2, 2, B)), 2, B)
    assert [problem.kind for problem in recording_problems(found)] == [ProblemKind.INPUT_GAP]
    assert [span.outcome for span in build_spans(found)] == [SpanOutcome.ERROR]


def test_a_pointer_keeps_its_message_below_lost_positions() -> None:
    found = episode(append(1, 0, A), append(2, 3, B))
    proof = Proof("host", text_digest(B.text), pointer="/messages/3")
    empty = Delivery("d", (), (Placement("host", B.text, proofs=(proof,)),), "call-2")
    assert recording_problems(replace(found, deliveries=(empty,))) == ()


def test_an_unbound_delivery_has_a_provisional_step_and_is_never_judged() -> None:
    found = episode(append(1, 0, A), append(2, 1, B), append(3, 2, C))
    found = _delivered(_delivered(_delivered(found, 2, B, "bound"), None, C, "unbound"), 3, C, "later")
    spans = build_spans(found)
    assert [(s.outcome, s.first, s.provisional) for s in spans] == [
        (SpanOutcome.ELIGIBLE, 2, None),
        (SpanOutcome.UNASSESSABLE, None, 2),
        (SpanOutcome.ELIGIBLE, 3, None),
    ]


def test_an_unbound_delivery_before_all_others_stands_at_the_first_of_them() -> None:
    found = _delivered(_delivered(episode(append(1, 0, A), append(2, 1, B)), None, C, "unbound"), 2, B)
    assert [span.provisional for span in build_spans(found)] == [2, None]


def test_an_unbound_delivery_with_nothing_beside_it_has_no_provisional_step() -> None:
    assert [span.provisional for span in build_spans(_delivered(episode(append(1, 0, A)), None, B))] == [None]


def test_the_memory_system_may_say_which_step_asked_for_an_unbound_delivery() -> None:
    found = replace(
        episode(append(1, 0, A), append(2, 1, B), append(3, 2, C)),
        operations=(Operation("search", OperationKind.SEARCH, step=2),),
    )
    asked = _delivered(_delivered(found, 1, A, "bound"), None, C, "unbound", operations=("search",))
    assert [span.provisional for span in build_spans(asked)] == [None, 3]


def test_a_delivery_bound_to_a_call_without_a_response_is_provisional_too() -> None:
    found = _delivered(_delivered(episode(append(1, 0, A)), 1, A, "bound"), 9, B, "incomplete")
    assert [(span.first, span.provisional) for span in build_spans(found)] == [(1, None), (None, 1)]
