"""`pytest` with each hostile file in the place of a recording: a failing test with a clear error, and nothing else.

Takes a minute or two, for every case is a pytest run: `pytest tests/benchmarks/test_hostile_replays.py -m benchmark`.
"""

import resource
import sys
from pathlib import Path

import pytest

from tests.plugin.project import Project
from tests.recording import hostile

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.skipif(sys.platform == "win32", reason="limits, pipes and sparse files are those of POSIX"),
]

ATTACKS = hostile.EVERYWHERE | hostile.RECORDINGS


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = Project.make(tmp_path_factory.mktemp("recorded") / "project", arcs=1)
    assert project.run("--memuse-record-mode=once", "--memuse-update=main").code == 0
    return project


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if "loop" not in attack])
def test_a_hostile_recording_fails_the_test_with_a_clear_error(recorded: Project, tmp_path: Path, attack: str) -> None:
    project = recorded.copy(tmp_path / "project")
    path = project.folder / "cassettes" / "shop" / "arc-0.jsonl"
    path.unlink()
    content = ATTACKS[attack]
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)
    before = {found for found in project.folder.rglob("*") if "__pycache__" not in found.parts}
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 1
    assert "arc-0.jsonl" in ran.out
    assert "to mend: " in ran.out
    assert "gate shop: not evaluated (the suite could not be evaluated)" in ran.out
    assert all(line.isprintable() for line in ran.out.split("\n"))
    assert not any(line.lstrip().startswith("::") for line in ran.out.splitlines())
    assert len(ran.failures) == 2
    made = {found for found in project.folder.rglob("*") if "__pycache__" not in found.parts} - before
    assert {found.name for found in made} <= {"junit.xml"}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    assert peak < 400 * hostile.MEGABYTE


def test_a_suites_folder_that_links_out_is_neither_read_nor_written(recorded: Project, tmp_path: Path) -> None:
    project = recorded.copy(tmp_path / "project")
    folder = project.folder / "cassettes" / "shop"
    outside = tmp_path / "outside"
    folder.rename(outside)
    folder.symlink_to(outside)
    before = (outside / "arc-0.jsonl").read_bytes()
    for arguments in ((), ("--memuse-record-mode=all",)):
        ran = project.run(*arguments)
        assert ran.code == 1
        assert "a symbolic link on the way leads out of" in ran.out
    assert (outside / "arc-0.jsonl").read_bytes() == before
