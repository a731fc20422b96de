"""Tracing gold values through a session by containment, and counting what that cannot see (MERIT 3.5, MUR)."""

from collections.abc import Iterable, Mapping, Sequence

from pytest_memuse.arcs.leaks import Haystack, Sought
from pytest_memuse.arcs.loop import Executed
from pytest_memuse.arcs.types import GoldFact, Tool


def held(facts: Sequence[GoldFact], block: str) -> bool | None:
    """Whether every gold value stands in the memory block; None without facts."""
    return _all_contained(facts, block) if facts else None


def stale(facts: Sequence[GoldFact], block: str) -> bool | None:
    """Whether a superseded value of a fact stands in the memory block; None without facts.

    A superseded value that is part of the present one is not told apart from it, and does not count.
    """
    plain = _plain(block)
    old = [value for fact in facts for value in fact.superseded if _plain(value) not in _plain(fact.value)]
    return any(_plain(value) in plain for value in old) if facts else None


def acted(facts: Sequence[GoldFact], executed: Iterable[Executed]) -> bool | None:
    """Whether every gold value stands in the arguments of executed tool calls; None without facts."""
    return _all_contained(facts, _arguments(executed)) if facts else None


def untraceable(facts: Sequence[GoldFact], block: str, executed: Iterable[Executed]) -> int:
    """Return how many gold values stand in block or arguments in another form only, where containment misses them."""
    texts = [_plain(block), _plain(_arguments(executed))]
    missed = [[text for text in texts if text and _plain(fact.value) not in text] for fact in facts]
    return sum(
        any(Sought(fact.value).stated_in(Haystack(text)) for text in left)
        for fact, left in zip(facts, missed, strict=True)
    )


def verified(executed: Sequence[Executed], tools: Iterable[Tool]) -> bool | None:
    """Whether a reading call that shares an argument with the first change came before it; None without a change."""
    reading = {tool.name for tool in tools if tool.reads}
    first = next((place for place, call in enumerate(executed) if call.changes), None)
    if first is None:
        return None
    about = _values(executed[first].arguments)
    return any(
        call.name in reading and not call.failed and about & _values(call.arguments) for call in executed[:first]
    )


def _all_contained(facts: Sequence[GoldFact], text: str) -> bool:
    plain = _plain(text)
    return all(_plain(fact.value) in plain for fact in facts)


def _arguments(executed: Iterable[Executed]) -> str:
    return "\n".join(value for call in executed if not call.failed for value in call.arguments.values())


def _values(arguments: Mapping[str, str]) -> set[str]:
    return {_plain(value) for value in arguments.values() if value}


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
