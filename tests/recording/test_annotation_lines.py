"""Annotations are read back as they were, and a damaged one is refused by line and field."""

import json
from typing import Any

import pytest

from pytest_memuse.model import FormatError
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import read_lines, write_lines
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Event,
    LifecycleNote,
    MemoryOperation,
    ObserverNote,
    Recording,
    StoreCapture,
)

_EVENTS: tuple[Event, ...] = (
    ObserverNote("block", {"start": "<a>", "end": "</a>", "roles": ["system"]}),
    LifecycleNote("created", None, "fresh"),
    LifecycleNote("reset", ""),
    EpisodeStart("e", 0, "s", {"id": "e", "text": "t"}),
    MemoryOperation(1, "search", "s", {"query": "q"}, entries=({"item": "i"},)),
    MemoryOperation(2, "write", "s", {}),
    StoreCapture("s", {"a": "1"}, whole=True),
    StoreCapture("s", {}, ("a",), exchanges=(3,)),
    DeliveryNote(
        1, "a", "x", also=({"slot": "b", "text": "y"},), further=(2,), follows=(1,), form="f", route="agent_directed"
    ),
    DeliveryNote(0, "a", "x", 1, None, None, "missing message", entries=(), tool_call_id="c"),
    DeliveryNote(0, "a", "x"),
)


def _lines(*events: Event) -> list[bytes]:
    return [line.encode() for line in write_lines(Recording("s", "a", events))]


def test_every_annotation_is_read_back_as_it_was() -> None:
    assert read_lines(_lines(*_EVENTS), "test").events == _EVENTS


def test_no_entries_and_none_of_its_own_are_told_apart() -> None:
    _, none, own = [e for e in read_lines(_lines(*_EVENTS), "test").events if isinstance(e, DeliveryNote)]
    assert (none.entries, own.entries) == ((), None)


@pytest.mark.parametrize(
    ("kind", "damage", "field"),
    [
        ("capture", {"put": ["a"]}, "put"),
        ("capture", {"put": {"a": 1}}, "put"),
        ("capture", {"gone": "a"}, "gone"),
        ("capture", {"gone": [1]}, "gone"),
        ("capture", {"whole": "yes"}, "whole"),
        ("capture", {"exchanges": [True]}, "exchanges"),
        ("lifecycle", {"what": 1}, "what"),
        ("lifecycle", {"within": 1}, "within"),
        ("observer", {"observer": None}, "observer"),
        ("observer", {"settings": []}, "settings"),
        ("delivery", {"operation": 9}, "operation"),
        ("delivery", {"further": [9]}, "operation"),
        ("delivery", {"further": ["1"]}, "further"),
        ("delivery", {"follows": [None]}, "follows"),
        ("delivery", {"also": [1]}, "also"),
        ("delivery", {"also": [{"slot": "b"}]}, "also"),
        ("delivery", {"route": "by air"}, "route"),
        ("delivery", {"problem": 1}, "problem"),
    ],
)
def test_a_damaged_annotation_is_refused_by_line_and_field(kind: str, damage: dict[str, Any], field: str) -> None:
    lines = _lines(*_EVENTS)
    number = next(n for n, line in enumerate(lines) if json.loads(line)["type"] == kind)
    lines[number] = json.dumps({**json.loads(lines[number]), **damage}).encode()
    with pytest.raises(FormatError, match=rf"test:{number + 1}: {field}") as caught:
        read_lines(lines, "test")
    assert caught.value.line == number + 1


def test_a_delivery_that_follows_one_that_was_never_made_follows_none() -> None:
    events = (EpisodeStart("e", 0, "s", {}), DeliveryNote(0, "a", "x", follows=(-1, 0, 5)))
    (episode,) = derive_log(Recording("s", "a", events)).episodes
    assert episode.deliveries[0].selected_from == ()
