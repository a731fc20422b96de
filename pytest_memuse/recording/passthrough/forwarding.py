"""Passing a request on to its upstream and the response back, bytes as they come, and noting the exchange.

Upstream calls go through httpcore, which gives undecoded bytes and is patched by no recorder of this process.
"""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Future, ThreadPoolExecutor

import httpcore
from aiohttp import web

from pytest_memuse.recording.passthrough.addresses import Upstream
from pytest_memuse.recording.passthrough.captured import Captured
from pytest_memuse.recording.passthrough.headers import header, request_headers, response_headers, text_headers
from pytest_memuse.recording.passthrough.inbound import BROKEN_OFF, Inbound, Ledger, ReadRequest, error_body
from pytest_memuse.recording.passthrough.relayed import RelayedResponse, cut, error_response

_FAILURES = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError)

_HELD_SECONDS = 1.0
"""How long a stream's last event waits for the end of the stream, so that it is recorded before the client acts."""


class Forwarder:
    """Passes requests on to their upstreams. To be made and closed in the event loop that it is used in."""

    def __init__(self, ledger: Ledger, *, connect_seconds: float, read_seconds: float, limit: int) -> None:
        self._ledger = ledger
        self._limit = limit
        # A request is read for the record while its response is waited for.
        self._readers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="memuse-reader")
        self.ended: BaseException | None = None
        """What ended the recording, for whoever runs the episode: a budget that is used up, for one."""
        self._timeouts = {"connect": connect_seconds, "read": read_seconds, "write": read_seconds}
        # Kept connections are given up sooner than servers do, so that a request seldom meets one that is closing.
        self._pool = httpcore.AsyncConnectionPool(
            max_connections=None, max_keepalive_connections=20, keepalive_expiry=3.0
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._pool.aclose()
        self._readers.shutdown(wait=False)

    async def answer(self, asked: Inbound, request: web.Request) -> web.StreamResponse:
        """Pass a request on; return the response, which has been sent."""
        try:
            self._ledger.about_to_call()
        except BaseException as error:
            # Whatever ends a recording must not end the server's loop with it; it is raised where the episode is run.
            self.ended = error
            message = f"pytest-memuse has ended the recording: {error}"
            return error_response(400, "recording_ended", message, {"x-should-retry": "false"})
        upstream = asked.route.upstream
        had_body = bool(asked.body) or header(asked.headers, b"content-length") is not None
        outgoing = httpcore.Request(
            asked.method,
            httpcore.URL(
                scheme=upstream.scheme, host=upstream.host, port=upstream.port, target=asked.route.target.encode()
            ),
            headers=request_headers(asked.headers, upstream.authority, len(asked.body) if had_body else None),
            content=asked.body,
            extensions={"timeout": self._timeouts},
        )
        noted = _Once(self._ledger, asked, self._readers.submit(self._ledger.read, asked))
        try:
            response = await self._pool.handle_async_request(outgoing)
        except asyncio.CancelledError:
            noted.as_it_is(BROKEN_OFF, "the client went away before a response came", {}, None)
            raise
        except _FAILURES as error:
            message = _unreached(asked.route.upstream, error)
            body = error_body("upstream_unreachable", message)
            noted.as_it_is(502, f"upstream: {type(error).__name__}", {"content-type": "application/json"}, body)
            return error_response(502, "upstream_unreachable", message)
        try:
            return await self._relay(request, response, noted)
        finally:
            await response.aclose()

    async def _relay(self, request: web.Request, response: httpcore.Response, noted: "_Once") -> web.StreamResponse:
        reason = response.extensions.get("reason_phrase", b"").decode("latin-1")
        answer = RelayedResponse(response.status, reason, response_headers(response.headers))
        kept = text_headers(response.headers)
        streamed = "text/event-stream" in kept.get("content-type", "")
        captured = Captured(kept.get("content-encoding", ""), self._limit, streamed=streamed)
        noted.begin(response.status, reason, kept, captured)
        try:
            await self._pass_on(request, response, answer, captured, noted)
        except _FAILURES as error:
            noted.broken_off(f"the upstream broke off after {captured.wire_bytes} bytes ({_named(error)})")
            cut(request)
        except (ConnectionError, asyncio.CancelledError):
            noted.broken_off(f"the client went away after {captured.wire_bytes} bytes")
            raise
        return answer

    async def _pass_on(
        self,
        request: web.Request,
        response: httpcore.Response,
        answer: RelayedResponse,
        captured: Captured,
        noted: "_Once",
    ) -> None:
        """Pass the body on piece by piece. What lets the client take the response for whole waits until it is noted."""
        length = answer.content_length
        if length == 0 or asked_for_no_body(request.method, response.status):
            noted.whole()
        await answer.prepare(request)
        chunks = response.aiter_stream()
        held: list[bytes] = []
        holding = True
        following: asyncio.Task[bytes | None] | None = None
        try:
            while True:
                if held and holding:
                    following = asyncio.ensure_future(_next(chunks))
                    done, _ = await asyncio.wait({following}, timeout=_HELD_SECONDS)
                    if not done:
                        # The stream goes on or its connection stays open: it is noted when it does end.
                        holding = False
                        await answer.write(b"".join(held))
                        held.clear()
                chunk = await (following or _next(chunks))
                following = None
                if chunk is None:
                    break
                captured.add(chunk)
                if captured.wire_bytes == length:
                    noted.whole()
                if captured.at_end and holding:
                    held.append(chunk)
                else:
                    await answer.write(chunk)
            noted.whole()
            if held:
                await answer.write(b"".join(held))
            await answer.write_eof()
        finally:
            if following is not None:
                following.cancel()
                await asyncio.gather(following, return_exceptions=True)


class _Once:
    """Notes one exchange once: whole, broken off, or as it is."""

    def __init__(self, ledger: Ledger, asked: Inbound, request: "Future[ReadRequest]") -> None:
        self._ledger = ledger
        self._asked = asked
        self._request = request
        self._done = False

    def begin(self, status: int, reason: str, headers: dict[str, str], captured: Captured) -> None:
        """Say what the response begins with, and what collects it."""
        self._status, self._reason, self._headers, self._captured = status, reason, headers, captured

    def whole(self) -> None:
        """Note that the response came whole; one that could not be kept counts as broken off."""
        if self._captured.problem:
            self.broken_off(f"the response was passed on and could not be kept: {self._captured.problem}")
        else:
            self.as_it_is(self._status, self._reason, self._headers, self._captured.body)

    def broken_off(self, why: str) -> None:
        """Note that the response did not come whole, and what of it did."""
        self.as_it_is(BROKEN_OFF, why, self._headers, self._captured.body)

    def as_it_is(self, status: int, reason: str, headers: dict[str, str], body: bytes | None) -> None:
        """Note an exchange, unless it has been."""
        if not self._done:
            self._done = True
            self._ledger.write(self._asked, status, reason, headers, body, self._request.result())


def _unreached(upstream: Upstream, error: Exception) -> str:
    named = f"upstream {upstream.name!r}, {upstream.origin}," if upstream.name else f"upstream {upstream.origin}"
    slow = isinstance(error, httpcore.TimeoutException)
    return (
        f"pytest-memuse could not pass the request on: the {named} "
        + (f"did not answer in time ({_named(error)}). " if slow else f"cannot be reached ({_named(error)}). ")
        + "To mend: check that it is running and that the address is the base URL that the client would be given."
    )


def asked_for_no_body(method: str, status: int) -> bool:
    """Tell whether a response has no body whatever its headers say."""
    return method == "HEAD" or status in (204, 304)


async def _next(chunks: AsyncIterator[bytes]) -> bytes | None:
    return await anext(chunks, None)


def _named(error: Exception) -> str:
    told = str(error)
    return f"{type(error).__name__}: {told}" if told else type(error).__name__
