"""A recorded conversation held again, with the recorded answers and nobody asked: it must come to the same outcome.

That shows that the evidence, the tools' answers, the checks and the limits are still those under which the answer was
accepted, and that nothing in the record was changed since.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm.conversation import Conversation, Reply, Subject
from pytest_memuse.judging.llm.differences import compare_signals
from pytest_memuse.judging.llm.outcome import ErrorReason, Message, SpanJudgment, assistant_messages
from pytest_memuse.judging.llm.settings import ConversationLimits
from pytest_memuse.judging.rubric import Rubric
from pytest_memuse.model.errors import MemuseError, inert

_SHOWN = 5
_OPENING = 3
"""Messages that open a conversation: rubric, episode, delivery."""


def replayed(
    outcome: SpanJudgment, package: EvidencePackage, rubric: Rubric, limits: ConversationLimits
) -> SpanJudgment:
    """Return what the recorded conversation comes to now: an outcome equal to the recorded one.

    ``outcome`` has its messages (`JudgmentRecords.conversation`). A system message of another wording than the rubric's
    is taken as it was recorded: wording that changes a rule has another version, and so another record. Raises
    `MemuseError` with the reason ``rejudge`` that says where the conversation comes to something else.
    """
    if outcome.evidence != package.digest:
        raise _differs(outcome, f"its evidence has changed: the digest was {outcome.evidence}, it is {package.digest}")
    recorded = outcome.messages[0].get("content") if outcome.messages else None
    if isinstance(recorded, str):
        rubric = replace(rubric, text=recorded)
    state = Conversation.begin(Subject.of(outcome.span, package, rubric, limits))
    _compare_opening(outcome, state)
    said = assistant_messages(outcome)
    if len(said) != len(outcome.calls):
        raise _differs(outcome, f"it holds {len(said)} answers of the model for {len(outcome.calls)} calls")
    for number, (message, usage) in enumerate(zip(said, outcome.calls, strict=True), start=1):
        state = _refused(state, outcome)
        if state.outcome is not None:
            raise _differs(outcome, f"it comes to its end before answer {number} of {len(said)}")
        if not _is_said(message):
            raise _differs(outcome, f"answer {number} of the model is not of the form of a message")
        state = state.after(Reply(message, usage))
    found = _ended(_refused(state, outcome), outcome)
    if found != outcome:
        raise _differs(outcome, _difference(outcome, found))
    return found


def _refused(state: Conversation, outcome: SpanJudgment) -> Conversation:
    """Return the state after the refusals of the endpoint that were recorded at this place.

    A refusal drops the round of the last call. Each answered call is a round of its own, so that the number of the
    dropped one tells when it was.
    """
    while state.outcome is None and state.rounds and len(state.rollbacks) < len(outcome.rollbacks):
        recorded = outcome.rollbacks[len(state.rollbacks)]
        if not recorded.refused or recorded.call != state.rounds[-1].call:
            break
        state = state.refused()
    return state


def _ended(state: Conversation, outcome: SpanJudgment) -> SpanJudgment:
    """Return the outcome of a conversation after its last recorded answer."""
    if state.outcome is None and outcome.error is ErrorReason.REQUEST:
        # The endpoint gave no further answer.
        state = state.failed(outcome.error, outcome.problem)
    elif state.outcome is None and outcome.error is ErrorReason.CONTEXT and not state.rounds:
        state = state.refused()
    if state.outcome is None:
        raise _differs(outcome, f"it does not end with answer {len(outcome.calls)}, the last one")
    return state.outcome


def _compare_opening(outcome: SpanJudgment, state: Conversation) -> None:
    if state.outcome is None and outcome.messages[:_OPENING] != state.messages:
        place = _first_difference(outcome.messages[:_OPENING], state.messages)
        raise _differs(outcome, f"message {place} of it, which opens it, is another one now")


def _is_said(message: Message) -> bool:
    """Whether a message is one that a client gives: what a hand has changed may be anything."""
    calls = message.get("tool_calls", [])
    return (
        message.get("role") == "assistant"
        and isinstance(message.get("content"), str)
        and isinstance(calls, list)
        and all(map(_is_call, calls))
    )


def _is_call(call: Any) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    return isinstance(function, dict) and all(
        isinstance(value, str) for value in (call.get("id"), function.get("name"), function.get("arguments"))
    )


def _difference(recorded: SpanJudgment, found: SpanJudgment) -> str:
    if recorded.messages != found.messages:
        place = _first_difference(recorded.messages, found.messages)
        counts = f"{len(recorded.messages)} messages then, {len(found.messages)} now"
        return f"message {place} of it is another one now ({counts})"
    if recorded.judgment is not None and found.judgment is not None:
        signals = compare_signals(recorded.judgment, found.judgment).differences
        if signals:
            shown = ", ".join(map(str, signals[:_SHOWN]))
            return f"it comes to other signals: {shown}" + (", …" if len(signals) > _SHOWN else "")
    names = [each.name for each in fields(found) if getattr(recorded, each.name) != getattr(found, each.name)]
    then, now = (inert(str(getattr(each, names[0])), 120) for each in (recorded, found))
    return f"it comes to other {names[0]}: then {then}, now {now}"


def _first_difference(recorded: Sequence[Message], found: Sequence[Message]) -> int:
    """Return the number of the first message that differs, counted from 1."""
    pairs = zip(recorded, found, strict=False)
    return next(
        (number for number, (one, other) in enumerate(pairs, start=1) if one != other),
        min(len(recorded), len(found)) + 1,
    )


def _differs(outcome: SpanJudgment, what: str) -> MemuseError:
    return MemuseError(
        f"the recorded conversation about span {inert(outcome.span)} does not come to its record: {what}",
        reason="rejudge",
        mend="ask the model again about this span, or restore recording and record from version control",
    )
