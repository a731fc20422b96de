"""What the recorder does beside passing bytes on: order, roles, upstreams, refusals, and what breaks off."""

import json
import socket
import threading
from typing import Any

import httpx
import pytest

from pytest_memuse.model import Actor, MemuseError
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.recording import EpisodeStart, Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.roles import RoleRule
from pytest_memuse.recording.session import ArcRecorder
from tests.recording.passthrough.wire import Piece, chunked, raw_server
from tests.recording.servers import json_server

# Reading certificates for every request would take longer than all else here.
_HTTP = httpx.Client(verify=False)
_CHAT = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
_EVENTS = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def _echo(path: str, body: Any) -> Any:
    return {"path": path, "echo": body}


def _exchanges(recorder: ArcRecorder) -> list[Exchange]:
    return [event for event in recorder.events if isinstance(event, Exchange)]


def _actors(recorder: ArcRecorder) -> list[Actor | None]:
    return [exchange.actor for exchange in _exchanges(recorder)]


def test_a_streams_pieces_arrive_as_they_are_sent() -> None:
    seen = threading.Event()
    parts = chunked(b"data: 1\n\n", b"data: [DONE]\n\n")
    # The second piece is sent only after the client has seen the first: buffered, this would never end.
    with (
        raw_server([_EVENTS, parts[0], seen, *parts[1:]]) as server,
        PassThrough(server.base_url, ArcRecorder()) as through,
        _HTTP.stream("POST", f"{through.base_url}/chat/completions", json=_CHAT) as answer,
    ):
        pieces = answer.iter_raw()
        assert next(pieces) == b"data: 1\n\n"
        seen.set()
        assert b"".join(pieces) == b"data: [DONE]\n\n"


@pytest.mark.parametrize(
    "last",
    [b"data: [DONE]\n\n", b"event: message_stop\ndata: {}\n\n", b"event: response.completed\ndata: {}\n\n"],
)
def test_an_exchange_is_noted_before_the_client_sees_a_streams_last_event(last: bytes) -> None:
    parts = chunked(b"data: 1\n\n", last[:9], last[9:])
    recorder = ArcRecorder()
    with (
        raw_server([_EVENTS, *parts[:-1], 0.05, parts[-1]]) as server,
        PassThrough(server.base_url, recorder) as through,
        _HTTP.stream("POST", f"{through.base_url}/chat/completions", json=_CHAT) as answer,
    ):
        seen = b""
        for piece in answer.iter_raw():
            seen += piece
            if seen.endswith(last):
                # As the official clients do: they act on the last event and do not wait for the end of the body.
                break
        noted = list(_exchanges(recorder))
    assert [exchange.response for exchange in noted] == [(b"data: 1\n\n" + last).decode()]


def test_an_exchange_is_noted_before_a_response_of_known_length_ends() -> None:
    noted = []
    recorder = ArcRecorder()
    with json_server(_echo) as (base, _), PassThrough(base, recorder) as through, httpx.Client() as client:
        for number in range(20):
            client.post(f"{through.base_url}/chat/completions", json={"n": number})
            noted.append(len(_exchanges(recorder)))
    assert noted == list(range(1, 21))


def test_a_client_that_leaves_in_a_stream_closes_the_upstream_and_leaves_a_failed_call() -> None:
    never = threading.Event()
    recorder = ArcRecorder()
    recorder.start_episode(EpisodeStart("e", 0, "", {}))
    pieces: list[Piece] = [_EVENTS, chunked(b"data: 1\n\n")[0], never]
    with raw_server(pieces) as server, PassThrough(server.base_url, recorder) as through:
        with _HTTP.stream("POST", f"{through.base_url}/chat/completions", json=_CHAT) as answer:
            next(answer.iter_raw())
        assert server.closed.wait(5)
        through.settle()
    (exchange,) = _exchanges(recorder)
    assert (exchange.status, exchange.response) == (499, "data: 1\n\n")
    assert "the client went away after 9 bytes" in exchange.reason
    (episode,) = derive_log(Recording("s", "a", tuple(recorder.events))).episodes
    assert (len(episode.steps), len(episode.failed_calls)) == (0, 1)


def test_a_client_that_leaves_before_a_response_leaves_a_failed_call() -> None:
    never = threading.Event()
    recorder = ArcRecorder()
    with raw_server([never]) as server, PassThrough(server.base_url, recorder) as through:
        with pytest.raises(httpx.ReadTimeout):
            _HTTP.post(f"{through.base_url}/chat/completions", json=_CHAT, timeout=0.1)
        assert server.closed.wait(5)
        through.settle()
    (exchange,) = _exchanges(recorder)
    assert (exchange.status, exchange.response) == (499, None)


