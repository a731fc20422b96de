"""Reports of what is no test of its own, and their way to every plugin that hears of tests."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_memuse.plugin.state import SuiteResult, suite_of

if TYPE_CHECKING:
    from pytest_memuse.reports.gate_data import SuiteGate

TOP = "memuse::"
"""What ids begin with that are of no suite's test."""


def tests_of(session: pytest.Session, suite: str) -> list[pytest.Item]:
    """Return a suite's tests as they stand in their files, in whatever order they run; its gates are at the first."""

    def place(item: pytest.Item) -> tuple[str, int, str]:
        path, line, _ = item.location
        return path, line or 0, item.nodeid

    return sorted((item for item in session.items if suite_of(item) == suite), key=place)


def unevaluated_report(suite: str, reason: str) -> pytest.TestReport:
    """Return the failing report of a gate that was asked for and not evaluated."""
    name = f"gate[{suite}]"
    told = (
        f"the gate of suite {suite!r} was not evaluated ({reason}), and memuse_unevaluated is set to fail\n"
        "  to mend: run the whole suite, or leave memuse_unevaluated=fail out of runs of a part of the tests"
    )
    return plain_report(f"{TOP}{name}", ("memuse", None, name), told)


def suite_report(
    result: SuiteResult, name: str, failure: str, properties: Sequence[tuple[str, object]] = ()
) -> pytest.TestReport:
    """Return the call report of one check of a suite, at its test's location; an empty ``failure`` passes."""
    path, line, domain = result.location
    return plain_report(f"{result.nodeid}::{name}", (path, line, f"{domain} {name}"), failure, properties)


def gate_reports(result: SuiteResult, gate: "SuiteGate", *, properties: bool = True) -> list[pytest.TestReport]:
    """Return a report for each gated figure, and one more for what fails the gate beside them.

    A gate that was not evaluated has none.
    """
    from pytest_memuse.plugin.properties import gate_properties
    from pytest_memuse.reports.gate import refusal_text
    from pytest_memuse.reports.rulings import failing_text

    reports = []
    for one in gate.decided:
        told = gate_properties(result.suite, one, gate.against) if properties else ()
        failure = failing_text(gate.comparison, one) if gate.comparison is not None else ""
        reports.append(suite_report(result, f"gate[{one.figure.name}]", failure, told))
    failure = refusal_text(gate.refusal) if gate.refusal is not None else gate.broken
    if failure:
        reports.append(suite_report(result, "gate[comparison]", failure))
    return reports


def plain_report(
    nodeid: str,
    location: tuple[str, int | None, str],
    failure: str,
    properties: Sequence[tuple[str, object]] = (),
) -> pytest.TestReport:
    """Return a call report; an empty ``failure`` passes. ``properties`` are for JUnit and others that show them."""
    now = time.time()
    return pytest.TestReport(
        nodeid=nodeid,
        location=location,
        keywords={"memuse": 1},
        outcome="failed" if failure else "passed",
        longrepr=failure or None,
        when="call",
        duration=0.0,
        start=now,
        stop=now,
        user_properties=properties,
    )


def publish(session: pytest.Session, report: pytest.TestReport) -> None:
    """Tell every plugin of a gate as of a test: terminal, JUnit, JSON, cache and the exit code agree."""
    hook = session.config.hook
    session.testscollected += 1
    hook.pytest_runtest_logstart(nodeid=report.nodeid, location=report.location)
    hook.pytest_runtest_logreport(report=report)
    down = pytest.TestReport(
        report.nodeid, report.location, report.keywords, "passed", None, "teardown",
        duration=0.0, start=report.start, stop=report.stop, user_properties=report.user_properties,
    )  # fmt: skip
    hook.pytest_runtest_logreport(report=down)
    hook.pytest_runtest_logfinish(nodeid=report.nodeid, location=report.location)
