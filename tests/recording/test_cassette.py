"""Recording and replaying real HTTP through vcrpy."""

import time

import httpx
import pytest

from pytest_memuse.model import Actor
from pytest_memuse.recording.answers import Answers
from pytest_memuse.recording.cassette import playing_http, recording_http
from pytest_memuse.recording.nearest import nearest_request
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder
from tests.recording.servers import json_server

_SECRET = "hunter2-hunter2-hunter2"


def _record(*bodies: object, path: str = "/chat/completions", redaction: Redaction | None = None) -> Recording:
    recorder = ArcRecorder()
    with json_server(lambda _, body: {"echo": body}) as (base, _), recording_http(recorder, redaction or Redaction()):
        for body in bodies:
            httpx.post(base + path, json=body, headers={"authorization": f"Bearer {_SECRET}"})
    return Recording("suite", "arc", tuple(recorder.events))


def _post(body: object, path: str = "/chat/completions", port: int = 9) -> httpx.Response:
    return httpx.post(f"http://127.0.0.1:{port}/v1{path}", json=body)


def test_a_recorded_request_is_answered_without_any_server() -> None:
    with playing_http(_record({"a": 1}), Redaction()) as playback:
        assert _post({"a": 1}).json() == {"echo": {"a": 1}}
    assert (playback.used, playback.misses) == (1, [])


def test_the_order_of_keys_and_the_port_of_a_local_server_do_not_matter() -> None:
    with playing_http(_record({"a": 1, "b": 2}), Redaction()) as playback:
        assert _post({"b": 2, "a": 1}, port=4711).status_code == 200
    assert not playback.misses


@pytest.mark.parametrize(
    ("recorded", "asked"),
    [
        ("## Current Date\n2026-01-31", "## Current Date\n2026-02-01"),
        ("Today's date is 2026-01-31.", "Today's date is 2026-02-01."),
        ("memory 0b36c2c4-7a8c-4c6e-9a54-6d2f3bb0f7aa", "memory 7e6f1b9c-3f0d-4d0c-8a9c-1c3d5e7f9a1b"),
    ],
)
def test_what_varies_from_day_to_day_does_not_matter(recorded: str, asked: str) -> None:
    with playing_http(_record({"content": recorded}), Redaction()) as playback:
        assert _post({"content": asked}).status_code == 200
    assert not playback.misses


def test_a_date_that_is_part_of_a_fact_does_matter() -> None:
    with playing_http(_record({"content": "released on 2026-01-31"}), Redaction()) as playback:
        _post({"content": "released on 2026-02-01"})
    assert len(playback.misses) == 1


def test_a_missing_request_is_refused_at_once_and_told_with_its_nearest_neighbour() -> None:
    recording = _record({"content": "port is 8081"}, {"content": "something else entirely"})
    with playing_http(recording, Redaction()) as playback:
        answer = _post({"content": "port is 9091"})
    assert answer.status_code == 400
    assert answer.headers["x-should-retry"] == "false"
    (miss,) = playback.misses
    assert "nearest recorded request is exchange 1" in miss.nearest
    assert "/content" in miss.nearest
    assert "8081" in miss.nearest
    assert "9091" in miss.nearest


def test_a_request_to_another_place_says_that_nothing_was_recorded_there() -> None:
    with playing_http(_record({"a": 1}), Redaction()) as playback:
        _post({"a": 1}, path="/embeddings")
    assert playback.misses[0].nearest == "no POST request to /v1/embeddings was recorded"


def test_equal_requests_are_answered_in_the_order_of_the_recording() -> None:
    answers = iter(["first", "second"])
    recorder = ArcRecorder()
    with json_server(lambda _, __: next(answers)) as (base, _), recording_http(recorder, Redaction()):
        for _ in range(2):
            httpx.post(f"{base}/x", json={})
    with playing_http(Recording("s", "a", tuple(recorder.events)), Redaction()):
        assert [_post({}, path="/x").json() for _ in range(3)] == ["first", "second", "second"]


