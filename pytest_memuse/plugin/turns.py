"""Two processes that record the same arcs turn by turn: lines of JSON over a loopback connection, one side asking.

The asking side starts the other as a pytest process of its own and tells it which arc to record next; the answering
side records it and says so. Only names of arcs and texts of errors pass; recordings go by way of files.
"""

import hmac
import json
import secrets
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable

VARIABLE = "MEMUSE_TURNS"
"""Names the connection to the process that is asked: port and token."""

_LONGEST = 1024 * 1024
_POLL = 0.2
_TOLD_LINES = 25


class OtherSide:
    """The other process, as the asking side sees it. ``arcs`` are those that it can record."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path) -> None:
        self._token = secrets.token_hex(16)
        self._log = log
        self._buffer = b""
        server = socket.create_server(("127.0.0.1", 0))
        port = server.getsockname()[1]
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env={**environment, VARIABLE: f"{port}:{self._token}"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        try:
            self._connection = self._accepted(server)
            self.arcs: tuple[str, ...] = tuple(map(str, self._received()["arcs"]))
        except BaseException:
            self._end()
            raise
        finally:
            server.close()

    def __enter__(self) -> "OtherSide":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()

    def record(self, arc: str) -> None:
        """Have the other side record an arc, and wait until it is whole. Raises `MemuseError` where it fails."""
        self._send({"record": arc})
        answer = self._received()
        if answer.get("done") != arc:
            raise self._failed(f"arc {arc!r} could not be recorded: {answer.get('failed', 'no reason was given')}")

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            raise self._failed("it ended before its work was done") from None

    def _received(self) -> dict[str, Any]:
        while b"\n" not in self._buffer:
            try:
                chunk = self._connection.recv(65536)
            except TimeoutError:
                if self._process.poll() is not None:
                    raise self._failed("it ended before its work was done") from None
                continue
            except OSError:
                chunk = b""
            if not chunk or len(self._buffer) > _LONGEST:
                raise self._failed("it ended before its work was done")
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def _accepted(self, server: socket.socket) -> socket.socket:
        server.settimeout(_POLL)
        while True:
            try:
                connection, _ = server.accept()
            except TimeoutError:
                if self._process.poll() is not None:
                    raise self._failed("it ended without recording anything") from None
                continue
            connection.settimeout(_POLL)
            self._connection = connection
            if hmac.compare_digest(str(self._received().get("token", "")), self._token):
                return connection
            connection.close()

    def _failed(self, problem: str) -> MemuseError:
        told = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-_TOLD_LINES:]
        lines = "".join(f"\n  {printable(line, 200)}" for line in told)
        return MemuseError(
            f"the other side: {problem}",
            reason="other-side",
            mend=f"its whole output is in {self._log}; the last lines are{lines}",
        )

    def _end(self) -> None:
        connection = getattr(self, "_connection", None)
        if connection is not None:
            connection.close()
        try:
            self._process.wait(timeout=20 if connection is not None else 0)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def serve_turns(address: str, arcs: Sequence[str], record: Callable[[str], None]) -> None:
    """Record the arcs that the asking side names, until it closes the connection.

    ``address`` is the value of `VARIABLE`. What ``record`` raises is told to the asking side and ends the work.
    """
    port, _, token = address.partition(":")
    with socket.create_connection(("127.0.0.1", int(port)), timeout=30) as connection:
        connection.settimeout(None)
        for message in ({"token": token}, {"arcs": list(arcs)}):
            connection.sendall(json.dumps(message).encode() + b"\n")
        with connection.makefile("rb") as lines:
            for line in iter(lambda: lines.readline(_LONGEST), b""):
                arc = str(json.loads(line)["record"])
                try:
                    record(arc)
                except Exception as error:
                    told = {"failed": printable(f"{type(error).__name__}: {error}", 2000)}
                    connection.sendall(json.dumps(told).encode() + b"\n")
                    raise
                connection.sendall(json.dumps({"done": arc}).encode() + b"\n")


class Turns:
    """Whose turn it is: the sides take turns arc by arc, and change who goes first, so that a drift of the model
    between two calls falls on both alike."""

    def __init__(self, other: OtherSide) -> None:
        self._other = other
        self._first = False
        self.recorded: list[str] = []

    @contextmanager
    def around(self, arc: str) -> Iterator[None]:
        """Record an arc inside the block, and have the other side record it before or after."""
        self._first = not self._first
        there = arc in self._other.arcs
        if there and self._first:
            self._other.record(arc)
        yield
        if there and not self._first:
            self._other.record(arc)
        if there:
            self.recorded.append(arc)
