"""Secrets are planted in real exchanges and annotations of an arc; none is in any file afterwards, and it replays."""

import gzip
import json
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import brotli
import httpx
import pytest

from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.model import OperationKind, Outcome
from pytest_memuse.recording.cassette import playing_http, recording_http
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.lines import write_lines
from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction, parse_rules
from pytest_memuse.recording.rendered import Change, Rendered, RenderedEntry
from pytest_memuse.recording.session import ArcRecorder
from pytest_memuse.spans.checks import recording_problems
from tests.episodes.small_world import ARC, DEAD, NoteMemory, live_runner
from tests.recording.plants import ENCODINGS, finds
from tests.recording.servers import LocalServer


@dataclass
class Call:
    """One request of the agent, and what the server is to answer."""

    path: str = "/chat/completions"
    body: Any = None
    raw: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    answer: bytes = b'{"model": "rule-model", "choices": [{"message": {"role": "assistant", "content": "ok"}}]}'
    answer_headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    reason: str = "OK"


@dataclass
class Plants:
    """Everything that is planted. ``environment`` is what the recording machine has; ``secrets`` are all values."""

    environment: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    memory: dict[str, str] = field(default_factory=dict)

    def secret(self, where: str, *, known: bool = True) -> str:
        """Return a value of its own for a place: with what has to be escaped somewhere, as passwords have."""
        number = len(self.secrets)
        value = (
            f'pA{number:03d}/w&"x y+z=7<é{number * 7919:06d}Q' if known else f"tok{number:03d}Z{number * 104729:012d}q"
        )
        self.secrets[where] = value
        if known:
            self.environment[f"PLANT_{number}_SECRET"] = value
        return value


def _chat(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]}


def _said(text: str) -> bytes:
    return json.dumps(
        {"model": "rule-model", "choices": [{"message": {"role": "assistant", "content": text}}]}
    ).encode()


def _events(values: Sequence[Any], *, named: bool = False) -> bytes:
    out = ""
    for value in values:
        out += f"event: {value['type']}\n" if named else ""
        out += f"data: {json.dumps(value)}\n\n"
    return (out + "data: [DONE]\n\n").encode()


def _pieces(text: str, size: int = 5) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _chunk(delta: Mapping[str, Any], index: int = 0) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [{"index": index, "delta": dict(delta)}]}


def _tool_chunk(text: str, index: int) -> dict[str, Any]:
    return _chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})


def _streams(secret: Callable[[str], str]) -> Iterator[bytes]:
    yield _events([_chunk({"content": p}) for p in _pieces(f"it is {secret('chat deltas')} indeed")])
    whole = json.dumps({"q": secret("tool argument deltas")})
    yield _events([_tool_chunk(p, 0) for p in _pieces(whole)])
    first, second = json.dumps({"q": secret("one of two calls in turns")}), json.dumps({"q": secret("the other call")})
    turns = zip(_pieces(first, 4), _pieces(second, 4), strict=False)
    yield _events([c for a, b in turns for c in (_tool_chunk(a, 0), _tool_chunk(b, 1))])
    turns = zip(_pieces(secret("first of two answers"), 4), _pieces(secret("second of two answers"), 4), strict=False)
    yield _events([c for a, b in turns for c in (_chunk({"content": a}), _chunk({"content": b}, 1))])
    for where, kind, name in (
        ("text deltas", "text_delta", "text"),
        ("JSON deltas", "input_json_delta", "partial_json"),
    ):
        pieces = _pieces(json.dumps({"q": secret(where)}) if name == "partial_json" else secret(where))
        yield _events(
            [{"type": "content_block_delta", "index": 1, "delta": {"type": kind, name: p}} for p in pieces], named=True
        )
    pieces = _pieces(secret("output text deltas"))
    yield _events([{"type": "response.output_text.delta", "item_id": "m1", "delta": p} for p in pieces], named=True)
    pieces = _pieces(json.dumps({"q": secret("function call argument deltas")}))
    kind = "response.function_call_arguments.delta"
    yield _events([{"type": kind, "item_id": "f1", "delta": p} for p in pieces], named=True)
    pieces = _pieces(secret("letter by letter"), 1)
    yield _events([_chunk({"content": p}) for p in pieces])
    pieces = _pieces(ENCODINGS["base64 of user and password"](secret("base64 in deltas")))
    yield _events([_chunk({"content": p}) for p in pieces])
    pieces = _pieces(secret("lines of JSON"))
    yield "".join(json.dumps({"model": "m", "message": {"content": p}}) + "\n" for p in pieces).encode()
    yield b": waiting\n\n" + _events([_chunk({"content": f"all of {secret('one delta')}"}), _chunk({"content": "."})])


