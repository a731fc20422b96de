"""Every planted fault by its name: what it does, which figures it must move, which way, and which judge can see it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pytest_memuse.memory.faults.deliveries import (
    BestHitDropped,
    DistractorFlood,
    HarmfulAdvice,
    OrderShuffled,
    ScopeLeak,
)
from pytest_memuse.memory.faults.entries import Contradiction, CutEntries, Paraphrase, StaleVersion
from pytest_memuse.memory.faults.timing import LateDelivery, Outage, Restated
from pytest_memuse.memory.faults.wrapper import Planted
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import nearest

MemoryFactory = Callable[[Path], MemorySystem]


class Way(StrEnum):
    """Which way a figure moves."""

    UP = "up"
    DOWN = "down"


class Seen(StrEnum):
    """Which judge can see what a fault does: the tracer and any other, or none that does not read for meaning."""

    TRACER = "tracer"
    LLM_ONLY = "llm judge only"


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted fault. ``moves`` are figures of a profile, by name, with the way in which each must move.

    ``text`` says what it does to how much of what is delivered; ``cost`` is about how much a run under it costs beside
    one without (tokens of memory text and steps of the agent), which is the order in which faults are tried.
    """

    name: str
    title: str
    text: str
    wrap: Callable[..., Planted]
    moves: Mapping[str, Way]
    seen: Seen
    cost: float

    def over(self, factory: MemoryFactory, *, rate: float = 1.0, seed: int = 0, **settings: Any) -> MemoryFactory:
        """Return a factory whose memory systems have the fault; ``settings`` are further ones of its class."""
        return lambda folder: self.wrap(factory(folder), rate=rate, seed=seed, **settings)


def _moves(*, up: Sequence[str] = (), down: Sequence[str] = ()) -> Mapping[str, Way]:
    return MappingProxyType({**dict.fromkeys(up, Way.UP), **dict.fromkeys(down, Way.DOWN)})


_FAULTS = (
    Fault(
        "outage",
        "outage",
        "reads return nothing",
        Outage,
        _moves(down=("outcome_rate", "coverage_beneficial", "delivered_tokens")),
        Seen.TRACER,
        0.8,
    ),
    Fault(
        "best_hit_dropped",
        "best hit dropped",
        "the entry that stands first is left out",
        BestHitDropped,
        _moves(down=("relevance_share", "coverage_beneficial")),
        Seen.TRACER,
        0.9,
    ),
    Fault(
        "cut",
        "entries cut",
        "entries show their first 40 characters",
        CutEntries,
        _moves(down=("outcome_rate", "coverage_beneficial")),
        Seen.TRACER,
        0.9,
    ),
    Fault(
        "late",
        "delivery after the decision",
        "a recall arrives with the tool's next result or the next recall",
        LateDelivery,
        _moves(down=("outcome_rate", "coverage_beneficial")),
        Seen.TRACER,
        1.0,
    ),
    Fault(
        "stale",
        "stale version returned",
        "entries that were overwritten show their version before",
        StaleVersion,
        _moves(up=("harm_yield",), down=("corroboration_share",)),
        Seen.TRACER,
        1.0,
    ),
    Fault(
        "contradiction",
        "contradiction",
        "the value in an entry is altered",
        Contradiction,
        _moves(up=("harm_yield",), down=("outcome_rate", "corroboration_share")),
        Seen.TRACER,
        1.1,
    ),
    Fault(
        "harmful_advice",
        "harmful advice",
        "an entry that orders a wrong action stands first",
        HarmfulAdvice,
        _moves(up=("harm_yield", "coverage_harmful")),
        Seen.TRACER,
        1.2,
    ),
    Fault(
        "shuffled",
        "order shuffled",
        "entries stand in another order",
        OrderShuffled,
        _moves(),
        Seen.LLM_ONLY,
        1.0,
    ),
    Fault(
        "paraphrase",
        "paraphrase",
        "entries are worded otherwise, their values kept",
        Paraphrase,
        _moves(),
        Seen.LLM_ONLY,
        1.0,
    ),
    Fault(
        "scope_leak",
        "another scope leaking in",
        "memories of other scopes are delivered as well",
        ScopeLeak,
        _moves(up=("delivered_tokens",), down=("relevance_share", "token_efficiency")),
        Seen.TRACER,
        1.3,
    ),
    Fault(
        "restated",
        "everything restated",
        "the recall stands there twice, and again in each result of the memory tool",
        Restated,
        _moves(up=("delivered_tokens",), down=("token_efficiency",)),
        Seen.TRACER,
        1.4,
    ),
    Fault(
        "flood",
        "distractor flood",
        "six irrelevant entries are added",
        DistractorFlood,
        _moves(up=("delivered_tokens",), down=("relevance_share", "token_efficiency")),
        Seen.TRACER,
        1.5,
    ),
)

FAULTS: Mapping[str, Fault] = MappingProxyType({fault.name: fault for fault in sorted(_FAULTS, key=lambda f: f.cost)})
"""Every fault by its name, the cheapest to run first."""

CORRUPTIONS = ("stale", "contradiction", "flood")
"""MERIT's corruption of records (3.4): stale, contradiction and distractor."""


def faults_named(names: str) -> tuple[Fault, ...]:
    """Return the faults that a list separated by commas names, the cheapest first; all for an empty one.

    Raises `MemuseError` for a name that there is not.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        if name not in FAULTS:
            raise MemuseError(
                f"there is no fault {name!r}{nearest(name, FAULTS)}",
                reason="no-fault",
                mend=f"use one of {', '.join(FAULTS)}, several separated by commas",
            )
    return tuple(fault for fault in FAULTS.values() if not wanted or fault.name in wanted)
