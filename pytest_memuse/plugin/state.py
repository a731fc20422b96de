"""What a session remembers: plain results per suite, why gates are not evaluated, and what the summary will show."""

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memuse.plugin.options import Settings

if TYPE_CHECKING:
    from pytest_memuse.gate.baseline import Baseline
    from pytest_memuse.gate.saved_runs import SavedRun
    from pytest_memuse.profiles.rows import Run

_PUBLISHED = ("suite", "nodeid", "location", "run", "identity", "notes", "tests")


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
    tests: list[str] = field(default_factory=list)
    """The ids of the suite's tests that were collected, in the order in which they stand in their files."""
    rulings: dict[str, str] = field(default_factory=dict)
    """Who changed what a figure's verdict does to the build, by figure; known in the controller, never published."""

    _rows: "Run | None" = None

    def rows(self) -> "Run":
        """Return the suite's rows; they are read once."""
        if self._rows is None:
            from pytest_memuse.profiles.serialise import run_from_dict

            self._rows = run_from_dict(self.run)
        return self._rows

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _PUBLISHED}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SuiteResult":
        path, line, domain = data["location"]
        return cls(**{name: data[name] for name in _PUBLISHED} | {"location": (path, line, domain)})


@dataclass(slots=True)
class SessionState:
    """One session's results. Workers fill it and publish it, the controller merges what they published."""

    settings: Settings
    results: dict[str, SuiteResult] = field(default_factory=dict)
    partial: dict[str, str] = field(default_factory=dict)
    """Suites whose gate cannot be evaluated, each with the reason."""
    unsettled: set[str] = field(default_factory=set)
    """Suites of which workers came to different results."""
    crashed: bool = False
    baseline: Any = None
    """The baseline that was read before the tests, None where none was asked for."""
    merge_base: str = ""
    """The commit that the baseline was read at, empty where it was read as it stands."""
    judged_again: dict[str, Any] = field(default_factory=dict)
    """Suites of which the change under test holds the same run with the judgments of another judge, as it holds them.

    They are read where the baseline is that of the merge base, which would be orphaned by a change of judge.
    """
    read_as: str = ""
    """The name by which the copy that was read is read again, where it is not the one in the working tree."""
    endpoints: dict[str, str] = field(default_factory=dict)
    """Addresses of the session's local servers, by the variable that names each to another process."""
    servers: set[str] = field(default_factory=set)
    """Which local servers the session's fixtures asked for, by the same variables, whether they ran or not."""
    started: float = field(default_factory=time.time)
    """When the session started, in seconds since 1970."""
    incomplete: str = ""
    """Why no suite of the session could be evaluated, empty where they could."""
    gates: dict[str, Any] = field(default_factory=dict)
    """What the gate said of each suite (`reports.gate_data.SuiteGate`), once it was asked."""
    worker_hooks: set[str] = field(default_factory=set)
    """The hooks that workers know of, as `hooking.hooks_here` tells them."""
    baseline_notes: list[str] = field(default_factory=list)
    """Which copy of the baseline was read, and what a reviewer should know of it."""
    notes: dict[str, list[str]] = field(default_factory=dict)
    """What the assertions of a test that passed rest on too little, by test."""
    earlier: "tuple[SavedRun, Baseline] | None" = None
    """The saved run that this one is shown beside."""
    no_earlier: str = ""
    """Why there is no saved run to show this one beside, where the newest was asked for."""
    reports: list[str] = field(default_factory=list)
    """Lines for the terminal summary, rendered where the values are at hand."""


def suite_of(item: pytest.Item) -> str:
    """Return the suite that a test's ``memuse`` marker names, empty where there is none."""
    marker = item.get_closest_marker("memuse")
    return str(marker.kwargs.get("suite", "")) if marker is not None else ""


NOT_ASKED = "none of its tests asked for its profile"
"""Why a suite is not evaluated whose tests run and never call `memuse.profile()`."""

STATE = pytest.StashKey[SessionState]()


def state_of(config: pytest.Config) -> SessionState:
    """Return the session's state; it is there from `pytest_configure` on."""
    return config.stash[STATE]
