"""A recorded conversation that is held again comes to the same outcome, and to no other one where anything changed."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm import ConversationLimits, SpanJudgment
from pytest_memuse.judging.llm.outcome import Message, assistant_messages
from pytest_memuse.judging.llm.replaying import replayed
from pytest_memuse.judging.rubric import Rubric, read_rubric
from pytest_memuse.model import MemuseError
from tests.judging.evidence_cases import package, simple
from tests.judging.llm.behaviours import (
    ACTED_ON,
    BEHAVIOURS,
    LONG,
    NOTED,
    ODD,
    REST,
    SEARCH,
    STEP,
    ScriptClient,
    judge_of,
)
from tests.judging.llm.endpoint import TOO_LONG, Turn, assessed, fails, in_turn, says
from tests.judging.llm.judging import ALL_READ, EPISODE, PACKAGE, READ, judged, outcome_of, smallest_context
from tests.judging.llm.needs import need_litellm

RUBRIC = read_rubric()
LIMITS = ConversationLimits()


def again(found: SpanJudgment, evidence: EvidencePackage = PACKAGE, **limits: Any) -> SpanJudgment:
    return replayed(found, evidence, RUBRIC, ConversationLimits(**limits))


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_conversation_over_http_comes_to_its_outcome_again(name: str) -> None:
    need_litellm()
    behaviour = BEHAVIOURS[name]
    with judged(in_turn(*behaviour.turns), behaviour.episode, retries=0, **behaviour.limits) as (found, _):
        pass
    assert (found.error, found.accepted) == (behaviour.ends, behaviour.ends is None)
    assert again(found, package(behaviour.episode), **behaviour.limits) == found


_TIGHT = smallest_context(LONG, output=2_000)
_TURNS = [
    READ,
    ALL_READ,
    REST,
    STEP,
    SEARCH,
    ODD,
    TOO_LONG,
    fails(500),
    *map(says, ("no", assessed(), ACTED_ON, NOTED)),
]


@given(
    turns=st.lists(st.sampled_from(_TURNS), min_size=1, max_size=9),
    limits=st.fixed_dictionaries(
        {
            "calls": st.integers(2, 9),
            "follow_ups": st.integers(0, 4),
            "output": st.just(2_000),
            "context": st.integers(_TIGHT - 100, _TIGHT + 6_000) | st.just(100_000),
        }
    ),
    unreported=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_every_conversation_comes_to_its_outcome_again(
    turns: list[Turn], limits: dict[str, Any], unreported: bool
) -> None:
    if unreported:
        turns = [replace(turn, usage=None) if turn is not TOO_LONG else turn for turn in turns]
    judge = judge_of(ScriptClient(in_turn(*turns)), **limits)
    found = outcome_of(judge, LONG)
    assert again(found, package(LONG), **limits) == found
    assert len(assistant_messages(found)) == len(found.calls)


def test_rounds_that_were_dropped_one_after_the_other_are_put_back_where_they_were() -> None:
    behaviour = BEHAVIOURS["refused again and again"]
    found = outcome_of(judge_of(ScriptClient(in_turn(*behaviour.turns))))
    assert [(rollback.call, rollback.refused) for rollback in found.rollbacks] == [(3, True), (2, True)]
    said = [message["content"] or "calls" for message in assistant_messages(found)]
    assert said == ["calls", "calls", "calls", "no", assessed()]


def test_another_wording_of_the_same_rubric_changes_nothing() -> None:
    reworded = Rubric(RUBRIC.version, RUBRIC.text + "\nOnce more, in other words.\n")
    found = conversation()
    assert replayed(found, PACKAGE, reworded, LIMITS) == found


def conversation() -> SpanJudgment:
    """Return a conversation with a rejected answer: three opening messages, reads, feedback."""
    return outcome_of(judge_of(ScriptClient(in_turn(READ, says("no"), SEARCH, says(assessed())))))


def test_evidence_that_has_changed_is_refused_with_both_digests() -> None:
    found, other = conversation(), package(simple("Wait five seconds."))
    with pytest.raises(MemuseError, match=f"{found.evidence}, it is {other.digest}") as caught:
        again(found, other)
    assert caught.value.reason == "rejudge"


def test_other_limits_under_which_the_conversation_would_have_ended_are_refused() -> None:
    with pytest.raises(MemuseError, match="comes to its end before answer 3 of 4") as caught:
        again(conversation(), follow_ups=0)
    assert caught.value.reason == "rejudge"


def _message(found: SpanJudgment, place: int, **changes: Any) -> SpanJudgment:
    messages: list[Message] = list(found.messages)
    messages[place] = {**messages[place], **changes}
    return replace(found, messages=tuple(messages))


def _answer(found: SpanJudgment) -> SpanJudgment:
    return _message(found, -1, content=assessed(relevance=False))


def _judgment(found: SpanJudgment) -> SpanJudgment:
    assert found.judgment is not None
    return replace(found, judgment=replace(found.judgment, summary="better"))


def _without_last(found: SpanJudgment) -> SpanJudgment:
    return replace(found, messages=found.messages[:-1], calls=found.calls[:-1])


TAMPERED: Mapping[str, tuple[Callable[[SpanJudgment], SpanJudgment], str]] = {
    "an answer": (_answer, "it comes to other signals: e1 relevance: true then, false now"),
    "the judgment": (_judgment, "other judgment"),
    "what was read": (lambda f: replace(f, reads={}), "other reads"),
    "an attempt": (lambda f: replace(f, attempts=f.attempts[1:]), "other attempts"),
    "the count of corrected effects": (lambda f: replace(f, corrected=1), "other corrected"),
    "the opening": (lambda f: _message(f, 1, content="another episode"), "message 2 of it, which opens it,"),
    "a tool's answer": (lambda f: _message(f, 5, content="made up"), "message 6 of it is another one now"),
    "feedback": (lambda f: _message(f, 9, content="well done"), "message 10 of it is another one now"),
    "the last answer is missing": (_without_last, "does not end with answer 3, the last one"),
    "a call is missing": (lambda f: replace(f, calls=f.calls[:-1]), "4 answers of the model for 3 calls"),
    "an answer is missing": (lambda f: replace(f, messages=f.messages[:-1]), "3 answers of the model for 4 calls"),
    "no text": (lambda f: _message(f, -1, content=7), "answer 4 of the model is not of the form"),
    "odd calls": (lambda f: _message(f, 3, tool_calls=[{"id": "x"}]), "answer 1 of the model is not of the form"),
    "no calls": (lambda f: _message(f, 3, tool_calls=None), "answer 1 of the model is not of the form"),
    "no messages": (lambda f: replace(f, messages=()), "message 1 of it, which opens it,"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_record_that_was_tampered_with_is_refused_with_the_place(name: str) -> None:
    found = conversation()
    change, told = TAMPERED[name]
    assert json.loads(found.messages[-1]["content"])["summary"] == "made up"
    with pytest.raises(MemuseError) as caught:
        again(change(found))
    assert (caught.value.reason, told in str(caught.value)) == ("rejudge", True), str(caught.value)
    assert "span S1" in str(caught.value)
    assert EPISODE.id not in str(caught.value)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**20) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "function", "name", "arguments", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(
    place=st.integers(0, 12),
    field=st.sampled_from(["role", "content", "tool_calls", "tool_call_id", "thinking_blocks"]),
    value=_JSON,
)
@settings(deadline=None)
def test_whatever_stands_in_the_place_of_a_message_it_is_refused_or_makes_no_difference(
    place: int, field: str, value: Any
) -> None:
    found = CONVERSATION
    changed = _message(found, place % len(found.messages), **{field: value})
    try:
        held = again(changed)
    except MemuseError as error:
        reason = error.reason
    else:
        assert held == changed
        return
    assert (reason, changed != found) == ("rejudge", True)


CONVERSATION = conversation()
