"""Stored forms: exactly the same comes back, and what was said before is not said again."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import FormatError
from pytest_memuse.model.digests import canonical_json, json_digest
from pytest_memuse.recording.compaction import Compactor, name_of
from pytest_memuse.recording.lines import event_to_line, read_lines, recording_digest, write_lines
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.restoring import DamagedForm, Restorer
from pytest_memuse.recording.streams import packed_stream, unpacked_stream
from tests.recording.long_episodes import chat, distinct_text, messages_api, responses_api, size_of

_LONG = ["x" * 120, "żółw " * 30, "\udc80\udcff" * 60, "\ud800" + "y" * 120]
_FIELDS = ["messages", "content", "a", "$ref", "$f32", "$is", "$but", "$keep", "$then", "$gone", "$stream", "$bytes"]
_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0, 0.0, -0.0, 1, 1.0])
    | st.text(max_size=8)
    | st.sampled_from(_LONG),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(_FIELDS), inner, max_size=3),
    max_leaves=12,
)
_lines = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["exchange", "operation"]), "uri": st.sampled_from(["u", "v"])},
        optional={"request": _values, "response": _values, "text": st.sampled_from(_LONG), "actor": st.just("agent")},
    ),
    max_size=6,
)


def _through(lines: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the stored form and the restored line of each of several lines, through JSON text."""
    compactor, restorer = Compactor(), Restorer()
    for number, line in enumerate(lines, 1):
        stored = json.loads(json.dumps(compactor.stored({**line, "number": number})))
        compactor.keep()
        yield stored, restorer.restored(stored)


@given(_lines)
def test_what_is_stored_comes_back_exactly(lines: list[dict[str, Any]]) -> None:
    for number, (line, (_, restored)) in enumerate(zip(lines, _through(lines), strict=True), 1):
        assert canonical_json(restored) == canonical_json({**line, "number": number})


@given(_values, _values)
def test_a_line_may_differ_from_the_one_before_in_any_way(one: object, other: object) -> None:
    lines = [{"type": "exchange", "uri": "u", "request": value} for value in (one, other, one)]
    for line, (_, restored) in zip(lines, _through(lines), strict=True):
        assert canonical_json(restored["request"]) == canonical_json(line["request"])


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=8, max_size=64))
def test_a_vector_of_32_bit_numbers_is_packed_without_loss(vector: list[float]) -> None:
    ((stored, restored),) = _through([{"type": "exchange", "response": {"embedding": vector}}])
    assert set(stored["response"]["embedding"]) == {"$f32"}
    assert restored["response"] == {"embedding": vector}


def test_a_vector_that_would_lose_digits_is_left_as_it_is() -> None:
    ((stored, _),) = _through([{"type": "exchange", "response": {"embedding": [0.1] * 8}}])
    assert stored["response"] == {"embedding": [0.1] * 8}


_EVENT = '{"id":"chatcmpl-1","created":1,"choices":[{"index":0,"delta":{"content":%s}}],"obfuscation":"%s"}'


@given(st.lists(st.text(max_size=6), max_size=30), st.sampled_from(["\n\n", "\r\n\r\n", "\n"]))
def test_a_stream_comes_back_exactly(words: list[str], between: str) -> None:
    text = between.join("data: " + _EVENT % (json.dumps(word), "o" * len(word)) for word in words)
    packed = packed_stream(text)
    if packed is not None:
        assert unpacked_stream(json.loads(json.dumps(packed)), len(text)) == text


def test_of_a_stream_the_words_are_stored_and_little_else() -> None:
    words = [f"word{n} " for n in range(200)]
    text = "".join("data: " + _EVENT % (json.dumps(word), "ab" * (n % 9 + 1)) + "\n\n" for n, word in enumerate(words))
    packed = packed_stream(text)
    assert packed is not None
    brought = sum(len(word) + 2 * (n % 9 + 1) for n, word in enumerate(words))
    assert len(canonical_json(packed)) < 1.6 * brought < len(text) / 4


def test_text_that_is_bytes_takes_what_base64_takes() -> None:
    audio = bytes(range(256)) * 4
    ((stored, restored),) = _through([{"type": "exchange", "response": audio.decode("utf-8", "surrogateescape")}])
    assert len(json.dumps(stored["response"])) < 1.4 * len(audio)
    assert restored["response"].encode("utf-8", "surrogateescape") == audio


# An episode's recording takes what its distinct text takes.


@pytest.mark.parametrize("api", [chat, messages_api, responses_api])
def test_a_recording_of_200_steps_takes_at_most_1_3_times_its_distinct_text(api: Any) -> None:
    exchanges = api(200)
    assert size_of(exchanges) <= 1.3 * distinct_text(exchanges)


def test_two_conversations_that_take_turns_are_each_gone_on_with() -> None:
    mixed = [e for pair in zip(chat(40), chat(40, seed=5), strict=True) for e in pair]
    mixed = [Exchange(n, *[getattr(e, name) for name in _REST]) for n, e in enumerate(mixed, 1)]
    assert size_of(mixed) <= 1.3 * distinct_text(mixed)


