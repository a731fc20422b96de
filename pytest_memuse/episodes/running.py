"""Running an arc for the record: every episode in order, over one memory store."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_memuse import __version__
from pytest_memuse.agents.protocol import Agent, EpisodeContext
from pytest_memuse.episodes.files_digest import FileDigests
from pytest_memuse.episodes.host import RecordedMemory, capture_store
from pytest_memuse.episodes.specs import ArcSpec, EpisodeSpec
from pytest_memuse.episodes.workspace import workspace
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import Actor, MemuseError, Outcome
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.cassette import recording_http
from pytest_memuse.recording.dialects import conversation
from pytest_memuse.recording.matching import DEFAULT_RULES, MatchingRule, rules_as_data
from pytest_memuse.recording.meter import Meter
from pytest_memuse.recording.observers import BlockObserver, ToolResultObserver, observer_note
from pytest_memuse.recording.recording import EpisodeStart, Exchange, OutcomeNote, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder

if TYPE_CHECKING:
    from pytest_memuse.recording.passthrough import PassThrough

MemoryFactory = Callable[[Path], MemorySystem]
OutcomeCheck = Callable[[EpisodeContext], Outcome | bool | None]


@dataclass(frozen=True, slots=True)
class Runner:
    """What is needed to record an arc: the memory system, the agent, the outcome check, and where files are.

    ``meter`` is asked before every call and every episode, and may end the recording. ``observers`` look at the
    recording whenever it is read, for memory that reaches the agent by another way than the memory system.
    ``endpoint`` makes the pass-through that agents of other processes are pointed at; without it there is none.
    ``rules`` say what may vary in requests that are the same.
    """

    memory: MemoryFactory
    agent: Agent
    outcome: OutcomeCheck
    base: Path
    redaction: Redaction
    meter: Meter | None = None
    observers: tuple[BlockObserver | ToolResultObserver, ...] = ()
    endpoint: "Callable[[ArcRecorder], PassThrough] | None" = None
    rules: Sequence[MatchingRule] = DEFAULT_RULES


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
    recorder = new_recorder(runner)
    store = tempfile.TemporaryDirectory(prefix="memuse-store-", ignore_cleanup_errors=True)
    # A replay makes and closes the system behind the recording, so what that asks over HTTP is recorded too.
    with (
        store as folder,
        endpoint_of(runner, recorder) as endpoint,
        recording_http(recorder, runner.redaction, embeddings_of(before), runner.rules, direct=addresses_of(endpoint)),
    ):
        with recorder.memory_work():
            memory = runner.memory(Path(folder))
        made_with = run_episodes(arc, 0, memory, recorder, runner, progress, endpoint)
    return recorder.recording(suite, arc.id, made_with)


def new_recorder(runner: Runner) -> ArcRecorder:
    """Return a recorder for one arc, under the runner's budget."""
    recorder = ArcRecorder(runner.redaction)
    recorder.meter = runner.meter
    for observer in runner.observers:
        recorder.note(observer_note(observer))
    return recorder


def endpoint_of(runner: Runner, recorder: ArcRecorder) -> "AbstractContextManager[PassThrough | None]":
    """Return the pass-through of one arc, to be entered; without one, what is entered is None."""
    return nullcontext() if runner.endpoint is None else runner.endpoint(recorder)


def addresses_of(endpoint: "PassThrough | None") -> tuple[str, ...]:
    """Return the addresses that are recorded by the pass-through itself and must not be recorded in the process too."""
    return () if endpoint is None else endpoint.addresses


def embeddings_of(before: Recording | None) -> list[Exchange]:
    """Return the embedding requests that a recording answers: the same model gives the same vector."""
    if before is None:
        return []
    return [e for e in before.exchanges if e.actor is Actor.EMBEDDING and e.status == 200]


def run_episodes(
    arc: ArcSpec,
    first: int,
    memory: MemorySystem,
    recorder: ArcRecorder,
    runner: Runner,
    progress: Callable[[str], None],
    endpoint: "PassThrough | None" = None,
) -> dict[str, Any]:
    """Run an arc's episodes from the one at position ``first`` on, close the memory; return what made the recording."""
    digests = FileDigests(runner.base)
    try:
        for position, episode in enumerate(arc.episodes[first:], first):
            if runner.meter is not None:
                runner.meter.allow()
            progress(episode.id)
            _run_episode(arc.id, position, episode, memory, recorder, runner, digests, endpoint)
        made_with = _fingerprint(memory.identity(), runner)
        return made_with if endpoint is None else {**made_with, "upstreams": dict(endpoint.upstreams)}
    finally:
        with recorder.memory_work():
            memory.close()


def task_data(episode: EpisodeSpec, files_digest: str | None = None) -> dict[str, Any]:
    """Return what a recording holds of an episode's task; ``files_digest`` stands for the content of its files."""
    data: dict[str, Any] = {
        "id": episode.id,
        "text": episode.task,
        "digest": episode.digest,
        "references": [fact.model_dump(mode="json") for fact in episode.references],
    }
    return data if files_digest is None else {**data, "files_digest": files_digest}


def _run_episode(
    arc: str,
    position: int,
    spec: EpisodeSpec,
    memory: MemorySystem,
    recorder: ArcRecorder,
    runner: Runner,
    digests: FileDigests,
    endpoint: "PassThrough | None",
) -> None:
    files = digests.of(spec.files) if spec.files is not None else None
    recorder.start_episode(EpisodeStart(spec.id, position, spec.scope, task_data(spec, files)))
    begun = len(recorder.events)
    bridge = Bridge(recorder, spec.scope)
    capture_store(memory, bridge, spec.scope)
    with workspace(spec, runner.base) as folder:
        host = RecordedMemory(memory, bridge, spec.task, spec.scope)
        context = EpisodeContext(arc, spec.id, spec.task, spec.scope, folder, host, spec.data, bridge)
        if endpoint is not None:
            pointed = endpoint.environment(os.environ)
            context = replace(context, base_url=endpoint.base_url, environment=pointed)
        with nullcontext() if endpoint is None else endpoint.serving(host):
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
        with bridge.work():
            changes = memory.extract(said, scope=spec.scope)
        bridge.report("extract", {"messages": said}, changes)
    capture_store(memory, bridge, spec.scope)
    recorder.end_episode(OutcomeNote(outcome.success, outcome.detail))


def _fingerprint(memory: Mapping[str, str], runner: Runner) -> dict[str, Any]:
    identity = getattr(runner.agent, "identity", None)
    matching = rules_as_data(runner.rules)
    return {
        "product": __version__,
        "recorded": datetime.now(UTC).date().isoformat(),
        "memory": dict(memory),
        "agent": dict(identity()) if callable(identity) else {"name": type(runner.agent).__name__},
        **({"matching": matching} if matching else {}),
    }
