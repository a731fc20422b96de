"""A scripted judge over real HTTP: an OpenAI-compatible endpoint on the loopback that misbehaves on demand."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.recording.servers import LocalServer

UNSET: Any = object()


@dataclass(frozen=True)
class Turn:
    """One response. ``text`` and ``reads`` make the message; the other fields are the ways in which it goes wrong."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    usage: Mapping[str, Any] | None = UNSET
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = "no"
    cut: bool = False
    chunked: bool = False
    hang: bool = False
    body: bytes | None = None


def says(text: str, **changes: Any) -> Turn:
    return Turn(text, **changes)


def reads(*names: str, **changes: Any) -> Turn:
    return Turn(calls=tuple(("read_evidence", {"name": name}) for name in names), **changes)


def fails(status: int, error: str = "no", **headers: str) -> Turn:
    return Turn(status=status, error=error, headers={name.replace("_", "-"): text for name, text in headers.items()})


TOO_LONG = Turn(status=400, error="This model's maximum context length is 8192 tokens, and the request has 9000.")

Script = Callable[[Mapping[str, Any], int], Turn]
"""From a request and its number, counted from 1, to the response."""


class Endpoint:
    """What the endpoint was asked, in order. `release` lets hanging responses go."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.release = threading.Event()
        self.asked = threading.Event()
        self.lock = threading.Lock()
        self.url = ""

    def messages(self, number: int = -1) -> list[dict[str, Any]]:
        """Return the messages of a request, the last one's unless said."""
        return list(self.requests[number]["messages"])

    def answer(self, request: dict[str, Any], headers: dict[str, str]) -> Turn:
        with self.lock:
            self.requests.append(request)
            self.headers.append(headers)
            number = len(self.requests)
        turn = self.script(request, number)
        self.asked.set()
        return turn


def in_turn(*turns: Turn) -> Script:
    """Return a script of these responses in order; the last one is repeated."""
    return lambda _, number: turns[min(number, len(turns)) - 1]


@contextmanager
def served(script: Script) -> Iterator[Endpoint]:
    """Serve a script on the loopback."""
    endpoint = Endpoint(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._send(endpoint.answer(request, {k.lower(): v for k, v in self.headers.items()}), request)

        def _send(self, turn: Turn, request: Mapping[str, Any]) -> None:
            if turn.hang:
                endpoint.release.wait(30)
                self.close_connection = True
                return
            raw = turn.body if turn.body is not None else json.dumps(_body(turn, request)).encode()
            self.send_response(turn.status)
            self.send_header("content-type", "application/json")
            if turn.chunked:
                self.send_header("transfer-encoding", "chunked")
            else:
                self.send_header("content-length", str(len(raw)))
            for name, text in turn.headers.items():
                self.send_header(name, text)
            self.end_headers()
            if turn.chunked:
                half = raw[: len(raw) // 2]
                raw = b"%x\r\n%s\r\n" % (len(half), half) + b"%x\r\n%s\r\n0\r\n\r\n" % (
                    len(raw) - len(half),
                    raw[len(half) :],
                )
            if turn.cut:
                self.wfile.write(raw[: len(raw) // 2])
                self.wfile.flush()
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            self.wfile.write(raw)

    server = LocalServer(("127.0.0.1", 0), Handler)
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _body(turn: Turn, request: Mapping[str, Any]) -> dict[str, Any]:
    if turn.status != 200:
        return {"error": {"message": turn.error, "type": "invalid_request_error"}}
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.calls:
        message["tool_calls"] = [_call(number, *call) for number, call in enumerate(turn.calls, start=1)]
    size = len(json.dumps(request["messages"])) // 4
    counted = {"prompt_tokens": size, "completion_tokens": 20, "total_tokens": size + 20}
    usage = {**counted, "prompt_tokens_details": {"cached_tokens": size // 2}} if turn.usage is UNSET else turn.usage
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "finish_reason": "tool_calls" if turn.calls else "stop", "message": message}],
        **({"usage": dict(usage)} if usage is not None else {}),
    }


def _call(number: int, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": text}}


def assessed(entries: Sequence[str] = ("e1",), **changes: Any) -> str:
    """Return an answer that is undetermined wherever it may be, with these values for every entry."""
    fields = {"relevance": True, "accuracy": "uncontradicted", "novelty": None, "influence": None, "effect": None}
    rows = [{"id": name, "notes": {}, "evidence": [], **fields, "anchors": [], **changes} for name in entries]
    return json.dumps({"assessments": rows, "summary": "made up", "confidence": 0.5})


def modest(request: Mapping[str, Any], _: int = 0) -> Turn:
    """Read what every answer requires, a round a page; then assess each entry and leave open what may be."""
    lines = [json.loads(line) for line in request["messages"][2]["content"].splitlines()[1:]]
    (required,) = (line["required reads"]["for any answer"] for line in lines if "required reads" in line)
    (exactly,) = (line["assess exactly"] for line in lines if "assess exactly" in line)
    heads = [
        json.loads(message["content"].partition("\n")[0])
        for message in request["messages"]
        if message["role"] == "tool"
    ]
    if not heads:
        return reads(*required)
    unread = [(head["name"], head["next"]["start"]) for head in heads[-len(required) :] if "next" in head]
    if unread and "tools" in request:
        return Turn(calls=tuple(("read_evidence", {"name": name, "start": start}) for name, start in unread))
    return says(assessed(tuple(_expanded(exactly))))


def _expanded(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        first, _, last = name.partition(" .. ")
        for number in range(int(first[1:]), int((last or first)[1:]) + 1):
            yield f"e{number}"
