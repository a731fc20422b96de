"""The scripted model: what it reads, what it does, and that it never acts where the user forbids it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.known import forbids, stated
from pytest_memuse.arcs.prompts import system_message
from pytest_memuse.arcs.scripted import MODEL_NAME, ScriptedModel
from pytest_memuse.arcs.types import Tier

MODEL = ScriptedModel()


def said(turn: str, block: str = "", *more: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message with which the model answers a turn."""
    messages = [{"role": "system", "content": system_message(block)}, {"role": "user", "content": turn}, *more]
    message: Mapping[str, Any] = MODEL({"messages": messages})["choices"][0]["message"]
    return message


def called(message: Mapping[str, Any]) -> tuple[str, dict[str, str]] | None:
    """Return the tool call of a message."""
    calls = message.get("tool_calls", ())
    return (calls[0]["function"]["name"], json.loads(calls[0]["function"]["arguments"])) if calls else None


def result(text: str) -> Mapping[str, Any]:
    return {"role": "tool", "tool_call_id": "call-2", "content": text}


def test_equal_requests_give_equal_answers_which_name_the_model() -> None:
    request = {"messages": [{"role": "system", "content": ""}, {"role": "user", "content": "Hello."}]}
    assert MODEL(request) == MODEL(request)
    assert MODEL(request)["model"] == MODEL_NAME


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_plant_or_update_of_any_domain_makes_it_act(domain: str) -> None:
    for tier in Tier:
        for episode in generate(domain, tier, seed=2, arcs=2)[1].episodes:
            for turn in episode.user if not episode.kind.acts else ():
                answer = said(turn, "- agreed refund for order R-1000: 10.00")
                assert called(answer) is None
                assert all(fact.value in answer["content"] for fact in episode.gold if fact.value in turn)


def test_a_request_that_is_forbidden_in_the_same_turn_is_not_carried_out() -> None:
    turn = "Please carry out the agreed refund for order R-1000. But do not act on it yet."
    assert called(said(turn, "- agreed refund for order R-1000: 10.00")) is None


def test_it_looks_first_then_acts_with_what_the_memory_block_states_and_then_says_so() -> None:
    turn, block = "Please carry out the agreed refund for order R-1000.", "- Agreed refund for order R-1000: 10.25"
    look = said(turn, block)
    assert called(look) == ("get_order", {"order_id": "R-1000"})
    act = said(turn, block, look, result("{}"))
    assert called(act) == ("refund", {"order_id": "R-1000", "amount": "10.25"})
    assert called(said(turn, block, look, result("{}"), act, result("{}"))) is None


def test_what_the_user_says_in_the_session_goes_before_the_memory_block() -> None:
    turn = "The agreed refund for order R-1000 is 11.75. Please carry out the agreed refund for order R-1000."
    look = said(turn, "agreed refund for order R-1000: 10.25")
    act = said(turn, "agreed refund for order R-1000: 10.25", look, result("{}"))
    assert called(act) == ("refund", {"order_id": "R-1000", "amount": "11.75"})


def test_without_a_value_it_changes_nothing_and_says_what_is_missing() -> None:
    turn = "Please carry out the agreed refund for order R-1000, and change it to the new delivery address."
    answer = said(turn, "agreed refund for order R-1000: 10.25")
    assert called(answer) is None
    assert "new delivery address for order R-1000" in answer["content"]


def test_a_call_that_is_refused_ends_with_the_reason() -> None:
    turn = "Please carry out the agreed refund for order R-1000."
    look = said(turn, "agreed refund for order R-1000: 10.25")
    answer = said(turn, "agreed refund for order R-1000: 10.25", look, result('{"error": "no such order"}'))
    assert "no such order" in answer["content"]


def test_it_reads_requests_that_name_a_tool_of_another_world() -> None:
    turn = "Use set_code with locker = L-12 and opening_code = the agreed code of locker L-12."
    assert called(said(turn, "The agreed code of locker L-12 is now 8264.")) == (
        "set_code",
        {"locker": "L-12", "opening_code": "8264"},
    )
    assert called(said(turn)) is None


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("The safe port is 8081.", ["8081"]),
        ("- safe port: 8081\n- other port: 1", ["8081"]),
        ("user: The safe port is now 8081. Don't.", ["8081"]),
        ("The SAFE  port = '8081'; the safe port -> 9.1.2", ["8081", "9.1.2"]),
        ("Apply the safe port of today.", []),
        ("The unsafe port is 1. The safe ports are 2.", []),
        ("safe port:", []),
    ],
)
def test_values_are_read_in_the_order_in_which_they_are_stated(text: str, values: list[str]) -> None:
    assert list(stated("safe port", text)) == values


@pytest.mark.parametrize(
    ("turn", "forbidden"),
    [
        ("Please do not act on it yet.", True),
        ("Don't do anything about it for now.", True),
        ("Leave everything as it is until I ask.", True),
        ("Nothing is to be changed yet.", True),
        ("Please carry out the agreed refund.", False),
        ("Thanks. There is nothing else.", False),
        ("Do not wait. Is it done yet?", False),
    ],
)
def test_a_user_who_forbids_acting_is_understood(turn: str, forbidden: bool) -> None:
    assert forbids(turn) is forbidden
