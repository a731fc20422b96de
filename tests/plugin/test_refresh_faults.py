"""Recording an arc again through the plugin: whatever call to the system fails or kills it, a whole recording stands.

Whole runs of pytest are ended likewise by `pytest tests/benchmarks/test_refresh_faults.py -m benchmark`.
"""

import os
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin import arc_recordings
from pytest_memuse.plugin.arc_recordings import ArcRecordings
from pytest_memuse.recording.files import load_recording
from tests.recording.test_files_and_lines import small_recording
from tests.storage.faults import calls_of, fail_at, kill_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by forking it first")

ARC = ArcSpec.model_validate({"id": "arc", "episodes": [{"id": "probe", "task": "Do it."}]})


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ArcRecordings:
    """Recordings of a suite in which an arc is recorded in no time; the first recording is there."""
    taken = iter([2])
    monkeypatch.setattr(arc_recordings, "record_arc", lambda *args, **options: small_recording(next(taken, 6)))
    needed: dict[str, Any] = dict.fromkeys(("memory", "runner", "base", "redaction", "describe"), lambda *args: None)
    found = ArcRecordings(
        suite="shop",
        settings=SimpleNamespace(cassettes=tmp_path / "cassettes", record_mode="all"),  # type: ignore[arg-type]
        progress=SimpleNamespace(recording=lambda *args: None),  # type: ignore[arg-type]
        around=lambda arc: nullcontext(),
        **needed,
    )
    found.record(ARC, "1/1")
    return found


def _steps(recordings: ArcRecordings) -> int:
    return len(load_recording(recordings.path(ARC)).exchanges)


@pytest.mark.parametrize("how", ["fails", "is killed"])
def test_every_call_that_recording_an_arc_again_makes(recordings: ArcRecordings, how: str) -> None:
    folder = recordings.path(ARC).parent
    old = recordings.path(ARC).read_bytes()

    def again() -> object:
        return recordings.record(ARC, "1/1")

    total = len(calls_of(folder, again))
    ended = set()
    for number in range(1, total + 1):
        recordings.path(ARC).write_bytes(old)
        if how == "is killed":
            kill_at(folder, number, again)
        else:
            try:
                fail_at(folder, number, again, for_good=False)
            except MemuseError as error:
                assert error.reason in ("not-written", "unreadable")  # noqa: PT017  # not every call is told of
        ended.add(_steps(recordings))
        assert recordings.record(ARC, "1/1").made_with["attempt"] >= 2
        assert _steps(recordings) == 6
        assert os.listdir(folder) == ["arc.jsonl"]
    assert ended == {2, 6}
