"""The scripted model over real HTTP."""

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.agents.scripted.__main__ import main
from pytest_memuse.agents.scripted.server import MOST_BYTES
from pytest_memuse.model import MemuseError
from tests.agents.driving import call_of, request


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


def post(model: ScriptedModel, body: bytes, path: str = "/v1/chat/completions") -> tuple[int, dict[str, object]]:
    host = model.base_url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(host, timeout=10)
    try:
        connection.request("POST", path, body=body)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def test_the_openai_client_is_served(model: ScriptedModel) -> None:
    openai = pytest.importorskip("openai", reason="comes with the extras mem0 and llm")
    with openai.OpenAI(base_url=model.base_url, api_key="none", max_retries=0) as client:
        body = request("Read `a.md` first.")
        answer = client.chat.completions.create(**body)
        assert call_of(answer.model_dump()) == ("bash", {"command": "cat a.md"})
        assert answer.choices[0].finish_reason == "tool_calls"
        assert answer.usage.total_tokens > 0
        assert [m.id for m in client.models.list()] == ["memuse-scripted-1"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[1]", "must be a JSON object"),
        (b"{}", "messages"),
    ],
)
def test_a_bad_request_gets_an_error_of_the_usual_shape(model: ScriptedModel, body: bytes, says: str) -> None:
    status, answer = post(model, body)
    error = answer["error"]
    assert status == 400
    assert isinstance(error, dict)
    assert says in error["message"]
    assert error["type"] == "invalid_request_error"


def test_an_unknown_path_is_not_found(model: ScriptedModel) -> None:
    assert post(model, b"{}", "/v1/other")[0] == 404


def test_a_lone_surrogate_is_survived(model: ScriptedModel) -> None:
    status, answer = post(model, b'{"messages": [{"role": "user", "content": "Set `\\ud800` in `a`."}]}')
    assert status == 200
    assert answer["object"] == "chat.completion"


@pytest.mark.parametrize(
    ("header", "status"),
    [(f"Content-Length: {MOST_BYTES + 1}", b"413"), ("Content-Length: -1", b"411"), ("X: y", b"411")],
)
def test_a_request_of_unbounded_length_is_refused_unread(model: ScriptedModel, header: str, status: bytes) -> None:
    host, port = model.base_url.removeprefix("http://").removesuffix("/v1").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n{header}\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(4096):
            answer += part
    assert answer.split()[1] == status


def test_the_address_is_known_only_while_it_runs() -> None:
    model = ScriptedModel()
    with pytest.raises(MemuseError, match="not running"):
        _ = model.base_url
    with model:
        assert model.base_url.startswith("http://127.0.0.1:")
    with pytest.raises(MemuseError, match="not running"):
        _ = model.base_url


def test_it_can_be_served_from_the_command_line() -> None:
    command = [sys.executable, "-m", "pytest_memuse.agents.scripted", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert "http://127.0.0.1:" in process.stdout.readline()
        finally:
            process.terminate()


@pytest.mark.parametrize("given", [["--variation", "2"], ["--variation", "x"], ["--seed", "0.5"]])
def test_a_version_that_there_is_not_is_refused_on_the_command_line(
    given: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["scripted", *given])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert given[1] in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "kind"), [("/v1/messages", "error"), ("/v1/responses", None), ("/v1/v1/messages?beta=true", "error")]
)
def test_an_error_has_the_shape_of_its_api(model: ScriptedModel, path: str, kind: str | None) -> None:
    status, answer = post(model, b"{}", path)
    assert (status, answer.get("type")) == (400, kind)
    assert "at least one" in str(answer["error"])
