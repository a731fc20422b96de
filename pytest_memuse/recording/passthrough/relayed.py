"""Responses as they are sent to the client: exactly the headers that were given, none of the server's own."""

from collections.abc import Sequence

from aiohttp import hdrs, web

from pytest_memuse.recording.passthrough.inbound import error_body

_ADDED = (hdrs.CONTENT_TYPE, hdrs.DATE, hdrs.SERVER)
"""End-to-end headers that aiohttp sets by itself where they are missing."""


class RelayedResponse(web.StreamResponse):
    """A response that is passed on. Its headers are those of the upstream, in order and as they were written."""

    def __init__(self, status: int, reason: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
        super().__init__(status=status, reason=reason or None)
        for name, value in headers:
            self.headers.add(_text(name), _text(value))
        self.passed_on = frozenset(_text(name).lower() for name, _ in headers)


async def only_what_was_sent(request: web.Request, response: web.StreamResponse) -> None:
    """Take back the headers that the server added to a response that is passed on."""
    if isinstance(response, RelayedResponse):
        for name in _ADDED:
            if name.lower() not in response.passed_on:
                response.headers.popall(name, None)


def error_response(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> web.Response:
    """Return an error of our own as JSON."""
    return web.Response(
        status=status,
        body=error_body(kind, message),
        content_type="application/json",
        headers={"x-memuse-error": kind, **(headers or {})},
    )


def cut(request: web.Request) -> None:
    """End the connection here, so that the client sees that the response is not whole."""
    if request.transport is not None:
        request.transport.abort()


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")
