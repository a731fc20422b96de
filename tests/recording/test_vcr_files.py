"""Ordinary vcrpy cassettes are read as recordings, and nothing in them is run."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import vcr

from pytest_memuse.cli.reading import read_any
from pytest_memuse.model import Actor, FormatError
from pytest_memuse.recording.cassette import playing_http
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.vcr_files import exchanges_from_vcr, recording_from_vcr
from tests.recording.servers import Reply, Sent, http_server

_AUDIO = bytes(range(256))
_SECRET = "hunter2-hunter2-hunter2"
_ASKED = [{"role": "user", "content": "Which port?"}]


def _answer(sent: Sent) -> Reply:
    if sent.path.startswith("/audio"):
        return Reply(_AUDIO, headers=(("content-type", "audio/mpeg"),))
    message = {"role": "assistant", "content": "żółw: 8081"}
    body = json.dumps({"model": "m", "choices": [{"index": 0, "message": message}]}).encode()
    coded = (("content-type", "application/json"), ("content-encoding", "gzip"), ("set-cookie", f"a={_SECRET}"))
    return Reply(gzip.compress(body), headers=coded)


def _ask(origin: str) -> list[bytes]:
    chat = httpx.post(f"{origin}/v1/chat/completions", json={"messages": _ASKED}, headers={"authorization": _SECRET})
    return [chat.content, httpx.get(f"{origin}/audio?key={_SECRET}").content]


@pytest.fixture(scope="module")
def cassettes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same conversation as vcrpy writes it: with its bodies as they came, and decoded, which its JSON needs."""
    folder = tmp_path_factory.mktemp("cassettes")
    raw, decoded, as_json = folder / "raw.yaml", folder / "decoded.yaml", folder / "talk.json"
    with http_server(_answer) as (origin, _):
        with vcr.use_cassette(str(raw)):
            _ask(origin)
        with vcr.use_cassette(str(decoded), decode_compressed_response=True):
            _ask(origin)
        with vcr.use_cassette(str(as_json), serializer="json", decode_compressed_response=True):
            httpx.post(f"{origin}/v1/chat/completions", json={"messages": _ASKED}, headers={"authorization": _SECRET})
    return {"raw": raw, "decoded": decoded, "json": as_json}


@pytest.mark.parametrize("kind", ["raw", "decoded", "json"])
def test_a_cassette_is_read_as_an_episode_whose_calls_are_the_agents(cassettes: dict[str, Path], kind: str) -> None:
    recording = recording_from_vcr(cassettes[kind])
    chat, *rest = recording.exchanges
    assert (chat.actor, chat.request, chat.headers) == (
        Actor.AGENT,
        {"messages": _ASKED},
        {"content-type": "application/json"},
    )
    assert chat.response["choices"][0]["message"]["content"] == "żółw: 8081"
    assert [exchange.actor for exchange in rest] == [None] * len(rest)
    (episode,) = derive_log(recording).episodes
    assert [episode.messages[str(step.call.response)].text for step in episode.steps] == ["żółw: 8081"]


@pytest.mark.parametrize("kind", ["raw", "decoded", "json"])
def test_no_secret_of_a_cassette_is_taken_over(cassettes: dict[str, Path], kind: str) -> None:
    assert _SECRET in cassettes[kind].read_text()
    assert _SECRET not in repr(recording_from_vcr(cassettes[kind], Redaction((_SECRET,))))


def test_what_is_read_from_a_cassette_answers_requests(cassettes: dict[str, Path]) -> None:
    with playing_http(recording_from_vcr(cassettes["raw"]), Redaction()) as playback:
        chat, audio = _ask("http://127.0.0.1:9")
    assert json.loads(chat)["choices"][0]["message"]["content"] == "żółw: 8081"
    assert (audio, playback.misses) == (_AUDIO, [])


def test_the_command_reads_a_cassette_where_it_reads_a_recording(cassettes: dict[str, Path]) -> None:
    for path in cassettes.values():
        assert len(read_any(path).episodes[0].steps) == 1


_REQUEST = {"method": "POST", "uri": "http://a.org/v1/messages"}
_RESPONSE = {"status": {"code": 200, "message": "OK"}}


def _with(request: Any = None, response: Any = None) -> dict[str, Any]:
    return {
        "interactions": [{"request": {**_REQUEST, **(request or {})}, "response": {**_RESPONSE, **(response or {})}}]
    }


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({"body": None}, None),
        ({"body": '{"a": 1}'}, {"a": 1}),
        ({"body": {"string": "text"}}, "text"),
        ({"body": {"base64_string": "eyJhIjogMX0="}}, {"a": 1}),
        ({"parsed_body": {"a": 1}}, {"a": 1}),
        ({"body": {}}, None),
    ],
)
def test_every_way_of_writing_a_body_is_read(tmp_path: Path, body: dict[str, Any], value: object) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(_with(body, body)))
    (exchange,) = exchanges_from_vcr(path)
    assert (exchange.request, exchange.response) == (value, value)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[]", "c.yaml: interactions: holds no list of interactions"),
        ("version: 1\n", "interactions: holds no list"),
        ("interactions: []\nversion: 2\n", "version: version 2"),
        ("interactions: [3]\n", "interactions.0.request: must be an object"),
        (json.dumps(_with({"method": 3})), "interactions.0.request.method: must be a text"),
        (json.dumps(_with({"headers": []})), "interactions.0.request.headers: must be an object"),
        (json.dumps(_with({"body": [3]})), "interactions.0.request.body: must be a text or bytes"),
        (json.dumps(_with({}, {"status": {"code": "200"}})), "response.status.code: must be a status code"),
        (json.dumps(_with({}, {"body": {"base64_string": "ä"}})), "response.body: is not base64"),
        ("{", "it is not JSON"),
        ("interactions: [\n", "not valid YAML"),
        (
            "interactions:\n- request: !!python/object/apply:os.system [touch ran]\n",
            "c.yaml:2: not valid YAML: could not",
        ),
        ("interactions: &a [*a]\n", "stands within"),
        ("interactions: " + "[" * 60, "levels deep"),
        ("interactions: " + "[" * 100_000, "nest"),
        (
            "interactions:\n- &a [x]\n"
            + "".join(f"- &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)),
            "more than",
        ),
    ],
)
def test_what_vcrpy_did_not_write_is_refused_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "c.yaml"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        exchanges_from_vcr(path)
    assert problem in str(caught.value)
    assert "to mend: " in str(caught.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.yaml"]


def test_a_body_that_inflates_beyond_all_bounds_is_kept_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_memuse.recording.bodies.MAX_BODY_BYTES", 1_000_000)
    packed = base64.b64encode(gzip.compress(bytes(10_000_000))).decode()
    path = tmp_path / "c.json"
    path.write_text(
        json.dumps(_with({}, {"body": {"base64_string": packed}, "headers": {"Content-Encoding": ["gzip"]}}))
    )
    (exchange,) = exchanges_from_vcr(path)
    assert len(exchange.response) < 20_000
    assert exchange.headers == {"content-encoding": "gzip"}
