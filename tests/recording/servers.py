"""A small real HTTP server for recording against: what it answers is given by a function of the request."""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[str, Any], Any]


class LocalServer(ThreadingHTTPServer):
    """A server that many clients may call at once: of more than the five waiting connections of the standard library,
    some are reset on a busy machine."""

    daemon_threads = True
    request_queue_size = 128


@contextmanager
def json_server(answer: Answer) -> Iterator[tuple[str, list[Any]]]:
    """Serve ``answer(path, body)`` as JSON on a free loopback port; yield the base URL and the bodies received."""
    received: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            received.append(body)
            out = json.dumps(answer(self.path, body)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("set-cookie", "session=very-secret-cookie")
            self.send_header("content-length", str(len(out)))
            self.end_headers()
            self.wfile.write(out)

        def log_message(self, *args: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass(frozen=True)
class Reply:
    """What a server answers. A body of several pieces is sent chunk by chunk; ``breaks`` closes before its end."""

    body: bytes | Iterable[bytes] = b""
    status: int = 200
    headers: Sequence[tuple[str, str]] = (("content-type", "application/json"),)
    breaks: bool = False


@dataclass(frozen=True)
class Sent:
    """A request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@contextmanager
def http_server(answer: Callable[[Sent], Reply]) -> Iterator[tuple[str, list[Sent]]]:
    """Serve what ``answer`` gives on a free loopback port; yield the origin and the requests received."""
    received: list[Sent] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            sent = Sent(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, self._body())
            received.append(sent)
            reply = answer(sent)
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            if isinstance(reply.body, bytes):
                if self.command != "HEAD" or reply.body:
                    self.send_header("content-length", str(len(reply.body) + (7 if reply.breaks else 0)))
                self.end_headers()
                self.wfile.write(b"" if self.command == "HEAD" else reply.body)
            else:
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for piece in reply.body:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
                self.wfile.write(b"" if reply.breaks else b"0\r\n\r\n")
            self.close_connection = reply.breaks

        def _body(self) -> bytes:
            if self.headers.get("transfer-encoding", "") != "chunked":
                return self.rfile.read(int(self.headers.get("content-length") or 0))
            out = b""
            while size := int(self.rfile.readline(), 16):
                out += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return out

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve

        def log_message(self, *args: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
