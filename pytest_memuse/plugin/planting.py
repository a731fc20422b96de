"""A fault over the memory system under test, in a process that another one started to record a suite with it."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_memuse.episodes.running import MemoryFactory

FAULT, RATE, SEED = "MEMUSE_FAULT", "MEMUSE_FAULT_RATE", "MEMUSE_FAULT_SEED"
"""Name the fault, its rate and its seed to the process that records under it."""

JUDGMENTS = "MEMUSE_FAULT_JUDGMENTS"
"""Names to such a process the folder of the judgments that the runs under all faults share."""

WITHOUT = "none"
"""Named instead of a fault by the run that all others are compared with."""


def planted(factory: "MemoryFactory", environment: Mapping[str, str] = os.environ) -> "MemoryFactory":
    """Return the factory of memory systems that have the fault which the environment names; as it is without one."""
    name = environment.get(FAULT, "")
    if not name or name == WITHOUT:
        return factory
    from pytest_memuse.memory.faults import faults_named

    (fault,) = faults_named(name)
    return fault.over(factory, rate=float(environment.get(RATE, "1")), seed=int(environment.get(SEED, "0")))
