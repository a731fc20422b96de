"""The scripted model behind an OpenAI-compatible HTTP server, on this machine only."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from pytest_memuse.agents.scripted.policy import MODEL_NAME, respond
from pytest_memuse.model import MemuseError

MOST_BYTES = 16 * 1024 * 1024
_IDLE_SECONDS = 60


class ScriptedModel:
    """Serves ``POST /v1/chat/completions`` and ``GET /v1/models`` on 127.0.0.1 while the ``with`` block lasts.

    ``base_url`` ends in ``/v1``. Port 0 takes a free one. A request that is too large, no JSON or not a chat request
    gets an error of OpenAI's shape.
    """

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self._server: ThreadingHTTPServer | None = None

    @property
    def base_url(self) -> str:
        """Address of the server; only known while it runs."""
        if self._server is None:
            raise MemuseError(
                "the scripted model is not running",
                reason="scripted-model-not-running",
                mend="use it as `with ScriptedModel() as model:`",
            )
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ScriptedModel":
        self._server = _Server(("127.0.0.1", self._port), _Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()

    def wait(self) -> None:
        """Block until the process is interrupted."""
        threading.Event().wait()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over a client that went away; other errors are shown as they are."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    # Headers and body in one packet: two would wait for each other's acknowledgement.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """List the one model."""
        if self.path.rstrip("/") == "/v1/models":
            model = {"id": MODEL_NAME, "object": "model", "created": 0, "owned_by": "pytest-memuse"}
            self._send(200, {"object": "list", "data": [model]})
        else:
            self._refuse(404, f"there is nothing at {self.path[:200]}")

    def do_POST(self) -> None:
        """Answer a chat request."""
        body = self._body()
        if body is None:
            return
        if self.path.rstrip("/") not in ("/v1/chat/completions", "/chat/completions"):
            self._refuse(404, f"there is nothing at {self.path[:200]}; chat requests go to /v1/chat/completions")
            return
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(400, "the request body is not JSON")
            return
        if not isinstance(request, dict):
            self._refuse(400, "the request body must be a JSON object")
            return
        try:
            answer = respond(request)
        except (ValueError, RecursionError) as error:
            self._refuse(400, str(error))
            return
        self._send(200, answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet."""

    def _body(self) -> bytes | None:
        """Return the request's body, None where it was refused; then the connection ends, as its rest is unread."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > 12:
            self.close_connection = True
            self._refuse(411, "the request needs a Content-Length")
            return None
        if int(length) > MOST_BYTES:
            self.close_connection = True
            self._refuse(413, f"the request is larger than {MOST_BYTES} bytes")
            return None
        return self.rfile.read(int(length))

    def _refuse(self, status: int, problem: str) -> None:
        self._send(
            status,
            {"error": {"message": problem, "type": "invalid_request_error", "param": None, "code": None}},
        )

    def _send(self, status: int, value: Any) -> None:
        # Lone surrogates can come in through JSON escapes; as escapes they can go out again.
        data = json.dumps(value).encode("ascii")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
