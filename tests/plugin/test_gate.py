"""The gate in real pytest runs: what passes, what fails, and what is not evaluated."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.recording.files import load_recording, save_recording
from tests.plugin.project import Project


def test_an_unchanged_suite_passes_with_a_profile_and_one_gate(project: Project) -> None:
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert "suite shop: 6 arcs, 18 episodes" in ran.out
    assert ran.out.count("gate shop against main (6 arcs): passed") == 1
    assert "nothing has changed: every arc is the same recording on both sides" in ran.out
    assert "9 passed" in ran.out  # three tests and six gated figures


def test_a_memory_that_forgets_is_stale_without_recording(project: Project) -> None:
    before = project.recordings()
    ran = project.run("--memuse-baseline=main", broken=["forgets"])
    assert ran.code == 1
    assert "6 of 6 recordings are stale" in ran.out
    assert re.search(r"arc-0, episode update, step 1: delivers differently", ran.out)
    assert "entry goes out: item 1: “port is 8081”" in ran.out
    assert "gate shop: not evaluated (the suite could not be evaluated)" in ran.out
    assert project.recordings() == before


def test_a_memory_that_forgets_recorded_again_fails_figure_by_figure(project: Project) -> None:
    ran = project.run("--memuse-baseline=main", "--memuse-record-mode=new_episodes", broken=["forgets"])
    assert ran.code == 1
    assert "gate shop against main (6 arcs): FAILED" in ran.out
    outcome = ran.failures["test_shop.test_tasks_are_solved.gate[outcome_rate]"]
    assert "tasks solved regressed" in outcome
    assert "arc-0/probe: task fails now" in outcome
    assert "undefined now" in ran.failures["test_shop.test_tasks_are_solved.gate[relevance_share]"]
    assert f"{len(ran.failures)} failed" in ran.out


def test_undone_and_recorded_again_it_passes(project: Project) -> None:
    project.run("--memuse-record-mode=new_episodes", broken=["forgets"])
    ran = project.run("--memuse-baseline=main", "--memuse-record-mode=new_episodes")
    assert ran.code == 0, ran.out
    assert "(6 arcs): passed" in ran.out


def test_a_stale_value_is_told_as_a_changed_entry(project: Project) -> None:
    ran = project.run("--memuse-baseline=main", broken=["refuses_update"])
    assert ran.code == 1
    assert re.search(r"arc-0, episode probe, step 1: delivers differently", ran.out)
    assert "entry changed: item 1: “port is 9091” is now “port is 8081”" in ran.out


def test_drift_can_be_a_warning(project: Project) -> None:
    ran = project.run("--memuse-drift=warn", broken=["forgets"])
    assert ran.code == 0
    assert "delivers differently" in ran.out


@pytest.mark.long
def test_under_xdist_the_figures_are_the_same_and_there_is_one_gate(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    alone, spread = project.run("--memuse-baseline=main"), project.run("--memuse-baseline=main", "-n2")
    assert spread.code == 0, spread.out
    assert _section(spread.out) == _section(alone.out)
    assert spread.out.count("gate shop against main") == 1


def test_a_missing_baseline_is_a_usage_error_with_the_command_that_makes_it(project: Project) -> None:
    ran = project.run("--memuse-baseline=nosuch")
    assert ran.code == 4
    assert re.search(r"ERROR: There is no baseline 'nosuch' \(.*known: main\)", ran.out)
    assert "pytest --memuse-update=nosuch" in ran.out
    assert "Traceback" not in ran.out


@pytest.mark.long
def test_four_arcs_are_too_few_and_that_can_fail_the_build(tmp_path: Path) -> None:
    project = Project.make(tmp_path / "project", arcs=4)
    assert project.run("--memuse-record-mode=once", "--memuse-update=main").code == 0
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert "inconclusive: too few arcs" in ran.out
    strict = project.run("--memuse-baseline=main", "--memuse-inconclusive=fail")
    assert strict.code == 1
    assert "too few arcs" in strict.failures["test_shop.test_tasks_are_solved.gate[outcome_rate]"]


def test_another_suite_is_refused(project: Project) -> None:
    arcs = project.folder / "arcs.yaml"
    arcs.write_text(arcs.read_text().replace("Use the port.", "Use that port."))
    ran = project.run("--memuse-baseline=main", "--memuse-record-mode=all")
    assert ran.code == 1
    assert "Only 12 of the baseline's 18 tasks are in this run unchanged" in ran.out


def test_gated_figures_can_be_chosen(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\nmemuse_gated = outcome_rate, steps\n")
    ran = project.run("--memuse-baseline=main", "-v")
    assert ran.code == 0, ran.out
    assert set(re.findall(r"::gate\[(\w+)\] PASSED", ran.out)) == {"outcome_rate", "steps"}


def test_a_figure_that_does_not_exist_is_named_with_its_nearest_before_any_test_runs(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\nmemuse_gated = outcome_rat\n")
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 4
    assert "did you mean 'outcome_rate'?" in ran.out


def test_a_baseline_keeps_the_other_suites(project: Project) -> None:
    path = project.folder / "baselines" / "main.json"
    tests = project.folder / "test_shop.py"
    tests.write_text(tests.read_text().replace('suite="shop"', 'suite="store"'))
    (project.folder / "cassettes" / "shop").rename(project.folder / "cassettes" / "store")
    assert project.run("--memuse-update=main").code == 0
    assert set(json.loads(path.read_text())["suites"]) == {"shop", "store"}


def _section(out: str) -> list[str]:
    """Return the lines of the profile and the gate."""
    lines = out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("suite shop"))
    return lines[start : next(n for n, line in enumerate(lines) if line.startswith("next:")) + 1]


def test_one_suite_of_two_arcs_files_is_refused(project: Project) -> None:
    other = project.folder / "test_other.py"
    (project.folder / "other.yaml").write_text((project.folder / "arcs.yaml").read_text())
    other.write_text((project.folder / "test_shop.py").read_text().replace("arcs.yaml", "other.yaml"))
    ran = project.run()
    assert ran.code == 1
    assert "suite 'shop' is of the arcs in" in ran.out


def test_what_changed_beside_the_memory_is_told(project: Project) -> None:
    for path in project.folder.glob("cassettes/shop/*.jsonl"):
        recording = load_recording(path)
        made_with = {**recording.made_with, "memory": {"name": "notes", "version": "2"}}
        save_recording(path, replace(recording, made_with=made_with))
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert "changed since main: memory: name=notes, version=1 then, name=notes, version=2 now" in ran.out


def test_without_xdist_nothing_is_warned_of(project: Project) -> None:
    ran = project.run("-p", "no:xdist", "-W", "error", "--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert "warning" not in ran.out
