"""How a gate ends under every way of running pytest, as data: the tests run each row, docs/running.md shows them.

``python -m tests.plugin.run_kinds`` prints the table of the document.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.plugin import project_edits as edits

BASELINE = "--memuse-baseline=main"


HEALTHY, REGRESSED = ("healthy",), ("regressed",)
BOTH = (*HEALTHY, *REGRESSED)


class Gate(StrEnum):
    """What a run says of its gate."""

    PASSED = "passed"
    FAILED = "failed"
    REFUSED = "refused"
    NOT_EVALUATED = "not evaluated"
    UNTOLD = "nothing is printed"
    """pytest runs no tests, or prints nothing at all."""


@dataclass(frozen=True, slots=True)
class End:
    """How a run ends: pytest's exit code, the gate, and how many reports of it are in the JUnit file."""

    code: int
    gate: Gate
    reports: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """A way of running pytest: what a reader knows it by, and how it ends in a healthy and in a regressed project.

    ``prepare`` changes the project before; ``regressed`` is None where it ends as the healthy one. ``everyday`` names
    the projects that it is tried in every day, ``tried`` those of ``pytest -m long``.
    """

    name: str
    arguments: tuple[str, ...]
    healthy: End
    regressed: End | None = None
    prepare: edits.Edit | None = None
    cache: bool = False
    junit_file: bool = True
    within: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    everyday: tuple[str, ...] = ()
    tried: tuple[str, ...] = HEALTHY

    def end(self, project: str) -> End:
        return self.regressed if project == "regressed" and self.regressed is not None else self.healthy


_PASSES, _FAILS = End(0, Gate.PASSED, 6), End(1, Gate.FAILED, 6)


def _whole(name: str, *arguments: str, tried: tuple[str, ...] = REGRESSED, **more: Any) -> Kind:
    """Return a row of a run whose gate is evaluated."""
    return Kind(name, arguments, _PASSES, _FAILS, tried=tried, **more)


def _part(name: str, *arguments: str, reason: str, code: int = 0, **more: Any) -> Kind:
    """Return a row of a run whose gate is not evaluated."""
    return Kind(name, arguments, End(code, Gate.NOT_EVALUATED, 0, reason), **more)


_STOPPED = "the run was stopped before its end"
_DESELECTED = "some of its tests were deselected"
_NONE_RAN = "none of its tests ran"
_NO_TEST = "no test that uses memuse ran"

WHOLE = (
    _whole("`pytest --memuse-baseline=main`", everyday=BOTH),
    _whole("`-q`", "-q"),
    _whole("`-v`", "-v"),
    _whole("`-x`", "-x"),
    _whole("`--maxfail=1`", "--maxfail=1"),
    _whole("`--ff`", "--ff", cache=True),
    _whole("`--nf`", "--nf", cache=True),
    _whole("`-n 0`", "-n0"),
    _whole("`-n 4`", "-n4"),
    _whole("`-n 2 --dist=worksteal`", "-n2", "--dist=worksteal"),
    _whole("`-n 2 --dist=loadfile`, a suite in two files", "-n2", "--dist=loadfile", prepare=edits.two_files),
    _whole("`-n 2 --dist=each`", "-n2", "--dist=each"),
    _whole(
        "tests in another order", "-p", "shuffle", prepare=edits.file("shuffle.py", edits.SHUFFLE), everyday=REGRESSED
    ),
    _whole("`-W error`", "-W", "error", everyday=HEALTHY),
    _whole("`-o junit_family=xunit1`", "-o", "junit_family=xunit1"),
    _whole("`-m memuse`", "-m", "memuse"),
    _whole("`--deselect` of a test of no suite", "--deselect", "test_shop.py::test_without_memory"),
    _whole("the suite's file", "test_shop.py"),
    _whole(
        "one file of a suite that has two: every arc is replayed all the same", "test_shop.py", prepare=edits.two_files
    ),
    _whole("`-c other.ini`", "-c", "other.ini", prepare=edits.file("other.ini", "[pytest]\n")),
    _whole("`--rootdir=..` in a folder below", "--rootdir=..", ".", within="inner", prepare=edits.elsewhere),
    _whole("in a folder below the root", within="inner", prepare=edits.elsewhere),
    _whole(
        "`addopts` in the ini file", prepare=edits.file("pytest.ini", "[pytest]\naddopts = -ra --strict-markers -x\n")
    ),
    _whole("where nothing can be written", prepare=edits.nothing_can_be_written, tried=BOTH),
    _whole(
        "a test of the suite that is skipped, the other one not",
        prepare=edits.before_mark("@pytest.mark.skip", first=True),
    ),
    Kind("`-p no:terminal`", ("-p", "no:terminal"), End(0, Gate.UNTOLD, 6), End(1, Gate.UNTOLD, 6), everyday=REGRESSED),
    Kind("`-p no:junitxml`", ("-p", "no:junitxml"), _PASSES, _FAILS, junit_file=False),
    Kind(
        "a test of the suite fails before it asks for the profile, another asks",
        (),
        End(1, Gate.PASSED, 6),
        _FAILS,
        prepare=edits.before_profile("raise RuntimeError"),
    ),
    Kind("`SystemExit` in a test", (), End(1, Gate.PASSED, 6), _FAILS, prepare=edits.after_profile("exit(0)")),
    Kind(
        "an expected failure (`xfail`) that asks for the profile",
        (),
        _PASSES,
        _FAILS,
        prepare=edits.before_mark("@pytest.mark.xfail"),
    ),
    Kind(
        "a suite that the baseline does not hold",
        (),
        End(1, Gate.REFUSED, 1),
        prepare=edits.another_suite,
    ),
)

