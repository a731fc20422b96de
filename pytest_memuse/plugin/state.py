"""What a session remembers: plain results per suite, why gates are not evaluated, and what the summary will show."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_memuse.plugin.options import Settings


@dataclass(slots=True)
class SuiteResult:
    """Plain data of one evaluated suite, as a worker publishes it.

    ``run`` is `profiles.serialise.run_to_dict` of its rows, ``identity`` names what shaped the figures, ``nodeid`` and
    ``location`` are those of the suite's first test.
    """

    suite: str
    nodeid: str
    location: tuple[str, int | None, str]
    run: dict[str, Any]
    identity: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("suite", "nodeid", "location", "run", "identity", "notes")}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SuiteResult":
        path, line, domain = data["location"]
        return cls(data["suite"], data["nodeid"], (path, line, domain), data["run"], data["identity"], data["notes"])


@dataclass(slots=True)
class SessionState:
    """One session's results. Workers fill it and publish it, the controller merges what they published."""

    settings: Settings
    results: dict[str, SuiteResult] = field(default_factory=dict)
    partial: dict[str, str] = field(default_factory=dict)
    """Suites whose gate cannot be evaluated, each with the reason."""
    crashed: bool = False
    baseline: Any = None
    """The baseline that was read before the tests, None where none was asked for."""
    merge_base: str = ""
    """The commit that the baseline was read at, empty where it was read as it stands."""
    endpoints: dict[str, str] = field(default_factory=dict)
    """Addresses of the session's local servers, by the variable that names each to another process."""
    servers: set[str] = field(default_factory=set)
    """Which local servers the session's fixtures asked for, by the same variables, whether they ran or not."""
    baseline_notes: list[str] = field(default_factory=list)
    """Which copy of the baseline was read, and what a reviewer should know of it."""
    reports: list[str] = field(default_factory=list)
    """Lines for the terminal summary, rendered where the values are at hand."""


NOT_ASKED = "none of its tests asked for its profile"
"""Why a suite is not evaluated whose tests run and never call `memuse.profile()`."""

STATE = pytest.StashKey[SessionState]()


def state_of(config: pytest.Config) -> SessionState:
    """Return the session's state; it is there from `pytest_configure` on."""
    return config.stash[STATE]
