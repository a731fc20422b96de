"""The recorder between a client and a server changes no byte of what they say to each other (raw sockets)."""

import gzip
import json
import zlib
from collections.abc import Sequence
from typing import Any

import brotli
import pytest

from pytest_memuse.recording import content_codings
from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.recording import Exchange
from pytest_memuse.recording.session import ArcRecorder
from tests.recording.passthrough.wire import Piece, chunked, exchange, raw_server

_ANSWER = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Grüße ✓"}}], "x": 1.0}).encode()
_STREAM = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"n": 2}\n\ndata: [DONE]\n\n'


def _with_length(status: bytes, headers: bytes, body: bytes) -> list[Piece]:
    return [b"HTTP/1.1 %s\r\n%scontent-length: %d\r\n\r\n%s" % (status, headers, len(body), body)]


def _in_chunks(headers: bytes, *parts: bytes) -> list[Piece]:
    return [b"HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n" % headers, *chunked(*parts)]


def _split(body: bytes, size: int = 7) -> list[bytes]:
    return [body[i : i + size] for i in range(0, len(body), size)]


_JSON = b"Content-Type: application/json\r\nX-Request-Id: req_1\r\nDate: Mon, 30 Nov 2026 00:00:00 GMT\r\n"
_EVENTS = b"content-type: text/event-stream; charset=utf-8\r\ncache-control: no-cache\r\n"
_GZIP, _BR, _DEFLATE = (b"content-encoding: %s\r\n" % name for name in (b"gzip", b"br", b"deflate"))