PART = (
    _part("`-k`", "-k", "test_tasks_are_solved", reason="-k selected some of the tests", everyday=BOTH),
    _part("`-m 'not memuse'`", "-m", "not memuse", reason=_DESELECTED),
    _part(
        "`--deselect` of a test of the suite",
        "--deselect",
        "test_shop.py::test_little_is_delivered",
        reason=_DESELECTED,
    ),
    _part(
        "a test by its id", "test_shop.py::test_tasks_are_solved", reason="single tests were named", everyday=HEALTHY
    ),
    _part(
        "a file of other tests",
        "test_other.py",
        reason=_NO_TEST,
        prepare=edits.file("test_other.py", "def test(): pass\n"),
    ),
    _part(
        "`--lf` where nothing had failed",
        "--lf",
        cache=True,
        reason="--lf was given and nothing had failed; run without it",
    ),
    _part(
        "`-k` that selects nothing",
        "-k",
        "nothing_of_that_name",
        code=5,
        reason="-k selected some of the tests",
        everyday=HEALTHY,
    ),
    _part("a folder without tests", "empty", code=5, reason=_NO_TEST, prepare=edits.file("empty/readme", "")),
    _part("`--collect-only`", "--collect-only", reason="tests were collected only", everyday=HEALTHY),
    _part("`--co -q`", "--co", "-q", reason="tests were collected only"),
    _part("`--setup-only`", "--setup-only", reason="tests were set up only"),
    _part("`--setup-plan`", "--setup-plan", reason="tests were set up only"),
    _part(
        "`-x` and a test that fails",
        "-x",
        code=1,
        everyday=HEALTHY,
        reason=_STOPPED,
        prepare=edits.in_tests("outcome_rate > 0.1", "outcome_rate > 1.1"),
    ),
    _part(
        "`--sw` and a test that fails",
        "--sw",
        code=2,
        cache=True,
        reason=_STOPPED,
        prepare=edits.in_tests("outcome_rate > 0.1", "outcome_rate > 1.1"),
    ),
    _part("Ctrl-C", code=2, reason=_STOPPED, everyday=HEALTHY, prepare=edits.after_profile("raise KeyboardInterrupt")),
    _part("`pytest.exit()`", code=2, reason=_STOPPED, prepare=edits.after_profile('pytest.exit("enough")')),
    _part(
        "a file that cannot be collected",
        code=2,
        reason=_STOPPED,
        prepare=edits.file("test_broken.py", "import nowhere_at_all\n"),
    ),
    _part(
        "a worker of `-n 2` that crashes",
        "-n2",
        code=1,
        reason="a worker crashed",
        everyday=HEALTHY,
        prepare=edits.file("test_crash.py", edits.CRASH),
    ),
    _part(
        "a fixture that fails before",
        code=1,
        reason=_NONE_RAN,
        prepare=edits.in_tests("import pytest", f"import pytest{edits.AUTOUSE}", first=True),
    ),
    _part(
        "a `memuse_memory` that fails",
        code=1,
        reason="the suite could not be evaluated",
        prepare=edits.memory_fails,
    ),
    _part(
        "every test of the suite fails before it asks for the profile",
        code=1,
        reason="none of its tests asked for its profile",
        prepare=edits.in_tests("    assert memuse", "    raise RuntimeError\n    assert memuse"),
    ),
    _part(
        "no test of the suite asks for its profile",
        reason="none of its tests asked for its profile",
        prepare=edits.in_tests("assert memuse.profile()", "assert True or memuse.profile()"),
    ),
    _part(
        "a suite whose tests are skipped",
        reason=_NONE_RAN,
        everyday=HEALTHY,
        prepare=edits.before_mark("@pytest.mark.skip"),
    ),
    _part(
        "`skipif` that holds",
        reason=_NONE_RAN,
        prepare=edits.before_mark('@pytest.mark.skipif(True, reason="not here")'),
    ),
    _part("`xfail(run=False)`", reason=_NONE_RAN, prepare=edits.before_mark("@pytest.mark.xfail(run=False)")),
    _part(
        "in CI, a baseline that holds a suite of which no test is left",
        reason=_NONE_RAN,
        prepare=edits.file("test_shop.py", "def test(): pass\n"),
        environment={"CI": "true"},
    ),
    Kind("`--fixtures`", ("--fixtures",), End(0, Gate.UNTOLD)),
    Kind("`--markers`", ("--markers",), End(0, Gate.UNTOLD)),
)

