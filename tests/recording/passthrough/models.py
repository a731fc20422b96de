"""A model behind HTTP that streams where it is asked to, over the rules of a function of the request."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.recording.servers import LocalServer

Model = Callable[[str, Any], Any]
"""From path and request to the response of Chat Completions (or of embeddings)."""


@contextmanager
def model_server(model: Model) -> Iterator[str]:
    """Serve a model on a free loopback port; yield its base URL. Responses are compressed where that is accepted."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = model(self.path, body)
            if body.get("stream"):
                self._stream([*deltas(answer), "[DONE]"])
                return
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            if "gzip" in self.headers.get("accept-encoding", ""):
                data = gzip.compress(data)
                self.send_header("content-encoding", "gzip")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, events: list[Any]) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for event in events:
                line = f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, *args: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def deltas(answer: Any) -> Iterator[Any]:
    """Yield the chunks of a chat completion as it would be streamed: role, text in halves, calls in halves, usage."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": answer["model"]}
    said = answer["choices"][0]["message"]

    def chunk(delta: Any, finish: str | None = None) -> Any:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for part in halves(said.get("content") or ""):
        yield chunk({"content": part})
    for index, call in enumerate(said.get("tool_calls", ())):
        named = {"name": call["function"]["name"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": named}]})
        for part in halves(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, "tool_calls" if said.get("tool_calls") else "stop")
    yield {**head, "choices": [], "usage": answer["usage"]}


def halves(text: str) -> list[str]:
    """Return a text in two pieces, without those that are empty."""
    return [part for part in (text[: len(text) // 2], text[len(text) // 2 :]) if part]
