"""The JUnit file of a session's gates: valid by the strictest schemas, and never more hopeful than the gate."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from pytest_memuse.reports.json_report import SessionOutput
from pytest_memuse.reports.junit import LONGEST, junit_report, xml_text
from tests.hostile_text import HOSTILE_TEXTS
from tests.reports.sessions import hostile_session, session, worse_session
from tests.reports.strict_junit import ANT, JENKINS, complaints

STARTED = datetime(2026, 3, 1, 12, 30, 59, 999_999, UTC)


def _report(of: SessionOutput) -> bytes:
    return junit_report(of, STARTED, "host")


@pytest.fixture(scope="module")
def root() -> ElementTree.Element:
    return ElementTree.fromstring(_report(worse_session()))


def _suite(root: ElementTree.Element, name: str) -> ElementTree.Element:
    return next(suite for suite in root if suite.get("name") == f"memuse.{name}")


def _case(root: ElementTree.Element, suite: str, figure: str) -> ElementTree.Element:
    return next(case for case in _suite(root, suite).iter("testcase") if case.get("name") == f"gate[{figure}]")


def _properties(suite: ElementTree.Element) -> dict[str | None, str | None]:
    return {one.get("name"): one.get("value") for one in suite.iter("property")}


@pytest.mark.parametrize("schema", [JENKINS, ANT], ids=["jenkins", "ant"])
def test_a_session_in_every_state_is_valid(schema: dict) -> None:  # type: ignore[type-arg]
    assert complaints(_report(worse_session()), schema) == []
    assert complaints(_report(session([])), schema) == []


@pytest.mark.parametrize("schema", [JENKINS, ANT], ids=["jenkins", "ant"])
@pytest.mark.parametrize(
    ("then", "now"),
    [
        (b"</testcase>", b"<properties/></testcase>"),
        (b'id="0"', b'disabled="0"'),
        (b"<testsuites>", b'<testsuites disabled="0">'),
        (b"<failure ", b"<mishap/><failure "),
    ],
)
def test_the_rules_themselves_find_what_is_not_allowed(
    schema: dict,  # type: ignore[type-arg]
    then: bytes,
    now: bytes,
) -> None:
    written = _report(worse_session())
    assert then in written
    assert complaints(written.replace(then, now, 1), schema)


def test_a_figure_that_got_worse_is_a_failure_with_who_is_responsible(root: ElementTree.Element) -> None:
    failure = _case(root, "worse", "harm_yield").find("failure")
    assert failure is not None
    assert (failure.get("type"), (failure.get("message") or "")[:20]) == ("regressed", "harm yield regressed")
    assert "port is 8081" in (failure.text or "")


def test_what_has_no_answer_is_skipped_with_the_reason(root: ElementTree.Element) -> None:
    skipped = _case(root, "few", "harm_yield").find("skipped")
    assert skipped is not None
    assert "too few arcs" in (skipped.get("message") or "")


def test_a_waived_figure_is_skipped_and_says_who_waived_it(root: ElementTree.Element) -> None:
    case = _case(root, "waived", "harm_yield")
    assert [child.tag for child in case] == ["skipped"]
    assert "pass by conftest.py: known, until the index is rebuilt" in (case[0].get("message") or "")
    assert _suite(root, "waived").get("failures") == "0"


def test_a_figure_that_somebody_is_stricter_with_is_a_failure(root: ElementTree.Element) -> None:
    case = _case(root, "strict", "harm_yield")
    assert [child.tag for child in case] == ["failure"]
    assert "harm must be shown to hold" in (case[0].get("message") or "")


@pytest.mark.parametrize(
    ("suite", "reason"), [("partial", "-k selected some of the tests"), ("alone", "no baseline was given")]
)
def test_a_gate_that_was_not_evaluated_is_never_passed(root: ElementTree.Element, suite: str, reason: str) -> None:
    cases = list(_suite(root, suite).iter("testcase"))
    assert [[child.tag for child in case] for case in cases] == [["skipped"]]
    assert reason in (cases[0][0].get("message") or "")


def test_properties_give_both_sides_the_difference_and_its_bounds(root: ElementTree.Element) -> None:
    found = _properties(_suite(root, "worse"))
    harm = [found[f"harm_yield.{name}"] for name in ("baseline", "now", "difference", "verdict")]
    assert harm == ["0.0", "100.0", "100.0", "regressed"]
    assert float(found["harm_yield.lower"] or "") <= 100.0
    assert _properties(_suite(root, "few"))["harm_yield.lower"] == "undefined"
    assert (found["status"], _properties(_suite(root, "partial"))["status"]) == ("failed", "not evaluated")


def test_a_suite_counts_what_it_holds(root: ElementTree.Element) -> None:
    for suite in root:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
            assert suite.get(name) == str(len(list(suite.iter(tag))))


def test_hostile_text_is_well_formed_valid_and_inert() -> None:
    for name, whole in HOSTILE_TEXTS.items():
        written = _report(hostile_session(whole[:2_000]))
        assert complaints(written, JENKINS) == [], name
        assert complaints(written, ANT) == [], name
        assert b"owned" in written
        for text in (text for element in ElementTree.fromstring(written).iter() for text in _texts(element)):
            assert not [c for c in text if not (c.isprintable() or c in "\n\t ")], name


def _texts(element: ElementTree.Element) -> list[str]:
    return [element.text or "", *element.attrib.values()]


def test_a_text_is_cut() -> None:
    assert len(xml_text("x" * (LONGEST + 1))) == LONGEST
    assert xml_text("x" * LONGEST) == "x" * LONGEST
