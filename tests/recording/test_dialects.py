"""What is read of a recorded model call, whichever API it speaks."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import Message, ToolCall, Usage
from pytest_memuse.recording.dialects import Api, CallReader, answering_models, api_of, conversation, read_call
from tests.recording.exchanges import STREAM, exchange, frame, streamed

CHAT = "/v1/chat/completions"
HELLO = {"messages": [{"role": "user", "content": "hello"}]}


def _chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
    return frame(
        {"id": "c", "model": "real", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]} | more
    )


CHUNKS = [
    _chunk({"role": "assistant", "content": ""}),
    _chunk({"content": "I will "}),
    _chunk({"content": "look."}),
    _chunk({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "bash", "arguments": ""}}]}),
    _chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"command": '}}]}),
    _chunk({"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "notes", "arguments": "{}"}}]}),
    _chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"ls"}'}}]}),
    _chunk({}, "tool_calls"),
    frame({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25}}),
    "data: [DONE]\n\n",
]


@pytest.mark.parametrize(
    ("address", "api"),
    [
        ("https://api.openai.com/v1/chat/completions", Api.CHAT),
        ("https://x.azure.com/openai/deployments/X/chat/completions?api-version=2024-06-01", Api.CHAT),
        ("http://127.0.0.1:4000/responses/", Api.RESPONSES),
        ("https://api.anthropic.com/v1/messages?beta=true", Api.ANTHROPIC),
        ("https://x/openai/v1/embeddings", Api.EMBEDDINGS),
        ("https://api.openai.com/v1/responses/resp_1/cancel", None),
        ("https://api.anthropic.com/v1/messages/count_tokens", None),
        ("http://[", None),
    ],
)
def test_an_api_is_told_by_how_the_path_ends(address: str, api: Api | None) -> None:
    assert api_of(address) is api


def test_a_call_of_another_api_completes_a_step_whose_input_is_a_gap() -> None:
    read = read_call(exchange("/v1/completions", {"model": "m", "prompt": "x"}, {"choices": [{"text": "hello"}]}))
    assert (read.readable, read.response, read.model, read.messages) == (False, Message("assistant", ""), "m", ())


@pytest.mark.parametrize("path", [CHAT, "/v1/responses", "/v1/messages", "/other"])
def test_a_refused_call_completes_nothing(path: str) -> None:
    assert read_call(exchange(path, HELLO | {"input": "hello"}, {"error": {"message": "no"}}, 500)).response is None


def test_chat_messages_are_read_in_order_with_their_tool_calls_and_results() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
    messages = [
        {"role": "developer", "content": "Be brief."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        },
    ]
    read = read_call(exchange(CHAT, {"messages": messages}, {"choices": [{"message": {"content": "ok"}}]}))
    assert read.messages == (
        Message("developer", "Be brief."),
        Message("assistant", "", (ToolCall("c1", "bash", '{"command":"ls"}'),)),
        Message("tool", "a\nb", tool_call_id="c1"),
    )
    assert read.pointers == ("/messages/0/content", "/messages/1/content", "/messages/2/content")
    assert read.readable


def test_what_is_no_message_makes_the_input_a_gap() -> None:
    assert not read_call(exchange(CHAT, {"messages": ["hello"]}, {})).readable
    assert not read_call(exchange(CHAT, "not JSON", {})).readable


def test_usage_and_reported_money_are_read_and_unknown_stays_unknown() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 3},
        "cost": 0.002,
    }
    read = read_call(exchange(CHAT, HELLO, {"choices": [{"message": {}}], "usage": usage}))
    assert (read.usage, read.cost) == (Usage(10, 4, 8, 3), 0.002)
    assert read_call(exchange(CHAT, HELLO, {"choices": [{"message": {}}]})).usage == Usage()
    odd = {"prompt_tokens": -1, "completion_tokens": True, "cost": float("nan")}
    read = read_call(exchange(CHAT, HELLO, {"choices": [{"message": {}}], "usage": odd}))
    assert (read.usage, read.cost) == (Usage(), None)


def test_the_tokens_of_embeddings_are_read() -> None:
    read = read_call(exchange("/v1/embeddings", {"model": "e", "input": ["x"]}, {"usage": {"prompt_tokens": 5}}))
    assert (read.usage, read.model, read.response) == (Usage(input=5), "e", None)


def test_a_stream_says_what_the_same_answer_says_whole() -> None:
    read = read_call(streamed(CHAT, HELLO, CHUNKS))
    calls = (ToolCall("c1", "bash", '{"command": "ls"}'), ToolCall("c2", "notes", "{}"))
    assert read.response == Message("assistant", "I will look.", calls)
    assert (read.usage, read.cost, read.model) == (Usage(7, 3), 0.25, "real")


@pytest.mark.parametrize("kept", range(7))
def test_a_stream_that_breaks_off_completes_nothing(kept: int) -> None:
    assert read_call(streamed(CHAT, HELLO, CHUNKS[:kept])).response is None


def test_a_stream_that_ends_in_an_error_completes_nothing() -> None:
    frames = [*CHUNKS[:3], frame({"error": {"message": "overloaded"}}), "data: [DONE]\n\n"]
    assert read_call(streamed(CHAT, HELLO, frames)).response is None


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_a_stream_is_read_with_any_line_break_and_comments_between_events(line_break: str) -> None:
    text = (": ping\n\n" + "".join(CHUNKS)).replace("\n", line_break)
    read = read_call(exchange(CHAT, HELLO, text, headers={"Content-Type": "TEXT/EVENT-STREAM"}))
    assert read.response is not None
    assert read.response.text == "I will look."


def test_a_character_that_only_looks_like_a_line_break_ends_no_event() -> None:
    chunk = {"choices": [{"delta": {"content": "a\u2028b\x85c"}, "finish_reason": "stop"}]}
    text = f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"
    read = read_call(exchange(CHAT, HELLO, text, headers=STREAM))
    assert read.response == Message("assistant", "a\u2028b\x85c")


def test_calls_that_a_stream_does_not_number_stay_apart() -> None:
    calls = [{"id": name, "function": {"name": name, "arguments": "{}"}} for name in ("a", "b")]
    read = read_call(streamed(CHAT, HELLO, [_chunk({"tool_calls": [c]}) for c in calls] + [_chunk({}, "tool_calls")]))
    assert read.response is not None
    assert [c.id for c in read.response.tool_calls] == ["a", "b"]


def test_the_models_that_answered_are_named_where_they_streamed_too() -> None:
    whole = exchange(CHAT, HELLO, {"model": "first", "choices": [{"message": {}}]})
    assert answering_models([whole, streamed(CHAT, HELLO, CHUNKS), whole]) == ("first", "real")


def test_a_conversation_is_what_user_and_assistant_said() -> None:
    messages = [
        {"role": "system", "content": "hidden"},
        {"role": "user", "content": "hello"},
        {"role": "tool", "tool_call_id": "c", "content": "hidden"},
    ]
    said = exchange(CHAT, {"messages": messages}, {"choices": [{"message": {"role": "assistant", "content": "hi"}}]})
    failed = exchange(CHAT, {"messages": []}, {}, 500)
    assert conversation([said, failed]) == [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
    ]


def test_a_message_that_many_requests_hold_is_read_once_and_for_each_api_by_itself() -> None:
    document = {"type": "document", "source": {"type": "text", "data": "a document"}}
    message = {"role": "user", "content": [document]}
    reader = CallReader()
    first, second = (reader.read(exchange(CHAT, {"messages": [message]}, {})) for _ in range(2))
    assert first.messages[0] is second.messages[0]
    assert reader.read(exchange("/v1/messages", {"messages": [message]}, {})).messages[0].text == "a document"
    assert first.messages[0].text == ""


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
item = anything | st.fixed_dictionaries(
    {},
    optional={
        name: anything | st.sampled_from(values)
        for name, values in {
            "type": [
                "message",
                "text",
                "tool_use",
                "tool_result",
                "function_call",
                "function_call_output",
                "reasoning",
            ],
            "role": ["user", "assistant", "tool", "system"],
            "content": ["x", [{"type": "text", "text": "x"}], [{"type": "tool_result", "content": [{"text": "x"}]}]],
            "text": ["x"],
            "output": ["x"],
            "input": [{}],
            "message": [{"content": "x", "tool_calls": [{"function": {"arguments": {}}}]}],
            "tool_calls": [[{"function": {}}]],
            "call_id": ["c"],
        }.items()
    },
)
body = anything | st.dictionaries(
    st.sampled_from(
        ["messages", "input", "system", "instructions", "previous_response_id", "choices", "output", "content", "usage"]
    ),
    item | st.lists(item, max_size=3),
    max_size=5,
)
event = st.builds(
    lambda kind, data: f"event: {kind}\ndata: {json.dumps(data)}\n\n",
    st.sampled_from(
        [
            "",
            "message_start",
            "content_block_start",
            "content_block_delta",
            "message_delta",
            "message_stop",
            "response.output_item.done",
            "response.completed",
            "error",
        ]
    ),
    anything | st.dictionaries(st.sampled_from(["choices", "response", "message", "index", "delta", "item"]), item),
)


@given(
    api=st.sampled_from([*(api.value for api in Api), "/other"]),
    request=body,
    response=body | st.text(max_size=30) | st.lists(event, max_size=5).map("".join),
)
def test_no_exchange_of_any_shape_raises_and_every_message_has_its_pointer(
    api: str, request: Any, response: Any
) -> None:
    read = read_call(exchange(f"/v1{api}", request, response))
    assert len(read.messages) == len(read.pointers)
    assert all(said["content"] for said in conversation([exchange(f"/v1{api}", request, response)]))
