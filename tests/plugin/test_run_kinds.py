"""The table of `tests.plugin.run_kinds`, row by row in real pytest runs."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.plugin import run_kinds
from tests.plugin.project import Project, Ran
from tests.plugin.run_kinds import BASELINE, KINDS, PART, STRICT, STRICT_KINDS, WHOLE, End, Gate, Kind

_DOCUMENT = Path(run_kinds.__file__).parents[2] / "docs" / "running.md"
_FORGETS = ("forgets",)


@pytest.fixture
def project(quick_project: Project, tmp_path: Path) -> Project:
    return quick_project.copy(tmp_path / "project")


def _run(project: Project, kind: Kind, broken: tuple[str, ...]) -> Ran:
    if kind.prepare is not None:
        kind.prepare(project)
    return project.run(
        BASELINE,
        *kind.arguments,
        broken=broken,
        cache=kind.cache,
        junit_file=kind.junit_file,
        within=kind.within,
        **kind.environment,
    )


def _check(ran: Ran, end: End) -> None:
    """Exit code, terminal, JUnit file and pytest's own summary line say the same of the gate."""
    assert ran.code == end.code, ran.out
    lines = ran.gate_lines
    if end.gate is Gate.UNTOLD:
        assert lines == []
    else:
        assert all("not evaluated" in line for line in lines[1:]), ran.out
        told = {
            Gate.PASSED: r"gate shop against main .*: passed",
            Gate.FAILED: r"gate shop against main .*: FAILED: 3 figures regressed",
            Gate.REFUSED: r"gate \w+: refused",
            Gate.NOT_EVALUATED: rf"gate( shop)?: not evaluated \({re.escape(end.reason)}\)",
        }
        assert re.match(told[end.gate], lines[0]), ran.out
    if ran.junit.exists():
        _check_junit(ran, end)
    else:
        assert end.reports == 0 or end.gate in (Gate.PASSED, Gate.FAILED)


def _check_junit(ran: Ran, end: End) -> None:
    suites = list(ElementTree.parse(ran.junit).getroot().iter("testsuite"))
    cases = [case for suite in suites for case in suite.findall("testcase")]
    gates = [case for case in cases if str(case.get("name")).startswith("gate[")]
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    assert len(gates) == end.reports
    assert len({case.get("name") for case in gates}) == len(gates)
    # A test that was interrupted, or set up only, is a case without an outcome, which pytest does not count.
    if end.code != 2 and end.reason != "tests were set up only":
        assert sum(int(suite.get("tests", 0)) for suite in suites) == len(cases)
    assert sum(int(suite.get(name, 0)) for suite in suites for name in ("failures", "errors")) == len(bad)
    if end.code != 2:
        assert bool(bad) == (end.code == 1)
    if ran.gate_lines:
        assert _summed(ran, "failed|errors?") == len(bad)
    failing = [case for case in gates if case in bad]
    expected = {Gate.PASSED: 0, Gate.FAILED: 3, Gate.REFUSED: 1, Gate.NOT_EVALUATED: end.reports}
    assert len(failing) == (3 * end.code if end.gate is Gate.UNTOLD else expected[end.gate])


def _summed(ran: Ran, what: str) -> int:
    """Return what pytest's last line counts of something."""
    last = [line for line in ran.out.splitlines() if re.search(r" in [0-9.]+s", line)][-1:]
    return sum(int(count) for line in last for count in re.findall(rf"(\d+) (?:{what})\b", line))


def _rows(project: str) -> list[object]:
    return [
        pytest.param(kind, id=kind.name, marks=() if project in kind.everyday else pytest.mark.long)
        for kind in KINDS
        if project in (*kind.everyday, *kind.tried)
    ]


@pytest.mark.parametrize("kind", _rows("healthy"))
def test_how_a_gate_ends_where_nothing_got_worse(project: Project, kind: Kind) -> None:
    _check(_run(project, kind, ()), kind.end("healthy"))


@pytest.mark.parametrize("kind", _rows("regressed"))
def test_how_a_gate_ends_where_a_figure_regressed(regressed_project: Project, tmp_path: Path, kind: Kind) -> None:
    _check(_run(regressed_project.copy(tmp_path / "regressed"), kind, _FORGETS), kind.end("regressed"))


def test_the_document_shows_these_rows() -> None:
    text = _DOCUMENT.read_text(encoding="utf-8")
    for kinds in (WHOLE, PART, STRICT_KINDS):
        assert run_kinds.table(kinds) in text, "put the output of `python -m tests.plugin.run_kinds` in"


def test_every_way_has_a_name_of_its_own() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)


@pytest.mark.long
def test_the_environment_can_make_a_gate_that_is_not_evaluated_fail(project: Project) -> None:
    ran = project.run(BASELINE, "-k", "test_tasks_are_solved", MEMUSE_UNEVALUATED="fail")
    assert ran.code == 1
    told = ran.failures["memuse.gate[shop]"]
    assert "the gate of suite 'shop' was not evaluated (-k selected some of the tests)" in told
    assert "to mend: run the whole suite" in told
    assert project.run(BASELINE, STRICT, "--memuse-unevaluated=sometimes").code == 4
