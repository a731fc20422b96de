"""What a judge may read of a span, and what it may not (MemUse A.2.1)."""

import json
from dataclasses import replace

import pytest

from pytest_memuse.judging.evidence import build_evidence
from pytest_memuse.judging.prompt import opening_messages
from pytest_memuse.judging.rubric import Rubric
from pytest_memuse.model import Episode, MemuseError, Outcome
from pytest_memuse.spans import ExposureKind, build_spans
from tests.judging.evidence_cases import (
    HIDDEN,
    delivery,
    entry,
    episode,
    everything,
    lines,
    message,
    package,
    simple,
)
from tests.judging.evidence_cases import packages as packages_of

RUBRIC = Rubric("1", "rubric\n")


def test_placements_are_there_word_for_word_and_entries_as_they_were_exposed() -> None:
    long = "A value of which the agent saw only the beginning, because the block was cut."
    text = f"1. Wait between retries.\n2. {long[:40]}"
    made = episode(
        {"u": message("user", "task"), "m": message("user", text)},
        [{"sees": ["u", "m"]}],
        [delivery(1, "m", text, entry("Wait between retries.", "a"), entry(long, "b"), entry("Never shown.", "c"))],
    )
    found = package(made)

    assert [(e.name, e.exposure, e.text) for e in found.entries] == [
        ("e1", ExposureKind.FULL, "Wait between retries."),
        ("e2", ExposureKind.CLIPPED, long[:40]),
        ("e3", ExposureKind.UNKNOWN, None),
    ]
    rows = lines(found, "target")
    assert rows[-1] == {"placement": 1, "in": "message", "text": text}
    assert [row["withheld"][:13] for row in rows if row.get("entry") == "e3"] == ["what the agen"]
    assert "Never shown" not in everything(found)
    assert long not in everything(found)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("[card-4] Wait.", "card-4"), ("[card-42] Wait.", None), ("Wait.", None), ("see card-4-b: Wait.", None)],
)
def test_a_display_key_is_told_only_where_it_stood_as_an_identifier(text: str, shown: str | None) -> None:
    made = episode(
        {"u": message("user", "task"), "m": message("user", text)},
        [{"sees": ["u", "m"]}],
        [delivery(1, "m", text, entry("Wait.", key="card-4"))],
    )
    found = package(made)

    assert found.entries[0].key == shown
    assert [row.get("shown as") for row in lines(found, "target") if "entry" in row] == [shown]


def test_neither_the_outcome_nor_any_name_or_label_that_the_agent_never_saw_is_evidence() -> None:
    made = replace(simple(), outcome=Outcome(True, f"{HIDDEN} passed"))
    for span, found in packages_of(made):
        told = everything(found) + json.dumps(opening_messages(RUBRIC, found))
        assert HIDDEN not in told
        assert "success" not in told
        assert span.deliveries[0].id not in told


def test_an_outcome_changes_nothing_of_the_evidence() -> None:
    made = simple()
    digests = {package(replace(made, outcome=o)).digest for o in (None, Outcome(True), Outcome(False, "3 failed"))}
    assert len(digests) == 1


@pytest.mark.parametrize(
    "other",
    [simple("Wait between all retries."), simple(result="not ok"), simple(task="Fix the retries!")],
    ids=["entry", "result", "task"],
)
def test_the_digest_changes_with_any_recorded_text(other: Episode) -> None:
    assert package(simple()).digest == package(simple()).digest
    assert package(simple()).digest != package(other).digest


def test_restatements_are_one_record_and_a_selection_is_told() -> None:
    preview, full = "card-31: HEAD refused", "card-31: HEAD refused, repeat with GET"
    messages = {
        "u": message("user", "task"),
        "m": message("user", preview),
        "m2": message("user", preview + " "),
        "f": message("tool", full),
    }
    look = [{"tool": "read", "args": {"id": "card-31"}, "result": "f"}]
    made = episode(
        messages,
        [{"sees": ["u", "m"]}, {"sees": ["u", "m"], "does": look}, {"sees": ["u", "m", "f"]}],
        [
            delivery(1, "m", preview, entry(preview), id="a"),
            delivery(2, "m", preview, entry(preview), id="b"),
            delivery(3, "f", full, entry(full), kind="tool_result", id="c", selected_from=[f"{HIDDEN}-b"]),
        ],
    )
    found = package(made)

    assert [(row["delivery"], row["consumed at"]) for row in lines(found, "deliveries")] == [
        ("delivery 1", ["step 1", "step 2"]),
        ("delivery 2", ["step 3"]),
    ]
    assert lines(found, "deliveries")[1]["reached through"] == ["delivery 1"]
    target = next(row for row in lines(packages_of(made)[0][1], "target") if "entry" in row)
    assert target["later deliveries of the same item"] == ["delivery 2"]


def test_the_reference_solution_is_there_where_the_task_has_one_and_it_is_asked_for() -> None:
    fact = {"subject": "retry delay", "value": "10 s", "superseded": ["5 s"]}
    made = simple()
    made = episode(
        {"u": message("user", "task"), "m": message("user", "Wait.")},
        [{"sees": ["u", "m"]}],
        [delivery(1, "m", "Wait.", entry("Wait."))],
        references=[fact],
    )
    assert lines(package(made), "reference") == [fact]
    assert package(made, reference=False).text("reference") is None
    assert package(simple()).text("reference") is None


def test_a_span_that_nobody_may_judge_has_no_evidence() -> None:
    made = simple()
    proof = replace(made.deliveries[0].placements[0].proofs[0], text_digest="0" * 32)
    placement = replace(made.deliveries[0].placements[0], proofs=(proof,))
    broken = replace(made, deliveries=(replace(made.deliveries[0], placements=(placement,)),))
    spans = build_spans(broken)
    with pytest.raises(MemuseError, match="S1"):
        build_evidence(broken, spans, spans[0])
