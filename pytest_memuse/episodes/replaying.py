"""Replaying an arc's memory operations against the memory system as it stands, all HTTP answered by the recording."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_memuse.episodes.drift import Drift, DriftKind
from pytest_memuse.episodes.replay_pass import ReplayPass
from pytest_memuse.episodes.running import MemoryFactory
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.episodes.task_changes import first_changed_episode
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model.errors import MemuseError, printable
from pytest_memuse.recording.cassette import Playback, playing_http
from pytest_memuse.recording.matching import DEFAULT_RULES, MatchingRule
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction


def replay_arc(
    arc: ArcSpec,
    recording: Recording,
    memory: MemoryFactory,
    redaction: Redaction,
    *,
    base: Path | None = None,
    preview: bool = False,
    progress: Callable[[str], None] = lambda _: None,
    rules: Sequence[MatchingRule] = DEFAULT_RULES,
) -> Drift:
    """Run an arc's recorded memory operations in order against a fresh memory system and compare what it delivers.

    Ends at the first divergence, or with ``preview`` goes on behind it and tells what the rest of the arc comes to.
    Identifiers that the system makes at random are compared by their order of creation. Nothing reaches the network; a
    request that the recording does not hold makes the arc unreplayable there, and so does a memory system that cannot
    be made or closed. ``base`` is the folder that the episodes' files are taken from; without it their content is not
    compared. ``progress`` is told each episode as it begins. ``rules`` say what may vary in requests and deliveries.
    """
    changed = first_changed_episode(arc, recording, base)
    if changed is not None:
        return Drift(DriftKind.CHANGED_TASK, arc.id, changed.episode, reason=changed.reason, since=changed.episode)
    store = tempfile.TemporaryDirectory(prefix="memuse-store-", ignore_cleanup_errors=True)
    with store as folder, playing_http(recording, redaction, rules) as playback:
        try:
            system = memory(Path(folder))
        except MemuseError:
            raise  # It says what is missing here and how to mend it; no recording is stale for that.
        except Exception as error:
            return _unusable(arc, "made", error, redaction)
        drift = Drift(DriftKind.SAME, arc.id)
        try:
            run = ReplayPass(recording, system, playback, redaction)
            drift = run.to_first_divergence(progress)
            if preview and drift.kind is not DriftKind.SAME:
                drift = replace(drift, preview=run.preview())
            elif drift.kind is DriftKind.SAME:
                drift = replace(drift, notes=tuple(_identity_changes(recording, system, redaction)))
        finally:
            failure = _closed(system)
        if drift.kind is not DriftKind.SAME:
            return drift
        if failure is not None:
            return _unusable(arc, "closed", failure, redaction)
        return replace(drift, notes=(*drift.notes, *_unused(playback)))


def _closed(system: MemorySystem) -> Exception | None:
    try:
        system.close()
    except Exception as error:
        return error
    return None


def _unusable(arc: ArcSpec, what: str, error: Exception, redaction: Redaction) -> Drift:
    problem = printable(redaction.text(str(error)), 200)
    told = f"the memory system could not be {what}: {type(error).__name__}: {problem}"
    return Drift(DriftKind.UNREPLAYABLE, arc.id, reason=told)


def _identity_changes(recording: Recording, system: MemorySystem, redaction: Redaction) -> Iterator[str]:
    """Tell where the system calls itself otherwise than it did; what it delivers is the same all the same."""
    recorded = recording.made_with.get("memory")
    if not isinstance(recorded, Mapping):
        return
    try:
        now = redaction.value({str(name): str(value) for name, value in system.identity().items()})
    except Exception as error:
        problem = printable(redaction.text(str(error)), 200)
        yield f"the memory system cannot say its identity: {type(error).__name__}: {problem}"
        return
    for name in sorted({*recorded, *now}):
        then, here = recorded.get(name), now.get(name)
        if str(then) != str(here):
            yield f"memory {name}: recorded with {_said(then)}, it is {_said(here)} now; what it delivers is the same"


def _unused(playback: Playback) -> Iterator[str]:
    """Tell of recorded calls that the memory system does not make any more."""
    unused = playback.unused
    if unused:
        first = f"{unused[0].method} {printable(unused[0].uri, 80)}"
        yield f"{len(unused)} recorded calls of the memory system were not made any more, the first of them {first}"


def _said(value: object) -> str:
    return "nothing" if value is None else printable(str(value), 60)