def _planted() -> Plants:
    plants = Plants()
    secret, calls = plants.secret, plants.calls
    for name, encode in ENCODINGS.items():
        calls.append(Call(body=_chat(encode(secret(f"request: {name}")))))
        calls.append(Call(body=_chat("hello"), answer=_said(encode(secret(f"response: {name}")))))
    for name in ("plain", "JSON in JSON", "base64 of JSON", "percent", "HTML"):
        arguments = json.dumps({"command": ENCODINGS[name](secret(f"tool arguments: {name}"))})
        call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": arguments}}
        calls.append(Call(body={"messages": [{"role": "assistant", "content": None, "tool_calls": [call]}]}))
        calls.append(Call(body={"metadata": {ENCODINGS[name](secret(f"name of a field: {name}")): 1}}))
        text = f"not JSON, but {ENCODINGS[name](secret(f'text body: {name}'))}"
        calls.append(Call(path="/log", raw=text.encode(), answer=text.encode(), answer_headers={}))
    for stream in _streams(secret):
        calls.append(Call(body=_chat("stream"), answer=stream, answer_headers={"content-type": "text/event-stream"}))
    packed = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}
    for coding, pack in packed.items():
        answer, headers = _said(secret(f"{coding} body")), {"content-type": "application/json"}
        calls.append(
            Call(answer=pack(answer), body=_chat(coding), answer_headers={**headers, "content-encoding": coding})
        )
        request = json.dumps(_chat(secret(f"{coding} request"))).encode()
        calls.append(Call(raw=pack(request), headers={"content-encoding": coding, "content-type": "application/json"}))
        unsaid = pack(json.dumps({"note": secret(f"{coding} body that does not say so")}).encode())
        calls.append(Call(path="/file", raw=b"{}", answer=unsaid, answer_headers={}))
    wide = b"\xff\xfe" + f"a file with {secret('UTF-16 file')} in it".encode("utf-16-le")
    calls.append(Call(path="/file", raw=b"{}", answer=wide, answer_headers={}))
    calls.append(Call(path="/file", raw=wide.replace(b"f", b"F", 1)))
    calls.append(Call(path="/form", raw=f"a=1&note={ENCODINGS['percent with plus'](secret('form'))}".encode()))
    calls.append(Call(body={"client_secret": secret("named field", known=False), "n": 1}))
    for name in ("key", "access_token", "X-Amz-Signature"):
        value = secret(f"parameter {name}", known=False)
        calls.append(Call(path=f"/chat/completions?{name}={value}&x=1", body=_chat(f"{name} was {value}")))
    calls.append(Call(path=f"/files/{ENCODINGS['percent'](secret('path'))}/content", body={}))
    calls.append(Call(path=f"/q?text={ENCODINGS['percent twice'](secret('another parameter'))}", body={}))
    _seen_in_headers(plants)
    url = f"postgres://app:{secret('password in an address', known=False)}@db.internal/app"
    calls.append(Call(body=_chat(f"connect to {url} now")))
    ticket = secret("own rule", known=False).upper()
    plants.secrets["own rule"] = ticket
    calls.append(Call(body=_chat(f"see TICKET:{ticket} for it")))
    answer_headers = {"content-type": f"application/json; note={secret('type of a response').encode().hex()}"}
    calls.append(Call(body=_chat("type"), answer_headers=answer_headers))
    calls.append(Call(body=_chat("reason"), reason=f"Fine {secret('reason', known=False)}"))
    plants.environment["REASON_TOKEN"] = plants.secrets["reason"]
    for name in (
        "recall",
        "entry",
        "change",
        "tool",
        "task",
        "outcome",
        "identity",
        "agent",
        "memory request",
        "offer",
    ):
        plants.memory[name] = secret(f"memory: {name}")
    return plants


