"""What an episode cost, on the agent's side and the memory's (MERIT 3.1, G4)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_memuse.model import Actor
from pytest_memuse.recording.dialects import ReadCall, read_call
from pytest_memuse.recording.recording import Exchange


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens of a model's input and output."""

    input: float
    output: float = 0.0


@dataclass(frozen=True, slots=True)
class Spent:
    """Tokens of both sides and dollars of both together; None where a call of theirs does not tell."""

    agent_tokens: int | None
    memory_tokens: int | None
    cost: float | None


def spent(exchanges: Iterable[Exchange], prices: Mapping[str, Price]) -> Spent:
    """Return what these exchanges cost. A provider's own figure goes before a price; calls without either are unknown.

    Without exchanges of a side its tokens are 0: nothing was asked.
    """
    agent: list[ReadCall] = []
    memory: list[ReadCall] = []
    for exchange in exchanges:
        if exchange.actor is not None:
            (agent if exchange.actor is Actor.AGENT else memory).append(read_call(exchange))
    return Spent(_tokens(agent), _tokens(memory), _cost([*agent, *memory], prices))


def _tokens(calls: Iterable[ReadCall]) -> int | None:
    counts = [_count(call) for call in calls]
    return None if None in counts else sum(count for count in counts if count is not None)


def _count(call: ReadCall) -> int | None:
    if call.usage.input is None:
        return None
    # Embeddings have no output to count.
    if call.usage.output is None and call.response is not None:
        return None
    return call.usage.input + (call.usage.output or 0)


def _cost(calls: Iterable[ReadCall], prices: Mapping[str, Price]) -> float | None:
    total = 0.0
    for call in calls:
        price = prices.get(call.model)
        if call.cost is not None:
            total += call.cost
        elif price is not None and _count(call) is not None:
            total += ((call.usage.input or 0) * price.input + (call.usage.output or 0) * price.output) / 1_000_000
        else:
            return None
    return total
