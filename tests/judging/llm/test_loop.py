"""The judge's loop over real HTTP: whatever the endpoint does, a span ends accepted or as an error with its reason."""

import json

import pytest

from pytest_memuse.judging import Effect, Influence, Novelty
from pytest_memuse.judging.llm import ConversationLimits, ErrorReason, LlmJudge, RequestSettings, SpanJudgment
from pytest_memuse.judging.llm.outcome import (
    assistant_messages,
    span_judgment_from_data,
    span_judgment_to_data,
)
from pytest_memuse.judging.prompt import FORCED_ANSWER
from tests.judging.evidence_cases import simple
from tests.judging.llm.endpoint import TOO_LONG, Turn, assessed, fails, in_turn, reads, says, served
from tests.judging.llm.judging import (
    ALL_READ,
    MANDATORY,
    PACKAGE,
    PRIOR,
    READ,
    STEPS,
    judged,
    outcome_of,
    roles,
    smallest_context,
    violations,
)
from tests.judging.llm.needs import need_litellm

need_litellm()

ACTED_ON = assessed(novelty="novel", influence="acted_on", effect="improved", anchors=[2], evidence=[2])


def test_an_answer_after_all_reads_is_accepted_and_ends_the_conversation() -> None:
    with judged(in_turn(ALL_READ, says(ACTED_ON))) as (found, endpoint):
        pass
    assert found.accepted
    assert found.judgment is not None
    (assessment,) = found.judgment.assessments
    assert (assessment.novelty, assessment.influence, assessment.effect) == (
        Novelty.NOVEL,
        Influence.ACTED_ON,
        Effect.IMPROVED,
    )
    assert (found.evidence, found.forced, found.error, found.rollbacks) == (PACKAGE.digest, False, None, ())
    assert len(endpoint.requests) == 2
    assert roles(found) == "a" + "t" * len(ALL_READ.calls) + "a"
    assert set(found.reads or ()) == {PACKAGE.record_of(name) for name in (*MANDATORY, *PRIOR, *STEPS)}


def test_the_requests_offer_the_tools_and_hold_the_conversation_as_it_is_recorded() -> None:
    with judged(in_turn(READ, says(assessed()))) as (found, endpoint):
        pass
    assert [tool["function"]["name"] for tool in endpoint.requests[0]["tools"]] == ["read_evidence", "search_evidence"]
    assert endpoint.messages() == [dict(message) for message in found.messages[:-1]]
    assert endpoint.requests[0]["temperature"] == 0
    results = [message["content"] for message in endpoint.messages() if message["role"] == "tool"]
    assert [text.partition("\n")[2] for text in results] == [PACKAGE.text(name) for name in MANDATORY]


def test_a_choice_of_tools_goes_with_the_requests_that_offer_them_only() -> None:
    more = {"tool_choice": "required", "parallel_tool_calls": False, "seed": 7}
    with served(in_turn(READ, says(assessed()))) as endpoint:
        judge = LlmJudge(
            "openai/scripted",
            api_base=endpoint.url,
            limits=ConversationLimits(calls=2),
            requests=RequestSettings(more=more),
        )
        found = outcome_of(judge)
    assert (found.accepted, found.forced) == (True, True)
    first, forced = ({name: request.get(name) for name in more} for request in endpoint.requests)
    assert first == more
    assert forced == {"tool_choice": None, "parallel_tool_calls": None, "seed": 7}


def test_usage_is_counted_call_by_call_with_the_cached_share_and_an_unknown_price() -> None:
    with judged(in_turn(READ, says(assessed()))) as (found, _):
        pass
    usage = found.usage
    assert (usage.calls, usage.output, usage.cost) == (2, 40, None)
    assert usage.input is not None
    assert usage.cached == sum(one.input // 2 for one in found.calls if one.input is not None)


def test_usage_that_is_not_reported_stays_unknown() -> None:
    with judged(in_turn(Turn(calls=READ.calls, usage=None), says(assessed(), usage=None))) as (found, _):
        pass
    assert found.accepted
    assert (found.usage.input, found.usage.cached, found.usage.output, found.usage.cost) == (None, None, None, None)
    assert found.usage.calls == 2


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("not JSON", "invalid-json"),
        ("", "invalid-json"),
        (assessed(()), "wrong-entries"),
        (assessed(("e1", "e2")), "wrong-entries"),
        (assessed(influence="used"), "bad-value"),
        (assessed(influence="acted_on", anchors=[99]), "anchor-outside-window"),
        (assessed(influence="acted_on"), "missing-anchor"),
        ("[" * 50_000, "invalid-json"),
    ],
)
def test_a_wrong_answer_is_told_what_is_wrong_and_may_be_mended(wrong: str, code: str) -> None:
    with judged(in_turn(ALL_READ, says(wrong), says(ACTED_ON))) as (found, endpoint):
        pass
    assert found.accepted
    first, second = violations(found)
    assert (code in first, second) == (True, [])
    told = endpoint.messages()[-1]
    assert told["role"] == "user"
    assert code in told["content"]


