"""Limits of what recording may cost."""

from typing import Any

import pytest

from pytest_memuse.episodes.budget import BudgetUsedUp, Spending, parse_budget
from pytest_memuse.model import Actor, MemuseError
from pytest_memuse.recording.recording import Exchange
from tests.episodes.test_progress import Clock


def _call(usage: Any = None, actor: Actor = Actor.AGENT, status: int = 200) -> Exchange:
    response = {"choices": [{"message": {"role": "assistant", "content": "hi"}}], "usage": usage}
    uri = "http://x/v1/embeddings" if actor is Actor.EMBEDDING else "http://x/v1/chat/completions"
    return Exchange(1, actor, "POST", uri, {"messages": []}, status, "", {}, response)


def _spent(limit: str, *calls: Exchange) -> str:
    """Return why the next call is refused, empty where it may be made."""
    spending = Spending(parse_budget(limit), Clock())
    for call in calls:
        spending.allow()
        spending.count(call)
    try:
        spending.allow()
    except BudgetUsedUp as used_up:
        return used_up.reason
    return ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("200000tokens", ["200000 tokens"]),
        ("500calls", ["500 calls"]),
        ("10min", ["10 min"]),
        ("2.50usd", ["2.50 usd"]),
        ("1_000 calls, 0.5min", ["1000 calls", "0.5 min"]),
        ("", []),
    ],
)
def test_a_limit_is_a_number_with_its_unit(text: str, shown: list[str]) -> None:
    assert [str(budget) for budget in parse_budget(text)] == shown


@pytest.mark.parametrize("text", ["5", "calls", "0calls", "-3calls", "5 euros", "1e9calls", "5calls,", "٣calls"])
def test_what_is_no_limit_is_refused_with_examples(text: str) -> None:
    with pytest.raises(MemuseError, match=r"is no budget\n.*500calls, 200000tokens"):
        parse_budget(text)


def test_no_call_is_made_beyond_the_limit() -> None:
    assert _spent("2calls", _call()) == ""
    assert _spent("2calls", _call(), _call()) == "the budget of 2 calls is used up"


def test_tokens_are_those_that_the_provider_reports() -> None:
    usage = {"prompt_tokens": 40, "completion_tokens": 10}
    embedding = _call({"prompt_tokens": 60, "total_tokens": 60}, Actor.EMBEDDING)
    assert _spent("111tokens", _call(usage), embedding) == ""
    assert _spent("110tokens", _call(usage), embedding) == "the budget of 110 tokens is used up"


@pytest.mark.parametrize(("limit", "what"), [("9usd", "its cost (`usage.cost`)"), ("9tokens", "its tokens (`usage`)")])
def test_what_is_not_reported_cannot_be_measured_and_is_no_zero(limit: str, what: str) -> None:
    told = _spent(limit, _call({}))
    assert f"cannot be measured: exchange 1 does not report {what}" in told
    assert _spent(limit, _call({}, Actor.EMBEDDING), _call({}, status=500)) == ""


def test_money_is_counted_where_it_is_reported() -> None:
    assert _spent("1usd", _call({"cost": 0.6}), _call({"cost": 0.3})) == ""
    assert _spent("1usd", _call({"cost": 0.6}), _call({"cost": 0.6})) == "the budget of 1.00 usd is used up"


@pytest.mark.parametrize("cost", [float("nan"), -1.0, "2", True])
def test_a_cost_that_is_no_amount_is_no_cost(cost: object) -> None:
    assert "cannot be measured" in _spent("1usd", _call({"cost": cost}))


def test_time_is_counted_from_the_first_call() -> None:
    clock = Clock()
    spending = Spending(parse_budget("10min"), clock)
    clock.now += 5000
    spending.allow()
    clock.now += 599
    spending.allow()
    clock.now += 1
    with pytest.raises(BudgetUsedUp, match="the budget of 10 min is used up"):
        spending.allow()
