"""The application behind the pass-through's address: who is let in, what is for the memory, and the rest passed on."""

import asyncio
from typing import Protocol

from aiohttp import web

from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.passthrough.addresses import Routes, role_named
from pytest_memuse.recording.passthrough.guard import refusal
from pytest_memuse.recording.passthrough.headers import ROLE_HEADER, header
from pytest_memuse.recording.passthrough.inbound import Inbound
from pytest_memuse.recording.passthrough.memory_service import PREFIX, MemoryService
from pytest_memuse.recording.passthrough.relayed import error_response, only_what_was_sent

_MOST_FIELD_BYTES = 64 * 1024


class Backend(Protocol):
    """What answers the requests that are not for the memory. ``ended`` is what ended the recording, if anything did."""

    ended: BaseException | None

    async def answer(self, asked: Inbound, request: web.Request) -> web.StreamResponse: ...

    async def close(self) -> None: ...


class Endpoint:
    """Takes requests in. To be made in the event loop that serves it; ``port`` is set when it is known."""

    def __init__(self, routes: Routes, backend: Backend, memory: MemoryService, limit: int) -> None:
        self._routes = routes
        self._backend = backend
        self._memory = memory
        self._limit = limit
        self._under_way: set[asyncio.Task[object]] = set()
        self.port = 0

    def runner(self) -> web.AppRunner:
        """Return what serves the application. Bodies are taken as they come, and a client that leaves is noticed."""
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", self._handle)
        application.on_response_prepare.append(only_what_was_sent)
        return web.AppRunner(
            application,
            handle_signals=False,
            access_log=None,
            handler_cancellation=True,
            auto_decompress=False,
            shutdown_timeout=1.0,
            max_field_size=_MOST_FIELD_BYTES,
            max_line_size=_MOST_FIELD_BYTES,
        )

    async def settle(self, seconds: float) -> None:
        """Wait for the requests that are under way; after ``seconds`` end those that still are."""
        waited = set(self._under_way)
        if waited:
            _, late = await asyncio.wait(waited, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late, timeout=1.0)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        task = asyncio.current_task()
        assert task is not None, "a request is handled in a task"
        self._under_way.add(task)
        try:
            return await self._answer(request)
        except MemuseError as error:
            return error_response(404 if error.reason in ("no_memory", "not_found") else 400, error.reason, str(error))
        finally:
            self._under_way.discard(task)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        target = request.raw_path
        why = refusal(request.headers.get("Host"), request.headers.get("Origin"), target, self.port)
        if why is not None:
            return error_response(403, "refused", f"pytest-memuse: {why}")
        body = await self._body(request)
        if body is None:
            message = f"pytest-memuse: the request's body is larger than {self._limit} bytes and was not passed on"
            return error_response(413, "too_large", message, {"connection": "close"})
        if target == PREFIX or target.startswith(PREFIX + "/"):
            status, data = await self._memory.answer(request.method, target, body)
            return web.json_response(data, status=status)
        route = self._routes.route(target)
        said = header(request.raw_headers, ROLE_HEADER)
        role = route.role if said is None else role_named(said.decode("latin-1").strip().lower())
        asked = Inbound(request.method, route, role, request.raw_headers, body)
        return await self._backend.answer(asked, request)

    async def _body(self, request: web.Request) -> bytes | None:
        """Return the body's bytes as they were sent, None where there are too many."""
        if (request.content_length or 0) > self._limit:
            return None
        parts, size = [], 0
        async for part in request.content.iter_any():
            size += len(part)
            if size > self._limit:
                return None
            parts.append(part)
        return b"".join(parts)
