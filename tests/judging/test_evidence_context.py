"""What the agent had before it when memory was delivered, and what had left it (MemUse A.2.1)."""

from dataclasses import replace
from typing import Any

import pytest

from tests.judging.evidence_cases import (
    delivery,
    entry,
    episode,
    lines,
    message,
    package,
    strings,
)
from tests.judging.evidence_cases import packages as packages_of


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
