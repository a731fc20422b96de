"""Responses of JSON are given back as they were written: agents read, quote and search them as text."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.recording.bodies import body_bytes, body_spelling, body_value
from pytest_memuse.recording.cassette import playing_http, recording_http
from pytest_memuse.recording.compaction import Compactor
from pytest_memuse.recording.event_fields import event_of
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.lines import event_to_line
from pytest_memuse.recording.recording import Exchange, MemoryOperation, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.restoring import Restorer
from pytest_memuse.recording.session import ArcRecorder
from pytest_memuse.recording.spelling import spelled, spelling_of
from tests.recording.servers import Reply, Sent, http_server

_VALUE: dict[str, Any] = {"z": 1, "a": [{"y": "żółw, \\u", "b": None}, "x"], "empty": [], "n": -0.5}
_names = st.sampled_from(["z", "a", "$ref", "role", "ż"])
_objects = st.dictionaries(
    _names,
    st.recursive(
        st.integers() | st.text(max_size=9),
        lambda inner: st.dictionaries(_names, inner, max_size=3) | st.lists(inner, max_size=3),
        max_leaves=4,
    ),
    min_size=1,
    max_size=4,
)


def _again(body: bytes) -> bytes:
    value = body_value(body)
    return body_bytes(value, body_spelling(body, value))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 0, 2, 4])
@pytest.mark.parametrize("separators", [None, (",", ":")])
def test_the_spellings_that_servers_use_come_back_byte_for_byte(
    indent: int | None, separators: tuple[str, str] | None, ascii_only: bool
) -> None:
    for value in (_VALUE, [_VALUE], {}, [], [1, 2]):
        for end in ("", "\n", "\r\n"):
            text = json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators) + end
            assert _again(text.encode()) == text.encode()


@given(_objects, st.booleans())
def test_any_object_comes_back_as_it_was_written(value: dict[str, Any], compact: bool) -> None:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else None)
    assert spelled(value, spelling_of(text)) == text


@pytest.mark.parametrize(
    "told",
    [{"indent": 10**9}, {"indent": True}, {"indent": "x"}, {"end": "x" * 9}, {"end": "}"}, {"compact": 1}, {"more": 1}],
)
def test_a_spelling_that_a_file_tells_wrongly_changes_nothing(told: dict[str, Any]) -> None:
    assert spelled(_VALUE, told) == json.dumps(_VALUE, ensure_ascii=False)


@given(st.lists(st.tuples(_objects, _objects), min_size=1, max_size=3))
def test_keys_of_a_response_come_back_in_their_order(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    compactor, restorer = Compactor(), Restorer()
    for number, (request, response) in enumerate(pairs, 1):
        for turned in (response, dict(reversed(response.items()))):
            made = Exchange(number, None, "POST", "u", request, 200, "", {}, {"choices": [{"message": turned}]})
            stored = json.loads(json.dumps(compactor.stored(event_to_line(made))))
            compactor.keep()
            restored = event_of(Exchange, restorer.restored(stored))
            assert isinstance(restored, Exchange)
            assert json.dumps(restored.response) == json.dumps(made.response)
            assert restored.request == made.request


def test_a_long_element_is_not_named_where_its_keys_stood_in_another_order(tmp_path: Path) -> None:
    one = {"role": "user", "content": "x" * 120}
    other = dict(reversed(one.items()))
    asked = [{"messages": [one]}, {"messages": [other]}, {"messages": [one]}]
    events = tuple(MemoryOperation(n, "extract", "s", a, "", False, (), (), ()) for n, a in enumerate(asked, 1))
    save_recording(tmp_path / "a.jsonl", Recording("s", "a", events))
    read = load_recording(tmp_path / "a.jsonl").events
    assert [json.dumps(e.asked) for e in read if isinstance(e, MemoryOperation)] == [json.dumps(a) for a in asked]


def test_an_agent_that_quotes_a_response_asks_the_same_when_it_is_replayed(tmp_path: Path) -> None:
    def agent(base: str) -> str:
        found = httpx.get(f"{base}/tool").text
        first = json.dumps(json.loads(found))
        said: str = httpx.post(f"{base}/v1/chat/completions", json={"messages": [found, first]}).text
        return said

    def answer(sent: Sent) -> Reply:
        tool = b'{"zip":"10115","city":"Berl\\u00edn","at":{"lon":13.4,"lat":52.5}}\n'
        return Reply(tool if sent.path == "/tool" else b'{"z":"said","a":1}')

    recorder = ArcRecorder()
    with http_server(answer) as (base, _), recording_http(recorder, Redaction()):
        said = agent(base)
    save_recording(tmp_path / "a.jsonl", Recording("s", "a", tuple(recorder.events)))
    with playing_http(load_recording(tmp_path / "a.jsonl"), Redaction()) as playback:
        assert agent("http://127.0.0.1:9") == said
    assert not playback.misses