RESPONSES: dict[str, tuple[list[Piece], Any]] = {
    "json": (_with_length(b"200 OK", _JSON, _ANSWER), json.loads(_ANSWER)),
    "json in chunks": (_in_chunks(_JSON, *_split(_ANSWER)), json.loads(_ANSWER)),
    "json, gzip": (_with_length(b"200 OK", _JSON + _GZIP, gzip.compress(_ANSWER)), json.loads(_ANSWER)),
    "json, two gzip members": (
        _with_length(b"200 OK", _JSON + _GZIP, gzip.compress(_ANSWER[:9]) + gzip.compress(_ANSWER[9:])),
        json.loads(_ANSWER),
    ),
    "json, deflate": (_with_length(b"200 OK", _JSON + _DEFLATE, zlib.compress(_ANSWER)), json.loads(_ANSWER)),
    "json, brotli in chunks": (_in_chunks(_JSON + _BR, *_split(brotli.compress(_ANSWER))), json.loads(_ANSWER)),
    "stream": (_in_chunks(_EVENTS, *_split(_STREAM, 20)), _STREAM.decode()),
    "stream, gzip": (_in_chunks(_EVENTS + _GZIP, *_split(gzip.compress(_STREAM))), _STREAM.decode()),
    "until the connection ends": ([b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n", b"he", b"llo"], "hello"),
    "no content": ([b"HTTP/1.1 204 No Content\r\nx-a: b\r\nconnection: close\r\n\r\n"], None),
    "empty": (_with_length(b"200 OK", b"", b""), None),
    "no headers but the length": (_with_length(b"200 OK", b"", b"raw"), "raw"),
    "too many requests": (
        _with_length(
            b"429 Slow Down Please", _JSON + b"retry-after: 2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n", b"{}"
        ),
        {},
    ),
    "elsewhere": (_with_length(b"307 Temporary Redirect", b"Location: http://127.0.0.1:9/other\r\n", b""), None),
    "not text": (_with_length(b"200 OK", b"content-type: application/octet-stream\r\n", bytes(range(256))), ...),
    "a header of two bytes beyond ASCII": (_with_length(b"200 OK", "x-name: Grüße\r\n".encode(), b"ok"), "ok"),
}

_BODY = b'{"model": "m",  "messages": [{"role":"user","content":"\\u00fc \xc3\xbc"}], "temperature": 1.0}'


def _request(line: bytes, headers: bytes, body: bytes, port: int) -> bytes:
    return b"%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n%s" % (line, port, headers, body)


_LENGTH = b"Content-Length: %d\r\n" % len(_BODY)
_SQUEEZED = gzip.compress(_BODY)

REQUESTS: dict[str, tuple[bytes, bytes, bytes, bytes]] = {
    "chat": (b"POST /v1/chat/completions", b"Authorization: Bearer k\r\nX-Odd-CASE: 1\r\n" + _LENGTH, _BODY, _BODY),
    "odd target": (b"POST /v1/a%2Fb/%7Ex/../y;p=1?q=%20&&r=+#f", _LENGTH, _BODY, _BODY),
    "gzip": (
        b"POST /v1/messages",
        b"content-encoding: gzip\r\ncontent-length: %d\r\n" % len(_SQUEEZED),
        _SQUEEZED,
        _SQUEEZED,
    ),
    "in chunks": (
        b"POST /v1/responses",
        b"Transfer-Encoding: chunked\r\n",
        b"".join(chunked(_BODY[:5], _BODY[5:])),
        _BODY,
    ),
    "asks before it sends": (b"POST /v1/embeddings", b"Expect: 100-continue\r\n" + _LENGTH, _BODY, _BODY),
    "get": (b"GET /v1/models?limit=2", b"Accept-Encoding: gzip, br;q=0.5\r\n", b"", b""),
    "delete": (b"DELETE /v1/files/f-1", b"", b"", b""),
    "empty post": (b"POST /v1/x", b"Content-Length: 0\r\n", b"", b""),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_is_the_same_with_and_without_the_recorder(name: str) -> None:
    pieces, kept = RESPONSES[name]
    recorder = ArcRecorder()
    with raw_server(pieces) as server, PassThrough(server.base_url, recorder) as through:
        asked = (b"POST /v1/chat/completions", b"Connection: close\r\n" + _LENGTH, _BODY)
        plain = exchange(server.port, _request(*asked, server.port))
        passed = exchange(through.port, _request(*asked, through.port))
    assert passed.whole
    assert passed.body == plain.body
    assert passed.first.split(" ", 1)[1] == plain.first.split(" ", 1)[1]
    assert passed.end_to_end == plain.end_to_end
    (event,) = recorder.events
    assert isinstance(event, Exchange)
    assert event.request == json.loads(_BODY)
    assert str(event.status) == plain.first.split()[1]
    if kept is not ...:
        assert event.response == kept


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_the_same_with_and_without_the_recorder(name: str) -> None:
    line, headers, sent, body = REQUESTS[name]
    recorder = ArcRecorder()
    with raw_server(RESPONSES["json"][0]) as server, PassThrough(server.base_url, recorder) as through:
        for port in (server.port, through.port):
            exchange(port, _request(line, headers, sent, port))
    plain, passed = server.received
    assert passed.first == plain.first
    assert passed.body == plain.body == body
    framing = {"content-length", "expect"}
    assert sorted(h for h in passed.end_to_end if h[0].lower() not in framing) == sorted(
        h for h in plain.end_to_end if h[0].lower() not in framing
    )
    assert passed.header("host") == f"127.0.0.1:{server.port}"
    (event,) = recorder.events
    assert isinstance(event, Exchange)
    assert event.uri == server.base_url.removesuffix("/v1") + line.decode().split(" ")[1]
    assert event.request == (json.loads(_BODY) if body else None)


def test_a_head_request_is_answered_with_headers_alone() -> None:
    pieces: Sequence[Piece] = [b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"]
    with raw_server(pieces) as server, PassThrough(server.base_url, ArcRecorder()) as through:
        answers = [
            exchange(port, b"HEAD /v1/models HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port, head=True)
            for port in (server.port, through.port)
        ]
    assert answers[0].end_to_end == answers[1].end_to_end


def test_headers_of_one_hop_and_our_own_are_not_passed_on() -> None:
    headers = (
        b"Connection: close, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: 3\r\nTE: trailers\r\nProxy-Authorization: p\r\n"
        b"X-Memuse-Role: memory\r\nX-Kept: 1\r\n" + _LENGTH
    )
    with raw_server(RESPONSES["json"][0]) as server, PassThrough(server.base_url, ArcRecorder()) as through:
        exchange(through.port, _request(b"POST /v1/chat/completions", headers, _BODY, through.port))
    assert {name.lower() for name, _ in server.received[0].headers} == {"host", "x-kept", "content-length"}


def test_only_codings_that_can_be_read_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content_codings, "_zstd", lambda: None)  # as where no package for it is installed
    headers = b"Accept-Encoding: gzip, zstd;q=0.9, snappy\r\n"
    with raw_server(RESPONSES["json"][0]) as server, PassThrough(server.base_url, ArcRecorder()) as through:
        exchange(through.port, _request(b"GET /v1/models", headers, b"", through.port))
    assert server.received[0].header("accept-encoding") == "gzip"
