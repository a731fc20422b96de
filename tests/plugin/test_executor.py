"""Judging through an executor in real pytest runs."""

import pytest

from tests.plugin.project import Project


@pytest.mark.long
@pytest.mark.parametrize("address", ["threads:2", "processes:2"])
def test_a_gate_judged_elsewhere_says_what_it_says_here(project: Project, address: str) -> None:
    here = project.run("--memuse-baseline=main")
    there = project.run("--memuse-baseline=main", f"--memuse-executor={address}")
    assert there.code == here.code == 0, there.out
    assert _gate(there.out) == _gate(here.out)


def _gate(out: str) -> list[str]:
    lines = out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("suite shop"))
    return lines[start : next(n for n, line in enumerate(lines) if line.startswith("next:")) + 1]


def test_an_executor_that_is_none_stops_the_run_before_any_test(project: Project) -> None:
    ran = project.run("--memuse-executor=cores:2")
    assert ran.code == 4
    assert "--memuse-executor: 'cores:2' is no executor" in ran.out
    assert "passed" not in ran.out