def _seen_in_headers(plants: Plants) -> None:
    """Values that only headers tell are told after they stood elsewhere, and again later in another encoding."""
    for where, header in (
        ("bearer", lambda s: {"authorization": f"Bearer {s}"}),
        ("basic", lambda s: {"authorization": "Basic " + ENCODINGS["base64 of user and password"](s)}),
        ("key header", lambda s: {"x-api-key": s}),
        ("goog key header", lambda s: {"x-goog-api-key": s}),
        ("proxy", lambda s: {"proxy-authorization": f"Bearer {s}"}),
        ("cookie", lambda s: {"cookie": f"a=b; session={s}"}),
    ):
        value = plants.secret(f"header: {where}", known=False)
        plants.calls.append(Call(body=_chat(f"earlier: {value}")))
        plants.calls.append(Call(body=_chat("now"), headers=header(value)))
        plants.calls.append(Call(body=_chat("later: " + ENCODINGS["base64 of JSON"](value))))
    value = plants.secret("header: set-cookie", known=False)
    answer_headers = {"content-type": "application/json", "set-cookie": f"session={value}; Path=/; HttpOnly"}
    plants.calls.append(Call(body=_chat("log in"), answer_headers=answer_headers))
    plants.calls.append(Call(body=_chat(f"the session is {value}")))


@dataclass
class LeakyMemory:
    """A memory system that puts secrets wherever it may write."""

    base_url: str
    plants: Mapping[str, str]
    key: str = "mK7Zq0-aXw93-Lh55-Tt81"
    stored: list[str] = field(default_factory=list)

    def identity(self) -> Mapping[str, str]:
        return {"name": "leaky", "api_key": self.key, "dsn": f"x://{self.plants['identity']}"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        body = {"input": query, "tenant": f"of {self.key}", "note": self.plants["memory request"]}
        headers = {"authorization": f"Bearer {self.key}"}
        httpx.post(f"{self.base_url}/embeddings?api_key={self.key}", json=body, headers=headers).raise_for_status()
        value = f"the port is {self.plants['entry']}"
        text = f"Notes ({self.plants['recall']}):\n- {value}\n"
        return Rendered(text, (RenderedEntry("n-1", value, text.index(value), text.index(value) + len(value)),))

    def tool(self) -> Mapping[str, Any] | None:
        return {"name": "notes", "description": f"notes of {self.plants['offer']}", "parameters": {"type": "object"}}

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        return Rendered("found " + str(arguments["q"]), query=str(arguments["q"]))

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        return [Change(OperationKind.CREATE, "n-2", f"remember {self.plants['change']}", scope)]

    def close(self) -> None:
        return None


@contextmanager
def _server(calls: Sequence[Call]) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            call = calls[int(self.headers["x-number"])] if "x-number" in self.headers else Call()
            self.send_response(200, call.reason)
            for name, value in call.answer_headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(call.answer)))
            self.end_headers()
            self.wfile.write(call.answer)

        def log_message(self, *args: object) -> None:
            pass

    server = LocalServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _ask(client: httpx.Client, base: str, number: int, call: Call) -> httpx.Response:
    content = call.raw if call.raw is not None else json.dumps(call.body).encode()
    headers = {"content-type": "application/json", "x-number": str(number), **call.headers}
    return client.post(base + call.path, content=content, headers=headers)


