"""The pass-through recorder: a local endpoint that an agent in any language is given as its `base_url`."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from pytest_memuse.model import Actor
from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.answers import Answers, Miss
from pytest_memuse.recording.matching import DEFAULT_RULES, MatchingRule
from pytest_memuse.recording.passthrough.addresses import Routes
from pytest_memuse.recording.passthrough.endpoint import Backend, Endpoint
from pytest_memuse.recording.passthrough.forwarding import Forwarder
from pytest_memuse.recording.passthrough.inbound import ExchangeSink, Ledger
from pytest_memuse.recording.passthrough.memory_service import PREFIX, MemoryService, ServedMemory
from pytest_memuse.recording.passthrough.playing import Player, recorded_upstreams
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.roles import RoleRule

HOST = "127.0.0.1"
MOST_BYTES = 64 * 1024 * 1024
"""The most bytes of one body, as sent and decoded, unless another limit is given."""

_START_SECONDS = 10.0


class PassThrough:
    """Serves on 127.0.0.1 while the ``with`` block lasts, in a thread of its own, and records what passes.

    ``upstreams`` is one base URL (``https://api.openai.com/v1``), or several by name, the first of them the default;
    `base_url`, `url` and `memory_url` are what clients are given. Each exchange is handed to ``sink`` before the last
    bytes of its response are. Port 0 takes a free one. A request whose body is larger than ``limit`` is refused.
    ``read_seconds`` is how long the upstream may be silent.

    Raises `MemuseError` for upstreams that cannot be used, its own address among them.
    """

    def __init__(
        self,
        upstreams: str | Mapping[str, str],
        sink: ExchangeSink,
        *,
        rules: Sequence[RoleRule] = (),
        port: int = 0,
        limit: int = MOST_BYTES,
        connect_seconds: float = 10.0,
        read_seconds: float = 600.0,
    ) -> None:
        ledger = Ledger(sink, rules, limit)

        def forwarder() -> Backend:
            return Forwarder(ledger, connect_seconds=connect_seconds, read_seconds=read_seconds, limit=limit)

        self._set_up(Routes.parse(upstreams), forwarder, port, limit)

    @classmethod
    def playing(
        cls,
        recording: Recording,
        sink: ExchangeSink | None = None,
        *,
        upstreams: str | Mapping[str, str] | None = None,
        redaction: Redaction | None = None,
        rules: Sequence[RoleRule] = (),
        matching: Sequence[MatchingRule] = DEFAULT_RULES,
        port: int = 0,
        limit: int = MOST_BYTES,
    ) -> Self:
        """Return a pass-through that answers from a recording; nothing reaches the network.

        ``upstreams`` are those that the recording was made with, which it tells itself where a pass-through made it.
        What is answered is handed to ``sink``, where there is one, as if it were recorded; else ``redaction`` knows the
        secrets that were replaced in the recording. A request that the recording does not hold gets
        status 400, which names the nearest recorded one; `misses` lists them.
        """
        ledger = None if sink is None else Ledger(sink, rules, limit)
        known = redaction if sink is None else sink.redaction
        player = Player(Answers(recording.exchanges, matching, known), ledger, limit)
        made = cls.__new__(cls)
        made._set_up(Routes.parse(upstreams or recorded_upstreams(recording)), lambda: player, port, limit)
        made._player = player
        return made

    def _set_up(self, routes: Routes, backend: Callable[[], Backend], port: int, limit: int) -> None:
        self._routes = routes
        self._backend = backend
        self._asked_port = port
        self._limit = limit
        self._player: Player | None = None
        self._memory = MemoryService()
        self._answering: Backend | None = None
        self._endpoint: Endpoint | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._started = threading.Event()
        self._failure: BaseException | None = None

    @property
    def port(self) -> int:
        """The port that is served at; only known while it is."""
        if self._endpoint is None or not self._endpoint.port:
            raise MemuseError(
                "the pass-through is not running", reason="not-running", mend="use it as `with PassThrough(...) as it:`"
            )
        return self._endpoint.port

    @property
    def origin(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """The base URL of the default upstream's clients: the upstream's own with this endpoint's origin."""
        return self.url()

    @property
    def memory_url(self) -> str:
        """The base URL for a memory system that calls the default upstream."""
        return self.url(role=Actor.MEMORY)

    def url(self, name: str = "", *, role: Actor | None = None) -> str:
        """Return the base URL for clients of an upstream; what comes there with a ``role`` is recorded in it."""
        return self.origin + self._routes.local_path(name, role)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The places, ``host:port``, that requests to this endpoint go to."""
        return (f"{HOST}:{self.port}", f"localhost:{self.port}")

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that point a subprocess here: the base URLs that the official clients look for.

        `MEMUSE_URL` is where the served memory is asked for. ``inherited`` is the environment that they will be added
        to; where it names a proxy, this machine is excepted from it. No key is made up: clients send their own.
        """
        openai = self.url("openai" if "openai" in self.upstreams else "")
        found = {"OPENAI_BASE_URL": openai, "OPENAI_API_BASE": openai, "MEMUSE_URL": self.memory_service_url}
        if "anthropic" in self.upstreams:
            found["ANTHROPIC_BASE_URL"] = self.url("anthropic").removesuffix("/v1")
        elif "" in self.upstreams:
            # Anthropic's client puts /v1 before its paths itself.
            found["ANTHROPIC_BASE_URL"] = self.base_url.removesuffix("/v1")
        if any(name.lower().endswith("_proxy") and name.lower() != "no_proxy" for name in inherited):
            for name in ("NO_PROXY", "no_proxy"):
                found[name] = ",".join(filter(None, (inherited.get(name), HOST, "localhost")))
        return found

    @property
    def upstreams(self) -> Mapping[str, str]:
        """The upstreams by name, for a recording's fingerprint."""
        return self._routes.as_data

    @property
    def misses(self) -> tuple[Miss, ...]:
        """The requests so far that a recording that is played did not hold."""
        return () if self._player is None else self._player.misses

    @contextmanager
    def serving(self, memory: ServedMemory) -> Iterator[None]:
        """Serve an episode's memory at ``/memuse`` inside the block, and wait for what is under way at its end.

        Raises at the end what the memory system raised, or what ended the recording, as a call in this process would
        have; the agent may have passed over the refusal that it was given instead.
        """
        self._memory.bind(memory)
        try:
            yield
        except Exception:
            # The agent's own error often follows from the refusal.
            self._raise_what_was_refused()
            raise
        else:
            self._raise_what_was_refused()
        finally:
            self.settle()
            self._memory.bind(None)

    def _raise_what_was_refused(self) -> None:
        self.settle()
        error = self._memory.error or (None if self._answering is None else self._answering.ended)
        if error is not None:
            raise error

    @property
    def memory_service_url(self) -> str:
        """Where an agent asks for the memory that is served."""
        return self.origin + PREFIX

    def settle(self, seconds: float = 5.0) -> None:
        """Wait for the requests that are under way, so that they are recorded before what comes next."""
        if self._loop is not None and self._endpoint is not None and self._loop.is_running():
            asyncio.run_coroutine_threadsafe(self._endpoint.settle(seconds), self._loop).result()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="memuse-pass-through", daemon=True)
        self._thread.start()
        if not self._started.wait(_START_SECONDS) or self._failure is not None:
            self._end()
            raise self._failure or TimeoutError("the pass-through did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        if self._loop is not None and self._stop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(_START_SECONDS)
        self._memory.close()
        self._endpoint = None

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            self._failure = error
        finally:
            self._started.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._answering = backend = self._backend()
        endpoint = Endpoint(self._routes, backend, self._memory, self._limit)
        runner = endpoint.runner()
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, self._asked_port).start()
            endpoint.port = _port_of(runner.addresses)
            self._refuse_itself(endpoint.port)
            self._endpoint = endpoint
            self._started.set()
            await self._stop.wait()
            await endpoint.settle(1.0)
        finally:
            await runner.cleanup()
            await backend.close()

    def _refuse_itself(self, port: int) -> None:
        if self._player is None and any(upstream.is_at(port) for upstream in self._routes.upstreams):
            raise MemuseError(
                f"the pass-through at port {port} cannot be its own upstream",
                reason="upstream",
                mend="give the address of the API itself, or another port",
            )


def _port_of(addresses: Sequence[Any]) -> int:
    return int(addresses[0][1])
