"""A session's gates as a JUnit file, for CI systems: a suite is a ``testsuite``, a gated figure a ``testcase``.

Properties stand in ``testsuite``, where every schema allows them. The elements are built by the package ``junit-xml``;
what it leaves out, or writes and strict schemas do not know, is mended here: the file is valid by the schema that
Jenkins validates with and by that of Apache Ant's JUnit task, which is the strictest there is.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from pytest_memuse.gate.rulings import Decided, Outcome
from pytest_memuse.gate.verdicts import Verdict
from pytest_memuse.model.errors import inert, printable
from pytest_memuse.reports.gate import refusal_text
from pytest_memuse.reports.gate_data import SuiteGate, both_sides
from pytest_memuse.reports.json_report import SessionOutput, SuiteOutput
from pytest_memuse.reports.rulings import failing_text, ruling_text

if TYPE_CHECKING:
    from junit_xml import TestCase, TestSuite

LONGEST = 20_000
"""Characters of one text; a CI system keeps the file of every build."""


def junit_report(session: SessionOutput, started: datetime, host: str) -> bytes:
    """Return the file of a session that ``started`` on a ``host``, in UTC.

    Needs the package ``junit-xml``, which is imported here and nowhere else.
    """
    root = ElementTree.Element("testsuites")
    for number, suite in enumerate(session.suites):
        root.append(_strict(_suite(suite, number, started, host).build_xml_doc()))
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def xml_text(text: str, longest: int = LONGEST) -> str:
    """Return text as XML can hold it and a reader sees it: lines of printable characters, cut to a length."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "\n".join(inert(line, longest) for line in cut.split("\n"))


def _suite(suite: SuiteOutput, number: int, started: datetime, host: str) -> "TestSuite":
    from junit_xml import TestSuite

    name = f"memuse.{printable(suite.name, 500)}"
    return TestSuite(
        name,
        list(_cases(suite, name)),
        hostname=printable(host) or "localhost",
        id=str(number),
        package=name,
        timestamp=started.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        properties=dict(_properties(suite)),
    )


def _strict(suite: ElementTree.Element) -> ElementTree.Element:
    suite.attrib.pop("disabled", None)
    for case in suite.iter("testcase"):
        case.set("time", "0.000")
        for skipped in case.iter("skipped"):
            skipped.attrib.pop("type", None)
    for name in ("system-out", "system-err"):
        ElementTree.SubElement(suite, name)
    return suite


def _cases(suite: SuiteOutput, classname: str) -> Iterator["TestCase"]:
    """Return a case for each gated figure; of a gate without any, one that says why."""
    from junit_xml import TestCase

    gate = suite.gate
    if gate.comparison is None or not gate.decided:
        case = TestCase("gate", classname)
        message = xml_text(gate.reason or gate.status.value)
        if gate.fails:
            case.add_failure_info(message, xml_text(refusal_text(gate.refusal)) if gate.refusal else message)
        else:
            case.add_skipped_info(message, message)
        yield case
        return
    for one in gate.decided:
        yield _case(gate, one, classname)
    if gate.broken:
        case = TestCase("gate", classname)
        case.add_failure_info(xml_text(gate.broken), xml_text(gate.broken))
        yield case


def _case(gate: SuiteGate, decided: Decided, classname: str) -> "TestCase":
    from junit_xml import TestCase

    figure = decided.figure
    case = TestCase(f"gate[{figure.name}]", classname)
    told = ruling_text(decided) if decided.rulings else f"{figure.title} {figure.verdict}: {figure.reason}"
    if decided.outcome is Outcome.FAIL and gate.comparison is not None:
        case.add_failure_info(xml_text(told), xml_text(failing_text(gate.comparison, decided)), figure.verdict.value)
    elif decided.rulings or figure.verdict in (Verdict.INCONCLUSIVE, Verdict.REGRESSED):
        # What is without an answer, or was waived, is not to be read as passed.
        case.add_skipped_info(xml_text(told), xml_text(told))
    return case


def _properties(suite: SuiteOutput) -> Iterator[tuple[str, str]]:
    gate = suite.gate
    yield "status", gate.status.value
    if gate.reason:
        yield "reason", xml_text(gate.reason)
    if gate.against:
        yield "against", xml_text(gate.against)
    for one in gate.decided:
        figure = one.figure
        for name, value in both_sides(figure).items():
            yield f"{figure.name}.{name}", "undefined" if value is None else repr(value + 0.0)
        yield f"{figure.name}.verdict", figure.verdict.value
        yield f"{figure.name}.outcome", one.outcome.value
        if one.rulings:
            yield f"{figure.name}.ruling", xml_text(one.told)