class _Agent:
    def __init__(self, base: str, plants: Plants) -> None:
        self._base, self._plants = base, plants

    def identity(self) -> Mapping[str, str]:
        return {"name": "agent", "prompt": f"you know {self._plants.memory['agent']}"}

    def __call__(self, episode: EpisodeContext) -> None:
        episode.memory.tool()
        recalled = episode.memory.recall()
        found = episode.memory.call_tool({"q": self._plants.memory["tool"]}, tool_call_id="t1")
        messages = [
            {"role": "system", "content": recalled},
            {"role": "user", "content": episode.task},
            {"role": "tool", "tool_call_id": "t1", "content": json.dumps({"result": found})},
        ]
        with httpx.Client() as client:
            client.post(f"{self._base}/chat/completions", json={"model": "m", "messages": messages})
            for number, call in enumerate(self._plants.calls):
                _ask(client, self._base, number, call)


_RULES = parse_rules(["ticket: TICKET:([A-Z0-9]+)"])


@dataclass
class Recorded:
    plants: Plants
    arc: ArcSpec
    path: Path
    recording: Recording

    def redaction(self) -> Redaction:
        return Redaction.from_environment(self.plants.environment, _RULES)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    plants = _planted()
    task = f"Use the port. The word is {plants.memory['task']}."
    arc = ArcSpec.model_validate({"id": "leaky", "episodes": [{"id": "e1", "scope": "shop", "task": task}]})
    redaction = Redaction.from_environment(plants.environment, _RULES)
    with _server(plants.calls) as base:
        runner = Runner(
            lambda folder: LeakyMemory(base, plants.memory),
            _Agent(base, plants),
            lambda episode: Outcome(True, f"it said {plants.memory['outcome']}"),
            Path("."),
            redaction,
        )
        made = record_arc("shop", arc, runner)
    path = tmp_path_factory.mktemp("cassettes") / "shop" / "leaky.jsonl"
    save_recording(path, made)
    return Recorded(plants, arc, path, load_recording(path))


def test_no_planted_secret_is_in_any_file(recorded: Recorded) -> None:
    secrets = {**recorded.plants.secrets, "key of the memory system": LeakyMemory("", {}).key}
    assert len(secrets) >= 140
    files = [path for path in recorded.path.parent.rglob("*") if path.is_file()]
    found = set().union(
        *(finds(path.read_text("utf-8", "surrogatepass"), frozenset(secrets.values())) for path in files)
    )
    assert [where for where, value in secrets.items() if value in found] == []


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_search_itself_finds_every_encoding(name: str) -> None:
    secret = 'pA000/w&"x y+z=7<é007919Q'
    line = json.dumps({"response": {"content": ENCODINGS[name](secret)}})
    assert finds(line, frozenset({secret})) == {secret}


def test_the_memory_operations_replay_the_same(recorded: Recorded) -> None:
    drift = replay_arc(
        recorded.arc,
        recorded.recording,
        lambda folder: LeakyMemory("http://127.0.0.1:9/v1", recorded.plants.memory),
        recorded.redaction(),
    )
    assert (drift.kind, drift.reason) == (DriftKind.SAME, "")


def test_every_request_of_the_agent_is_answered_from_the_recording(recorded: Recorded) -> None:
    with playing_http(recorded.recording, recorded.redaction()) as playback, httpx.Client() as client:
        for number, call in enumerate(recorded.plants.calls):
            _ask(client, "http://127.0.0.1:9/v1", number, call)
    assert playback.misses == []
    assert playback.used == len(recorded.plants.calls)


def test_a_machine_with_another_key_in_header_address_and_body_replays_the_same(recorded: Recorded) -> None:
    def memory(folder: Path) -> LeakyMemory:
        return LeakyMemory("http://127.0.0.1:9/v1", recorded.plants.memory, key="another-Key-1")

    drift = replay_arc(recorded.arc, recorded.recording, memory, recorded.redaction())
    assert (drift.kind, drift.reason) == (DriftKind.SAME, "")


