"""Refreshing a stale recording: what stands before the first divergence is kept, the rest is recorded anew.

The kept episodes' memory operations are replayed into a fresh memory system, whose HTTP the old recording answers, so
that its store is what it was at the junction; from there on the agent runs live. The kept events stay as they were
recorded. An episode after which only the extraction differs is recorded anew as a whole: an agent and the memories
taken from it belong to one run.
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_memuse.episodes.drift import Drift, DriftKind
from pytest_memuse.episodes.replay_pass import ReplayPass
from pytest_memuse.episodes.running import (
    Runner,
    addresses_of,
    embeddings_of,
    endpoint_of,
    new_recorder,
    record_arc,
    run_episodes,
)
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.episodes.task_changes import first_changed_episode
from pytest_memuse.model.errors import printable
from pytest_memuse.recording.cassette import playing_http, recording_http
from pytest_memuse.recording.recording import EpisodeStart, Event, ItemNames, OutcomeNote, Recording


@dataclass(frozen=True, slots=True)
class Refreshed:
    """A refreshed recording. ``kept`` are the episodes that stay as they were, ``recorded`` those that ran anew.

    ``reason`` says why the whole arc was recorded although a part might have been kept; empty otherwise.
    """

    recording: Recording
    kept: tuple[str, ...]
    recorded: tuple[str, ...]
    reason: str = ""


class _Diverged(Exception):
    """The kept episodes did not replay as they were recorded."""

    def __init__(self, episode: str, reason: str) -> None:
        super().__init__(reason)
        self.episode = episode
        self.reason = reason


def refresh_arc(
    suite: str,
    arc: ArcSpec,
    before: Recording,
    drift: Drift,
    runner: Runner,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> Refreshed:
    """Record an arc anew from its first divergence on, which ``drift`` tells; nothing is written.

    Where no episode can be kept, or the kept ones do not replay a second time as they did the first, the whole arc is
    recorded. Errors are raised as `record_arc` raises them.
    """
    keep = _kept_episodes(arc, before, drift, runner.base)
    try:
        if keep and drift.kind is DriftKind.CHANGED_TASK:
            # An edited task was found before anything was replayed; the memory system may differ earlier still.
            keep = _held_episodes(before, keep, runner)
        if keep:
            return _from(keep, suite, arc, before, runner, progress)
        reason = ""
    except _Diverged as diverged:
        reason = f"episode {diverged.episode} did not replay as it had just before: {diverged.reason}"
    recording = record_arc(suite, arc, runner, before=before, progress=progress)
    return Refreshed(recording, (), tuple(episode.id for episode in arc.episodes), reason)


def kept_events(recording: Recording, episodes: int) -> tuple[Event, ...]:
    """Return the events of the first episodes, and what came before them."""
    starts = [index for index, event in enumerate(recording.events) if isinstance(event, EpisodeStart)]
    if episodes < len(starts):
        return recording.events[: starts[episodes]]
    # What follows the last episode's outcome is the closing of a store that goes on now.
    ends = [index for index, event in enumerate(recording.events) if isinstance(event, OutcomeNote)]
    return recording.events[: ends[-1] + 1] if ends else recording.events


def _kept_episodes(arc: ArcSpec, before: Recording, drift: Drift, base: Path) -> int:
    """Return how many episodes stand before the first that differs in its task or in what the memory system does."""
    if not _each_ended(before):
        return 0
    changed = first_changed_episode(arc, before, base)
    same_tasks = len(arc.episodes) if changed is None else changed.position
    if drift.kind is DriftKind.CHANGED_TASK:
        return same_tasks
    places = {episode.id: position for position, episode in enumerate(before.episodes)}
    return min(places.get(drift.since, 0), same_tasks)


def _each_ended(before: Recording) -> bool:
    """Return whether every episode of a recording has its outcome, and so an end that another can follow."""
    ends = [type(event) for event in before.events if isinstance(event, (EpisodeStart, OutcomeNote))]
    return ends == [EpisodeStart, OutcomeNote] * len(before.episodes)


def _held_episodes(before: Recording, keep: int, runner: Runner) -> int:
    """Return how many of the first episodes still replay as they were recorded."""
    prefix = _prefix(before, keep)
    store = tempfile.TemporaryDirectory(prefix="memuse-store-", ignore_cleanup_errors=True)
    with store as folder, playing_http(prefix, runner.redaction, runner.rules) as playback:
        system = runner.memory(Path(folder))
        try:
            replay = ReplayPass(prefix, system, playback, runner.redaction)
            drift = replay.to_first_divergence()
        finally:
            system.close()
    since = drift.since or replay.since
    if drift.kind is DriftKind.SAME and replay.held:
        return keep
    return next((n for n, episode in enumerate(before.episodes) if episode.id == since), 0)


def _from(
    keep: int,
    suite: str,
    arc: ArcSpec,
    before: Recording,
    runner: Runner,
    progress: Callable[[str], None],
) -> Refreshed:
    prefix = _prefix(before, keep)
    recorder = new_recorder(runner)
    store = tempfile.TemporaryDirectory(prefix="memuse-store-", ignore_cleanup_errors=True)
    with store as folder, endpoint_of(runner, recorder) as endpoint:
        with playing_http(prefix, runner.redaction, runner.rules) as playback:
            memory = runner.memory(Path(folder))
            try:
                replay = ReplayPass(prefix, memory, playback, runner.redaction)
                _require_same(replay, replay.to_first_divergence())
            except BaseException:
                memory.close()
                raise
        observers = [event for event in recorder.events if event not in prefix.events]
        recorder.go_on_from([*prefix.events, *observers, *_junction(prefix, replay.stores.first_names())])
        known = embeddings_of(before)
        with recording_http(recorder, runner.redaction, known, runner.rules, direct=addresses_of(endpoint)):
            made_with = run_episodes(arc, keep, memory, recorder, runner, progress, endpoint)
    made_with["kept"] = _kept_fingerprints(before, keep)
    names = tuple(episode.id for episode in arc.episodes)
    return Refreshed(recorder.recording(suite, arc.id, made_with), names[:keep], names[keep:])


def _prefix(before: Recording, keep: int) -> Recording:
    return Recording(before.suite, before.arc, kept_events(before, keep), before.made_with)


def _require_same(replay: ReplayPass, drift: Drift) -> None:
    if drift.kind is not DriftKind.SAME or not replay.held:
        raise _Diverged(drift.episode or replay.since, printable(drift.reason or drift.kind.value, 200))


def _junction(prefix: Recording, names: Mapping[str, str]) -> tuple[ItemNames, ...]:
    """Return what the items of the rebuilt store are called in the kept events; nothing where they are called alike."""
    renamed = any(isinstance(event, ItemNames) for event in prefix.events)
    if not renamed and all(item == first for item, first in names.items()):
        return ()
    return (ItemNames(dict(names)),)


def _kept_fingerprints(before: Recording, keep: int) -> list[dict[str, Any]]:
    """Return what made the kept episodes, each part with the number of episodes that it reaches to."""
    own = {name: value for name, value in before.made_with.items() if name not in ("kept", "attempt")}
    earlier = before.made_with.get("kept", [])
    parts: list[dict[str, Any]] = []
    for part in [*(earlier if isinstance(earlier, list) else []), {**own, "episodes": len(before.episodes)}]:
        if not isinstance(part, dict) or not isinstance(part.get("episodes"), int):
            continue
        reaches = min(part["episodes"], keep)
        if not parts or reaches > parts[-1]["episodes"]:
            parts.append({**part, "episodes": reaches})
    return parts