STRICT = "--memuse-unevaluated=fail"

STRICT_KINDS = (
    _whole(f"`{STRICT}`", STRICT),
    Kind(
        f"`{STRICT} -k`",
        (STRICT, "-k", "test_tasks_are_solved"),
        End(1, Gate.NOT_EVALUATED, 1, "-k selected some of the tests"),
        everyday=HEALTHY,
    ),
    Kind(
        f"`{STRICT}`, a suite whose tests are skipped",
        (STRICT,),
        End(1, Gate.NOT_EVALUATED, 1, _NONE_RAN),
        prepare=edits.before_mark("@pytest.mark.skip"),
    ),
    Kind(
        f"`{STRICT}`, a file of other tests",
        (STRICT, "test_other.py"),
        End(1, Gate.NOT_EVALUATED, 1, _NONE_RAN),
        prepare=edits.file("test_other.py", "def test(): pass\n"),
    ),
    Kind(
        f"`{STRICT} -k` that selects nothing",
        (STRICT, "-k", "nothing_of_that_name"),
        End(1, Gate.NOT_EVALUATED, 1, "-k selected some of the tests"),
    ),
    _part(f"`{STRICT} --collect-only`", STRICT, "--collect-only", reason="tests were collected only"),
)

KINDS = (*WHOLE, *PART, *STRICT_KINDS)


def table(kinds: tuple[Kind, ...]) -> str:
    """Return rows of the document's table."""
    lines = ["| how pytest is run | nothing got worse | a figure regressed |", "|---|---|---|"]
    for kind in kinds:
        ends = kind.healthy, kind.regressed or kind.healthy
        lines.append(f"| {kind.name} | {_told(ends[0])} | {'the same' if ends[0] == ends[1] else _told(ends[1])} |")
    return "\n".join(lines) + "\n"


def _told(end: End) -> str:
    reason = f" ({end.reason})" if end.reason else ""
    return f"{end.gate}{reason}, exit {end.code}"


if __name__ == "__main__":
    for kinds in (WHOLE, PART, STRICT_KINDS):
        print(table(kinds))