def test_an_upstream_that_breaks_off_is_seen_to_break_off_and_is_no_whole_exchange() -> None:
    recorder = ArcRecorder()
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: 99\r\n\r\n"
    with (
        raw_server([head, b"data: 1\n\n"]) as server,
        PassThrough(server.base_url, recorder) as through,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        _HTTP.post(f"{through.base_url}/chat/completions", json=_CHAT)
    (exchange,) = _exchanges(recorder)
    assert exchange.status == 499
    assert "the upstream broke off" in exchange.reason


@pytest.mark.parametrize("path", ["/chat/completions", "/embeddings"])
def test_an_upstream_that_is_down_is_named_with_what_to_do_and_no_secret(path: str) -> None:
    recorder = ArcRecorder()
    with PassThrough({"mine": "http://127.0.0.1:9/v1"}, recorder) as through:
        answer = _HTTP.post(through.base_url + path, json=_CHAT, headers={"authorization": "Bearer hunter2-hunter2"})
    assert answer.status_code == 502
    told = answer.json()["error"]["message"]
    assert "upstream 'mine', http://127.0.0.1:9, cannot be reached" in told
    assert "To mend: " in told
    assert "hunter2" not in answer.text + repr(recorder.events)
    assert [exchange.status for exchange in _exchanges(recorder)] == [502]


def test_an_upstream_that_is_silent_is_given_up() -> None:
    with (
        raw_server([threading.Event()]) as server,
        PassThrough(server.base_url, ArcRecorder(), read_seconds=0.1) as through,
    ):
        answer = _HTTP.post(f"{through.base_url}/chat/completions", json=_CHAT)
    assert answer.status_code == 502
    assert "did not answer in time" in answer.json()["error"]["message"]


def test_roles_are_given_by_header_prefix_and_rule_and_else_the_call_is_the_agents() -> None:
    recorder = ArcRecorder()
    rules = (RoleRule(Actor.MEMORY, model="small-*"), RoleRule(Actor.MEMORY, header="X-Client", value="mem0/*"))
    with json_server(_echo) as (base, _), PassThrough(base, recorder, rules=rules) as through:
        chat = "/chat/completions"
        _HTTP.post(through.base_url + chat, json=_CHAT)
        _HTTP.post(through.base_url + chat, json=_CHAT, headers={"x-memuse-role": "memory"})
        _HTTP.post(through.memory_url + chat, json=_CHAT)
        _HTTP.post(through.base_url + chat, json={"model": "small-1"})
        _HTTP.post(through.base_url + chat, json=_CHAT, headers={"x-client": "mem0/2.2"})
        _HTTP.post(through.memory_url + "/embeddings", json={"input": "x"})
        _HTTP.post(through.base_url + "/files", json={})
        with recorder.memory_work():
            _HTTP.post(through.base_url + chat, json=_CHAT)
    memory = [Actor.MEMORY] * 4
    assert _actors(recorder) == [Actor.AGENT, *memory, Actor.EMBEDDING, None, Actor.AGENT]
    assert {exchange.uri for exchange in _exchanges(recorder)[:5]} == {f"{base}/chat/completions"}


def test_an_unknown_role_is_refused_with_those_that_there_are() -> None:
    with PassThrough("http://127.0.0.1:9/v1", ArcRecorder()) as through:
        for answer in (
            _HTTP.post(through.base_url + "/x", headers={"x-memuse-role": "agnt"}),
            _HTTP.post(through.origin + "/as/agnt/v1/x"),
        ):
            assert answer.status_code == 400
            assert "did you mean 'agent'?" in answer.json()["error"]["message"]
            assert "roles are agent, memory, embedding" in answer.json()["error"]["message"]


def test_several_upstreams_are_told_apart_by_name_and_recorded_under_their_own_addresses() -> None:
    recorder = ArcRecorder()
    with json_server(_echo) as (one, _), json_server(_echo) as (other, _):
        other = other.removesuffix("/v1")
        with PassThrough({"openai": one, "anthropic": other}, recorder) as through:
            assert through.url("anthropic") == f"{through.origin}/anthropic"
            assert through.base_url == f"{through.origin}/openai/v1"
            answers = [
                _HTTP.post(f"{through.base_url}/chat/completions", json={}).json()["path"],
                _HTTP.post(f"{through.url('anthropic')}/v1/messages", json={}).json()["path"],
                _HTTP.post(f"{through.url('anthropic', role=Actor.MEMORY)}/v1/messages", json={}).json()["path"],
                _HTTP.post(f"{through.origin}/v1/responses", json={}).json()["path"],
            ]
    assert answers == ["/v1/chat/completions", "/v1/messages", "/v1/messages", "/v1/responses"]
    assert [exchange.uri for exchange in _exchanges(recorder)] == [
        f"{one}/chat/completions",
        f"{other}/v1/messages",
        f"{other}/v1/messages",
        f"{one}/responses",
    ]
    assert _actors(recorder) == [Actor.AGENT, Actor.AGENT, Actor.MEMORY, Actor.AGENT]


@pytest.mark.parametrize(
    ("upstreams", "problem"),
    [
        ("ftp://example.org", "must be http://HOST/PATH"),
        ("https://user:hunter2@example.org/v1", "holds a user name or a password"),
        ("https://example.org/v1?key=hunter2", "holds a query"),
        ({}, "no upstream is given"),
        ({"v1": "https://example.org/v1"}, "cannot be named 'v1'"),
        ({"as": "https://example.org/v1"}, "cannot be named 'as'"),
    ],
)
def test_upstreams_that_cannot_be_used_are_refused(upstreams: Any, problem: str) -> None:
    with pytest.raises(MemuseError, match=problem) as error:
        PassThrough(upstreams, ArcRecorder())
    assert "hunter2" not in str(error.value)


def test_it_does_not_forward_to_itself() -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    through = PassThrough(f"http://localhost:{port}/v1", ArcRecorder(), port=port)
    with pytest.raises(MemuseError, match="cannot be its own upstream"), through:
        pass


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"host": "rebound.example"}, "Host header"),
        ({"host": "127.0.0.1:1"}, "Host header"),
        ({"origin": "https://page.example"}, "web pages"),
        ({"origin": "null"}, "web pages"),
    ],
)
def test_web_pages_and_other_hosts_are_refused(headers: dict[str, str], why: str) -> None:
    recorder = ArcRecorder()
    with json_server(_echo) as (base, received), PassThrough(base, recorder) as through:
        answer = _HTTP.post(f"{through.base_url}/chat/completions", json=_CHAT, headers=headers)
        assert _HTTP.post(f"http://localhost:{through.port}/v1/x", json={}).status_code == 200
    assert answer.status_code == 403
    assert why in answer.json()["error"]["message"]
    assert received == [{}]


