"""Redirects, refusals, forms, bytes, broken connections, many at once: recorded and played as they were."""

import asyncio
import gzip
import io
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import httpx
import httpx2
import openai
import pytest
import requests

from pytest_memuse.recording.cassette import playing_http, recording_http
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder
from tests.recording.servers import Reply, Sent, http_server
from tests.recording.talking import BROKEN, CLIENTS, JSON, SSE, Talk, both, clients

_COMPLETION = b'{"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'


def test_a_request_that_is_tried_again_after_429_is_recorded_and_played_twice() -> None:
    states = iter([429, 200])

    def answer(sent: Sent) -> Reply:
        status = next(states)
        return Reply(_COMPLETION, status, (*JSON, ("retry-after-ms", "1"), ("retry-after", "1")))

    def talk(origin: str) -> Any:
        with openai.OpenAI(base_url=f"{origin}/v1", api_key="k", max_retries=1) as client:
            return client.chat.completions.create(model="m", messages=[]).model_dump()

    recorded, played, events = both(answer, talk)
    assert recorded == played
    assert [(event.status, event.headers["retry-after-ms"]) for event in events] == [(429, "1"), (200, "1")]


def _redirected(sent: Sent) -> Reply:
    if sent.path.startswith("/there"):
        return Reply(json.dumps({"method": sent.method, "body": sent.body.decode()}).encode())
    return Reply(b"", int(sent.path[1:4]), (("location", "/there?b=2&a=1"),))


_REDIRECTS: dict[str, Callable[[str, int], Any]] = {
    "httpx": lambda origin, status: httpx.post(
        f"{origin}/{status}", verify=False, content=b"x=1", follow_redirects=True
    ).json(),
    "requests": lambda origin, status: requests.post(f"{origin}/{status}", data=b"x=1", timeout=10).json(),
    "aiohttp": lambda origin, status: asyncio.run(_aiohttp_json(f"{origin}/{status}")),
}


async def _aiohttp_json(url: str) -> Any:
    async with aiohttp.ClientSession() as session, session.post(url, data={"x": "1"}) as response:
        return await response.json(), [past.status for past in response.history]


@pytest.mark.parametrize("client", _REDIRECTS.values(), ids=_REDIRECTS)
@pytest.mark.parametrize("status", [302, 307])
def test_a_redirect_is_followed_in_the_replay_as_it_was(client: Callable[[str, int], Any], status: int) -> None:
    recorded, played, events = both(_redirected, lambda origin: client(origin, status))
    assert recorded == played
    assert [event.status for event in events] == [status, 200]
    assert [event.method for event in events] == ["POST", "GET" if status == 302 else "POST"]


def test_responses_without_a_body_stay_without_one() -> None:
    def talk(origin: str) -> Any:
        return [
            (response.status_code, response.content)
            for response in (
                httpx.head(origin, verify=False),
                requests.head(origin, timeout=10),
                httpx.delete(origin, verify=False),
            )
        ]

    recorded, played, events = both(lambda sent: Reply(b"", 204 if sent.method == "DELETE" else 200), talk)
    assert recorded == played == [(200, b""), (200, b""), (204, b"")]
    assert [event.response for event in events] == [None] * 3


@clients
def test_bytes_that_are_no_text_come_back_as_they_were(client: Callable[[bool], Talk]) -> None:
    body = bytes(range(256)) * 3
    recorded, played, _ = both(lambda _: Reply(body, headers=(("content-type", "audio/mpeg"),)), client(False))
    assert recorded == played == (200, body, "audio/mpeg")


@pytest.mark.parametrize("body", [b"null", b"1.50", b'"text"', b"{", b'{"\\ud800": 1}', b" [1] "])
def test_what_is_no_json_object_or_list_comes_back_as_it_was_sent(body: bytes) -> None:
    recorded, played, _ = both(lambda _: Reply(body), lambda origin: httpx.post(origin, verify=False).content)
    assert recorded == body
    assert played == body or json.loads(played) == json.loads(body)


def _form(origin: str) -> Any:
    files = {"file": ("a.txt", io.BytesIO(b"text"), "text/plain")}
    return httpx.post(origin, verify=False, data={"purpose": "x"}, files=files).json()


def _aiohttp_form(origin: str) -> Any:
    async def talk() -> Any:
        form = aiohttp.FormData()
        form.add_field("file", io.BytesIO(b"text"), filename="a.txt")
        async with aiohttp.ClientSession() as session, session.post(origin, data=form) as response:
            return await response.json()

    return asyncio.run(talk())


def _requests_form(origin: str) -> Any:
    return requests.post(origin, files={"file": ("a.txt", b"text")}, timeout=10).json()


