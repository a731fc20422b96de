"""A raw server that gives fixed bytes and keeps what it was sent, and a raw client: nothing between test and wire."""

import socket
import socketserver
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-connection"}

Piece = bytes | float | threading.Event
"""Bytes to send, seconds to wait, or an event to wait for."""


@dataclass(frozen=True)
class Parsed:
    """One message as it stood on the wire: first line, headers in order, body without its framing."""

    first: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    whole: bool = True

    @property
    def end_to_end(self) -> tuple[tuple[str, str], ...]:
        """The headers that are not of one hop; Host is another one on the way, and so is left out."""
        left_out = HOP_BY_HOP | {"host"}
        return tuple((name, value) for name, value in self.headers if name.lower() not in left_out)

    def header(self, name: str) -> str | None:
        return next((value for sent, value in self.headers if sent.lower() == name), None)


@dataclass
class RawServer:
    """A server on loopback. ``received`` are the requests, whole; ``closed`` is set when a client went away."""

    port: int
    received: list[Parsed] = field(default_factory=list)
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def raw_server(pieces: Sequence[Piece]) -> Iterator[RawServer]:
    """Answer every request with the same pieces, and close the connection where they do not say how long they are."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while True:
                request = read_message(self.rfile, is_request=True)
                if request is None:
                    return
                server.received.append(request)
                try:
                    self._send(pieces)
                except OSError:
                    server.closed.set()
                    return
                framed = b"".join(p for p in pieces if isinstance(p, bytes)).lower()
                if b"\r\ncontent-length" not in framed and b"\r\ntransfer-encoding" not in framed:
                    return
                if b"connection: close" in framed:
                    return

        def _send(self, pieces: Sequence[Piece]) -> None:
            for piece in pieces:
                if isinstance(piece, bytes):
                    self.wfile.write(piece)
                elif isinstance(piece, float):
                    time.sleep(piece)
                elif self._left_before(piece):
                    raise ConnectionError

        def _left_before(self, event: threading.Event) -> bool:
            """Wait for the event; tell whether the client went away first."""
            self.connection.settimeout(0.01)
            try:
                for _ in range(1000):
                    if event.is_set():
                        return False
                    try:
                        if not self.connection.recv(1, socket.MSG_PEEK):
                            return True
                    except TimeoutError:
                        continue
                return False
            finally:
                self.connection.settimeout(None)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Handler) as listening:
        server = RawServer(listening.server_address[1])
        threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            listening.shutdown()


def exchange(port: int, request: bytes, *, head: bool = False) -> Parsed:
    """Send raw bytes, return the response that comes."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        answer = read_message(connection.makefile("rb"), is_request=False, head=head)
    assert answer is not None
    return answer


def read_message(stream: object, *, is_request: bool, head: bool = False) -> Parsed | None:
    """Read one message off a stream; None at its end. One that is cut off is given with ``whole`` unset."""
    first = stream.readline()  # type: ignore[attr-defined]
    if not first:
        return None
    headers = []
    while (line := stream.readline()) not in (b"\r\n", b""):  # type: ignore[attr-defined]
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name, value.strip()))
    told = first.decode("latin-1").strip()
    if told.startswith("HTTP/1.1 100"):
        return read_message(stream, is_request=is_request, head=head)
    lower = {name.lower(): value for name, value in headers}
    status = "" if is_request else told.split()[1]
    if head or status in ("204", "304"):
        body, whole = b"", True
    elif lower.get("transfer-encoding") == "chunked":
        body, whole = _unchunked(stream)
    elif "content-length" in lower:
        body = stream.read(int(lower["content-length"]))  # type: ignore[attr-defined]
        whole = len(body) == int(lower["content-length"])
    else:
        body, whole = (b"" if is_request else stream.read()), True  # type: ignore[attr-defined]
    return Parsed(told, tuple(headers), body, whole)


def _unchunked(stream: object) -> tuple[bytes, bool]:
    body = b""
    try:
        while True:
            size = int(stream.readline().split(b";")[0] or b"x", 16)  # type: ignore[attr-defined]
            part = stream.read(size)  # type: ignore[attr-defined]
            body += part
            stream.readline()  # type: ignore[attr-defined]
            if size == 0:
                return body, True
    except (ValueError, OSError):
        return body, False


def chunked(*parts: bytes) -> list[bytes]:
    """Return the parts as chunks of a body, and its end."""
    return [*(b"%x\r\n%s\r\n" % (len(part), part) for part in parts), b"0\r\n\r\n"]
