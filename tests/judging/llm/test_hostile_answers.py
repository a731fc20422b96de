"""What a model or its endpoint answers, over real HTTP: all of it is cut to what can be kept, sent and shown."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_memuse.judging.answer_parsing import LONGEST_ANSWER
from pytest_memuse.judging.evidence.tools import LONGEST_ARGUMENTS
from pytest_memuse.judging.llm.outcome import Message, span_judgment_from_data, span_judgment_to_data
from pytest_memuse.judging.llm.settings import ConversationLimits
from pytest_memuse.judging.llm.sizes import message_tokens
from pytest_memuse.model.json_text import json_line, parse_json
from tests.judging.llm.endpoint import Turn, assessed, in_turn, says
from tests.judging.llm.judging import PACKAGE, READ, judged
from tests.judging.llm.needs import need_litellm
from tests.judging.llm.places import keeps_its_place

need_litellm()

MANY = 10_000
BIG = 10_000_000


def body(message: Mapping[str, Any], **usage: Any) -> bytes:
    reported = {"prompt_tokens": 10_000, "completion_tokens": 50, "total_tokens": 10_050, **usage}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None, **message}}
    answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return json.dumps(answer | {"usage": reported}).encode()


def call(identifier: Any = "c1", name: Any = "read_evidence", arguments: Any = '{"name":"task"}') -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def asks(*calls: dict[str, Any], **further: Any) -> bytes:
    return body({"tool_calls": list(calls), **further})


QUICK = {
    "not-finite": body({"content": assessed().replace("0.5", "NaN")}),
    "nested": body({"content": '{"a":' * 60_000}),
    "a-key-twice": body({"content": '{"assessments":[],"assessments":[]}'}),
    "half-characters": asks(
        call("\ud800", "\udfff", '{"name":"\ud800"}'), content="\ud83d", reasoning_content="\udc00"
    ),
    "control-characters": asks(call("\x00\x1b]0;x\x07\u202e", "x\x00\n\x1b[2J", "\x00"), content="\x1b[2J"),
    "names-of-nothing": asks(call("", ""), call("", None), call(None)),
    "numbers-without-end": body({"content": assessed(influence="acted_on", anchors=[int("9" * 4_000)])}),
    "a-number-too-long-to-read": body({"content": assessed().replace("[]", "[" + "9" * 5_000 + "]")}),
    "thoughts": asks(call(), reasoning_content="r" * 1_000_000),
    "usage-beyond-measure": body({"content": assessed()}, prompt_tokens=10**30, completion_tokens=10**30),
    "usage-below-nothing": body({"content": assessed()}, prompt_tokens=-5, completion_tokens=-5),
}
SLOW = {
    "ten-megabytes": body({"content": "x" * BIG}),
    "ten-megabytes-of-nothing": body({"content": " " * BIG + assessed()}),
    "ten-megabytes-of-arguments": asks(call(arguments=json.dumps({"name": "x" * BIG}))),
    "ten-thousand-calls": asks(*(call(f"c{number}") for number in range(MANY))),
    "ten-thousand-alike": asks(*[call("c")] * MANY),
    "calls-of-nothing": asks(None),  # type: ignore[arg-type]
    "calls-in-a-mapping": body({"tool_calls": {"a": 1}}),
    "no-function": asks({"id": "a", "type": "function"}),
    "arguments-in-a-mapping": asks(call(arguments={"name": "task"})),
    "content-in-a-list": body({"content": [{"type": "text", "text": assessed()}]}),
    "content-in-a-number": body({"content": 7}),
    "usage-in-words": body({"content": assessed()}, prompt_tokens="many"),
    "usage-in-fractions": body({"content": assessed()}, prompt_tokens=1e308, completion_tokens=1.5),
    "a-price-in-words": body({"content": assessed()}, cost="free"),
    "no-message": json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message": None}]}).encode(),
    "no-object": b"[]",
    "a-body-not-finite": b'{"choices":[{"message":{"content":NaN}}]}',
    "a-body-nested": b"[" * 1_000_000,
    "a-body-with-a-number": b'{"choices":[{"message":{"content":"x"}}],"created":' + b"9" * 10_000 + b"}",
    "a-body-not-of-text": b'{"choices":[{"message":{"content":"\xff\xfe"}}]}',
}


def check(raw: bytes, *after: Turn) -> None:
    """Fail where an answer, once or for ever, does not end in an accepted answer or an error that says why."""
    limits = ConversationLimits(calls=6)
    with judged(in_turn(Turn(body=raw), *after), calls=6) as (found, endpoint):
        pass
    assert found.accepted or found.problem.isprintable()
    assert found.accepted or found.error is not None
    for request in endpoint.requests:
        keeps_its_place(request["messages"], PACKAGE)
        assert message_tokens(request["messages"]) <= limits.context - limits.overhead - limits.output
        for message in request["messages"]:
            check_message(message)
    for message in (*found.messages, *(m for rollback in found.rollbacks for m in rollback.messages)):
        check_message(message)
    # It can be kept and comes back as it was, and it is text that every file takes.
    data = span_judgment_to_data(found)
    assert span_judgment_from_data(parse_json(json_line(data).encode())) == span_judgment_from_data(data)


def check_message(message: Message) -> None:
    assert "\\ud" not in json.dumps(message).replace("\\ud83d\\ude00", "")
    assert len(message["content"] or "") <= LONGEST_ANSWER + 1
    calls = message.get("tool_calls", ())
    assert len(calls) <= 64
    assert len({each["id"] for each in calls}) == len(calls)
    for each in calls:
        assert each["id"].isascii()
        assert each["id"].isprintable()
        assert len(each["function"]["arguments"]) <= LONGEST_ARGUMENTS + 1


@pytest.mark.parametrize("name", QUICK)
def test_a_hostile_answer_is_survived_and_the_conversation_goes_on(name: str) -> None:
    check(QUICK[name], READ, says(assessed()))


@pytest.mark.long
@pytest.mark.parametrize("name", [*QUICK, *SLOW])
@pytest.mark.parametrize("after", [(), (READ, says(assessed()))], ids=["for-ever", "once"])
def test_so_is_every_other_and_the_same_again_and_again(name: str, after: tuple[Turn, ...]) -> None:
    check((QUICK | SLOW)[name], *after)


def test_names_that_no_api_takes_back_go_out_as_one_that_it_takes_and_are_kept_as_they_were() -> None:
    raw = asks(call("a", "read evidence!", "{}"), call("b", "read_evidence", "not JSON"))
    with judged(in_turn(Turn(body=raw), READ, says(assessed()))) as (found, endpoint):
        pass
    assert found.accepted
    sent = [each["function"] for each in endpoint.messages()[3]["tool_calls"]]
    assert sent == [
        {"name": "no_such_tool", "arguments": "{}"},
        {"name": "read_evidence", "arguments": '{"unreadable": "not JSON"}'},
    ]
    assert found.messages[3]["tool_calls"][0]["function"] == {"name": "read evidence!", "arguments": "{}"}
    assert "there is no tool 'read evidence!'" in endpoint.messages()[4]["content"]


def test_an_identifier_in_which_litellm_keeps_what_a_provider_signed_stays_whole() -> None:
    identifier = "call_1__thought__" + "aB+/" * 500 + "=="
    with judged(in_turn(Turn(body=asks(call(identifier))), READ, says(assessed()))) as (found, endpoint):
        pass
    assert found.messages[3]["tool_calls"][0]["id"] == found.messages[4]["tool_call_id"] == identifier
    # To an API that signs nothing LiteLLM sends it without.
    assert endpoint.messages()[4]["tool_call_id"] == "call_1"
