"""Conversations of plants, updates and probes, said to a condition as an episode would."""

from collections.abc import Iterable

from pytest_memuse.memory.conditions import Condition
from pytest_memuse.recording.rendered import Change, Rendered

SCOPE = "shop"


def said(*texts: str) -> list[dict[str, str]]:
    """Return a session in which user and assistant take turns, the user first."""
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(texts)]


def write(memory: Condition, *texts: str, scope: str = SCOPE) -> list[Change]:
    """Write one session."""
    return list(memory.extract(said(*texts), scope=scope))


def values(block: Rendered) -> list[str]:
    """Return the texts of a block's entries, each checked to stand where the block says."""
    assert [block.text[e.start : e.end] for e in block.entries] == [e.value for e in block.entries]
    return [entry.value for entry in block.entries]


def held(memory: Condition, query: str = "", scope: str = SCOPE) -> list[str]:
    """Return what a condition delivers for a query."""
    return values(memory.recall(query, scope=scope))


def holds(block: Rendered, texts: Iterable[str]) -> list[bool]:
    """Return of each text whether the block holds it."""
    return [text in block.text for text in texts]
