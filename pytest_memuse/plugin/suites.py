"""Evaluating a suite: recordings in, profile out. Nothing here is imported before a test asks for its profile."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_memuse.episodes.drift import Drift, DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import MemoryFactory, Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec, SuiteSpec
from pytest_memuse.execution import open_executor
from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.run import judge_episodes
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.plugin.options import Settings
from pytest_memuse.profiles.assembling import creation_ordinals, episode_row
from pytest_memuse.profiles.rows import EpisodeRow, Run
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, recording_path, save_recording
from pytest_memuse.recording.lines import recording_digest
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A suite, evaluated: its rows, the identity of what shaped them, and notes for the terminal."""

    run: Run
    identity: Mapping[str, Any]
    notes: tuple[str, ...]
    episodes: tuple[Episode, ...]


class StaleRecording(MemuseError):
    """Recordings no longer show what the memory system delivers. ``drifts`` tells each arc's first divergence."""

    def __init__(self, message: str, drifts: Sequence[Drift], mend: str) -> None:
        super().__init__(message, reason="stale", mend=mend)
        self.drifts = tuple(drifts)


@dataclass(frozen=True, slots=True)
class SuiteRunner:
    """Everything that evaluating a suite needs. ``runner`` is called only when something is to be recorded."""

    suite: str
    spec: SuiteSpec
    settings: Settings
    memory: MemoryFactory
    runner: Callable[[], Runner]
    judge: Judge
    redaction: Redaction
    progress: Callable[[str], None]
    describe: Callable[[Sequence[Drift]], str]

    def evaluate(self) -> Evaluation:
        """Replay or record every arc, judge it and return the suite's rows.

        Raises `StaleRecording` where recordings drifted and drift fails, `MemuseError` where one is missing.
        """
        recordings: list[Recording] = []
        drifts: list[Drift] = []
        rows: list[EpisodeRow] = []
        episodes: list[Episode] = []
        with open_executor(self.settings.executor) as executor:
            for number, arc in enumerate(self.spec.arcs, 1):
                recording, drift = self._arc(arc, f"{number}/{len(self.spec.arcs)}")
                judged = self._judged(recording, executor)
                if drift is not None:
                    drifts.append(_with_use(drift, [row for row, _ in judged]))
                recordings.append(recording)
                rows += [row for row, _ in judged]
                episodes += [episode for _, episode in judged]
        notes = self._stale(drifts)
        identity = {
            "judge": _judge_identity(self.judge),
            "recordings": {r.arc: recording_digest(r) for r in recordings},
            "recorded_against": ", ".join(dict.fromkeys(r.recorded_against for r in recordings if r.recorded_against)),
            "memory": dict(recordings[-1].made_with.get("memory", {})),
            "agent": dict(recordings[-1].made_with.get("agent", {})),
            "attempts": max((int(r.made_with.get("attempt", 1)) for r in recordings), default=1),
        }
        return Evaluation(Run(self.suite, tuple(rows)), identity, notes, tuple(episodes))

    def _arc(self, arc: ArcSpec, counted: str) -> tuple[Recording, Drift | None]:
        path = recording_path(self.settings.cassettes, self.suite, arc.id)
        mode = self.settings.record_mode
        if mode in ("all", "rewrite"):
            return self._record(arc, path, counted), None
        if not path.exists():
            if mode == "none":
                raise MemuseError(
                    f"suite {self.suite!r}: arc {arc.id!r} has no recording: {path} does not exist",
                    reason="not-recorded",
                    mend="record it with `pytest --memuse-record-mode=once`, which needs the fixtures memuse_agent and "
                    "memuse_outcome and a model",
                )
            return self._record(arc, path, counted), None
        recording = load_recording(path)
        if recording.arc != arc.id:
            raise MemuseError(
                f"{path}: it is the recording of arc {recording.arc!r} of suite {recording.suite!r}, not of {arc.id!r}",
                reason="another-arc",
                mend="restore the file from version control, or delete it and record with `--memuse-record-mode=once`",
            )
        drift = replay_arc(arc, recording, self.memory, self.redaction)
        if drift.kind is DriftKind.SAME:
            return recording, None
        if mode == "new_episodes":
            return self._record(arc, path, counted, before=recording), None
        return recording, drift

    def _record(self, arc: ArcSpec, path: Path, counted: str, before: Recording | None = None) -> Recording:
        def progress(episode: str) -> None:
            self.progress(f"recording {self.suite}/{arc.id} ({counted}): {episode}")

        attempt = _attempt(path) + 1
        made = record_arc(self.suite, arc, self.runner(), before=before, progress=progress)
        made = replace(made, made_with={**made.made_with, "attempt": attempt})
        save_recording(path, made)
        # What is judged is what stands in the file, so that recording and replay give the same figures.
        return load_recording(path)

    def _judged(self, recording: Recording, executor: Executor | None) -> list[tuple[EpisodeRow, Episode]]:
        episodes = derive_log(recording).episodes
        ordinals = creation_ordinals(episodes)
        return [
            (episode_row(episode, judged.spans, judged.judgments, ordinals=ordinals), episode)
            for episode, judged in judge_episodes(self.judge, episodes, executor)
        ]

    def _stale(self, drifts: Sequence[Drift]) -> tuple[str, ...]:
        if not drifts:
            return ()
        told = self.describe(drifts)
        failing = [d for d in drifts if self.settings.drift == "fail" or d.touches_acted_on]
        if self.settings.drift == "warn" or not failing:
            return (told,)
        raise StaleRecording(
            f"suite {self.suite!r}: {len(drifts)} of {len(self.spec.arcs)} recordings are stale: the memory system no "
            f"longer delivers what was recorded\n{told}",
            drifts,
            "undo the change, or record the stale arcs again with `pytest --memuse-record-mode=new_episodes` and "
            "compare with `--memuse-baseline`",
        )


def _judge_identity(judge: Judge) -> dict[str, Any]:
    found = judge.identity
    return {"kind": found.kind, "version": found.version, "model": found.model, "settings": dict(found.settings)}


def _attempt(path: Path) -> int:
    """Return how often the arc was recorded before, 0 where the old recording cannot be read."""
    try:
        return int(load_recording(path).made_with.get("attempt", 1))
    except (OSError, MemuseError, TypeError, ValueError):
        return 0


def _with_use(drift: Drift, rows: Sequence[EpisodeRow]) -> Drift:
    """Say of each difference whether the agent had acted on the recorded entry."""
    acted = {
        f"item {entry.ordinal + 1}": entry.influence == "acted_on"
        for row in rows
        if row.task == drift.episode
        for span in row.spans
        for entry in span.entries
        if entry.ordinal is not None
    }
    return replace(drift, differences=tuple(replace(d, acted_on=acted.get(d.item)) for d in drift.differences))
