"""Fixtures for memory that no adapter carries: the bridge for a test that runs its own episodes, and observers."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memuse.plugin.noting import observer_of
from pytest_memuse.plugin.state import state_of

if TYPE_CHECKING:
    from pytest_memuse.episodes.own_recording import OwnRecording
    from pytest_memuse.judging.answers import Judge
    from pytest_memuse.model.log import EventLog
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.recording.bridge import Bridge
    from pytest_memuse.recording.observers import BlockObserver, ToolResultObserver


_PRICES = "LITELLM_LOCAL_MODEL_COST_MAP"
"""LiteLLM fetches a list of prices when it is first imported unless this says that it has one; which test of a session
that is must not decide what a recording holds."""


@pytest.fixture(scope="session")
def memuse_observers() -> "Sequence[BlockObserver | ToolResultObserver]":
    """Return the observers that look at a suite's recordings; none unless overridden (docs/adapters.md)."""
    return ()


class MemuseBridge:
    """What the `memuse_bridge` fixture gives a test: its episodes, recorded or replayed, and what they come to."""

    def __init__(self, recording: "OwnRecording", request: pytest.FixtureRequest) -> None:
        self._recording = recording
        self._request = request

    def episode(
        self, task: str, *, scope: str = "", id: str = "", references: Sequence[Mapping[str, Any]] = ()
    ) -> "AbstractContextManager[Bridge]":
        """Bracket one episode; HTTP inside it is recorded, or answered from the test's recording.

        Gives the bridge (`pytest_memuse.recording.bridge.Bridge`) through which the test says what is memory.
        """
        return self._recording.episode(task, scope=scope, id=id, references=references)

    @property
    def bridge(self) -> "Bridge":
        """The bridge, also between episodes."""
        return self._recording.bridge

    def log(self) -> "EventLog":
        """Return the event log of the episodes so far."""
        return self._recording.log()

    def profile(self) -> "Profile":
        """Judge the episodes so far and return their profile."""
        from pytest_memuse.episodes.own_recording import SUITE
        from pytest_memuse.judging.run import judge_episodes
        from pytest_memuse.profiles.assembling import creation_ordinals, episode_row
        from pytest_memuse.profiles.profile import Profile
        from pytest_memuse.profiles.rows import Run

        judge: Judge = self._request.getfixturevalue("memuse_judge")
        episodes = self.log().episodes
        ordinals = creation_ordinals(episodes)
        rows = tuple(
            episode_row(episode, judged.spans, judged.judgments, ordinals=ordinals, reasons=judged.reasons)
            for episode, judged in judge_episodes(judge, episodes, None)
        )
        return Profile.of(Run(SUITE, rows), observer_of(self._request.node))


@pytest.fixture
def memuse_bridge(request: pytest.FixtureRequest) -> Iterator[MemuseBridge]:
    """Record the HTTP and the memory of a test that runs its agent itself, or answer it from the test's recording.

    The recording is a file of its own in the cassettes folder, named after the test; ``--memuse-record-mode`` says
    what becomes of it.
    """
    from pytest_memuse.episodes.own_recording import SUITE, OwnRecording
    from pytest_memuse.plugin.live import spending_of
    from pytest_memuse.recording.files import recording_path

    settings = state_of(request.config).settings
    name = _name_of(request.node)
    recording = OwnRecording(
        recording_path(settings.cassettes, SUITE, name),
        name,
        settings.record_mode,
        request.getfixturevalue("memuse_redaction"),
        meter=spending_of(request.config),
        rules=state_of(request.config).settings.matching_rules(),
    )
    with pytest.MonkeyPatch.context() as patch:
        if _PRICES not in os.environ:
            patch.setenv(_PRICES, "True")
        yield MemuseBridge(recording, request)
    recording.finish()


def _name_of(item: pytest.Item) -> str:
    """Return the name of a test, which is the same however the session is distributed."""
    name = str(item.nodeid)
    group = item.get_closest_marker("xdist_group")
    if group is None:
        return name
    # Where workers take whole groups, pytest-xdist puts the group's name behind the test's.
    told = group.args[0] if group.args else group.kwargs.get("name", "default")
    return name.removesuffix(f"@{told}")
