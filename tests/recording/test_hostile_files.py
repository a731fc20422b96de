"""Hostile files end in a clear error, in bounded time and memory; nothing is run, and nothing is written anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.recording import hostile

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits, pipes and sparse files are those of POSIX")

_ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process with a gigabyte of memory came to that was handed every file."""
    folder = tmp_path_factory.mktemp("hostile")
    hostile.make_files(folder)
    before = _tree(folder)
    done = subprocess.run(
        [sys.executable, "-m", "tests.recording.hostile", str(folder)],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "changed": _tree(folder) ^ before}


def _tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.mark.parametrize(("reader", "attack"), hostile.CASES)
def test_a_hostile_file_is_refused_with_its_name_and_a_way_to_mend_it(
    outcomes: dict[str, Any], reader: str, attack: str
) -> None:
    said = outcomes["said"][reader][attack]
    assert list(said) == ["refused"], said
    told = said["refused"]
    assert hostile.READERS[reader][1] in told
    assert "\n  to mend: " in told
    assert len(told) < 2_500


@pytest.mark.parametrize("reader", hostile.READERS)
def test_no_error_holds_what_a_terminal_or_a_ci_runner_acts_on(outcomes: dict[str, Any], reader: str) -> None:
    for attack, said in outcomes["said"][reader].items():
        lines = said["refused"].split("\n")
        assert all(line.isprintable() for line in lines), (attack, said)
        assert not any("\u202e" in line or line.lstrip().startswith("::") for line in lines), (attack, said)


def test_memory_stays_below_300_megabytes(outcomes: dict[str, Any]) -> None:
    assert outcomes["peak"] < 300 * hostile.MEGABYTE


def test_no_code_is_run_and_no_file_is_made(outcomes: dict[str, Any]) -> None:
    assert outcomes["changed"] == set()


def test_the_marker_would_be_seen_if_code_were_run(tmp_path: Path) -> None:
    before = _tree(tmp_path)
    subprocess.run(["touch", hostile.MARKER], cwd=tmp_path, check=True)
    assert _tree(tmp_path) ^ before == {hostile.MARKER}
