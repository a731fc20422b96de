"""What an episode cost: known where every call tells it, unknown where one does not, never zero for unknown."""

from typing import Any

import pytest

from pytest_memuse.arcs.metering import Price, Spent, spent
from pytest_memuse.model import Actor
from pytest_memuse.recording.recording import Exchange

CHAT, EMBEDDINGS = "http://model/v1/chat/completions", "http://model/v1/embeddings"


def call(actor: Actor | None, usage: dict[str, Any], *, uri: str = CHAT, model: str = "m") -> Exchange:
    said = {"choices": [{"message": {"role": "assistant", "content": "Yes."}}]} if uri == CHAT else {"data": []}
    asked = {"model": model, "messages": [{"role": "user", "content": "?"}]}
    return Exchange(1, actor, "POST", uri, asked, 200, "OK", {}, {"model": model, "usage": usage, **said})


USED = {"prompt_tokens": 100, "completion_tokens": 20}


def test_tokens_are_counted_by_side_and_priced_by_model() -> None:
    calls = [
        call(Actor.AGENT, USED),
        call(Actor.MEMORY, USED, model="small"),
        call(Actor.EMBEDDING, {"prompt_tokens": 50}, uri=EMBEDDINGS, model="vectors"),
        call(None, USED),
    ]
    prices = {"m": Price(1.0, 10.0), "small": Price(0.1, 1.0), "vectors": Price(0.02)}
    found = spent(calls, prices)
    assert (found.agent_tokens, found.memory_tokens) == (120, 170)
    assert found.cost == pytest.approx((100 + 200 + 10 + 20 + 1) / 1e6)


def test_what_the_provider_charged_goes_before_a_price() -> None:
    assert spent([call(Actor.AGENT, {**USED, "cost": 0.5})], {"m": Price(1.0, 1.0)}).cost == 0.5


def test_a_call_without_usage_or_price_makes_its_side_unknown() -> None:
    assert spent([call(Actor.AGENT, USED), call(Actor.AGENT, {})], {"m": Price(1.0)}) == Spent(None, 0, None)
    assert spent([call(Actor.AGENT, {"prompt_tokens": 3})], {}) == Spent(None, 0, None)
    assert spent([call(Actor.AGENT, USED), call(Actor.MEMORY, USED, model="x")], {"m": Price(1.0)}) == Spent(
        120, 120, None
    )


def test_nothing_asked_cost_nothing() -> None:
    assert spent([], {}) == Spent(0, 0, 0.0)
