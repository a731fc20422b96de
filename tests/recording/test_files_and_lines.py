"""Recordings on disk: what is written comes back, and nothing that is damaged is taken for whole."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import Actor, FormatError, MemuseError
from pytest_memuse.model.digests import json_digest
from pytest_memuse.recording import lines
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


def small_recording(steps: int = 2) -> Recording:
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
    save_recording(path, small_recording())
    assert load_recording(path) == small_recording()


def test_a_recording_grows_with_the_length_of_an_episode_and_not_with_its_square(tmp_path: Path) -> None:
    sizes = []
    for steps in (50, 100, 200):
        path = tmp_path / f"{steps}.jsonl"
        save_recording(path, small_recording(steps))
        sizes.append(path.stat().st_size)
    # References to earlier messages are all that grows faster; a copy of each would be 200 characters more.
    references = 45
    assert sizes[2] - sizes[1] < 2 * (sizes[1] - sizes[0]) + references * (200**2 - 100**2) / 2
    assert sum("message 7 " in line for line in (tmp_path / "200.jsonl").read_text().splitlines()) == 1


def test_a_truncated_recording_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, small_recording())
    cut = path.read_text().splitlines(keepends=True)[:-1]
    path.write_text("".join(cut))
    with pytest.raises(FormatError, match=r"arc\.jsonl:\d+: the recording was cut off.*\n  to mend: ") as caught:
        load_recording(path)
    assert caught.value.reason == "truncated"
    assert path.read_text() == "".join(cut)


def test_an_edited_message_is_found_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, small_recording())
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
    save_recording(path, small_recording())
    path.write_text("".join(edit(line) for line in path.read_text().splitlines(keepends=True)))  # type: ignore[operator]
    with pytest.raises(FormatError, match=problem):
        load_recording(path)


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    save_recording(tmp_path / "real.jsonl", small_recording())
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    with pytest.raises(FormatError, match="symbolic link"):
        load_recording(tmp_path / "link.jsonl")


def test_a_recording_that_could_not_be_read_again_does_not_replace_one_that_can(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, small_recording(2))
    note = DeliveryNote(77, "system", "of no operation")
    damaged = replace(small_recording(3), events=(*small_recording(3).events, note))
    told = r"arc\.jsonl was not written: .*\(line \d+: operation: no such operation stands before this line\)"
    with pytest.raises(MemuseError, match=told):
        save_recording(path, damaged)
    assert load_recording(path) == small_recording(2)
    assert os.listdir(tmp_path) == ["arc.jsonl"]


def test_a_body_that_no_line_can_hold_is_refused_before_the_old_recording_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, small_recording(2))
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 1000)
    start, operation, note, exchange, *rest = small_recording(2).events
    assert isinstance(exchange, Exchange)
    large = replace(small_recording(2), events=(start, operation, note, replace(exchange, response="x" * 1000), *rest))
    with pytest.raises(MemuseError, match=r"exchange 1 is longer than a recording holds \(1,000 bytes\)"):
        save_recording(path, large)
    assert load_recording(path) == small_recording(2)


@pytest.mark.parametrize("text", ["\ud800", "a\udc80b", "\x1b[2J\x9b\x7f\u202e\ufeff", "\0", "\u2028", "🧠 ümläut"])
def test_any_text_comes_back_and_the_file_is_utf8_that_moves_no_cursor(tmp_path: Path, text: str) -> None:
    path = tmp_path / "arc.jsonl"
    start, *rest = small_recording().events
    made = replace(small_recording(), events=(replace(start, task={"id": text, "text": text}), *rest), arc=text)
    save_recording(path, made)
    assert load_recording(path) == made
    assert all(line.isprintable() for line in path.read_text(encoding="utf-8").split("\n"))


def test_a_number_that_json_cannot_hold_is_kept_as_the_text_that_it_was(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    *events, exchange, end = small_recording().events
    assert isinstance(exchange, Exchange)
    infinite = replace(exchange, response={"n": float("inf")})
    save_recording(path, replace(small_recording(), events=(*events, infinite, end)))
    assert load_recording(path).exchanges[-1].response == '{"n": Infinity}'


def test_line_breaks_of_another_system_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    save_recording(path, small_recording())
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load_recording(path) == small_recording()


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
    save_recording(path, small_recording())
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError, match=r"arc\.jsonl:\d+: "):
        derive_log(load_recording(path))
