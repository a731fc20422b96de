"""Answering from a recording instead of an upstream, so that an agent in any language runs with no server."""

import re
from collections.abc import Mapping

from aiohttp import web

from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.answers import Answers, Miss
from pytest_memuse.recording.bodies import body_bytes
from pytest_memuse.recording.passthrough.inbound import BROKEN_OFF, Inbound, Ledger
from pytest_memuse.recording.passthrough.relayed import RelayedResponse, cut, error_response
from pytest_memuse.recording.recording import Exchange, Recording

_EVENT = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")


class Player:
    """Answers requests from a recording. ``ledger`` notes what was answered, as a recording of the run would."""

    def __init__(self, answers: Answers, ledger: Ledger | None, limit: int) -> None:
        self._answers = answers
        self._ledger = ledger
        self._limit = limit
        self.ended: BaseException | None = None

    @property
    def misses(self) -> tuple[Miss, ...]:
        """The requests so far that the recording does not hold."""
        return tuple(self._answers.playback.misses)

    async def close(self) -> None:
        """Let go of nothing: there is no connection."""

    async def answer(self, asked: Inbound, request: web.Request) -> web.StreamResponse:
        """Answer a request; return the response, which has been sent."""
        found = self._answers.answer(asked.method, asked.route.uri, asked.plain_body(self._limit), asked.headers)
        if isinstance(found, Miss):
            message = (
                f"pytest-memuse plays a recording, which does not hold this request: {found.nearest}. "
                "To mend: record the agent again, or undo what makes it ask otherwise."
            )
            # The official clients try again after most failures; this header tells them not to.
            return error_response(400, "not_recorded", message, {"x-should-retry": "false"})
        body = body_bytes(found.response, found.spelling)
        if found.status == BROKEN_OFF:
            return await self._broken_off(asked, request, found, body)
        streamed = "text/event-stream" in found.headers.get("content-type", "")
        answer = RelayedResponse(found.status, found.reason, _raw(found.headers))
        if not streamed:
            answer.content_length = len(body)
        pieces = [piece for piece in (_EVENT.split(body) if streamed else [body]) if piece]
        await answer.prepare(request)
        for piece in pieces[:-1]:
            await answer.write(piece)
        self._note(asked, found, body)
        for piece in pieces[-1:]:
            await answer.write(piece)
        await answer.write_eof()
        return answer

    async def _broken_off(
        self, asked: Inbound, request: web.Request, found: Exchange, body: bytes
    ) -> web.StreamResponse:
        """Give what came of a response that did not come whole, and end the connection as it was ended then."""
        answer = RelayedResponse(200, "", _raw(found.headers))
        self._note(asked, found, body)
        if body:
            await answer.prepare(request)
            await answer.write(body)
            if request.transport is not None:
                request.transport.close()
        else:
            cut(request)
        return answer

    def _note(self, asked: Inbound, found: Exchange, body: bytes) -> None:
        if self._ledger is not None:
            kept = None if found.response is None else body
            self._ledger.write(asked, found.status, found.reason, dict(found.headers), kept)


def recorded_upstreams(recording: Recording) -> Mapping[str, str] | str:
    """Return the upstreams that a recording was made with. Raises `MemuseError` where it does not say, nor shows one.

    A recording that was made in the process itself asked at the upstreams' own addresses; where that is one origin, it
    is the upstream.
    """
    named = recording.made_with.get("upstreams")
    if isinstance(named, Mapping) and named and all(isinstance(url, str) for url in named.values()):
        return str(named[""]) if list(named) == [""] else {str(name): str(url) for name, url in named.items()}
    origins = dict.fromkeys("/".join(exchange.uri.split("/", 3)[:3]) for exchange in recording.exchanges)
    if len(origins) == 1:
        return f"{next(iter(origins))}/v1"
    raise MemuseError(
        f"the recording does not say which upstreams it was made with, and {len(origins)} were asked",
        reason="upstream",
        mend='say which there were: upstreams={"openai": "https://api.openai.com/v1", ...}',
    )


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("utf-8"), str(value).encode("utf-8")) for name, value in headers.items()]