def test_claims_before_reading_are_sent_back_with_what_is_unread_and_accepted_once_it_is_read() -> None:
    with judged(in_turn(says(ACTED_ON), ALL_READ, says(ACTED_ON))) as (found, endpoint):
        pass
    assert found.accepted
    first, second = violations(found)
    assert {"unread-mandatory", "unread-prior", "unread-consequences", "unread-cited-step"} == set(first)
    assert second == []
    assert "step 3" in endpoint.messages(1)[-1]["content"]
    assert found.attempts[0].signals == {
        "e1": {
            "relevance": True,
            "accuracy": "uncontradicted",
            "novelty": "novel",
            "influence": "acted_on",
            "effect": "improved",
        }
    }


def test_an_answer_that_is_wrong_again_and_again_ends_as_an_error_at_the_follow_up_limit() -> None:
    with judged(in_turn(READ, says("no")), follow_ups=2) as (found, endpoint):
        pass
    assert (found.error, found.judgment, len(found.attempts)) == (ErrorReason.FOLLOW_UPS, None, 3)
    assert "3 answers were not accepted; the last one had: invalid-json" in found.problem
    assert len(endpoint.requests) == 4


def test_endless_searching_ends_in_a_forced_answer_without_tools_at_the_call_limit() -> None:
    search = Turn(calls=(("search_evidence", {"query": "retries"}),))
    with judged(in_turn(READ, search, search, search, says(assessed())), calls=5) as (found, endpoint):
        pass
    assert (found.accepted, found.forced, len(endpoint.requests)) == (True, True, 5)
    assert "tools" not in endpoint.requests[-1]
    assert all("tools" in request for request in endpoint.requests[:-1])
    assert endpoint.messages()[-1] == {"role": "user", "content": FORCED_ANSWER}


def test_a_forced_answer_is_checked_alike_and_ends_as_an_error_where_nothing_was_read() -> None:
    search = Turn(calls=(("search_evidence", {"query": "retries"}),))
    with judged(in_turn(search, search, says(assessed())), calls=3) as (found, _):
        pass
    assert (found.error, found.forced) == (ErrorReason.CALLS, True)
    assert violations(found) == [["unread-mandatory"]]
    assert "the limit of 3 calls is reached" in found.problem


def test_tool_calls_in_place_of_a_forced_answer_are_not_carried_out() -> None:
    with judged(in_turn(Turn(calls=(("search_evidence", {"query": "x"}),))), calls=3) as (found, endpoint):
        pass
    assert (found.error, len(endpoint.requests)) == (ErrorReason.CALLS, 3)
    assert violations(found) == [["invalid-json"]]


def test_a_round_beyond_the_budget_is_rolled_back_and_its_reads_count_for_nothing() -> None:
    # Step 1 holds the long result; it is mandatory, so that the limit leaves room for it once and not twice.
    long = simple(result="words and words " * 1_500)
    step = Turn(calls=(("read_evidence", {"name": "step 1"}), ("read_evidence", {"name": "step 1", "start": 16_000})))
    rest = reads(*(name for name in MANDATORY if name != "step 1"))
    script = in_turn(rest, step, step, says(assessed()))
    with judged(script, long, output=2_000, context=smallest_context(long, output=2_000)) as (found, endpoint):
        pass
    assert (found.accepted, found.forced) == (True, True)
    (rollback,) = found.rollbacks
    assert (rollback.call, rollback.refused, len(rollback.messages)) == (3, False, 3)
    assert rollback.size > smallest_context(long, output=2_000) - 4_100
    assert len(endpoint.messages(3)) == len(endpoint.messages(2)) + 1
    assert [m["role"] for m in assistant_messages(found)] == ["assistant"] * 4


