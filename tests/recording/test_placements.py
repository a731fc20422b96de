"""Where memory text stands in a request, and how the event log finds it again."""

from typing import Any

import pytest

from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.dialects import CallReader, read_call
from pytest_memuse.recording.placements import Host, hosts_of, log_proof
from pytest_memuse.recording.recording import EpisodeStart, Recording
from pytest_memuse.recording.rendered import Rendered
from pytest_memuse.recording.session import ArcRecorder
from pytest_memuse.spans import recording_problems
from tests.recording.exchanges import STREAM, exchange

MEMORY = "port is \"8081\"\nhost is 'é'"
CHAT = {
    "messages": [
        {"role": "system", "content": [{"type": "text", "text": "Agent."}, {"type": "text", "text": MEMORY}]},
        {"role": "user", "content": "Go on."},
        {"role": "tool", "tool_call_id": "c1", "content": f"found: {MEMORY}"},
    ]
}
RESPONSES = {
    "instructions": f"Agent.\n{MEMORY}",
    "input": [
        {"role": "user", "content": "Go on."},
        {"type": "function_call", "call_id": "c1", "name": "notes", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": f"found: {MEMORY}"},
    ],
}
ANTHROPIC = {
    "system": [{"type": "text", "text": "Agent."}, {"type": "text", "text": MEMORY}],
    "messages": [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "notes", "input": {}}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c0", "content": "nothing"},
                {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": f"found: {MEMORY}"}]},
            ],
        },
    ],
}
PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses", "anthropic": "/v1/messages"}
BODIES: dict[str, dict[str, Any]] = {"chat": CHAT, "responses": RESPONSES, "anthropic": ANTHROPIC}


@pytest.mark.parametrize(
    ("api", "in_system", "in_result"),
    [
        ("chat", "/messages/0/content", "/messages/2/content"),
        ("responses", "/instructions", "/input/2/output"),
        ("anthropic", "/system", "/messages/2/content/1/content"),
    ],
)
def test_the_messages_that_can_hold_memory_are_told_with_their_pointers(
    api: str, in_system: str, in_result: str
) -> None:
    hosts = hosts_of(BODIES[api])
    assert hosts == hosts_of(BODIES[api], uri=f"http://localhost{PATHS[api]}")
    assert [host.pointer for host in hosts if host.text == f"Agent.\n{MEMORY}"] == [in_system]
    assert [host.pointer for host in hosts if host.tool_call_id == "c1"] == [in_result]
    assert [host.text for host in hosts if host.tool_call_id == "c1"] == [f"found: {MEMORY}"]


def test_the_messages_of_a_request_say_who_speaks_and_whose_result_they_are() -> None:
    *_, result = hosts_of(RESPONSES)
    assert result == Host("/input/2/output", f"found: {MEMORY}", "tool", "c1")
    assert hosts_of("not JSON") == ()


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
def test_the_log_names_a_message_by_its_position_whatever_the_request_looks_like(api: str) -> None:
    call = read_call(exchange(PATHS[api], BODIES[api], {}))
    for index, host in enumerate(hosts_of(BODIES[api])):
        for pointer in (host.pointer, host.pointer.removesuffix("/content")):
            proof = log_proof(call, BODIES[api], "slot", pointer, text_digest(host.text))
            assert (proof.pointer, proof.text_digest) == (f"/messages/{index}/content", text_digest(host.text))
            assert call.messages[index].text == host.text


@pytest.mark.parametrize(("api", "pointer"), [("chat", "/messages/0/content/1/text"), ("anthropic", "/system/1/text")])
def test_a_proof_of_one_part_becomes_one_of_the_message_where_its_digest_is_right(api: str, pointer: str) -> None:
    call = read_call(exchange(PATHS[api], BODIES[api], {}))
    right = log_proof(call, BODIES[api], "slot", pointer, text_digest(MEMORY))
    assert (right.pointer, right.text_digest) == ("/messages/0/content", text_digest(f"Agent.\n{MEMORY}"))
    wrong = log_proof(call, BODIES[api], "slot", pointer, text_digest("another text"))
    assert (wrong.pointer, wrong.text_digest) == ("/messages/0/content", text_digest("another text"))


@pytest.mark.parametrize("pointer", ["", "/messages", "/messages/9/content", "/tools/0", "x", "/" * 100, "/input/00"])
def test_a_pointer_that_leads_to_no_message_stays_as_it_is(pointer: str) -> None:
    call = read_call(exchange(PATHS["chat"], CHAT, {}))
    assert log_proof(call, CHAT, "slot", pointer, "d").pointer == pointer


def test_a_message_that_only_an_earlier_exchange_holds_is_counted_and_no_pointer_leads_to_it() -> None:
    reader = CallReader()
    reader.read(exchange(PATHS["responses"], {"input": "hello"}, {"id": "r1", "output": []}))
    body = {"previous_response_id": "r1", "input": MEMORY}
    call = reader.read(exchange(PATHS["responses"], body, {}))
    proof = log_proof(call, body, "slot", "/input", text_digest(MEMORY))
    assert proof.pointer == "/messages/2/content"
    assert call.messages[2].text == MEMORY


def test_a_delivery_waits_for_a_call_that_is_answered_whole() -> None:
    recorder = ArcRecorder()
    recorder.start_episode(EpisodeStart("e", 0, "s", {"id": "e", "text": "t"}))
    number = recorder.operation("recall", "s", {"query": "t"}, Rendered(MEMORY))
    recorder.deliver(number, "system", MEMORY)
    answer = 'data: {"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    for text in ('data: {"choices":[{"delta":{"content":"Do', answer):
        recorder.exchange("POST", f"http://localhost{PATHS['chat']}", CHAT, 200, "OK", text, STREAM)
    (episode,) = derive_log(Recording("suite", "arc", tuple(recorder.events))).episodes
    assert [call.id for call in episode.failed_calls] == ["call-1"]
    assert [(delivery.call, episode.step_of_call(delivery.call)) for delivery in episode.deliveries] == [("call-2", 1)]
    assert recording_problems(episode) == ()
