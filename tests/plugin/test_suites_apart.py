"""Suites on the workers of pytest-xdist, two suites in one session, and two sessions in one process."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_memuse.plugin.state import state_of
from pytest_memuse.plugin.workers import keep_suites_together
from tests.plugin import project_edits
from tests.plugin.project import Project
from tests.plugin.run_kinds import BASELINE

_ROOT = Path(__file__).parents[2]


@pytest.fixture
def project(quick_project: Project, tmp_path: Path) -> Project:
    return quick_project.copy(tmp_path / "project")


@pytest.mark.parametrize("options", [(), pytest.param(("--dist=loadscope",), marks=pytest.mark.long)])
def test_under_xdist_a_suite_stays_on_one_worker_and_is_recorded_once(
    project: Project, options: tuple[str, ...]
) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    project_edits.two_files(project)
    ran = project.run(BASELINE, "--memuse-record-mode=all", "-n2", "-v", *options)
    assert ran.code == 0, ran.out
    told = re.findall(r"^\[(gw\d)\] .* PASSED (\S+::test_(?:tasks|little)\S*)", ran.out, re.MULTILINE)
    assert {nodeid for _, nodeid in told} == {
        "test_shop.py::test_tasks_are_solved",
        "test_more.py::test_little_is_delivered",
    }
    assert len({worker for worker, _ in told}) == 1
    assert [": passed" in line for line in ran.gate_lines] == [True]


@pytest.mark.long
def test_so_it_does_without_any_option_where_recordings_are_there(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    project_edits.two_files(project)
    ran = project.run("-n2", "-v")
    told = re.findall(r"^\[(gw\d)\] .* PASSED (\S+::test_(?:tasks|little)\S*)", ran.out, re.MULTILINE)
    assert len(told) == 2, ran.out
    assert len({worker for worker, _ in told}) == 1


@pytest.mark.parametrize("recorded", [False, True])
def test_runs_without_recordings_are_distributed_as_ever(
    recorded: bool, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    if recorded:
        (tmp_path / "shop").mkdir()
        (tmp_path / "shop" / "a.jsonl").touch()
    settings = replace(state_of(pytestconfig).settings, in_use=False, cassettes=tmp_path)
    config: Any = SimpleNamespace(option=SimpleNamespace(dist="load", maxworkerrestart=None))
    keep_suites_together(config, settings)
    assert (config.option.dist, config.option.maxworkerrestart) == (("loadgroup", "0") if recorded else ("load", None))


@pytest.mark.long
def test_a_test_that_crashes_its_worker_is_named_by_its_id(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    project_edits.before_profile("import os; os._exit(3)")(project)
    ran = project.run(BASELINE, "-n2")
    assert ran.code == 1
    assert "crashed while running 'test_shop.py::test_tasks_are_solved'" in ran.out
    assert "FAILED test_shop.py::test_tasks_are_solved" in ran.out
    assert "gate[" not in ran.out
    assert ran.gate_lines == ["gate shop: not evaluated (a worker crashed)"]


@pytest.mark.long
def test_of_two_suites_each_has_a_gate_of_its_own(project: Project) -> None:
    second = project.folder / "test_second.py"
    second.write_text((project.folder / "test_shop.py").read_text().replace('suite="shop"', 'suite="second"'))
    both = project.run("--memuse-record-mode=once", "--memuse-update=main")
    assert both.code == 0, both.out
    part = project.run(BASELINE, "--deselect", "test_second.py::test_tasks_are_solved")
    assert part.code == 0, part.out
    assert [line for line in part.gate_lines if "second" in line] == [
        "gate second: not evaluated (some of its tests were deselected)"
    ]
    assert next(line for line in part.gate_lines if "shop" in line).endswith(": passed")
    ignored = project.run(BASELINE, "--ignore=test_second.py")
    assert ignored.code == 0, ignored.out
    assert "gate second: not evaluated (none of its tests ran)" in ignored.out


_TWICE = """
import sys
import pytest

arguments = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-q"]
codes = [
    int(pytest.main([*arguments, "--memuse-baseline=main"])),
    int(pytest.main([*arguments, "test_other.py"])),
    int(pytest.main([*arguments, "--memuse-baseline=main"])),
]
print("CODES", codes)
"""


@pytest.mark.long
def test_two_sessions_in_one_process_know_nothing_of_each_other(project: Project) -> None:
    (project.folder / "twice.py").write_text(_TWICE)
    (project.folder / "test_other.py").write_text("def test_other(): pass\n")
    dropped = ("MEMUSE", "PYTEST", "CI")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    done = subprocess.run(
        [sys.executable, "twice.py"],
        cwd=project.folder,
        env={**kept, "PYTHONPATH": str(_ROOT), "BREAK": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    first, _, rest = done.stdout.partition("1 passed")
    second = rest.split("CODES")[0]
    assert "CODES [0, 0, 0]" in done.stdout, done.stdout + done.stderr
    assert first.count("gate shop against main") == second.count("gate shop against main") == 1