def test_reads_that_were_rolled_back_support_no_claim() -> None:
    long = simple(result="words and words " * 1_500)
    step = Turn(calls=(("read_evidence", {"name": "step 1"}), ("read_evidence", {"name": "step 1", "start": 16_000})))
    script = in_turn(step, Turn(calls=(*step.calls, *READ.calls)), says(assessed()))
    with judged(script, long, output=2_000, context=smallest_context(long, output=2_000), follow_ups=0) as (found, _):
        pass
    assert (found.error, len(found.rollbacks)) == (ErrorReason.FOLLOW_UPS, 1)
    assert violations(found) == [["unread-mandatory"]]
    assert set(found.reads or ()) == {"step 1"}


def test_evidence_that_cannot_fit_is_an_error_before_the_first_call() -> None:
    with judged(in_turn(READ), simple(result="x" * 400_000), context=60_000) as (found, endpoint):
        pass
    assert (found.error, endpoint.requests, found.messages) == (ErrorReason.PREFLIGHT, [], ())
    assert "the input budget is" in found.problem


def test_a_context_that_the_endpoint_refuses_is_rolled_back_to_where_it_was_taken() -> None:
    search = Turn(calls=(("search_evidence", {"query": "retries"}),))
    with judged(in_turn(READ, search, TOO_LONG, says(assessed()))) as (found, endpoint):
        pass
    assert (found.accepted, found.forced) == (True, True)
    (rollback,) = found.rollbacks
    assert (rollback.call, rollback.refused) == (2, True)
    assert len(endpoint.messages(3)) == len(endpoint.messages(1)) + 1


def test_an_opening_that_the_endpoint_refuses_is_an_error() -> None:
    with judged(in_turn(TOO_LONG)) as (found, endpoint):
        pass
    assert (found.error, len(endpoint.requests)) == (ErrorReason.CONTEXT, 1)


def test_calls_that_cannot_be_carried_out_are_answered_and_change_nothing() -> None:
    odd = Turn(
        calls=(
            ("read_evidence", {"name": "../../etc/passwd"}),
            ("read_evidence", "{not json"),
            ("run_shell", {"command": "ls"}),
            ("read_evidence", {"name": "task", "start": -1}),
        )
    )
    with judged(in_turn(odd, READ, says(assessed()))) as (found, endpoint):
        pass
    assert found.accepted
    results = [m["content"] for m in endpoint.messages(1) if m["role"] == "tool"]
    assert [list(json.loads(text)) for text in results] == [["error"]] * 4
    sent = next(m for m in endpoint.messages(1) if m["role"] == "assistant")["tool_calls"][1]["function"]["arguments"]
    assert json.loads(sent) == {"unreadable": "{not json"}


def test_a_round_of_very_many_calls_is_carried_out_in_part() -> None:
    many = Turn(calls=(("read_evidence", {"name": "task"}),) * 200)
    with judged(in_turn(many, READ, says(assessed())), tools=5) as (found, endpoint):
        pass
    results = [m["content"] for m in endpoint.messages(1) if m["role"] == "tool"]
    assert found.accepted
    assert sum("not carried out" not in text for text in results) == 5
    assert len(results) == 64


def test_an_effect_without_an_action_is_accepted_and_counted() -> None:
    with judged(in_turn(ALL_READ, says(assessed(influence="none", effect="harmed")))) as (found, _):
        pass
    assert (found.accepted, found.corrected) == (True, 1)


def test_an_endpoint_that_takes_no_schema_is_asked_without_from_then_on() -> None:
    def script(request: object, _: int) -> Turn:
        assert isinstance(request, dict)
        if "response_format" in request:
            return fails(400, "response_format is not supported")
        return READ if not any(m["role"] == "tool" for m in request["messages"]) else says(assessed())

    with judged(script, calls=2) as (found, endpoint):
        pass
    assert found.accepted
    assert ["response_format" in request for request in endpoint.requests] == [False, True, False]


@pytest.mark.parametrize(
    "turns",
    [
        (ALL_READ, says(ACTED_ON)),
        (says("no"), READ, TOO_LONG, says(assessed())),
        (READ, fails(404)),
    ],
)
def test_an_outcome_is_the_same_after_its_way_through_plain_data(turns: tuple[Turn, ...]) -> None:
    with judged(in_turn(*turns)) as (found, _):
        pass
    data = json.loads(json.dumps(span_judgment_to_data(found)))
    again = span_judgment_from_data(data)
    assert isinstance(again, SpanJudgment)
    assert span_judgment_to_data(again) == data
    assert again.judgment == found.judgment
