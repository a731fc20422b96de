"""Recordings on disk: what is written comes back, and nothing that is damaged is taken for whole."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import Actor, FormatError
from pytest_memuse.model.digests import json_digest
from pytest_memuse.recording.compaction import compact, expand
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, recording_path, safe_name, save_recording
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Exchange,
    MemoryOperation,
    OutcomeNote,
    Recording,
)

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["messages", "tools", "a", "$ref", "$f32", "$is"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(_json)
def test_expanding_what_was_compacted_gives_it_back(value: object) -> None:
    shared: dict[str, object] = {}
    stored = compact(value, lambda digest, item: shared.update({digest: item}))
    assert expand(json.loads(json.dumps(stored)), shared) == value


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=8, max_size=64))
def test_a_vector_of_32_bit_numbers_is_packed_without_loss(vector: list[float]) -> None:
    stored = compact({"embedding": vector}, lambda digest, item: None)
    assert set(stored["embedding"]) == {"$f32"}
    assert expand(stored, {}) == {"embedding": vector}


def test_a_vector_that_would_lose_digits_is_left_as_it_is() -> None:
    vector = [0.1] * 8
    assert compact({"embedding": vector}, lambda digest, item: None) == {"embedding": vector}


def _recording(steps: int = 2) -> Recording:
    conversation = [{"role": "user", "content": f"message {n} " + "x" * 200} for n in range(steps)]
    exchanges = [
        Exchange(
            number=n + 1,
            actor=Actor.AGENT,
            method="POST",
            uri="http://127.0.0.1:1/v1/chat/completions",
            request={"model": "m", "messages": conversation[: n + 1]},
            status=200,
            reason="OK",
            headers={"content-type": "application/json"},
            response={"model": "memuse-scripted-1", "choices": []},
        )
        for n in range(steps)
    ]
    operation = MemoryOperation(
        number=1,
        kind="recall",
        scope="shop",
        asked={"query": "q"},
        text="- a",
        entries=({"item": "i", "value": "a", "start": 2, "end": 3},),
        exchanges=(1,),
    )
    start = EpisodeStart("probe", 0, "shop", {"id": "arc/probe", "text": "Do it.", "digest": "d", "references": []})
    note = DeliveryNote(1, "system", "- a", 1, "/messages/0/content", "d")
    return Recording(
        "shop", "arc", (start, operation, note, *exchanges, OutcomeNote(False, "no")), {"memory": {"name": "m"}}
    )


def test_a_recording_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "shop" / "arc.jsonl"
    save_recording(path, _recording())
    assert load_recording(path) == _recording()


def test_a_recording_grows_with_the_length_of_an_episode_and_not_with_its_square(tmp_path: Path) -> None:
    sizes = []
    for steps in (50, 100, 200):
        path = tmp_path / f"{steps}.jsonl"
        save_recording(path, _recording(steps))
        sizes.append(path.stat().st_size)
    # References to earlier messages are all that grows faster; a copy of each would be 200 characters more.
    references = 45
    assert sizes[2] - sizes[1] < 2 * (sizes[1] - sizes[0]) + references * (200**2 - 100**2) / 2
    assert sum("message 7 " in line for line in (tmp_path / "200.jsonl").read_text().splitlines()) == 1


def test_a_truncated_recording_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, _recording())
    cut = path.read_text().splitlines(keepends=True)[:-1]
    path.write_text("".join(cut))
    with pytest.raises(FormatError, match=r"arc\.jsonl:\d+: the recording was cut off.*\n  to mend: ") as caught:
        load_recording(path)
    assert caught.value.reason == "truncated"
    assert path.read_text() == "".join(cut)


def test_an_edited_message_is_found_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, _recording())
    path.write_text(path.read_text().replace("message 1 ", "message 9 "))
    with pytest.raises(FormatError, match="edited"):
        load_recording(path)


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda line: line.replace('"version":1', '"version":2'), r":1: version: version 2 .*it reads 1"),
        (lambda line: line.replace('"type":"episode"', '"type":"epsiode"'), r"type: unknown type 'epsiode'"),
        (lambda line: line.replace('"position":0', '"position":"first"'), "position: must not be str"),
        (lambda line: line.replace('"actor":"agent"', '"actor":"nobody"'), "actor: unknown actor 'nobody'"),
        (lambda line: line.replace('"method":"POST"', '"methods":"POST"'), "methods: unknown field"),
        (lambda line: line.replace('"type":"outcome"', '"type":"outcome",'), "the line is not JSON"),
    ],
)
def test_damage_is_named_by_line_and_field(tmp_path: Path, edit: object, problem: str) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, _recording())
    path.write_text("".join(edit(line) for line in path.read_text().splitlines(keepends=True)))  # type: ignore[operator]
    with pytest.raises(FormatError, match=problem):
        load_recording(path)


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    save_recording(tmp_path / "real.jsonl", _recording())
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    with pytest.raises(FormatError, match="symbolic link"):
        load_recording(tmp_path / "link.jsonl")


@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_failing_write_leaves_the_old_recording_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, _recording(2))

    def fail(*args: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="the disk is full"):
        save_recording(path, _recording(3))
    assert load_recording(path) == _recording(2)
    assert os.listdir(tmp_path) == ["arc.jsonl"]


@given(st.text(min_size=1, max_size=200), st.text(min_size=1, max_size=200))
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    assert (safe_name(one).lower() == safe_name(other).lower()) == (one == other)


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_name_leads_out_of_the_folder(suite: str, arc: str) -> None:
    path = recording_path(Path("cassettes"), suite, arc)
    assert len(path.parts) == 3
    assert ".." not in path.parts
    assert max(len(part) for part in path.parts) <= 90


def test_digests_do_not_depend_on_the_order_of_keys() -> None:
    assert json_digest({"a": 1, "b": [2]}) == json_digest({"b": [2], "a": 1})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"type":"operation"', '"type":["operation"]'),
        ('"entries":[{', '"entries":[3,{'),
        ('"operation":1', '"operation":99'),
        ('"pointer":"/messages/0/content"', '"pointer":5'),
        ('"references":[]', '"references":[{"subject":1}]'),
    ],
)
def test_a_field_of_another_shape_is_a_named_error_and_no_crash(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, _recording())
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError, match=r"arc\.jsonl:\d+: "):
        derive_log(load_recording(path))
