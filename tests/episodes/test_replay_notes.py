"""What a replay tells beside its outcome, and memory systems that cannot be made or closed."""

from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from pytest_memuse.episodes.drift import Drift, DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import MemoryFactory, record_arc
from pytest_memuse.model import MemuseError
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Rendered
from pytest_memuse.reports.drift import describe_drifts, together
from tests.episodes.small_world import ARC, DEAD, NoteMemory, live_runner


@pytest.fixture(scope="module")
def recording() -> Recording:
    with live_runner() as runner:
        return record_arc("shop", ARC, runner)


def _replay(recording: Recording, memory: MemoryFactory) -> Drift:
    return replay_arc(ARC, recording, memory, Redaction())


def test_another_identity_with_the_same_deliveries_is_a_note_and_no_drift(recording: Recording) -> None:
    class Renamed(NoteMemory):
        def identity(self) -> Mapping[str, str]:
            return {"name": "notes", "version": "2", "ranker": "none"}

    drift = _replay(recording, lambda folder: Renamed(DEAD))
    assert drift.kind is DriftKind.SAME
    assert drift.notes == (
        "memory ranker: recorded with nothing, it is none now; what it delivers is the same",
        "memory version: recorded with 1, it is 2 now; what it delivers is the same",
    )
    assert _replay(recording, lambda folder: NoteMemory(DEAD)).notes == ()


def test_an_identity_that_raises_is_a_note(recording: Recording) -> None:
    class Nameless(NoteMemory):
        def identity(self) -> Mapping[str, str]:
            raise RuntimeError("no name")

    drift = _replay(recording, lambda folder: Nameless(DEAD))
    assert (drift.kind, len(drift.notes)) == (DriftKind.SAME, 1)
    assert "cannot say its identity: RuntimeError: no name" in drift.notes[0]


def test_recorded_calls_that_are_not_made_any_more_are_noted(recording: Recording) -> None:
    class Lazy(NoteMemory):
        def recall(self, query: str, *, scope: str) -> Rendered:
            return self._rendered(scope, "Notes:\n", with_keys=False)

    drift = _replay(recording, lambda folder: Lazy(DEAD))
    assert drift.kind is DriftKind.SAME
    assert drift.notes[0].startswith(
        "3 recorded calls of the memory system were not made any more, the first of them POST "
    )


def test_a_memory_system_that_cannot_be_made_makes_the_arc_unreplayable(recording: Recording) -> None:
    def broken(folder: Path) -> NoteMemory:
        raise ValueError("no such model")

    drift = _replay(recording, broken)
    assert drift.kind is DriftKind.UNREPLAYABLE
    assert (
        "  port: unreplayable\n    the memory system could not be made: ValueError: no such model"
        in describe_drifts([drift])
    )


def test_a_memory_system_that_lacks_something_here_says_so_itself(recording: Recording) -> None:
    def missing(folder: Path) -> NoteMemory:
        raise MemuseError("mem0 is not installed", reason="missing", mend="pip install it")

    with pytest.raises(MemuseError, match="mem0 is not installed"):
        _replay(recording, missing)


def test_a_memory_system_that_cannot_be_closed_makes_the_arc_unreplayable(recording: Recording) -> None:
    class Stuck(NoteMemory):
        def close(self) -> None:
            raise OSError("the store is locked")

    drift = _replay(recording, lambda folder: Stuck(DEAD))
    assert (drift.kind, drift.reason) == (
        DriftKind.UNREPLAYABLE,
        "the memory system could not be closed: OSError: the store is locked",
    )
    lost = _replay(recording, lambda folder: Stuck(DEAD, forgets=True))
    assert lost.kind is DriftKind.DIFFERENT


def test_what_it_asks_when_it_is_made_must_have_been_recorded_too(recording: Recording) -> None:
    def checked(folder: Path) -> NoteMemory:
        httpx.post(f"{DEAD}/models", json={}, verify=False)
        return NoteMemory(DEAD)

    drift = _replay(recording, checked)
    assert (drift.kind, drift.episode, drift.since) == (DriftKind.UNREPLAYABLE, "plant", "plant")
    assert "asks what was not recorded" in drift.reason


def test_a_tool_that_cannot_be_offered_makes_the_recording_stale(recording: Recording) -> None:
    class Toolless(NoteMemory):
        def tool(self) -> None:
            raise RuntimeError("no schema")

    drift = _replay(recording, lambda folder: Toolless(DEAD))
    assert (drift.kind, drift.since) == (DriftKind.DIFFERENT, "plant")
    assert drift.reason == "the memory tool that is offered has changed: it raises RuntimeError: no schema"


def test_a_note_of_several_arcs_is_told_once() -> None:
    notes = [f"arc-{n}: the same" for n in range(5)] + ["arc-1: another: with a colon"]
    assert together(notes) == [
        "note, arc-0, arc-1, arc-2 and 2 more arcs: the same",
        "note, arc-1: another: with a colon",
    ]
