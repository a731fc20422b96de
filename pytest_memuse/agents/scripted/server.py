"""The scripted model behind an HTTP server that speaks OpenAI's and Anthropic's APIs, on this machine only."""

import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from pytest_memuse.agents.scripted.asked import MODEL_NAME
from pytest_memuse.agents.scripted.dialects import DIALECTS
from pytest_memuse.agents.scripted.policy import respond, respond_streamed
from pytest_memuse.agents.scripted.variation import Variation
from pytest_memuse.model import MemuseError
from pytest_memuse.recording.dialects import Api, api_of

MOST_BYTES = 16 * 1024 * 1024
_IDLE_SECONDS = 60


class ScriptedModel:
    """Serves Chat Completions, Responses and Anthropic's Messages on 127.0.0.1 while the ``with`` block lasts.

    ``base_url`` ends in ``/v1``; what counts of a request's path is how it ends (``/chat/completions``, ``/responses``,
    ``/messages``), so that it serves every client. Port 0 takes a free one. ``variation`` (0 to 1), ``misses`` and
    ``seed`` make other versions of the model, see `variation.Variation`; at 0 there is one. A request that is too
    large, no JSON or not one of its API gets an error of that API's shape.
    """

    def __init__(self, port: int = 0, *, variation: float = 0.0, misses: float | None = None, seed: int = 0) -> None:
        self._port = port
        self._variation = Variation(variation, seed, misses)
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
        self._server.variation = self._variation
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
    # The standard library keeps five waiting connections; agents that start together open more, and the rest are reset.
    request_queue_size = 128
    variation = Variation()

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
        """Answer a request, as a stream where it asks for one."""
        body = self._body()
        if body is None:
            return
        api = api_of(self.path)
        if api is None or api not in DIALECTS:
            known = ", ".join(f"/v1{known.value}" for known in DIALECTS)
            self._refuse(404, f"there is nothing at {self.path[:200]}; requests go to {known}")
            return
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(400, "the request body is not JSON", api)
            return
        if not isinstance(request, dict):
            self._refuse(400, "the request body must be a JSON object", api)
            return
        assert isinstance(self.server, _Server)
        try:
            if request.get("stream"):
                self._stream(respond_streamed(request, api, self.server.variation))
            else:
                self._send(200, respond(request, api, self.server.variation))
        except (ValueError, RecursionError) as error:
            self._refuse(400, str(error), api)

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

    def _refuse(self, status: int, problem: str, api: Api = Api.CHAT) -> None:
        self._send(status, DIALECTS[api].refusal(problem))

    def _stream(self, frames: Iterator[str]) -> None:
        # What can fail is done before the status line goes out.
        sent = [frame.encode("ascii") for frame in frames]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for data in sent:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

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