def test_a_request_for_another_host_is_not_proxied() -> None:
    with (
        PassThrough("http://127.0.0.1:9/v1", ArcRecorder()) as through,
        httpx.Client(proxy=through.origin, verify=False) as client,
    ):
        answer = client.get("http://example.org/")
    assert answer.status_code == 403


def test_it_listens_on_loopback_only() -> None:
    with PassThrough("http://127.0.0.1:9/v1", ArcRecorder()) as through, socket.socket() as other:
        # Another address of this machine is free at that port, which it would not be if all were taken.
        other.bind(("127.0.0.2", through.port))


def test_a_body_that_is_too_large_is_refused_and_one_that_inflates_too_much_is_not_kept() -> None:
    recorder = ArcRecorder()
    with json_server(_echo) as (base, received), PassThrough(base, recorder, limit=1000) as through:
        large = _HTTP.post(f"{through.base_url}/chat/completions", content=b"x" * 1001)
        streamed = _HTTP.post(f"{through.base_url}/chat/completions", content=iter([b"x" * 600] * 2))
        echoed = _HTTP.post(f"{through.base_url}/chat/completions", json={"x": "y" * 950})
    assert (large.status_code, streamed.status_code, echoed.status_code) == (413, 413, 200)
    assert len(received) == 1
    (exchange,) = _exchanges(recorder)
    assert (exchange.status, exchange.response) == (499, None)
    assert "larger than what is kept" in exchange.reason


def test_secrets_are_replaced_in_the_record_and_pass_on_the_wire() -> None:
    known, seen = "hunter2-hunter2-hunter2", "seen-in-a-header-1234"
    recorder = ArcRecorder(Redaction((known,)))
    with json_server(_echo) as (base, received), PassThrough(base, recorder) as through:
        body = {"messages": [{"role": "user", "content": f"the keys are {known} and {seen}"}]}
        url = f"{through.base_url}/chat/completions?key=in-the-address-5678"
        answer = _HTTP.post(url, json=body, headers={"x-api-key": seen})
    assert received == [body]
    assert answer.json()["echo"] == body
    recorded = repr(recorder.recording("s", "a", {}))
    assert not [secret for secret in (known, seen, "in-the-address-5678") if secret in recorded]
    assert "<redacted> and <redacted>" in recorded


