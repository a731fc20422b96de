"""Where HTTP clients of this process are caught: vcrpy's places, and what has to be different from vcrpy.

vcrpy replaces classes and methods of http.client, urllib3 (and so requests), httpx and httpx2 for the whole process.
Three things are ours:

- requests to ``direct`` addresses go on as if nothing were caught, streaming included, with httpx, httpx2 and aiohttp;
- aiohttp is caught behind its own handling of base addresses, forms, JSON and redirects, where vcrpy stands before it
  and would have to do the same again;
- vcrpy puts the real classes of urllib3 back whenever it opens a connection, which lets requests of other threads
  through unseen; here they stay replaced.
"""

import functools
import http.client
import importlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import vcr.patch
from vcr.cassette import Cassette, CassetteContextDecorator
from vcr.request import Request

from pytest_memuse.recording.matching import address_of

_Ask = Callable[[Any, Any], Awaitable[Any]]


class _NoFile:
    """Persister of the cassettes: the recording is in memory, its file is written when the arc is whole."""

    @staticmethod
    def load_cassette(cassette_path: object, serializer: object) -> tuple[list[Request], list[Any]]:
        return [], []

    @staticmethod
    def save_cassette(cassette_path: object, cassette_dict: object, serializer: object) -> None:
        return None


@contextmanager
def intercepted(cassette: type[Cassette], direct: Collection[str], **arguments: Any) -> Iterator[None]:
    """Let a cassette of the class answer or record every HTTP request of the process inside the block.

    ``direct`` holds addresses as ``host:port``; ``arguments`` are given to the class.
    """
    addresses = frozenset(address_of(f"http://{address}") for address in direct)
    plain = list(_transports())
    aiohttp_client = _aiohttp()
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(vcr.patch, "force_reset", _Reset()))
        caught = stack.enter_context(
            CassetteContextDecorator.from_args(
                cassette,
                path=Path("memuse"),
                persister=_NoFile,
                direct=addresses,
                skip_patchers=("aiohttp",) if aiohttp_client is not None else (),
                **arguments,
            )
        )
        for owner, name, function in plain:
            passing = _passing(getattr(owner, name), function, addresses)
            stack.enter_context(mock.patch.object(owner, name, passing))
        if aiohttp_client is not None:
            session = aiohttp_client.ClientSession
            through = _through_middleware(session._request, _asking(caught, addresses))
            stack.enter_context(mock.patch.object(session, "_request", through))
        yield


class _Reset:
    """Stands in for vcrpy's ``force_reset``.

    Only ``http.client.HTTPSConnection`` names itself when it is made, so only that name is put back, and only while a
    connection is being opened; what two threads do at once does not leave it so.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._caught: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            if self._open == 0:
                self._caught = http.client.HTTPSConnection
                http.client.HTTPSConnection = vcr.patch._HTTPSConnection  # type: ignore[misc]  # a class
            self._open += 1
        try:
            yield
        finally:
            with self._lock:
                self._open -= 1
                if self._open == 0:
                    http.client.HTTPSConnection = self._caught  # type: ignore[misc]  # a class


def _transports() -> Iterator[tuple[Any, str, Any]]:
    """Yield the methods that httpx and httpx2 send requests by, as they stand now."""
    for name in ("httpx", "httpx2"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        yield module.HTTPTransport, "handle_request", module.HTTPTransport.handle_request
        yield module.AsyncHTTPTransport, "handle_async_request", module.AsyncHTTPTransport.handle_async_request


def _passing(caught: Any, plain: Any, direct: frozenset[str]) -> Any:
    # Of an asynchronous method this returns what is to be awaited, so that one wrapper serves both.
    @functools.wraps(plain)
    def handle(self: Any, request: Any) -> Any:
        return (plain if address_of(str(request.url)) in direct else caught)(self, request)

    return handle


def _aiohttp() -> Any | None:
    """Return aiohttp's client module where it is installed and has client middlewares (3.12)."""
    try:
        found = importlib.import_module("aiohttp.client")
    except ImportError:
        return None
    return found if "middlewares" in inspect.signature(found.ClientSession._request).parameters else None


def _through_middleware(real: Any, ask: _Ask) -> Any:
    @functools.wraps(real)
    def request(self: Any, method: str, url: Any, **options: Any) -> Any:
        own = options.get("middlewares")
        options["middlewares"] = (*(self._middlewares if own is None else own), ask)
        return real(self, method, url, **options)

    return request


def _asking(cassette: Any, direct: frozenset[str]) -> _Ask:
    from vcr.stubs.aiohttp_stubs import MockStream, build_response

    async def ask(request: Any, send: Any) -> Any:
        if address_of(str(request.url)) in direct:
            return await send(request)
        body = await _whole_body(request)
        headers = {str(name): str(value) for name, value in request.headers.items()}
        asked = Request(request.method, str(request.url.with_fragment(None)), body, headers)
        if cassette.can_play_response_for(asked):
            response = build_response(asked, cassette.play_response(asked), ())
            response._session = request._session
            return response
        response = await send(request)
        if response.status == 101:
            return response  # A web socket is no exchange of one request and one response.
        try:
            content = await response.read()
        except BaseException:
            response.close()
            raise
        if content:
            # Reading it has used up the stream; the caller may want to read it as one.
            response.content = MockStream(content)
        kept: dict[str, list[str]] = {}
        for name, value in response.headers.items():
            kept.setdefault(str(name), []).append(value)
        cassette.append(
            asked,
            {
                "status": {"code": response.status, "message": response.reason},
                "headers": kept,
                "body": {"string": content},
            },
        )
        return response

    return ask


async def _whole_body(request: Any) -> bytes | None:
    """Return the body that a request is going to send; one that can be read only once is put back as bytes."""
    payload = request.body
    if not payload:
        return None
    if isinstance(payload, (bytes, bytearray)):
        return bytes(payload)
    body = bytes(await payload.as_bytes())
    await request.update_body(body)
    return body
