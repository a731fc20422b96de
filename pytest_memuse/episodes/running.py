"""Running an arc for the record: every episode in order, over one memory store."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_memuse import __version__
from pytest_memuse.agents.protocol import Agent, EpisodeContext
from pytest_memuse.episodes.host import RecordedMemory
from pytest_memuse.episodes.specs import ArcSpec, EpisodeSpec
from pytest_memuse.episodes.workspace import workspace
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import Actor, MemuseError, Outcome
from pytest_memuse.recording.cassette import recording_http
from pytest_memuse.recording.dialects import conversation
from pytest_memuse.recording.recording import EpisodeStart, Exchange, OutcomeNote, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder

MemoryFactory = Callable[[Path], MemorySystem]
OutcomeCheck = Callable[[EpisodeContext], Outcome | bool | None]


@dataclass(frozen=True, slots=True)
class Runner:
    """What is needed to record an arc: the memory system, the agent, the outcome check, and where files are."""

    memory: MemoryFactory
    agent: Agent
    outcome: OutcomeCheck
    base: Path
    redaction: Redaction


def record_arc(
    suite: str,
    arc: ArcSpec,
    runner: Runner,
    *,
    before: Recording | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Recording:
    """Run an arc's episodes against live endpoints and return its recording; nothing is written.

    Embedding requests that ``before``, the recording to be replaced, already answers are answered by it: the same model
    gives the same vector. An error of the agent, the memory system or the outcome check ends the arc and is raised as
    it is: an arc is whole or it is not a recording. ``progress`` is told each episode as it begins.
    """
    recorder = ArcRecorder(runner.redaction)
    known = [e for e in before.exchanges if e.actor is Actor.EMBEDDING and e.status == 200] if before else []
    store = tempfile.TemporaryDirectory(prefix="memuse-store-", ignore_cleanup_errors=True)
    # A replay makes and closes the system behind the recording, so what that asks over HTTP is recorded too.
    with store as folder, recording_http(recorder, runner.redaction, known):
        with recorder.memory_work():
            memory = runner.memory(Path(folder))
        try:
            for position, episode in enumerate(arc.episodes):
                progress(episode.id)
                _run_episode(arc.id, position, episode, memory, recorder, runner)
            made_with = _fingerprint(memory.identity(), runner)
        finally:
            with recorder.memory_work():
                memory.close()
    return Recording(suite, arc.id, tuple(recorder.events), made_with)


def task_data(episode: EpisodeSpec) -> dict[str, Any]:
    """Return what a recording holds of an episode's task."""
    return {
        "id": episode.id,
        "text": episode.task,
        "digest": episode.digest,
        "references": [fact.model_dump(mode="json") for fact in episode.references],
    }


def _run_episode(
    arc: str, position: int, spec: EpisodeSpec, memory: MemorySystem, recorder: ArcRecorder, runner: Runner
) -> None:
    recorder.start_episode(EpisodeStart(spec.id, position, spec.scope, task_data(spec)))
    begun = len(recorder.events)
    with workspace(spec, runner.base) as folder:
        host = RecordedMemory(memory, recorder, spec.task, spec.scope)
        context = EpisodeContext(arc, spec.id, spec.task, spec.scope, folder, host, spec.data)
        runner.agent(context)
        found = runner.outcome(context)
    outcome = found if isinstance(found, Outcome) else Outcome(found)
    if outcome.success is not None and not isinstance(outcome.success, bool):
        raise MemuseError(
            f"arc {arc!r}, episode {spec.id!r}: the outcome check returned {type(outcome.success).__name__}",
            reason="outcome",
            mend="return True, False, or None where it cannot tell; `bool(...)` makes a truth value of anything else",
        )
    said = conversation([e for e in recorder.events[begun:] if isinstance(e, Exchange) and e.actor is Actor.AGENT])
    if said:
        with recorder.memory_work():
            changes = memory.extract(said, scope=spec.scope)
        recorder.operation("extract", spec.scope, {"messages": said}, changes)
    recorder.end_episode(OutcomeNote(outcome.success, outcome.detail))


def _fingerprint(memory: Mapping[str, str], runner: Runner) -> dict[str, Any]:
    identity = getattr(runner.agent, "identity", None)
    return {
        "product": __version__,
        "recorded": datetime.now(UTC).date().isoformat(),
        "memory": dict(memory),
        "agent": dict(identity()) if callable(identity) else {"name": type(runner.agent).__name__},
    }