def test_calls_side_by_side_are_each_recorded_once() -> None:
    recorder = ArcRecorder()

    def ask(number: int) -> None:
        for turn in range(5):
            _HTTP.post(f"{through.base_url}/chat/completions", json={"n": number, "turn": turn})

    with json_server(_echo) as (base, _), PassThrough(base, recorder) as through:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    noted = _exchanges(recorder)
    assert [exchange.number for exchange in noted] == list(range(1, 21))
    assert all(exchange.response["echo"] == exchange.request for exchange in noted)


class _Notes:
    """A memory that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def recall(self) -> str:
        return "port is 8081"

    def tool(self) -> dict[str, Any] | None:
        return {"name": "notes", "parameters": {"type": "object"}}

    def call_tool(self, arguments: Any, *, tool_call_id: str) -> str:
        if "boom" in arguments:
            raise RuntimeError("the store is at /secret/place")
        self.asked.append((dict(arguments), tool_call_id))
        return "done"


def test_the_episodes_memory_is_served_while_it_is_bound() -> None:
    notes = _Notes()
    with PassThrough("http://127.0.0.1:9/v1", ArcRecorder()) as through:
        before = _HTTP.post(f"{through.memory_service_url}/recall")
        with through.serving(notes):
            recalled = _HTTP.post(f"{through.memory_service_url}/recall").json()
            tool = _HTTP.get(f"{through.memory_service_url}/tool").json()
            as_text = {"arguments": json.dumps({"a": 1}), "tool_call_id": "c1"}
            called = _HTTP.post(f"{through.memory_service_url}/tool", json=as_text).json()
            _HTTP.post(f"{through.memory_service_url}/tool", json={"arguments": {"b": 2}, "tool_call_id": "c2"})
        after = _HTTP.get(f"{through.memory_service_url}/tool")
    assert (before.status_code, after.status_code) == (404, 404)
    assert recalled == {"text": "port is 8081"}
    assert tool == {"tool": {"name": "notes", "parameters": {"type": "object"}}}
    assert called == {"text": "done"}
    assert notes.asked == [({"a": 1}, "c1"), ({"b": 2}, "c2")]


@pytest.mark.parametrize(
    "body", ["", "[]", '{"arguments": {}}', '{"arguments": "no", "tool_call_id": "c"}', "[" * 9999]
)
def test_a_call_of_the_memory_tool_that_is_none_says_what_one_is(body: str) -> None:
    with PassThrough("http://127.0.0.1:9/v1", ArcRecorder()) as through, through.serving(_Notes()):
        answer = _HTTP.post(f"{through.memory_service_url}/tool", content=body)
        lost = _HTTP.post(f"{through.memory_service_url}/tools", content=body)
    assert answer.status_code == 400
    assert "`arguments` and a text `tool_call_id`" in answer.json()["error"]["message"]
    assert lost.status_code == 404
    assert "GET /memuse/tool" in lost.json()["error"]["message"]


def test_what_the_memory_system_raises_is_raised_at_the_end_of_the_episode() -> None:
    answers = []

    def episode(through: PassThrough) -> None:
        with through.serving(_Notes()):
            body = {"arguments": {"boom": 1}, "tool_call_id": "c"}
            answers.append(_HTTP.post(f"{through.memory_service_url}/tool", json=body))

    with PassThrough("http://127.0.0.1:9/v1", ArcRecorder()) as through:
        with pytest.raises(RuntimeError, match="the store is at"):
            episode(through)
        with through.serving(_Notes()):
            assert _HTTP.post(f"{through.memory_service_url}/recall").status_code == 200
    assert answers[0].status_code == 500
    assert "/secret/place" not in answers[0].text


class _OneCall:
    """A budget of one call."""

    def __init__(self) -> None:
        self.left = 1

    def allow(self) -> None:
        if not self.left:
            raise KeyboardInterrupt("used up")

    def count(self, exchange: Exchange) -> None:
        self.left -= 1


def test_a_budget_that_is_used_up_refuses_the_call_and_ends_the_episode() -> None:
    recorder, answers = ArcRecorder(), []
    recorder.meter = _OneCall()

    def episode(through: PassThrough) -> None:
        with through.serving(_Notes()):
            answers.extend(_HTTP.post(f"{through.base_url}/chat/completions", json=_CHAT) for _ in range(2))

    with (
        json_server(_echo) as (base, received),
        PassThrough(base, recorder) as through,
        pytest.raises(KeyboardInterrupt, match="used up"),
    ):
        episode(through)
    assert [answer.status_code for answer in answers] == [200, 400]
    assert answers[1].headers["x-should-retry"] == "false"
    assert len(received) == 1


def test_a_pass_through_that_does_not_run_has_no_address() -> None:
    through = PassThrough("http://127.0.0.1:9/v1", ArcRecorder())
    with pytest.raises(MemuseError, match="is not running"):
        _ = through.base_url
