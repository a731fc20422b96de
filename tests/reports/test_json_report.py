"""The JSON document of a session: complete, strict, finite, and nothing but ASCII text."""

import copy
import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_memuse.gate.rulings import Decided, Outcome, Ruled
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.reports.gate_data import GateStatus, bounded
from pytest_memuse.reports.json_report import SessionOutput, json_report, report_schema
from tests.hostile_text import ALL_AT_ONCE, HOSTILE_TEXTS
from tests.reports.sessions import compared, decided, hostile_session, run, session, worse_session

SCHEMA = json.loads(report_schema())
VALIDATOR = Draft202012Validator(SCHEMA)


def _data(of: SessionOutput) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json_report(of), parse_constant=_no_constant)
    return data


def _no_constant(word: str) -> None:
    raise AssertionError(f"{word} is no JSON")


@pytest.fixture(scope="module")
def worse() -> dict[str, Any]:
    return _data(worse_session())


def test_the_schema_is_one_and_names_itself_by_no_address() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"].startswith("urn:")


def test_a_session_in_every_state_is_valid(worse: dict[str, Any]) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(worse)] == []
    assert {suite["gate"]["status"] for suite in worse["suites"].values()} == {status.value for status in GateStatus}


def _objects(schema: Any) -> list[dict[str, Any]]:
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = [one for value in inner for one in _objects(value)]
    return [*found, schema] if isinstance(schema, dict) and schema.get("type") == "object" else found


def test_every_object_of_ours_is_closed_and_every_field_of_it_required() -> None:
    for schema in _objects(SCHEMA):
        assert "additionalProperties" in schema
        if "properties" in schema:
            assert schema["additionalProperties"] is False
            assert set(schema["required"]) == set(schema["properties"])


@pytest.mark.parametrize(
    "path",
    [
        (),
        ("suites", "worse"),
        ("suites", "worse", "gate"),
        ("suites", "worse", "gate", "figures", "harm_yield"),
        ("suites", "worse", "profile"),
        ("suites", "worse", "profile", "figures", "harm_share"),
        ("suites", "worse", "identity"),
        ("baseline",),
    ],
    ids=lambda path: ".".join(path) or "the document",
)
def test_a_field_more_or_less_is_found(worse: dict[str, Any], path: tuple[str, ...]) -> None:
    more, less = copy.deepcopy(worse), copy.deepcopy(worse)
    place, shorter = more, less
    for name in path:
        place, shorter = place[name], shorter[name]
    place["no such field"] = 1
    del shorter[sorted(shorter)[0]]
    assert not VALIDATOR.is_valid(more)
    assert not VALIDATOR.is_valid(less)


def test_every_null_figure_has_its_reason(worse: dict[str, Any]) -> None:
    nulls = 0
    for suite in worse["suites"].values():
        profile = suite["profile"] or {"figures": {}}
        for figure in (*suite["gate"]["figures"].values(), *profile["figures"].values()):
            without = {name for name, value in figure.items() if value is None and name != "bound"}
            assert without == set(figure["undefined"])
            assert all(figure["undefined"].values())
            nulls += len(without)
    assert nulls > 20


def test_a_profile_holds_every_figure_with_counts_and_interval(worse: dict[str, Any]) -> None:
    figures = worse["suites"]["worse"]["profile"]["figures"]
    assert set(figures) == set(FIGURES)
    harm = figures["harm_yield"]
    assert (harm["value"], harm["counts"]["part"], harm["counts"]["whole"]) == (100.0, 8, 8)
    assert harm["lower"] <= 100.0 <= harm["upper"]


def test_a_gated_figure_holds_both_sides_verdict_and_who_is_responsible(worse: dict[str, Any]) -> None:
    gate = worse["suites"]["worse"]["gate"]
    harm = gate["figures"]["harm_yield"]
    assert (harm["baseline"], harm["now"], harm["difference"], harm["verdict"]) == (0.0, 100.0, 100.0, "regressed")
    assert (harm["outcome"], harm["usual_outcome"], harm["rulings"]) == ("fail", "fail", [])
    assert harm["responsible"][0]["kind"] == "newly harmful"
    assert {change["kind"] for change in gate["changes"]} == {"newly harmful", "task fails now"}
    assert gate["matching"]["matched"] == 8
    assert (gate["fails"], gate["against"].strip(), worse["fails"]) == (True, "main", True)


