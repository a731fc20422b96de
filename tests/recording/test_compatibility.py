"""Files that earlier releases wrote stay readable: one of each format version is kept."""

from pathlib import Path

import pytest

import pytest_memuse
from pytest_memuse.model.log import read_log
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording
from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.checks import recording_problems

ROOT = Path(pytest_memuse.__file__).parents[1]


@pytest.mark.parametrize("version", ["format-1"])
def test_a_recording_of_every_version_can_be_read(version: str) -> None:
    (path,) = (ROOT / "cassettes" / version).glob("*.jsonl")
    log = derive_log(load_recording(path))
    assert [episode.id for episode in log.episodes] == [
        f"changed-port/{name}" for name in ("plant", "elsewhere", "update", "probe")
    ]
    assert all(not recording_problems(episode) for episode in log.episodes)
    assert [len(build_spans(episode)) for episode in log.episodes] == [0, 0, 2, 1]


@pytest.mark.parametrize("version", ["format-1"])
def test_an_event_log_of_every_version_can_be_read(version: str) -> None:
    path = ROOT / "fixtures" / "logs" / f"{version}.jsonl"
    log = read_log(path.read_bytes().splitlines(keepends=True), path.name)
    assert log.recorded_against == "memuse-scripted-1"
    assert [len(build_spans(episode)) for episode in log.episodes] == [0, 0, 2, 1]
