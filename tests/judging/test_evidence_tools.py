"""The judge's two tools: what they return, what they count, and what they refuse."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.answer_checks import coverage
from pytest_memuse.judging.evidence import (
    PAGE,
    EvidencePackage,
    ReadLedger,
    ToolAnswer,
    call_tool,
    read_evidence,
    search_evidence,
    tool_schemas,
)
from tests.hostile_text import HOSTILE_TEXTS
from tests.judging.evidence_cases import delivery as one_delivery
from tests.judging.evidence_cases import entry, episode, message, package, simple

NOTHING = ReadLedger()
SMALL = package(simple())
"""One package for the tests that try many calls; nothing changes it."""


def framed(answer: ToolAnswer) -> tuple[dict[str, Any], str]:
    """Return the head of a read's answer and the text that it frames; nothing may stand beside them."""
    head, _, text = answer.text.partition("\n")
    parsed = json.loads(head)
    assert len(text) == parsed["characters"] == parsed["end"] - parsed["start"]
    return parsed, text


def long_package() -> EvidencePackage:
    return package(simple(result="0123456789" * 5_000))


def test_a_short_record_is_read_at_once() -> None:
    found = package(simple())
    answer = read_evidence(found, NOTHING, "task")
    head, text = framed(answer)

    assert text == found.text("task") == '{"task":"Fix the retries."}\n'
    assert (head["name"], head["of"], "next" in head) == ("task", len(text), False)
    assert coverage(found, answer.ledger).complete == {"task"}


def test_pages_together_make_the_record_and_only_together_do_they_cover_it() -> None:
    found = long_package()
    text, ledger, start, pages = "", NOTHING, 0, 0
    while True:
        assert "step 1" not in coverage(found, ledger).complete
        answer = read_evidence(found, ledger, "step 1", start)
        head, part = framed(answer)
        text, ledger, pages = text + part, answer.ledger, pages + 1
        if "next" not in head:
            break
        start = head["next"]["start"]

    assert text == found.text("step 1")
    assert pages > 3
    assert "step 1" in coverage(found, ledger).complete


def test_a_page_is_the_most_that_one_read_returns() -> None:
    answer = read_evidence(long_package(), NOTHING, "step 1", 0, 40_000)
    head, _ = framed(answer)
    assert head["end"] == PAGE
    assert answer.ledger.read == {"step 1": ((0, PAGE),)}


def test_what_is_missing_of_a_record_is_told_by_its_characters() -> None:
    found = long_package()
    ledger = read_evidence(found, NOTHING, "step 1", 100, 200).ledger
    ledger = read_evidence(found, ledger, "step 1", 150, 300).ledger
    length = len(found.text("step 1") or "")
    assert coverage(found, ledger).begun["step 1"] == ((0, 100), (300, length))


@pytest.mark.parametrize(
    "given",
    [
        {"name": "step 9"},
        {"name": "../../etc/passwd"},
        {"name": "/etc/passwd"},
        {"name": "task\x00"},
        {"name": "Task"},
        {"name": ""},
        {"name": "n" * 5_000},
        {"name": None},
        {"name": ["task"]},
        {},
        {"name": "task", "start": -1},
        {"name": "task", "start": 10_000},
        {"name": "task", "start": True},
        {"name": "task", "start": 1.5},
        {"name": "task", "start": "0"},
        {"name": "task", "start": 5, "end": 5},
        {"name": "task", "start": 5, "end": 2},
        {"name": "task", "end": False},
        {"name": "task", "path": "/etc/passwd"},
    ],
)
def test_a_read_that_fails_counts_nothing_and_says_why(given: dict[str, Any]) -> None:
    ledger = NOTHING.with_read("task", 0, 3)
    answer = call_tool(package(simple()), ledger, "read_evidence", json.dumps(given))

    assert answer.failed
    assert answer.ledger == ledger
    assert list(json.loads(answer.text)) == ["error"]
    assert len(answer.text) < 300


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "task",
        "[]",
        "null",
        "NaN",
        '{"name": NaN}',
        '{"name": "task", "name": "step 1"}',
        "[" * 10000,
        '{"name": "' + "x" * 30000 + '"}',
        '{"name": ' + "9" * 5000 + "}",
    ],
)
@pytest.mark.parametrize("tool", ["read_evidence", "search_evidence", "open", ""])
def test_arguments_that_are_no_object_are_answered_with_why(tool: str, arguments: str) -> None:
    answer = call_tool(package(simple()), NOTHING, tool, arguments)
    assert answer.failed
    assert answer.ledger == NOTHING
    assert len(answer.text) < 400


