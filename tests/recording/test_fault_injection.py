"""Every call to the system that a save makes fails in turn, and is killed in turn: the old or the new file is whole."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.gate import Baseline, Identity, JudgedBy, SuiteBaseline, read_baseline, write_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.storage import writing
from tests.gate.rows import suite
from tests.recording.test_files_and_lines import small_recording
from tests.storage.faults import calls_of, fail_at, kill_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by forking it first")


@dataclass(frozen=True)
class Kept:
    """Something that is stored: how it is written and read, an old and a new value of it, and its file."""

    write: Callable[[Path, Any], object]
    read: Callable[[Path], object]
    old: object
    new: object
    file: str


def _baseline(count: int) -> Baseline:
    stored = SuiteBaseline(suite(count), Identity(JudgedBy("tracer", "1")), {}, "2026-03-01")
    return Baseline("0.1.0", {stored.run.suite: stored})


KEPT = {
    "recording": Kept(
        lambda folder, value: save_recording(folder / "shop" / "arc.jsonl", value),
        lambda folder: load_recording(folder / "shop" / "arc.jsonl"),
        small_recording(2),
        small_recording(6),
        "shop/arc.jsonl",
    ),
    "baseline": Kept(
        lambda folder, value: write_baseline(folder, "team/main", value),
        lambda folder: read_baseline(folder, "team/main"),
        _baseline(1),
        _baseline(3),
        "team/main.json",
    ),
}


@pytest.fixture(params=KEPT)
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Kept:
    # Many writes where a file of this size would be one.
    monkeypatch.setattr(writing, "PIECE", 500)
    return KEPT[request.param]


def _calls(folder: Path, kept: Kept, *, there: bool) -> list[str]:
    if there:
        kept.write(folder, kept.old)
    seen = calls_of(folder, lambda: kept.write(folder, kept.new))
    assert {"mkdir", "open", "write", "fsync", "replace", "close"} <= set(seen)
    assert seen.count("write") > 3
    return seen


def _whole_and_usable(folder: Path, kept: Kept, *, expected: tuple[object, ...]) -> None:
    """The file holds one of the expected values, and the next run reads, writes and leaves nothing but its file."""
    path = folder / kept.file
    found = kept.read(folder) if path.exists() else None
    assert found in expected
    kept.write(folder, kept.new)
    assert kept.read(folder) == kept.new
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
def test_a_call_that_fails_leaves_the_old_file_and_says_so_or_the_new_one(
    tmp_path: Path, kept: Kept, there: bool, for_good: bool
) -> None:
    total = len(_calls(tmp_path / "dry", kept, there=there))
    for number in range(1, total + 1):
        folder = tmp_path / str(number)
        if there:
            kept.write(folder, kept.old)
        told = _told_by_failing(folder, number, kept, for_good=for_good)
        assert told is None or "No space left on device" in told
        _whole_and_usable(folder, kept, expected=(kept.new if told is None else kept.old if there else None,))


def _told_by_failing(folder: Path, number: int, kept: Kept, *, for_good: bool) -> str | None:
    """Return what the write says that fails at a call, None where it succeeds all the same."""
    try:
        fail_at(folder, number, lambda: kept.write(folder, kept.new), for_good=for_good)
    except MemuseError as error:
        return str(error)
    return None


@pytest.mark.parametrize("there", [True, False], ids=["replaced", "new"])
def test_a_process_that_is_killed_leaves_the_old_file_or_the_new_one(tmp_path: Path, kept: Kept, there: bool) -> None:
    total = len(_calls(tmp_path / "dry", kept, there=there))
    found = set()
    for number in range(1, total + 1):
        folder = tmp_path / str(number)
        if there:
            kept.write(folder, kept.old)
        kill_at(folder, number, lambda folder=folder: kept.write(folder, kept.new))  # type: ignore[misc]
        found.add((folder / kept.file).exists() and kept.read(folder) == kept.new)
        _whole_and_usable(folder, kept, expected=(kept.new, kept.old if there else None))
    assert found == {True, False}