_REST = ("actor", "method", "uri", "request", "status", "reason", "headers", "response")


def test_a_recording_grows_with_the_length_of_an_episode_and_not_with_its_square() -> None:
    sizes = [size_of(chat(steps)) for steps in (50, 100, 200)]
    assert sizes[2] - sizes[1] < 2.1 * (sizes[1] - sizes[0])


def test_an_edited_line_is_found() -> None:
    lines = [line.encode() for line in write_lines(Recording("s", "a", tuple(chat(3))))]
    edited = [line.replace(b"w13n5", b"w13n6") for line in lines]
    assert edited != lines
    with pytest.raises(FormatError, match="edited"):
        read_lines(edited, "file")


# What is damaged or asks for too much is refused.

_FIRST = {"type": "exchange", "number": 1, "request": {"messages": [{"a": 1}], "m": "m"}}


@pytest.mark.parametrize(
    ("stored", "problem"),
    [
        ({"like": 9}, "no exchange 9 stands before"),
        ({"like": True}, "no exchange True stands before"),
        ({"request": {"$but": {}}}, "differs from a value that is not there"),
        ({"like": 1, "request": {"$but": {"messages": {"$keep": 2, "$then": []}}}}, "a list that is not there"),
        ({"like": 1, "request": {"$but": {"messages": {"$keep": -1, "$then": []}}}}, "a list that is not there"),
        ({"like": 1, "request": {"$but": {"m": {"$keep": 1, "$then": []}}}}, "a list that is not there"),
        ({"like": 1, "request": {"$but": [], "$gone": []}}, "not there"),
        ({"like": 1, "lacks": [3]}, "must be a list of texts"),
        ({"request": {"$ref": "no such"}}, "names a shared value 'no such'"),
        ({"request": {"$ref": ["x"]}}, "damaged"),
        ({"request": {"$f32": "AAA="}}, "multiple of four"),
        ({"request": {"$f32": 3}}, "base64"),
        ({"request": {"$bytes": "ä"}}, "base64"),
        ({"request": {"$is": 3}}, "damaged"),
        ({"request": {"$then": []}}, "damaged"),
        ({"request": {"$is": {}, "a": 1}}, "damaged"),
        ({"request": {"$stream": "text"}}, "not a list"),
        ({"request": {"$stream": [[1, [0], "x"]]}}, "not there"),
        ({"request": {"$stream": ["a", [2, [0], "x"]]}}, "not there"),
        ({"request": {"$stream": ["a", [1, [5], "x"]]}}, "damaged"),
        ({"request": {"$stream": ["a", [1, [0], 1]]}}, "damaged"),
        ({"request": {"$stream": ["a", [1, [], "x"]]}}, "damaged"),
        ({"request": {"$stream": ["a", [1]]}}, "damaged"),
        ({"request": {"$stream": ["x" * 1_000_000, [1, [0], *["x" * 1_000_000] * 300]]}}, "too long"),
    ],
)
def test_a_damaged_form_is_a_named_error(stored: dict[str, Any], problem: str) -> None:
    restorer = Restorer()
    restorer.restored(_FIRST)
    with pytest.raises(DamagedForm, match=problem):
        restorer.restored({"type": "exchange", "number": 2, **stored})


def test_a_short_line_that_stands_for_a_very_long_one_is_refused() -> None:
    restorer = Restorer()
    restorer.restored({"type": "operation", "text": "x" * 1_000_000})
    name = {"$ref": name_of(json_digest("x" * 1_000_000))}
    with pytest.raises(DamagedForm, match="too long together"):
        restorer.restored({"type": "operation", "asked": [name] * 1_000})


def test_lists_that_grow_from_line_to_line_do_not_take_all_memory() -> None:
    restorer = Restorer(max_kept=1500)
    going_on = {"like": 1, "request": {"$but": {"m": {"$keep": 1000, "$then": []}}}}
    restorer.restored({"type": "exchange", "number": 1, "request": {"m": [0] * 1000}})
    restorer.restored({"type": "exchange", "number": 2, **going_on})
    with pytest.raises(DamagedForm, match="too many"):
        restorer.restored({"type": "exchange", "number": 3, **going_on})


@given(st.lists(_values, max_size=4))
def test_a_recording_s_digest_is_that_of_its_events_lines(bodies: list[Any]) -> None:
    # One value in two places is what a recording that was read holds in its requests.
    bodies = [*bodies, {"messages": bodies, "again": [*bodies, {"inner": bodies}]}]
    events = tuple(
        Exchange(n, None, "POST", "/x", body, 200, "", {"a": "\ud800"}, body) for n, body in enumerate(bodies)
    )
    for made in (Recording("s", "a", events), Recording("s", "a", ())):
        assert recording_digest(made) == json_digest([event_to_line(event) for event in made.events])


def test_a_long_recording_s_digest_is_the_same_before_and_after_it_is_written() -> None:
    for api in (chat, messages_api, responses_api):
        made = Recording("s", "a", tuple(api(12)))
        read = read_lines([line.encode() for line in write_lines(made)], "x")
        assert recording_digest(read) == recording_digest(made) == json_digest([event_to_line(e) for e in made.events])