@pytest.mark.parametrize("talk", [_form, _aiohttp_form, _requests_form])
def test_the_random_boundary_of_a_multipart_form_does_not_matter(talk: Talk) -> None:
    boundaries = set()

    def answer(sent: Sent) -> Reply:
        boundaries.add(sent.headers["content-type"])
        return Reply(b'{"ok": true}')

    assert both(answer, lambda origin: [talk(origin), talk(origin)])[1] == [{"ok": True}] * 2
    assert len(boundaries) == 2


def test_an_asynchronous_upload_is_sent_whole_and_recorded() -> None:
    async def talk(origin: str) -> Any:
        async def pieces() -> Any:
            yield b'{"a": '
            yield b"1}"

        async with aiohttp.ClientSession() as session, session.post(origin, data=pieces()) as response:
            return await response.json()

    recorded, played, (event,) = both(lambda sent: Reply(sent.body), lambda origin: asyncio.run(talk(origin)))
    assert recorded == played == event.request == {"a": 1}


def test_a_compressed_request_is_kept_decoded_and_matches_however_it_was_compressed() -> None:
    levels = iter([1, 9])

    def talk(origin: str) -> Any:
        packed = gzip.compress(b'{"a": 1}', next(levels))
        return httpx.post(origin, verify=False, content=packed, headers={"content-encoding": "gzip"}).json()

    _, played, (event,) = both(lambda _: Reply(b"{}"), talk)
    assert (played, event.request) == ({}, {"a": 1})


@clients
def test_a_connection_that_breaks_reaches_the_client_and_leaves_nothing(client: Callable[[bool], Talk]) -> None:
    recorder = ArcRecorder()
    server = http_server(lambda _: Reply(b'{"a"', breaks=True))
    with server as (origin, _), recording_http(recorder, Redaction()), pytest.raises(BROKEN):
        client(False)(origin)
    with recording_http(recorder, Redaction()), pytest.raises(BROKEN):
        client(False)(origin)
    assert recorder.events == []


def test_concurrent_requests_are_all_recorded_and_numbered_without_a_gap() -> None:
    def talk(origin: str) -> Any:
        shared = httpx2.Client(verify=False)

        async def many() -> Any:
            async with aiohttp.ClientSession() as session, httpx.AsyncClient(verify=False) as client:

                async def one(number: int) -> Any:
                    async with session.post(f"{origin}/a/{number}", json={"n": number}) as response:
                        return await response.json()

                async def other(number: int) -> Any:
                    return (await client.post(f"{origin}/h/{number}", json={"n": number})).json()

                return await asyncio.gather(*map(one, range(10)), *map(other, range(10)))

        def single(number: int) -> Any:
            return [
                requests.post(f"{origin}/r/{number}", json={"n": number}, timeout=10).json(),
                shared.post(f"{origin}/x/{number}", json={"n": number}).json(),
            ]

        with ThreadPoolExecutor(8) as pool:
            return asyncio.run(many()), list(pool.map(single, range(20)))

    recorded, played, events = both(lambda sent: Reply(json.dumps({"path": sent.path}).encode()), talk)
    assert recorded == played
    assert [event.number for event in events] == list(range(1, 61))
    assert all(event.response == {"path": event.uri[event.uri.index("/", 8) :]} for event in events)


@pytest.mark.parametrize("client", ["httpx", "httpx async", "httpx2", "aiohttp", "requests"])
def test_direct_addresses_are_neither_recorded_nor_answered(client: str) -> None:
    talk = CLIENTS[client](True)
    recorder = ArcRecorder()
    with http_server(lambda _: Reply([b"data: 1\n\n"], headers=SSE)) as (origin, received):
        address = origin.removeprefix("http://")
        with recording_http(recorder, Redaction(), direct=[address]):
            first = talk(origin)
        with playing_http(Recording("s", "a", ()), Redaction(), direct=[address]) as playback:
            assert talk(origin) == first
    assert (recorder.events, playback.misses, len(received)) == ([], [], 2)


@pytest.mark.parametrize("module", [httpx, httpx2])
def test_a_stream_from_a_direct_address_arrives_while_it_is_sent(module: Any) -> None:
    read = threading.Event()

    def pieces() -> Iterator[bytes]:
        yield b"data: 1\n\n"
        # The rest is sent once the client has read the beginning, which a client that waits for the end never does.
        yield b"data: 2\n\n" if read.wait(10) else b"data: too late\n\n"

    lines = []
    server = http_server(lambda _: Reply(pieces(), headers=SSE))
    with (
        server as (origin, _),
        recording_http(ArcRecorder(), Redaction(), direct=[origin.removeprefix("http://")]),
        module.stream("POST", origin) as response,
    ):
        for line in response.iter_lines():
            lines.append(line)
            read.set()
    assert lines == ["data: 1", "", "data: 2", ""]
