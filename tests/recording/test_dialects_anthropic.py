"""What is read of calls by Anthropic's Messages API."""

from typing import Any

import pytest

from pytest_memuse.model import Message, ToolCall, Usage
from pytest_memuse.recording.dialects import ReadCall, read_call
from tests.recording.exchanges import exchange, frame, streamed

PATH = "/v1/messages?beta=true"
BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "hm", "signature": "s"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls", "é": 1}},
]
SAID = Message("assistant", "I look.", (ToolCall("t1", "bash", '{"command": "ls", "é": 1}'),))
USER = {"role": "user", "content": "hello"}


def _answer(**more: Any) -> dict[str, Any]:
    return {"id": "msg_1", "type": "message", "model": "real", "content": BLOCKS, "stop_reason": "tool_use"} | more


def _read(messages: list[Any], answer: Any = None, **request: Any) -> ReadCall:
    return read_call(exchange(PATH, {"messages": messages, **request}, answer or _answer()))


def test_messages_are_read_in_order_and_an_answer_echoed_is_the_message_that_it_was() -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a.txt"}]}
    system = [
        {"type": "text", "text": "Be"},
        {"type": "text", "text": "brief.", "cache_control": {"type": "ephemeral"}},
    ]
    messages = [USER, {"role": "assistant", "content": BLOCKS}, {"role": "user", "content": [result]}]
    read = _read(messages, system=system)
    assert read.messages == (
        Message("system", "Be\nbrief."),
        Message("user", "hello"),
        SAID,
        Message("tool", "a.txt", tool_call_id="t1"),
    )
    assert read.pointers == ("/system", "/messages/0/content", "/messages/1/content", "/messages/2/content/0/content")
    assert read.response == SAID == read.messages[2]
    assert read.readable


def test_results_beside_other_blocks_become_a_message_each_in_their_order() -> None:
    content = [
        {"type": "tool_result", "tool_use_id": "t1", "content": "one", "is_error": True},
        {"type": "tool_result", "tool_use_id": "t2", "content": "two", "is_error": False},
        {"type": "tool_result", "tool_use_id": "t3"},
        {"type": "image", "source": {"type": "base64", "data": "xx"}},
        {"type": "text", "text": "go on"},
    ]
    read = _read([{"role": "user", "content": content}])
    assert read.messages == (
        Message("tool", "one", tool_call_id="t1"),
        Message("tool", "two", tool_call_id="t2"),
        Message("tool", "", tool_call_id="t3"),
        Message("user", ""),
        Message("user", "go on"),
    )
    assert read.pointers[0] == "/messages/0/content/0/content"
    assert read.pointers[4] == "/messages/0/content/4"
    assert read.failures == {"t1": True, "t2": False}


def test_the_text_of_documents_and_search_results_is_read() -> None:
    content = [
        {"type": "document", "source": {"type": "text", "data": "a document"}},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "in blocks"}]}},
        {"type": "document", "source": {"type": "base64", "data": "xx"}},
        {"type": "search_result", "source": "s", "content": [{"type": "text", "text": "found"}]},
    ]
    (message,) = _read([{"role": "user", "content": content}]).messages
    assert message.text == "a document\nin blocks\nfound"


def test_tokens_read_from_and_written_to_the_cache_are_part_of_the_input() -> None:
    usage = {
        "input_tokens": 5,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 100,
        "output_tokens": 7,
    }
    assert _read([USER], _answer(usage=usage)).usage == Usage(125, 7, 100)
    assert _read([USER], _answer(usage={"input_tokens": 5, "output_tokens": 7})).usage == Usage(5, 7)
    assert _read([USER], _answer(usage={"cache_read_input_tokens": 1})).usage == Usage(cached=1)


def test_an_input_that_the_provider_edited_is_a_gap() -> None:
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919", "cleared_input_tokens": 1000}]}
    assert not _read([USER], _answer(context_management=edits)).readable
    assert _read([USER], _answer(context_management={"applied_edits": []})).readable


@pytest.mark.parametrize("messages", [["hello"], [{"role": "user"}], [{"role": "user", "content": ["x"]}]])
def test_what_is_no_message_makes_the_input_a_gap(messages: list[Any]) -> None:
    assert not _read(messages).readable


def test_another_api_whose_path_ends_alike_is_a_gap() -> None:
    assert not read_call(exchange("/v1/threads/t/messages", {"role": "user", "content": "x"}, {"id": "m"})).readable


def _events() -> list[str]:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 10, "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": _answer(content=[], stop_reason=None, usage=usage)},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "I "}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "look."}},
        {"type": "content_block_start", "index": 2, "content_block": BLOCKS[2] | {"input": {}}},
        {
            "type": "content_block_delta",
            "index": 2,
            "delta": {"type": "input_json_delta", "partial_json": '{"command":"ls"'},
        },
        {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": ',"é":1}'}},
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    return [frame(event, named=True) for event in events]


def test_a_stream_says_what_the_same_answer_says_whole() -> None:
    read = read_call(streamed(PATH, {"messages": [USER]}, _events()))
    assert (read.response, read.model, read.usage) == (SAID, "real", Usage(15, 9, 10))


def test_events_without_names_are_told_by_their_type() -> None:
    frames = [text.partition("\n")[2] for text in _events()]
    assert read_call(streamed(PATH, {"messages": [USER]}, frames)).response == SAID


@pytest.mark.parametrize("kept", range(11))
def test_a_stream_that_breaks_off_completes_nothing(kept: int) -> None:
    assert read_call(streamed(PATH, {"messages": [USER]}, _events()[:kept])).response is None


def test_a_stream_that_ends_in_an_error_completes_nothing_and_its_tokens_stay_known() -> None:
    error = frame({"type": "error", "error": {"type": "overloaded_error"}}, named=True)
    read = read_call(streamed(PATH, {"messages": [USER]}, [*_events()[:6], error]))
    assert (read.response, read.usage.input, read.model) == (None, 15, "real")


def test_a_call_without_arguments_has_an_empty_object() -> None:
    frames = [text for text in _events() if "partial_json" not in text]
    read = read_call(streamed(PATH, {"messages": [USER]}, frames))
    assert read.response is not None
    assert read.response.tool_calls[0].arguments == "{}"
