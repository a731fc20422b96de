"""Every call to the system that a refresh makes fails in turn, and is killed in turn.

Takes minutes, for every case is two pytest runs: `pytest tests/benchmarks/test_refresh_faults.py -m benchmark`.
"""

import os
from pathlib import Path

import pytest

from tests.plugin.project import Project
from tests.plugin.refreshes import Refreshes

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are killed as POSIX does"),
]


@pytest.mark.parametrize("what", ["fail", "kill"])
def test_whatever_call_of_a_refresh_ends_every_file_is_whole_and_the_next_run_works(tmp_path: Path, what: str) -> None:
    project = Project.make(tmp_path / "project", arcs=1)
    assert project.run("--memuse-record-mode=once", "--memuse-update=main").code == 0
    refreshes = Refreshes(project, tmp_path)
    assert {"open", "write", "fsync", "replace", "close"} <= set(refreshes.calls)
    for number in range(1, len(refreshes.calls) + 1):
        ran = refreshes.failed_at(number, what)
        assert what == "fail" or ran.code == -9
