"""The options of ``--memuse-mutate``: which faults, how often they strike, and what the run makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.config.argparsing import OptionGroup


@dataclass(frozen=True, slots=True)
class MutationSettings:
    """What is to be done: the faults by name, in the order in which they are run, and where they strike.

    ``require`` is the share of faults that must be caught, None where none must.
    """

    faults: tuple[str, ...]
    rate: float
    seed: int
    require: float | None
    restart: bool


def add_mutation_flags(group: "OptionGroup") -> None:
    """Declare the flags that have another form than the other options."""
    group.addoption(
        "--memuse-mutate",
        dest="memuse_mutate",
        nargs="?",
        const="",
        default=None,
        metavar="FAULT,…",
        help="after the tests, record each suite under planted faults of its memory system, into the folder .memuse, "
        "and report which of them its assertions catch, which the gate, and which nothing (docs/faults.md)",
    )
    group.addoption(
        "--memuse-mutate-restart",
        dest="memuse_mutate_restart",
        action="store_true",
        help="run every fault again, those too whose results are kept",
    )


def mutation_settings(
    config: pytest.Config, values: Mapping[str, str], environment: Mapping[str, str], *, refused: bool
) -> MutationSettings | None:
    """Return what is to be done under faults; nothing in a process that already runs under one.

    ``values`` are the other options, resolved; ``refused`` says that nothing may be recorded. Raises
    `pytest.UsageError` for what cannot be done.
    """
    wanted = config.getoption("memuse_mutate", None)
    if wanted is None or environment.get("MEMUSE_FAULT"):
        return None
    from pytest_memuse.memory.faults import faults_named
    from pytest_memuse.model.errors import MemuseError

    if refused:
        raise pytest.UsageError(
            "--memuse-mutate is refused because CI is set: it records every suite once for each fault; add "
            "--memuse-force to do it all the same"
        )
    if values["record_both"]:
        raise pytest.UsageError("--memuse-mutate does not go with --memuse-record-both: give one of the two")
    if getattr(config.option, "dist", "no") != "no" or hasattr(config, "workerinput"):
        raise pytest.UsageError("--memuse-mutate does not go with pytest -n: faults are run one after the other")
    try:
        faults = faults_named(str(wanted))
    except MemuseError as error:
        told = "a file or folder is given before the flag, or the flag as --memuse-mutate=FAULT"
        raise pytest.UsageError(f"--memuse-mutate: {error}; {told}") from None
    return MutationSettings(
        faults=tuple(fault.name for fault in faults),
        rate=_share("--memuse-mutate-rate", values["mutate_rate"]),
        seed=_seed(values["mutate_seed"]),
        require=_share("--memuse-mutate-require", values["mutate_require"]) if values["mutate_require"] else None,
        restart=bool(config.getoption("memuse_mutate_restart", False)),
    )


def _seed(given: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise pytest.UsageError(f"--memuse-mutate-seed: {given!r} is not a valid value; valid are 0, 1, 2, …")
    return int(given)


def _share(switch: str, given: str) -> float:
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise pytest.UsageError(f"{switch}: {given!r} is not a valid value; valid are numbers from 0 to 1")
    return share