def test_what_the_memory_system_does_not_ask_any_more_is_told() -> None:
    recorder = ArcRecorder()
    with json_server(lambda _, body: {}) as (base, _), recording_http(recorder, Redaction()):
        httpx.post(f"{base}/chat/completions", json={"agent": 1})
        with recorder.memory_work():
            httpx.post(f"{base}/chat/completions", json={"memory": 1})
            httpx.post(f"{base}/embeddings", json={"input": "a"})
    with playing_http(Recording("s", "a", tuple(recorder.events)), Redaction()) as playback:
        assert [exchange.number for exchange in playback.unused] == [2, 3]
        _post({"input": "a"}, path="/embeddings")
        assert [exchange.number for exchange in playback.unused] == [2]


def test_a_miss_among_many_long_requests_is_told_within_bounds() -> None:
    long = [{"role": "user", "content": "word " * 20_000}] * 20

    def asked(last: str) -> dict[str, object]:
        return {"messages": [*long, {"role": "user", "content": last}], "model": "m"}

    exchanges = [Exchange(n, Actor.AGENT, "POST", _URI, asked(f"number {n}"), 200, "OK", {}, {}) for n in range(300)]
    begun = time.process_time()
    found = nearest_request("POST", _URI, asked("number 299 now"), exchanges)
    assert time.process_time() - begun < 20  # Two megabytes each, compared whole, would take hours.
    assert "exchange 299; they first differ at /messages/20/content" in found


def test_of_many_misses_the_nearest_neighbours_of_the_first_are_told() -> None:
    answers = Answers([Exchange(1, Actor.AGENT, "POST", _URI, {"n": 0}, 200, "OK", {}, {})])
    for _ in range(50):
        answers.answer("POST", _URI, b'{"n": 1}')
    told = [miss.nearest for miss in answers.playback.misses]
    assert len(told) == 50
    assert "they first differ at /n" in told[0]
    assert told[-1] == "it is one of many that are missing"


_URI = "http://127.0.0.1:9/v1/chat/completions"


def test_no_request_header_and_no_cookie_is_stored() -> None:
    (event,) = _record({"a": 1}).events
    assert isinstance(event, Exchange)
    assert event.headers == {"content-type": "application/json"}
    assert _SECRET not in repr(event)


def test_a_known_secret_is_replaced_and_the_replay_still_matches() -> None:
    redaction = Redaction.from_environment({"BILLING_API_KEY": _SECRET, "HOME": "/home/of/nobody-in-particular"})
    recording = _record({"content": f"the key is {_SECRET}"}, redaction=redaction)
    assert _SECRET not in repr(recording)
    with playing_http(recording, redaction) as playback:
        assert _post({"content": f"the key is {_SECRET}"}).status_code == 200
    assert not playback.misses


@pytest.mark.parametrize("key", ["sk-" + "a1" * 12, "ghp_" + "b2" * 16, "AKIA" + "C3" * 8])
def test_the_shapes_of_common_keys_are_replaced(key: str) -> None:
    assert key not in repr(_record({"content": f"use {key} here"}))


def test_a_key_in_the_address_is_replaced() -> None:
    assert "topsecret" not in repr(_record({}, path="/chat/completions?key=topsecret&x=1"))


def test_calls_are_attributed_by_what_goes_on_around_them() -> None:
    recorder = ArcRecorder()
    with json_server(lambda _, body: {}) as (base, _), recording_http(recorder, Redaction()):
        httpx.post(f"{base}/chat/completions", json={})
        with recorder.memory_work():
            httpx.post(f"{base}/chat/completions", json={})
            httpx.post(f"{base}/embeddings", json={})
        httpx.post(f"{base}/issues", json={})
    actors = [event.actor for event in recorder.events if isinstance(event, Exchange)]
    assert actors == [Actor.AGENT, Actor.MEMORY, Actor.EMBEDDING, None]


def test_what_is_known_is_answered_from_before_and_recorded_all_the_same() -> None:
    before, recorder = _record({"input": "a"}, path="/embeddings"), ArcRecorder()
    server = json_server(lambda _, body: {"fresh": body})
    with server as (base, received), recording_http(recorder, Redaction(), before.exchanges):
        answers = [httpx.post(f"{base}/embeddings", json={"input": text}).json() for text in ("a", "b")]
    assert answers == [{"echo": {"input": "a"}}, {"fresh": {"input": "b"}}]
    assert received == [{"input": "b"}]
    assert [e.response for e in recorder.events if isinstance(e, Exchange)] == answers