def test_a_name_close_to_a_record_is_suggested() -> None:
    answer = call_tool(package(simple()), NOTHING, "read_evidence", '{"name": "step_2"}')
    assert "did you mean 'step 2'?" in json.loads(answer.text)["error"]


def test_a_search_finds_literal_text_in_any_case_and_counts_as_no_read() -> None:
    found = package(simple("Wait [between] RETRIES.*"))
    answer = call_tool(found, NOTHING, "search_evidence", '{"query": "[BETWEEN] retries.*"}')
    head, *matches = map(json.loads, answer.text.splitlines())

    assert answer.ledger == NOTHING
    assert head["matches"] == len(matches) > 0
    for match in matches:
        text = found.text(match["name"]) or ""
        assert text[match["start"] : match["end"]].lower() == "[between] retries.*"
        assert match["excerpt"] in text


def test_a_search_can_be_held_to_one_record() -> None:
    found = package(simple())
    answer = call_tool(found, NOTHING, "search_evidence", '{"query": "retries", "within": "task"}')
    assert [json.loads(line).get("name") for line in answer.text.splitlines()] == [None, "task"]
    failed = call_tool(found, NOTHING, "search_evidence", '{"query": "retries", "within": "/etc"}')
    assert failed.failed


@pytest.mark.parametrize("query", ['say "no"\nor', "back\\slash", "İstanbul", "straße"])
def test_what_is_escaped_in_a_record_is_found_as_it_was_recorded(query: str) -> None:
    found = package(simple(f"They {query} it."))
    answer = search_evidence(found, NOTHING, query)
    assert json.loads(answer.text.splitlines()[0])["shown"] > 0


def test_a_character_whose_lower_case_is_longer_moves_no_place() -> None:
    found = package(simple("İİİİ Wait."))
    for match in map(json.loads, search_evidence(found, NOTHING, "wait").text.splitlines()[1:]):
        assert (found.text(match["name"]) or "")[match["start"] : match["end"]] == "Wait"


@pytest.mark.parametrize("query", ["", "  ", None, 3, ["x"], "x" * 201])
def test_a_search_for_nothing_is_refused(query: object) -> None:
    assert search_evidence(package(simple()), NOTHING, query).failed


def test_a_search_that_is_found_everywhere_is_bounded() -> None:
    found = package(simple("a" * 200_000, result="a" * 200_000))
    answer = search_evidence(found, NOTHING, "a")
    head, *matches = map(json.loads, answer.text.splitlines())
    assert head == {"matches": "1000 or more", "shown": len(matches)}
    assert len(answer.text) < 20_000


def test_a_record_full_of_matches_does_not_hide_the_other_records() -> None:
    found = package(simple("see x", result="x" * 50))
    names = {json.loads(line)["name"] for line in search_evidence(found, NOTHING, "x").text.splitlines()[1:]}
    assert {"target", "step 1"} <= names


def test_two_names_of_one_text_are_read_together() -> None:
    found = package(simple())
    assert "prior 1" in found.prior
    by_prior = read_evidence(found, NOTHING, "prior 1").ledger
    by_message = read_evidence(found, NOTHING, "message m1").ledger
    assert by_prior == by_message
    assert {"prior 1", "message m1"} <= coverage(found, by_prior).complete


def test_the_rest_of_the_targets_host_message_is_not_the_whole_message() -> None:
    made = episode(
        {"u": message("user", "task"), "m": message("user", "Rules. Wait.")},
        [{"sees": ["u", "m"]}],
        [one_delivery(1, "m", "Wait.", entry("Wait."))],
    )
    found = package(made)
    ledger = read_evidence(found, NOTHING, "prior 2").ledger
    assert coverage(found, ledger).complete == {"prior 2"}


