"""`memuse runs`: what is saved beside a project."""

from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.gate import Baseline
from pytest_memuse.gate.saved_runs import save_run
from tests.gate.test_baseline import stored


def _out(capsys: pytest.CaptureFixture[str], root: Path) -> list[str]:
    assert main(["runs", str(root)]) == 0
    return capsys.readouterr().out.splitlines()


def test_runs_are_listed_with_time_commit_and_suites(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    save_run(tmp_path, "before", Baseline("0.1.0", {"billing": replace(stored(), created="2026-03-01T10:00:00Z")}))
    suite = replace(stored(), created="2026-03-02T10:00:00Z", commit="0123456789 with changes")
    save_run(tmp_path, "", Baseline("0.1.0", {"billing": suite}))
    assert _out(capsys, tmp_path) == [
        "run          saved                 commit                   suites",
        "───────────  ────────────────────  ───────────────────────  ───────",
        "0001_before  2026-03-01T10:00:00Z  –                        billing",
        "0002_run     2026-03-02T10:00:00Z  0123456789 with changes  billing",
    ]


def test_a_run_that_cannot_be_read_hides_no_other(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    suite = Baseline("0.1.0", {"billing": replace(stored(), created="2026-03-01T10:00:00Z")})
    save_run(tmp_path, "a", suite).write_text("{")
    save_run(tmp_path, "b", suite)
    lines = _out(capsys, tmp_path)
    assert lines[2].split(maxsplit=1) == ["0001_a", "cannot be read: damaged"]
    assert lines[3].startswith("0002_b")


def test_where_none_is_saved_the_command_that_saves_one_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (line,) = _out(capsys, tmp_path)
    assert line.endswith("runs; save one with `pytest --memuse-save=NAME`")


def test_of_many_the_newest_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = save_run(tmp_path, "run", Baseline("0.1.0", {"billing": stored()}))
    for number in range(2, 53):
        (path.parent / f"{number:04}_run.json").write_bytes(path.read_bytes())
    lines = _out(capsys, tmp_path)
    assert lines[2].startswith("0003_run")
    assert lines[-1] == "and 2 older ones"
