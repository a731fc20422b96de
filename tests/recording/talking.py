"""Conversations of the clients that people use, recorded and then played with the server stopped."""

import asyncio
import http.client
import urllib.request
from collections.abc import Callable
from typing import Any

import aiohttp
import httpx
import httpx2
import pytest
import requests
import urllib3

from pytest_memuse.recording.cassette import playing_http, recording_http
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder
from tests.recording.servers import Reply, Sent, http_server

Talk = Callable[[str], Any]
"""What a client does with the server at an origin, and what came of it."""

JSON = (("content-type", "application/json"),)
SSE = (("content-type", "text/event-stream; charset=utf-8"),)


def both(answer: Callable[[Sent], Reply], talk: Talk) -> tuple[Any, Any, list[Exchange]]:
    """Run a conversation while recording it, and again with the server stopped; return what came of each."""
    recorder = ArcRecorder()
    with http_server(answer) as (origin, _), recording_http(recorder, Redaction()):
        recorded = talk(origin)
    events = [event for event in recorder.events if isinstance(event, Exchange)]
    with playing_http(Recording("suite", "arc", tuple(events)), Redaction()) as playback:
        played = talk(origin)
    assert playback.misses == []
    assert playback.given == {event.number for event in events}
    return recorded, played, events


# Each client asks for one body, whole and as a stream.


def _httpx(module: Any, stream: bool) -> Talk:
    def talk(origin: str) -> Any:
        with module.Client(verify=False) as client:
            if not stream:
                response = client.post(f"{origin}/v1/x", json={"a": 1})
                return response.status_code, response.content, response.headers["content-type"]
            with client.stream("POST", f"{origin}/v1/x", json={"a": 1}) as response:
                return response.status_code, "\n".join(response.iter_lines()).encode(), response.headers["content-type"]

    return talk


def _async_httpx(module: Any, stream: bool) -> Talk:
    async def talk(origin: str) -> Any:
        async with module.AsyncClient(verify=False) as client:
            if not stream:
                response = await client.post(f"{origin}/v1/x", json={"a": 1})
                return response.status_code, response.content, response.headers["content-type"]
            async with client.stream("POST", f"{origin}/v1/x", json={"a": 1}) as response:
                lines = [line async for line in response.aiter_lines()]
                return response.status_code, "\n".join(lines).encode(), response.headers["content-type"]

    return lambda origin: asyncio.run(talk(origin))


def _aiohttp(stream: bool) -> Talk:
    async def talk(origin: str) -> Any:
        async with (
            aiohttp.ClientSession(base_url=origin) as session,
            session.post("/v1/x", json={"a": 1}) as response,
        ):
            content = b"".join([line async for line in response.content]) if stream else await response.read()
            return response.status, content, response.headers["content-type"]

    return lambda origin: asyncio.run(talk(origin))


def _requests(stream: bool) -> Talk:
    def talk(origin: str) -> Any:
        with requests.post(f"{origin}/v1/x", json={"a": 1}, stream=stream, timeout=10) as response:
            content = b"\n".join(response.iter_lines()) if stream else response.content
            return response.status_code, content, response.headers["content-type"]

    return talk


def _urllib3(stream: bool) -> Talk:
    def talk(origin: str) -> Any:
        response = urllib3.PoolManager().request("POST", f"{origin}/v1/x", json={"a": 1}, preload_content=not stream)
        content = b"".join(response.stream(7)) if stream else response.data
        return response.status, content, response.headers["content-type"]

    return talk


def _urllib(stream: bool) -> Talk:
    def talk(origin: str) -> Any:
        with urllib.request.urlopen(f"{origin}/v1/x", data=b'{"a": 1}', timeout=10) as response:
            content = b"".join(response) if stream else response.read()
            return response.status, content, response.headers["content-type"]

    return talk


CLIENTS: dict[str, Callable[[bool], Talk]] = {
    "httpx": lambda stream: _httpx(httpx, stream),
    "httpx2": lambda stream: _httpx(httpx2, stream),
    "httpx async": lambda stream: _async_httpx(httpx, stream),
    "httpx2 async": lambda stream: _async_httpx(httpx2, stream),
    "aiohttp": _aiohttp,
    "requests": _requests,
    "urllib3": _urllib3,
    "urllib": _urllib,
}
clients = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)

BROKEN = (
    httpx.TransportError,
    httpx2.TransportError,
    aiohttp.ClientError,
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    OSError,
    http.client.HTTPException,
)