def test_a_machine_with_other_secrets_in_its_environment_replays_the_same(recorded: Recorded) -> None:
    others = {name: f"other-value-{number}-of-this-machine" for number, name in enumerate(recorded.plants.memory)}
    others["task"] = recorded.plants.memory["task"]
    drift = replay_arc(
        recorded.arc,
        recorded.recording,
        lambda folder: LeakyMemory("http://127.0.0.1:9/v1", others),
        Redaction.from_environment({f"PLANT_{name}_SECRET": value for name, value in others.items()}),
    )
    assert (drift.kind, drift.reason) == (DriftKind.SAME, "")


def test_placements_are_proven_in_what_was_redacted(recorded: Recorded) -> None:
    (episode,) = derive_log(recorded.recording).episodes
    assert len(episode.deliveries) == 2
    assert all(delivery.call is not None for delivery in episode.deliveries)
    assert recording_problems(episode) == ()


def test_what_is_kept_of_an_older_recording_is_gone_over_with_what_is_known_now(recorded: Recorded) -> None:
    word = "Use the port"
    recorder = ArcRecorder(Redaction([word]))
    recorder.go_on_from(recorded.recording.events)
    made = recorder.recording("shop", "leaky", {})
    assert word in "".join(write_lines(recorded.recording))
    assert word not in "".join(write_lines(made))
    assert made.made_with == {"redactions": {"known value": 4}}
    assert recording_problems(derive_log(made).episodes[0]) == ()


def test_another_request_with_another_key_is_not_taken_for_the_recorded_one() -> None:
    key, plants = "Zq0-aXw93-Lh55-Tt81", [Call()]
    recorder = ArcRecorder(Redaction([key]))
    with _server(plants) as base, httpx.Client() as client, recording_http(recorder, recorder.redaction):
        _ask(client, base, 0, Call(body=_chat(f"with {key}, list the files")))
    made = recorder.recording("shop", "one", {})
    with playing_http(made, Redaction()) as playback, httpx.Client() as client:
        for text in (
            "with any-other, list the files",
            "with any-other, delete the files",
            "with two words, list the files",
        ):
            _ask(client, "http://127.0.0.1:9/v1", 0, Call(body=_chat(text)))
    assert (playback.used, len(playback.misses)) == (1, 2)


def test_identifiers_that_hold_a_secret_replay_the_same() -> None:
    key = "Zq0-aXw93-Lh55-Tt81"
    with live_runner(prefix=key) as runner:
        made = record_arc("shop", ARC, replace(runner, redaction=Redaction([key])))
    assert finds("".join(write_lines(made)), frozenset({key})) == set()
    drift = replay_arc(ARC, made, lambda folder: NoteMemory(DEAD, prefix=key), Redaction([key]))
    assert (drift.kind, drift.reason) == (DriftKind.SAME, "")


def test_what_comes_through_the_local_endpoint_tells_its_secrets_too() -> None:
    plants, recorder = Plants(), ArcRecorder()
    key = plants.secret("key of another program", known=False)
    with _server([Call()]) as base, PassThrough(base, recorder) as through, httpx.Client() as client:
        _ask(client, through.base_url, 0, Call(body=_chat(f"earlier: {key}")))
        _ask(client, through.base_url, 0, Call(body=_chat("now"), headers={"authorization": f"Bearer {key}"}))
    made = recorder.recording("shop", "through", {"agent": {"note": f"it has {key}"}})
    assert len(made.exchanges) == 2
    assert finds("".join(write_lines(made)), frozenset({key})) == set()
    assert made.made_with["redactions"] == {"value seen in a request": 2}


def test_what_was_replaced_is_counted_by_kind_in_the_fingerprint(recorded: Recorded) -> None:
    counted = recorded.recording.made_with["redactions"]
    assert counted["ticket"] == 1
    assert counted["secret field"] >= 1
    assert counted["known value"] >= 100
    assert counted["value seen in a request"] >= 10
    assert all(isinstance(count, int) and count > 0 for count in counted.values())