def test_a_ruling_shows_what_the_settings_say_and_who_changed_it(worse: dict[str, Any]) -> None:
    waived, strict = worse["suites"]["waived"]["gate"], worse["suites"]["strict"]["gate"]
    assert (waived["status"], waived["fails"]) == ("passed", False)
    assert waived["figures"]["harm_yield"]["verdict"] == "regressed"
    assert waived["figures"]["harm_yield"]["usual_outcome"] == "fail"
    assert "pass by conftest.py: known, until the index is rebuilt" in waived["reason"]
    assert (strict["status"], strict["figures"]["harm_yield"]["verdict"]) == ("failed", "inconclusive")
    assert strict["figures"]["harm_yield"]["rulings"] == [
        {"by": "conftest.py", "outcome": "fail", "reason": "harm must be shown to hold"}
    ]


def test_a_suite_that_was_not_evaluated_is_there_with_the_reason(worse: dict[str, Any]) -> None:
    partial = worse["suites"]["partial"]
    assert partial["gate"]["reason"] == "-k selected some of the tests"
    assert partial["profile"] is None


def test_the_same_session_gives_the_same_bytes() -> None:
    assert json_report(worse_session()) == json_report(worse_session())


def test_hostile_text_is_inert_and_valid() -> None:
    for text in (*(whole[:300] for whole in HOSTILE_TEXTS.values()), ALL_AT_ONCE):
        written = json_report(hostile_session(text))
        assert not re.search(r"[^\n -~]", written)
        assert list(json.loads(written)["suites"]) == [re.sub("[\ud800-\udfff]", "\ufffd", text)]
    assert [error.message[:200] for error in VALIDATOR.iter_errors(json.loads(written))] == []


def test_the_strictest_of_several_rulings_counts_whatever_their_order() -> None:
    figure = compared(run(harmful=False), run(harmful=True)).figures[0]
    mild, strict = Ruled(Outcome.PASS, "waived", "a"), Ruled(Outcome.FAIL, "no", "b")
    assert Decided(figure, Outcome.FAIL, (mild, strict)).outcome is Outcome.FAIL
    assert Decided(figure, Outcome.PASS, (strict, mild)).outcome is Outcome.FAIL
    assert Decided(figure, Outcome.FAIL, (mild,)).outcome is Outcome.PASS
    assert Decided(figure, Outcome.WARN).outcome is Outcome.WARN


def test_newly_harmful_entries_are_given_however_many_changes_there_are() -> None:
    found = compared(run(harmful=False), run(harmful=True))
    changes = [change for of_task in found.changes.values() for change in of_task]
    harmful = [change for change in changes if change.kind.value == "newly harmful"]
    assert bounded(changes, 3) == harmful
    assert bounded(changes, len(harmful) + 1)[:2] == changes[:2]
    assert bounded(changes, len(changes)) == changes


def test_a_number_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_report(SessionOutput("0.1.0", {"jobs": float("nan")}, ()))


def test_a_session_without_a_suite_is_valid() -> None:
    empty = SessionOutput("0.1.0", {}, (), incomplete="no test that uses memuse ran")
    assert VALIDATOR.is_valid(_data(empty))
    assert VALIDATOR.is_valid(_data(session([])))


def test_rulings_are_decided_per_figure() -> None:
    found = compared(run(harmful=False), run(harmful=True))
    waived = Ruled(Outcome.PASS, "known", "x")
    outcomes = {one.figure.name: one.outcome for one in decided(found, harm_yield=waived)}
    assert outcomes["harm_yield"] is Outcome.PASS
    assert outcomes["outcome_rate"] is Outcome.FAIL
