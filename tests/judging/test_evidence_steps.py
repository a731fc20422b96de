"""What the record of a step holds (MemUse A.2.1)."""

from dataclasses import replace

import pytest

from tests.judging.evidence_cases import (
    delivery,
    entry,
    episode,
    lines,
    message,
    package,
    simple,
)


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
