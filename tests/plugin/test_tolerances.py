"""Tolerances: where they are given, what a wrong one does, and what they do to a gate."""

import re

import pytest

from pytest_memuse.gate.tolerance import Tolerance
from pytest_memuse.plugin.options import check_figures, settings_of
from tests.plugin.project import Project

pytest_plugins = "pytester"


def _tolerances(pytester: pytest.Pytester, ini: str, environment: dict[str, str], *flags: str) -> dict[str, Tolerance]:
    pytester.makeini(f"[pytest]\n{ini}\n")
    return settings_of(pytester.parseconfig(*flags), environment).tolerances()


@pytest.mark.parametrize(
    "ini",
    [
        "memuse_tolerances =\n    steps = 5%\n    outcome_rate=0.02",
        "memuse_tolerances = steps=5%, outcome_rate=0.02",
        "memuse_tolerances =\n    # agreed upon in spring\n    steps=5%, outcome_rate = 0.02",
    ],
)
def test_the_ini_file_gives_them_in_a_line_or_in_several(pytester: pytest.Pytester, ini: str) -> None:
    found = _tolerances(pytester, ini, {})
    assert found == {"steps": Tolerance(0.05, relative=True), "outcome_rate": Tolerance(0.02)}


def test_a_toml_file_gives_them_as_a_list(pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\nmemuse_tolerances = ["steps=5%", "outcome_rate=0.02"]\n')
    assert set(settings_of(pytester.parseconfig(), {}).tolerances()) == {"steps", "outcome_rate"}


def test_what_the_flag_gives_takes_the_place_of_the_environment_and_that_of_the_ini_file(
    pytester: pytest.Pytester,
) -> None:
    ini, environment = "memuse_tolerances = steps=1, outcome_rate=1", {"MEMUSE_TOLERANCE": "steps=2"}
    assert _tolerances(pytester, ini, environment) == {"steps": Tolerance(2.0)}
    flag = "--memuse-tolerance=outcome_rate=3%"
    assert _tolerances(pytester, ini, environment, flag) == {"outcome_rate": Tolerance(0.03, relative=True)}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("step=5%", "The tolerance 'step=5%' names no figure; did you mean 'steps'"),
        ("steps", "The tolerance 'steps' gives no number"),
        ("steps=-1", "The tolerance 'steps=-1' gives no number"),
        ("steps=nan", "gives no number"),
        ("steps=1,steps=2", "two tolerances"),
    ],
)
def test_a_wrong_one_is_a_usage_error_at_the_start(pytester: pytest.Pytester, given: str, told: str) -> None:
    with pytest.raises(pytest.UsageError, match=told):
        settings_of(pytester.parseconfig(f"--memuse-tolerance={given}"), {})


def test_those_of_the_ini_file_are_read_once_they_have_a_part(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmemuse_tolerances = step=5%\n")
    pytester.makepyfile("def test_plain(): pass")
    settings = settings_of(pytester.parseconfig(), {})
    with pytest.raises(pytest.UsageError, match="did you mean 'steps'"):
        check_figures(settings)
    assert pytester.runpytest_inprocess("-p", "no:hypothesispytest").ret == 0


@pytest.mark.long  # two real runs
def test_what_is_worse_within_its_tolerance_does_not_fail_the_build(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\nmemuse_gated = outcome_rate\n")
    again = ("--memuse-baseline=main", "--memuse-record-mode=new_episodes", "-v")
    ran = project.run(*again, "--memuse-tolerance=outcome_rate=0.5", broken=["forgets"])
    assert ran.code == 0, ran.out
    assert re.search(r"^tasks solved +[0-9.]+ +0\.500 ", ran.out, re.MULTILINE)
    ran = project.run(*again, "--memuse-tolerance=outcome_rate=10%", broken=["forgets"])
    assert ran.code == 1
    assert "tasks solved regressed" in ran.out
    assert "tolerance 0.100" in ran.failures["test_shop.test_tasks_are_solved.gate[outcome_rate]"]


@pytest.mark.long  # a real run
def test_a_wrong_one_in_the_ini_file_ends_a_run_of_suites_before_its_first_test(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\nmemuse_tolerances = step=5%\n")
    ran = project.run()
    assert ran.code == 4
    assert "The tolerance 'step=5%' names no figure; did you mean 'steps'?" in ran.out
    assert "Traceback" not in ran.out
