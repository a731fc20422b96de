"""Scored episodes for tests of metrics, as short as they can be written."""

from collections.abc import Iterable
from typing import Any

from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import Kind, Tier


def episode(arc: int = 1, name: str = "4-probe", **fields: Any) -> ScoredEpisode:
    """Return a probe of an arc of the retail domain's hard tier, not solved unless told otherwise."""
    base: dict[str, Any] = {
        "domain": "retail",
        "tier": Tier.HARD,
        "condition": "facts",
        "variant": "starter",
        "arc": f"arc-{arc}",
        "seed": 0,
        "episode": name,
        "kind": Kind.PROBE,
        "success": False,
        "satisfied_on_arrival": False,
        "agent_tokens": 100,
        "memory_tokens": 0,
        "cost": 0.001,
    }
    return ScoredEpisode(**(base | fields))


def probes(solved: Iterable[bool], **fields: Any) -> list[ScoredEpisode]:
    """Return one probe an arc, solved or not."""
    return [episode(arc, success=each, **fields) for arc, each in enumerate(solved, 1)]
