"""Runs that follow on one another: what ``--lf`` and ``--sw`` make of gates that failed, and of mended ones."""

import json
from pathlib import Path

import pytest

from tests.plugin import project_edits
from tests.plugin.project import Project
from tests.plugin.run_kinds import BASELINE

_FORGETS = ("forgets",)


@pytest.fixture
def project(quick_project: Project, tmp_path: Path) -> Project:
    return quick_project.copy(tmp_path / "project")


def _last_failed(project: Project) -> list[str]:
    path = project.folder / ".pytest_cache" / "v" / "cache" / "lastfailed"
    return sorted(json.loads(path.read_text())) if path.exists() else []


def _mend(project: Project, healthy: Project) -> None:
    for path in healthy.folder.glob("cassettes/shop/*.jsonl"):
        (project.folder / "cassettes" / "shop" / path.name).write_bytes(path.read_bytes())


@pytest.fixture
def failed(regressed_project: Project, tmp_path: Path) -> Project:
    """A project whose last run, with pytest's cache, failed by its gate alone."""
    project = regressed_project.copy(tmp_path / "failed")
    ran = project.run(BASELINE, cache=True, broken=_FORGETS)
    assert ran.code == 1, ran.out
    assert [nodeid.rpartition("::")[2] for nodeid in _last_failed(project)] == [
        "gate[harm_yield]",
        "gate[outcome_rate]",
        "gate[relevance_share]",
    ]
    return project


def test_last_failed_evaluates_a_gate_that_failed_and_a_mended_one_leaves_the_list(
    failed: Project, quick_project: Project
) -> None:
    again = failed.run(BASELINE, "--lf", cache=True, broken=_FORGETS)
    assert again.code == 1, again.out
    assert len(_last_failed(failed)) == 3
    _mend(failed, quick_project)
    mended = failed.run(BASELINE, "--lf", cache=True)
    assert mended.code == 0, mended.out
    assert mended.gate_lines[0].endswith(": passed")
    assert _last_failed(failed) == []


@pytest.mark.long
def test_beside_a_failed_test_last_failed_runs_that_test_alone_and_the_gate_stays_on_the_list(
    failed: Project, quick_project: Project
) -> None:
    _mend(failed, quick_project)
    tests = failed.folder / "test_shop.py"
    whole = tests.read_text()
    tests.write_text(whole.replace("assert True", "assert False"))
    assert failed.run(BASELINE, "-k", "without_memory", cache=True).code == 1
    tests.write_text(whole)
    part = failed.run(BASELINE, "--lf", cache=True)
    assert part.code == 0, part.out
    assert part.gate_lines == ["gate: not evaluated (no test that uses memuse ran)"]
    assert len(_last_failed(failed)) == 3
    rest = failed.run(BASELINE, "--lf", cache=True)
    assert rest.code == 0, rest.out
    assert rest.gate_lines[0].endswith(": passed")
    assert _last_failed(failed) == []


@pytest.mark.long
def test_a_whole_run_takes_mended_gates_and_gates_that_are_no_more_from_the_list(
    failed: Project, quick_project: Project
) -> None:
    _mend(failed, quick_project)
    (failed.folder / "pytest.ini").write_text("[pytest]\nmemuse_gated = outcome_rate\n")
    ran = failed.run(BASELINE, cache=True)
    assert ran.code == 0, ran.out
    assert _last_failed(failed) == []


@pytest.mark.long
def test_a_gate_that_failed_in_one_order_is_mended_in_another(failed: Project, quick_project: Project) -> None:
    _mend(failed, quick_project)
    (failed.folder / "shuffle.py").write_text(project_edits.SHUFFLE)
    ran = failed.run(BASELINE, "-p", "shuffle", cache=True)
    assert ran.code == 0, ran.out
    assert _last_failed(failed) == []


@pytest.mark.long
def test_a_gate_that_failed_is_mended_under_xdist(failed: Project, quick_project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    _mend(failed, quick_project)
    ran = failed.run(BASELINE, "-n2", cache=True)
    assert ran.code == 0, ran.out
    assert _last_failed(failed) == []


@pytest.mark.long
def test_a_refused_update_is_nothing_to_run_again(project: Project) -> None:
    ran = project.run("--memuse-update=main", "-k", "test_tasks_are_solved", cache=True)
    assert ran.code == 1, ran.out
    assert _last_failed(project) == []


@pytest.mark.long
def test_stepwise_goes_on_after_a_gate_that_failed(failed: Project, quick_project: Project) -> None:
    assert failed.run(BASELINE, "--sw", cache=True, broken=_FORGETS).code == 1
    _mend(failed, quick_project)
    ran = failed.run(BASELINE, "--sw", cache=True)
    assert ran.code == 0, ran.out
    assert ran.gate_lines[0].endswith(": passed")