def test_a_rolled_back_round_leaves_the_ledger_of_before() -> None:
    found = package(simple())
    before = read_evidence(found, NOTHING, "task").ledger
    after = read_evidence(found, before, "step 1").ledger
    assert coverage(found, after).complete >= {"task", "step 1"}
    assert coverage(found, before).complete == {"task"}


def test_the_schemas_name_the_tools_and_no_record_of_any_span() -> None:
    schemas = tool_schemas()
    assert [each["function"]["name"] for each in schemas] == ["read_evidence", "search_evidence"]
    assert all(each["function"]["parameters"]["additionalProperties"] is False for each in schemas)
    assert tool_schemas() == schemas


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_no_hostile_text_leaves_the_frame_of_an_answer(name: str) -> None:
    text = HOSTILE_TEXTS[name]
    found = package(simple(text, result=text))
    for record in ("step 1", "target", "prior 2"):
        for start in (0, 40, 41):
            head, part = framed(read_evidence(found, NOTHING, record, start, start + 300))
            assert part == (found.text(record) or "")[start : head["end"]]
    for line in search_evidence(found, NOTHING, "owned").text.split("\n")[:-1]:
        assert len(line.splitlines()) == 1
        json.loads(line)


RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=8)


def ledger_of(ranges: list[tuple[int, int]]) -> ReadLedger:
    ledger = NOTHING
    for start, end in ranges:
        ledger = ledger.with_read("r", start, end)
    return ledger


@given(RANGES, RANGES)
def test_ledgers_are_sets_of_characters_under_union(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    def characters(ledger: ReadLedger) -> set[int]:
        return {at for start, end in ledger.read.get("r", ()) for at in range(start, end)}

    a, b = ledger_of(one), ledger_of(other)
    expected = {at for start, end in (*one, *other) for at in range(start, end)}
    assert a.union(b) == b.union(a) == ledger_of([*one, *other])
    assert a.union(a) == a.union(NOTHING) == a
    assert characters(a.union(b)) == expected
    missing = {at for start, end in a.union(b).missing("r", 30) for at in range(start, end)}
    assert missing == set(range(30)) - expected
    assert a.union(b).is_complete("r", 30) == (not missing)


def test_one_character_between_two_reads_is_missing_and_reads_that_touch_are_one() -> None:
    assert ledger_of([(0, 3), (4, 8)]).missing("r", 8) == ((3, 4),)
    assert ledger_of([(3, 8), (0, 3)]).read == {"r": ((0, 8),)}
    assert ledger_of([(0, 9)]).missing("r", 8) == ()


def test_a_record_that_nobody_opened_is_not_read() -> None:
    assert not NOTHING.is_complete("r", 0)
    assert NOTHING.with_read("r", 3, 3) == NOTHING


@given(st.text() | st.sampled_from(["task", "step 1", "prior 1"]), st.none() | st.integers() | st.text())
def test_only_names_of_the_package_read_anything(name: str, end: object) -> None:
    answer = read_evidence(SMALL, NOTHING, name, 0, end)
    if name in set(SMALL.names()):
        assert answer.failed or answer.ledger != NOTHING
    else:
        assert answer.failed
        assert answer.ledger == NOTHING


@given(
    st.text(),
    st.text() | st.builds(json.dumps, st.dictionaries(st.sampled_from(["name", "query", "start"]), st.text())),
)
def test_no_call_raises(tool: str, arguments: str) -> None:
    for each in (tool, "read_evidence", "search_evidence"):
        answer = call_tool(SMALL, NOTHING, each, arguments)
        json.loads(answer.text.partition("\n")[0])


def test_no_file_is_opened_for_any_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "task"
    secret.write_text("secret")
    found = package(simple())

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    with monkeypatch.context() as patched:
        patched.chdir(tmp_path)
        patched.setattr("builtins.open", opened)
        patched.setattr(os, "open", opened)
        answers = [call_tool(found, NOTHING, "read_evidence", json.dumps({"name": n})) for n in (str(secret), "./task")]
    assert all(answer.failed for answer in answers)
