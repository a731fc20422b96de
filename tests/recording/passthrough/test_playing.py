"""An endpoint that answers from a recording: streams as streams, what broke off broken off, the rest refused."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from pytest_memuse.model import Actor, MemuseError
from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.recording import Exchange, Recording

_HTTP = httpx.Client(verify=False)
_ORIGIN = "https://api.example"


def _exchange(number: int, response: Any, *, status: int = 200, reason: str = "OK", **more: Any) -> Exchange:
    kind = "text/event-stream" if isinstance(response, str) else "application/json"
    fields = {"uri": f"{_ORIGIN}/v1/chat/completions", "request": {"n": 1}, **more}
    headers = {"content-type": kind, **fields.pop("headers", {})}
    return Exchange(
        number, Actor.AGENT, "POST", status=status, reason=reason, headers=headers, response=response, **fields
    )


def _recording(*exchanges: Exchange, upstreams: Mapping[str, str] | None = None) -> Recording:
    return Recording("s", "a", exchanges, {"upstreams": upstreams or {"": f"{_ORIGIN}/v1"}})


def test_a_stream_is_played_as_a_stream_event_by_event() -> None:
    text = "event: a\ndata: 1\n\nevent: b\ndata: 2\n\ndata: [DONE]\n\n"
    with (
        PassThrough.playing(_recording(_exchange(1, text))) as through,
        _HTTP.stream("POST", f"{through.base_url}/chat/completions", json={"n": 1}) as answer,
    ):
        assert answer.headers["content-type"] == "text/event-stream"
        pieces = list(answer.iter_raw())
    assert "".join(piece.decode() for piece in pieces) == text


def test_statuses_reasons_and_what_clients_act_on_are_played() -> None:
    slow = _exchange(1, {"error": {}}, status=429, reason="Slow Down", headers={"retry-after": "2"})
    with PassThrough.playing(_recording(slow, _exchange(2, {"ok": 1}))) as through:
        answers = [_HTTP.post(f"{through.base_url}/chat/completions", json={"n": 1}) for _ in range(2)]
    assert (answers[0].status_code, answers[0].reason_phrase, answers[0].headers["retry-after"]) == (
        429,
        "Slow Down",
        "2",
    )
    assert answers[1].json() == {"ok": 1}


@pytest.mark.parametrize("came", ["data: 1\n\n", None])
def test_what_broke_off_breaks_off_again(came: str | None) -> None:
    broken = _exchange(1, came, status=499, reason="the upstream broke off")
    seen: list[bytes] = []

    def ask(through: PassThrough) -> None:
        with _HTTP.stream("POST", f"{through.base_url}/chat/completions", json={"n": 1}) as answer:
            seen.extend(answer.iter_raw(1))

    with PassThrough.playing(_recording(broken, _exchange(2, {"ok": 1}))) as through:
        with pytest.raises(httpx.TransportError):
            ask(through)
        # A client that tries again gets what it got then.
        assert _HTTP.post(f"{through.base_url}/chat/completions", json={"n": 1}).json() == {"ok": 1}
    assert b"".join(seen).decode() == (came or "")


def test_a_request_that_is_not_recorded_is_refused_once_and_for_all() -> None:
    with PassThrough.playing(_recording(_exchange(1, {}))) as through:
        answer = _HTTP.post(f"{through.base_url}/chat/completions", json={"n": 2})
        misses = through.misses
    assert (answer.status_code, answer.headers["x-should-retry"]) == (400, "false")
    assert "exchange 1; they first differ at /n: recorded '1', asked '2'" in answer.json()["error"]["message"]
    assert [miss.uri for miss in misses] == [f"{_ORIGIN}/v1/chat/completions"]


def test_a_recording_with_several_upstreams_is_played_at_their_base_urls() -> None:
    upstreams = {"openai": f"{_ORIGIN}/v1", "anthropic": "https://other.example"}
    recording = _recording(
        _exchange(1, {"from": "openai"}),
        _exchange(2, {"from": "anthropic"}, uri="https://other.example/v1/messages"),
        upstreams=upstreams,
    )
    with PassThrough.playing(recording) as through:
        urls = [f"{through.url('openai')}/chat/completions", f"{through.url('anthropic')}/v1/messages"]
        assert [_HTTP.post(url, json={"n": 1}).json()["from"] for url in urls] == ["openai", "anthropic"]


def test_upstreams_that_a_recording_does_not_tell_are_those_that_were_asked() -> None:
    alone = Recording("s", "a", (_exchange(1, {"ok": 1}),))
    with PassThrough.playing(alone) as through:
        assert _HTTP.post(f"{through.base_url}/chat/completions", json={"n": 1}).json() == {"ok": 1}
    two = Recording("s", "a", (_exchange(1, {}), _exchange(2, {}, uri="https://other.example/v1/messages")))
    with pytest.raises(MemuseError, match="does not say which upstreams"):
        PassThrough.playing(two)
    assert PassThrough.playing(two, upstreams={"a": f"{_ORIGIN}/v1"}).upstreams == {"a": f"{_ORIGIN}/v1"}


@pytest.mark.parametrize("upstreams", [{"": 1}, [], "x", {}])
def test_upstreams_that_are_damaged_are_passed_over(upstreams: Any) -> None:
    recording = Recording("s", "a", (_exchange(1, {}),), {"upstreams": upstreams})
    assert PassThrough.playing(recording).upstreams == {"": f"{_ORIGIN}/v1"}
