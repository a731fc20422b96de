"""What is read of calls by OpenAI's Responses API."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.model import HistoryKind, Message, ToolCall, Usage
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.dialects import CallReader, ReadCall, conversation, read_call
from pytest_memuse.recording.recording import EpisodeStart, Recording
from tests.recording.exchanges import exchange, frame, streamed

PATH = "/openai/v1/responses"
OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
    {"type": "function_call", "id": "f1", "call_id": "c1", "name": "bash", "arguments": '{"command":"ls"}'},
]
SAID = Message("assistant", "I look.", (ToolCall("c1", "bash", '{"command":"ls"}'),))
RESULT = {"type": "function_call_output", "call_id": "c1", "output": "a.txt"}


def _answer(name: str = "resp_1", output: Any = OUTPUT, **more: Any) -> dict[str, Any]:
    return {"id": name, "object": "response", "status": "completed", "model": "real", "output": output} | more


def _read(request: dict[str, Any], answer: Any = None) -> ReadCall:
    return read_call(exchange(PATH, request, answer or _answer()))


def test_items_become_messages_and_a_response_echoed_is_the_message_that_it_was() -> None:
    items = [{"role": "user", "content": "hello"}, *OUTPUT, RESULT]
    read = _read({"instructions": "Be brief.", "input": items})
    assert read.messages == (
        Message("system", "Be brief."),
        Message("user", "hello"),
        SAID,
        Message("tool", "a.txt", tool_call_id="c1"),
    )
    assert read.pointers == ("/instructions", "/input/0/content", "/input/2/content", "/input/4/output")
    assert read.response == SAID == read.messages[2]
    assert read.readable


def test_a_text_is_what_the_user_says() -> None:
    read = _read({"input": "hello"})
    assert (read.messages, read.pointers) == ((Message("user", "hello"),), ("/input",))


def test_the_parts_of_messages_and_outputs_are_one_text() -> None:
    parts = [
        {"type": "input_text", "text": "a"},
        {"type": "input_image", "image_url": "x"},
        {"type": "input_text", "text": "b"},
    ]
    output = {"type": "function_call_output", "call_id": "c", "output": parts}
    read = _read({"input": [{"type": "message", "role": "developer", "content": parts}, output]})
    assert [m.text for m in read.messages] == ["a\nb", "a\nb"]


def test_calls_of_other_tools_are_tool_calls_too() -> None:
    items = [
        {"type": "custom_tool_call", "call_id": "c1", "name": "edit", "input": "*** Patch"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"},
        {"type": "local_shell_call", "call_id": "c2", "action": {"command": ["ls"]}},
        {"type": "mcp_call", "id": "c3", "name": "look", "arguments": "{}", "output": "seen"},
    ]
    said, done, called, seen = _read({"input": items}).messages
    assert said.tool_calls == (ToolCall("c1", "edit", "*** Patch"),)
    assert done == Message("tool", "done", tool_call_id="c1")
    assert called.tool_calls == (ToolCall("c2", "local_shell", '{"command": ["ls"]}'), ToolCall("c3", "look", "{}"))
    assert seen == Message("tool", "seen", tool_call_id="c3")


@pytest.mark.parametrize(
    "request_body",
    [
        {"input": [{"type": "item_reference", "id": "m1"}]},
        {"input": [{"type": "compaction", "encrypted_content": "x"}]},
        {"input": ["hello"]},
        {"input": "hello", "conversation": "conv_1"},
        {"input": "hello", "prompt": {"id": "pmpt_1"}},
        {"input": "hello", "instructions": ["?"]},
        {"model": "m"},
    ],
)
def test_an_input_that_the_request_does_not_hold_whole_is_a_gap(request_body: dict[str, Any]) -> None:
    read = _read(request_body)
    assert (read.readable, read.response) == (False, SAID)


@pytest.mark.parametrize("status", ["failed", "cancelled", "in_progress", "queued"])
def test_a_response_that_did_not_come_to_its_end_completes_nothing(status: str) -> None:
    assert _read({"input": "hello"}, _answer(status=status)).response is None


def test_a_response_cut_short_by_a_token_limit_is_an_answer() -> None:
    assert _read({"input": "hello"}, _answer(status="incomplete")).response == SAID


def test_usage_is_read() -> None:
    usage = {
        "input_tokens": 9,
        "output_tokens": 5,
        "input_tokens_details": {"cached_tokens": 2},
        "output_tokens_details": {"reasoning_tokens": 1},
        "cost": 1,
    }
    read = _read({"input": "hello"}, _answer(usage=usage))
    assert (read.usage, read.cost) == (Usage(9, 5, 2, 1), 1.0)


def test_a_request_goes_on_from_the_recorded_response_that_it_names() -> None:
    reader = CallReader()
    reader.read(exchange(PATH, {"instructions": "Old.", "input": "hello"}, _answer()))
    request = {"instructions": "New.", "previous_response_id": "resp_1", "input": [RESULT]}
    second = reader.read(exchange(PATH, request, _answer("resp_2", OUTPUT[1:2])))
    assert second.readable
    assert second.messages == (
        Message("system", "New."),
        Message("user", "hello"),
        SAID,
        Message("tool", "a.txt", tool_call_id="c1"),
    )
    assert second.pointers == ("/instructions", "", "", "/input/0/output")
    third = reader.read(exchange(PATH, {"previous_response_id": "resp_2", "input": "and?"}, _answer("resp_3")))
    assert [m.text for m in third.messages] == ["hello", "I look.", "a.txt", "I look.", "and?"]


def test_a_response_that_the_recording_does_not_hold_leaves_a_gap_and_so_do_those_that_go_on_from_it() -> None:
    reader = CallReader()
    first = reader.read(exchange(PATH, {"previous_response_id": "lost", "input": "x"}, _answer("resp_1")))
    second = reader.read(exchange(PATH, {"previous_response_id": "resp_1", "input": "y"}, _answer("resp_2")))
    assert [first.readable, second.readable] == [False, False]
    assert [m.text for m in second.messages] == ["x", "I look.", "y"]


def test_an_input_with_a_gap_says_nothing_of_what_left_the_history() -> None:
    requests = [
        {"input": [{"role": "user", "content": "hello"}, {"role": "user", "content": "more"}]},
        {"previous_response_id": "lost", "input": "x"},
        {"input": [{"role": "user", "content": "hello"}]},
        {"input": [{"role": "user", "content": "other"}]},
    ]
    calls = [exchange(PATH, body, _answer(f"resp_{n}")) for n, body in enumerate(requests)]
    numbered = [replace(call, number=number) for number, call in enumerate(calls, 1)]
    start = EpisodeStart("e", 0, "s", {"id": "e", "text": "t"})
    (episode,) = derive_log(Recording("suite", "arc", (start, *numbered))).episodes
    assert [step.call.gap for step in episode.steps] == [False, True, False, False]
    assert [(change.kind, change.before) for change in episode.history] == [(HistoryKind.REWRITE, "call-4")]


def test_a_conversation_kept_by_the_provider_is_told_whole() -> None:
    exchanges = [
        exchange(PATH, {"input": "hello"}, _answer("resp_1", OUTPUT[1:2])),
        exchange(PATH, {"previous_response_id": "resp_1", "input": "and?"}, _answer("resp_2", OUTPUT[1:2])),
    ]
    assert [said["content"] for said in conversation(exchanges)] == ["hello", "I look.", "and?", "I look."]


def _events(output: Any) -> list[str]:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": _answer(output=[], status="in_progress")}]
    events += [{"type": "response.output_item.done", "output_index": n, "item": i} for n, i in enumerate(OUTPUT)]
    events.append({"type": "response.completed", "response": _answer(output=output, usage={"input_tokens": 3})})
    return [frame(event, named=True) for event in events]


@pytest.mark.parametrize("output", [OUTPUT, []], ids=["whole at the end", "items before the end alone"])
def test_a_stream_says_what_the_same_response_says_whole(output: Any) -> None:
    read = read_call(streamed(PATH, {"input": "hello"}, _events(output)))
    assert (read.response, read.model, read.usage) == (SAID, "real", Usage(input=3))


@pytest.mark.parametrize("kept", range(5))
def test_a_stream_that_breaks_off_completes_nothing(kept: int) -> None:
    assert read_call(streamed(PATH, {"input": "hello"}, _events(OUTPUT)[:kept])).response is None


def test_a_stream_that_fails_completes_nothing() -> None:
    failed = frame({"type": "response.failed", "response": _answer(status="failed")}, named=True)
    assert read_call(streamed(PATH, {"input": "hello"}, [*_events(OUTPUT)[:-1], failed])).response is None
