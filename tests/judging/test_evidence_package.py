"""What a judge may read of a span, and what it may not (MemUse A.2.1)."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.evidence import CopyState, EvidencePackage, build_evidence
from pytest_memuse.judging.prompt import opening_messages
from pytest_memuse.judging.rubric import Rubric
from pytest_memuse.model import Episode, MemuseError, Outcome
from pytest_memuse.spans import ExposureKind, build_spans
from tests.hostile_text import HOSTILE_TEXTS, dangers
from tests.judging.evidence_cases import (
    HIDDEN,
    delivered,
    delivery,
    entry,
    episode,
    everything,
    message,
    package,
    simple,
)
from tests.judging.evidence_cases import packages as packages_of

RUBRIC = Rubric("1", "rubric\n")


def lines(found: EvidencePackage, name: str) -> list[dict[str, Any]]:
    text = found.text(name)
    assert text is not None, name
    return [json.loads(line) for line in text.split("\n")[:-1]]


def strings(value: Any) -> list[str]:
    """Return every string in a parsed record."""
    if isinstance(value, dict):
        return [s for inner in value.values() for s in strings(inner)]
    if isinstance(value, list):
        return [s for inner in value for s in strings(inner)]
    return [value] if isinstance(value, str) else []


def copied(*places: tuple[str, str | None], second: tuple[str, ...], value: str = "Wait between retries.") -> Episode:
    """Return an episode whose item is delivered at step 1 and again, in more words, at a third step.

    ``second`` is what the second step sees, the third step sees that and the fuller delivery ``full``.
    """
    messages = {
        "u": message("user", "task"),
        "full": message("user", f"{value} Ten seconds."),
        **{host: message("user", f"{host}: {text or 'withheld'}") for host, text in places},
    }
    hosts = [host for host, _ in places]
    return episode(
        messages,
        [{"sees": ["u", *hosts]}, {"sees": ["u", *second]}, {"sees": ["u", *second, "full"]}],
        [
            delivered(1, list(places), entry(value)),
            delivery(3, "full", f"{value} Ten seconds.", entry(f"{value} Ten seconds.")),
        ],
    )


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


def test_the_prior_context_keeps_the_input_order_and_other_deliveries_and_a_marker_for_the_target() -> None:
    texts = {"first": "Use uv.", "second": "Wait between retries."}
    messages = {
        "s": message("system", f"Rules.\n{texts['first']}"),
        "u": message("user", "task"),
        "m": message("user", texts["second"]),
    }
    made = episode(
        messages,
        [{"sees": ["s", "u", "m"]}],
        [
            delivery(1, "s", texts["first"], entry(texts["first"], "a")),
            delivery(1, "m", texts["second"], entry(texts["second"], "b")),
        ],
    )
    (_, first), (_, second) = packages_of(made)

    index = lines(second, "prior-index")
    assert [(row["position"], row["role"], row.get("read")) for row in index] == [
        (1, "system", "prior 1"),
        (2, "user", "prior 2"),
        (3, "user", None),
    ]
    assert index[2]["all of it is"] == "target delivery"
    assert second.prior == ("prior 1", "prior 2")
    assert second.text("prior 3") is None
    (told,) = lines(second, "prior 1")
    assert told["parts"] == [{"text": "Rules.\n"}, {"memory": ["delivery 1"], "text": "Use uv."}]
    # Of its own prior context the first delivery is cut, and its host message keeps the rest.
    (cut,) = lines(first, "prior 1")
    assert cut["parts"] == [{"text": "Rules.\n"}, {"target delivery": 7, "removed": "characters"}]
    assert "Use uv." not in "".join(first.text(name) or "" for name in first.prior)


def test_removed_steps_are_readable_and_no_part_of_the_prior_context() -> None:
    messages = {
        "u": message("user", "task"),
        "r1": message("tool", "the old listing"),
        "sum": message("user", "Summary: looked around."),
        "m": message("user", "Wait between retries."),
    }
    does = [{"tool": "bash", "args": {"command": "ls"}, "result": "r1"}]
    made = episode(
        messages,
        [
            {"sees": ["u"], "says": "I look.", "does": does},
            {"sees": ["u", "r1"], "says": "I plan a delay."},
            {"sees": ["u", "sum", "m"], "says": "I add it."},
        ],
        [delivery(3, "m", "Wait between retries.", entry("Wait between retries."))],
    )
    found = package(made)

    assert found.prior == ("prior 1", "prior 2")
    removed = {name: "".join(strings(lines(found, name))) for name in found.removed}
    assert sum("the old listing" in text for text in removed.values()) == 1
    assert sum("I plan a delay." in text for text in removed.values()) == 1
    assert "the old listing" not in "".join(found.text(name) or "" for name in found.prior)
    index = lines(found, "prior-index")
    assert [row["made_by"] for row in index if "removed before this input" in row] == ["step 1", "step 1", "step 2"]


@pytest.mark.parametrize(("text", "removed"), [("I look.", ()), ("I looked.", ("removed m2",))])
def test_a_response_that_the_harness_put_back_in_a_form_of_its_own_is_not_removed(
    text: str, removed: tuple[str, ...]
) -> None:
    messages = {
        "u": message("user", "task"),
        "a1": message("assistant", "I look."),
        "m": message("user", "Wait between retries."),
        "r1": message("tool", "a listing"),
    }
    does = [{"tool": "bash", "args": {"command": "ls"}, "result": "r1"}]
    steps: list[dict[str, Any]] = [{"sees": ["u"], "says": "I look.", "does": does}, {"sees": ["u", "a1", "r1", "m"]}]
    made = episode(messages, steps, [delivery(2, "m", "Wait between retries.", entry("Wait between retries."))])
    # The harness writes the call's arguments anew, so that the message is another one than the response.
    response = made.messages[made.steps[0].call.response or ""]
    form = replace(response, text=text, tool_calls=(replace(response.tool_calls[0], arguments='{"command":"ls"}'),))
    second = made.steps[1].call
    seen = (second.input[0], form.digest, *second.input[2:])
    made = replace(
        made,
        messages={**made.messages, form.digest: form},
        steps=(made.steps[0], replace(made.steps[1], call=replace(second, input=seen))),
    )
    found = package(made)

    assert found.removed == removed
    assert lines(found, "prior-index")[1]["made_by"] == "step 1"
    assert [row["role"] for row in lines(found, "step 2") if "arrived" in row] == ["user"]


def test_a_copy_whose_message_stayed_is_still_visible_and_tells_whether_it_holds_the_target() -> None:
    (copy,) = package(copied(("m", "Wait between retries."), second=("m",))).entries[0].copies
    assert (copy.delivery, copy.step) == ("delivery 1", 1)
    assert (copy.state, copy.exposure, copy.holds_target) == (CopyState.VISIBLE, ExposureKind.FULL, False)


def test_a_copy_whose_message_left_is_no_longer_visible() -> None:
    (copy,) = package(copied(("m", "Wait between retries."), second=())).entries[0].copies
    assert (copy.state, copy.exposure) == (CopyState.GONE, ExposureKind.FULL)


def test_a_copy_in_the_same_input_arrives_together() -> None:
    value = "Wait between retries."
    messages = {
        "u": message("user", "task"),
        "m": message("user", value),
        "full": message("user", f"{value} Ten seconds."),
    }
    made = episode(
        messages,
        [{"sees": ["u"]}, {"sees": ["u", "m", "full"]}],
        [delivery(2, "m", value, entry(value)), delivery(2, "full", f"{value} Ten seconds.", entry(value))],
    )
    first, second = (found.entries[0].copies for _, found in packages_of(made))
    assert [(copy.delivery, copy.state) for copy in first] == [("delivery 2", CopyState.TOGETHER)]
    assert [(c.delivery, c.state, c.holds_target) for c in second] == [("delivery 1", CopyState.TOGETHER, True)]


def test_a_message_that_left_and_comes_back_with_the_target_arrives_with_it() -> None:
    made = copied(("m", "Wait between retries."), second=())
    steps = [*made.steps[:2]]
    third = made.steps[2]
    back = replace(third.call, input=(made.steps[0].call.input[1], *third.call.input))
    moved = replace(made.deliveries[1].placements[0].proofs[0], pointer="/messages/2/content")
    placement = replace(made.deliveries[1].placements[0], proofs=(moved,))
    made = replace(
        made,
        steps=(*steps, replace(third, call=back)),
        deliveries=(made.deliveries[0], replace(made.deliveries[1], placements=(placement,))),
    )
    (copy,) = package(made).entries[0].copies
    assert copy.state is CopyState.TOGETHER


def test_of_a_partly_visible_copy_only_what_is_left_counts() -> None:
    value = "Wait between retries, and double the delay each time."
    made = copied(("whole", value), ("part", value[:21]), second=("part",), value=value)
    (copy,) = package(made).entries[0].copies
    assert (copy.state, copy.exposure) == (CopyState.VISIBLE, ExposureKind.CLIPPED)


@pytest.mark.parametrize(
    ("left", "state"),
    [(("a", "b"), CopyState.VISIBLE), (("a",), CopyState.UNDETERMINED), ((), CopyState.GONE)],
)
def test_a_copy_of_unknown_exposure_is_undetermined_where_only_some_slots_are_left(
    left: tuple[str, ...], state: CopyState
) -> None:
    made = copied(("a", "one half"), ("b", "other half"), second=left)
    (copy,) = package(made).entries[0].copies
    assert (copy.state, copy.exposure, copy.holds_target) == (state, ExposureKind.UNKNOWN, None)


def test_a_step_holds_what_arrived_its_response_and_its_results_and_refers_to_memory() -> None:
    made = episode(
        {
            "u": message("user", "task"),
            "r1": message("tool", "found: Wait between retries."),
            "ask": message("user", "Hurry up, please."),
        },
        [
            {"sees": ["u"], "does": [{"tool": "recall", "args": {"query": "retry"}, "result": "r1"}]},
            {"sees": ["u", "r1", "ask"], "says": "I wait."},
        ],
        [delivery(2, "r1", "Wait between retries.", entry("Wait between retries."), kind="tool_result")],
    )
    found = package(made)

    opening, response, result = lines(found, "step 1")
    assert (opening["step"], opening["messages in its input"], opening["new"]) == (1, 1, ["message m1"])
    assert response["tool_calls"][0]["arguments"] == {"query": "retry"}
    assert result["parts"] == [{"text": "found: "}, {"memory": ["delivery 1"], "characters": 21}]
    assert [row["text"] for row in lines(found, "step 2") if "arrived" in row] == ["Hurry up, please."]
    assert lines(found, "delivery 1")[0]["text"] == "Wait between retries."
    assert lines(found, "deliveries")[0]["consumed at"] == ["step 2"]


def test_a_message_that_left_and_comes_back_is_told_once_and_named_again() -> None:
    made = episode(
        {"u": message("user", "task"), "x": message("user", "Hurry."), "m": message("user", "Wait.")},
        [{"sees": ["u", "m"]}, {"sees": ["u", "m", "x"]}, {"sees": ["u", "m"]}, {"sees": ["u", "m", "x"]}],
        [delivery(1, "m", "Wait.", entry("Wait."))],
    )
    found = package(made)
    arrived = [[row["text"] for row in lines(found, f"step {n}") if "arrived" in row] for n in range(1, 5)]
    (name,) = lines(found, "step 2")[0]["new"]

    assert arrived == [[], ["Hurry."], [], []]
    assert lines(found, "step 3")[0]["no longer there"] == lines(found, "step 4")[0]["new"] == [name]
    assert lines(found, name)[0]["text"] == "Hurry."


@pytest.mark.parametrize("arguments", ['{"a": 1.10}', '{"a": 1, "a": 2}', "[1]", "not json", '{"a": ' * 200])
def test_arguments_that_would_not_come_out_the_same_stay_the_text_that_was_sent(arguments: str) -> None:
    made = simple()
    call = made.steps[0].call
    response = made.messages[call.response or ""]
    changed = replace(response, tool_calls=(replace(response.tool_calls[0], arguments=arguments),))
    made = replace(
        made,
        messages={**made.messages, changed.digest: changed},
        steps=(replace(made.steps[0], call=replace(call, response=changed.digest)), *made.steps[1:]),
    )
    assert lines(package(made), "step 1")[1]["tool_calls"][0]["arguments"] == arguments


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


def assert_framed(found: EvidencePackage, recorded: list[str]) -> None:
    """Every line of every record is one JSON value, and all recorded texts come out of them as they were."""
    texts = []
    for name in found.names():
        text = found.text(name) or ""
        assert text.endswith("\n"), name
        for line in text.split("\n")[:-1]:
            assert len(line.splitlines()) <= 1
            texts += strings(json.loads(line))
    for text in recorded:
        assert text in texts or any(text in told for told in texts), text[:80]


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_no_hostile_text_leaves_its_string(name: str) -> None:
    # Two halves of a character, side by side, read back as the character that they make.
    text = HOSTILE_TEXTS[name].replace("\ud800\udfff", "\ud800 \udfff")
    found = package(simple(text, result=text, task=text))
    assert_framed(found, [text])
    _, overview, own = opening_messages(RUBRIC, found)
    for line in (overview["content"] + own["content"]).split("\n")[:-1]:
        assert len(line.splitlines()) == 1
    seen = [part for part in dangers(everything(found), longest=10**7) if "holds U+" in part]
    # A space of another width is to be seen, and moves nothing.
    assert [part for part in seen if not part.endswith("(Zs)")] == []


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.text(st.characters(exclude_categories=["Cs"])))
def test_no_recorded_text_leaves_its_string_whatever_it_is(text: str, result: str) -> None:
    task = f"Task: {result}"
    found = package(simple(text, result=result, task=task))
    assert_framed(found, [text, result, task])
    assert found.text("target") is not None
    frame = found.text("target") or ""
    assert frame.count("\n") == len(lines(found, "target"))


def test_a_megabyte_is_read_in_pages_and_opens_the_prompt_with_its_beginning_only() -> None:
    text = 'x"}\n' * 300_000
    found = package(simple(text, result=text, task=text))

    assert found.unshown
    assert sum(len(part["content"]) for part in opening_messages(RUBRIC, found)) < 60_000
    assert json.loads(opening_messages(RUBRIC, found)[1]["content"].split("\n")[1])["characters"] == len(text)
