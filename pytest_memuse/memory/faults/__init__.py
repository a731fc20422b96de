"""Planted faults: wrappers that break any memory system in one known way, to see whether a suite and its gate notice.

`registry.FAULTS` names them, with the figures that each must move; every one can be wrapped around a memory system by
itself, as ``Contradiction(memory, rate=0.3, seed=1)``.
"""

from pytest_memuse.memory.faults.deliveries import (
    BestHitDropped,
    DistractorFlood,
    HarmfulAdvice,
    OrderShuffled,
    ScopeLeak,
)
from pytest_memuse.memory.faults.entries import (
    Contradiction,
    CutEntries,
    Paraphrase,
    StaleVersion,
    superseded_values,
)
from pytest_memuse.memory.faults.registry import CORRUPTIONS, FAULTS, Fault, Seen, Way, faults_named
from pytest_memuse.memory.faults.timing import LateDelivery, Outage, Restated
from pytest_memuse.memory.faults.truth import Touch, touches_of
from pytest_memuse.memory.faults.wrapper import Planted

__all__ = [
    "CORRUPTIONS",
    "FAULTS",
    "BestHitDropped",
    "Contradiction",
    "CutEntries",
    "DistractorFlood",
    "Fault",
    "HarmfulAdvice",
    "LateDelivery",
    "OrderShuffled",
    "Outage",
    "Paraphrase",
    "Planted",
    "Restated",
    "ScopeLeak",
    "Seen",
    "StaleVersion",
    "Touch",
    "Way",
    "faults_named",
    "superseded_values",
    "touches_of",
]
