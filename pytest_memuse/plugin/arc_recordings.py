"""Bringing one arc's recording up to date: replayed where there is one, recorded where not, refreshed where stale."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_memuse.episodes.drift import Drift, DriftKind
from pytest_memuse.episodes.progress import Teller
from pytest_memuse.episodes.refreshing import Refreshed, refresh_arc
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import MemoryFactory, Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.options import Settings
from pytest_memuse.profiles.assembling import episode_row
from pytest_memuse.profiles.rows import EpisodeRow
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, recording_path, save_recording
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.reports.refresh import RefreshedArc
from pytest_memuse.spans.building import build_spans


@dataclass(frozen=True, slots=True)
class Brought:
    """One arc's recording as it stands now, and what was done about it.

    ``drift`` is set where it is stale and stays so, ``refreshed`` where it was stale and is not any more.
    """

    recording: Recording
    drift: Drift | None = None
    refreshed: RefreshedArc | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArcRecordings:
    """What recording and replaying the arcs of a suite needs. ``runner`` is called only when something is recorded."""

    suite: str
    settings: Settings
    memory: MemoryFactory
    runner: Callable[[], Runner]
    base: Path
    redaction: Redaction
    progress: Teller
    describe: Callable[[Sequence[Drift]], str]
    around: Callable[[str], AbstractContextManager[None]]

    def bring(self, arc: ArcSpec, place: str) -> Brought:
        """Replay an arc's recording, record or refresh it as the record mode says, and return what that came to.

        Raises `MemuseError` where there is none and none is to be made, or where it is another arc's.
        """
        try:
            return self._brought(arc, self.path(arc), place)
        finally:
            self.progress.end()

    def record(self, arc: ArcSpec, place: str, before: Recording | None = None) -> Recording:
        """Record a whole arc and write it; the old recording stays until the new one is whole."""
        path = self.path(arc)
        attempt = _attempt(path) + 1
        with self.around(arc.id):
            made = record_arc(self.suite, arc, self.runner(), before=before, progress=self._recording(arc, place))
        return _saved(path, made, attempt)

    def path(self, arc: ArcSpec) -> Path:
        return recording_path(self.settings.cassettes, self.suite, arc.id)

    def _brought(self, arc: ArcSpec, path: Path, place: str) -> Brought:
        mode = self.settings.record_mode
        if mode in ("all", "rewrite"):
            return _recorded(self.record(arc, place))
        if not path.exists():
            if mode == "none":
                raise MemuseError(
                    f"suite {self.suite!r}: arc {arc.id!r} has no recording: {path} does not exist",
                    reason="not-recorded",
                    mend="record it with `pytest --memuse-record-mode=once`, which needs the fixtures memuse_agent and "
                    "memuse_outcome and a model",
                )
            return _recorded(self.record(arc, place))
        recording = load_recording(path)
        if recording.arc != arc.id:
            raise MemuseError(
                f"{path}: it is the recording of arc {recording.arc!r} of suite {recording.suite!r}, not of {arc.id!r}",
                reason="another-arc",
                mend="restore the file from version control, or delete it and record with `--memuse-record-mode=once`",
            )
        refresh = mode == "new_episodes"
        drift = replay_arc(
            arc,
            recording,
            self.memory,
            self.redaction,
            base=self.base,
            preview=not refresh,
            progress=self._replaying(arc, place),
            rules=self.settings.matching_rules(),
        )
        if drift.kind is DriftKind.SAME:
            return Brought(recording, notes=tuple(f"{arc.id}: {note}" for note in drift.notes))
        return self._refresh(arc, path, place, recording, drift) if refresh else Brought(recording, drift)

    def _refresh(self, arc: ArcSpec, path: Path, place: str, before: Recording, drift: Drift) -> Brought:
        attempt = int(before.made_with.get("attempt", 1)) + 1
        with self.around(arc.id):
            made: Refreshed = refresh_arc(
                self.suite, arc, before, drift, self.runner(), progress=self._recording(arc, place)
            )
        recording = _saved(path, made.recording, attempt)
        told = RefreshedArc(
            arc=arc.id,
            path=path,
            attempt=attempt,
            kept=made.kept,
            because=self.describe([drift]).splitlines()[0].strip(),
            whole=made.reason,
            before=unjudged_rows(before),
            now=unjudged_rows(recording),
        )
        return replace(_recorded(recording), refreshed=told)

    def _recording(self, arc: ArcSpec, place: str) -> Callable[[str], None]:
        numbers = {episode.id: number for number, episode in enumerate(arc.episodes, 1)}
        return lambda episode: self.progress.recording(arc.id, place, episode, numbers[episode], len(numbers))

    def _replaying(self, arc: ArcSpec, place: str) -> Callable[[str], None]:
        numbers = {episode.id: number for number, episode in enumerate(arc.episodes, 1)}
        return lambda episode: self.progress.replaying(arc.id, place, numbers.get(episode, 0), len(numbers))


def _recorded(recording: Recording) -> Brought:
    """Return a recording that has just been made, with what was kept out of it, by kind and never by value."""
    replaced = recording.made_with.get("redactions")
    if not replaced:
        return Brought(recording)
    told = ", ".join(f"{count} {kind}" for kind, count in replaced.items())
    return Brought(recording, notes=(f"{recording.arc}: secrets replaced: {told}",))


def unjudged_rows(recording: Recording) -> tuple[EpisodeRow, ...]:
    """Return what can be said of a recording's episodes without a judge: deliveries, steps, outcome."""
    return tuple(episode_row(episode, build_spans(episode), {}) for episode in derive_log(recording).episodes)


def _saved(path: Path, made: Recording, attempt: int) -> Recording:
    save_recording(path, replace(made, made_with={**made.made_with, "attempt": attempt}))
    # What is judged is what stands in the file, so that recording and replay give the same figures.
    return load_recording(path)


def _attempt(path: Path) -> int:
    """Return how often the arc was recorded before, 0 where the old recording cannot be read."""
    try:
        return int(load_recording(path).made_with.get("attempt", 1))
    except (OSError, MemuseError, TypeError, ValueError):
        return 0
