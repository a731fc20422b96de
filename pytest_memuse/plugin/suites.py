"""Evaluating a suite: recordings in, profile out. Nothing here is imported before a test asks for its profile."""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from pytest_memuse.episodes.budget import BudgetUsedUp
from pytest_memuse.episodes.drift import Drift
from pytest_memuse.episodes.progress import LINE_EVERY, Progress, Told
from pytest_memuse.episodes.running import MemoryFactory, Runner
from pytest_memuse.episodes.specs import ArcSpec, SuiteSpec
from pytest_memuse.execution import open_executor
from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.run import EpisodesJudge, Lines, judge_episodes
from pytest_memuse.model import Episode
from pytest_memuse.plugin.arc_recordings import ArcRecordings, Brought
from pytest_memuse.plugin.every_arc import every_arc
from pytest_memuse.plugin.judge_usage import spent_so_far, usage_notes
from pytest_memuse.plugin.judgment_records import check_judged
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.suite_ends import StaleRecording, stopped
from pytest_memuse.plugin.suite_identity import baselines_of
from pytest_memuse.plugin.uses import with_use
from pytest_memuse.profiles.assembling import creation_ordinals, episode_row
from pytest_memuse.profiles.rows import EpisodeRow, RowOutcome, Run
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import recording_path
from pytest_memuse.recording.lines import recording_digest
from pytest_memuse.recording.made_with import combined_identity, recorded_against
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.reports.drift import together
from pytest_memuse.reports.refresh import refresh_lines
from pytest_memuse.spans import SpanOutcome


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A suite, evaluated: its rows, the identity of what shaped them, and notes for the terminal."""

    run: Run
    identity: Mapping[str, Any]
    notes: tuple[str, ...]
    episodes: tuple[Episode, ...]


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
    say: Callable[[Told], None]
    describe: Callable[[Sequence[Drift]], str]
    base: Path
    root: Path
    terminal: bool = False
    around: Callable[[str], AbstractContextManager[None]] = lambda arc: nullcontext()
    """Entered around the recording of each arc, with the arc's name."""

    def record(self, name: str) -> None:
        """Record the arc of that name anew; nothing is judged."""
        arc = next(arc for arc in self.spec.arcs if arc.id == name)
        self._recordings().record(arc, name)

    def evaluate(self) -> Evaluation:
        """Replay or record every arc, judge it and return the suite's rows.

        Raises `StaleRecording` where recordings drifted and drift fails, `MemuseError` where one is missing or a budget
        is used up, and `Interrupted`; the recordings of the arcs before are whole then.
        """
        recordings = self._recordings()
        counts = [self._to_record(arc) for arc in self.spec.arcs]
        progress = self._progress(counts)
        found: dict[int, Brought] = {}
        with open_executor(self.settings.executor) as executor:
            try:
                for number, one in every_arc(replace(recordings, progress=progress), self.spec.arcs, counts, progress):
                    found[number] = one
                progress.close()
                brought = [found[number] for number in sorted(found)]
                before = spent_so_far(self.judge)
                judged = self._judged([one.recording for one in brought], executor)
            except (KeyboardInterrupt, BudgetUsedUp) as stop:
                raise stopped(stop, self.suite, len(found), len(self.spec.arcs), self.settings) from stop
        pairs = [pair for of_arc in judged for pair in of_arc]
        drifts = [
            with_use(one.drift, [row for row, _ in of_arc])
            for one, of_arc in zip(brought, judged, strict=True)
            if one.drift is not None
        ]
        notes = (
            *self._stale(drifts),
            *self._unjudged([row for row, _ in pairs]),
            *usage_notes(self.suite, self.judge, before),
            *self._refreshes(brought),
            *together([note for one in brought for note in one.notes]),
        )
        run = Run(self.suite, tuple(row for row, _ in pairs))
        identity = self._identity([one.recording for one in brought])
        return Evaluation(run, identity, notes, tuple(episode for _, episode in pairs))

    def judge_recordings(self, recordings: Sequence[Recording]) -> Evaluation:
        """Judge recordings as they are; nothing is replayed."""
        before = spent_so_far(self.judge)
        with open_executor(self.settings.executor) as executor:
            judged = [pair for of_arc in self._judged(recordings, executor) for pair in of_arc]
        run = Run(self.suite, tuple(row for row, _ in judged))
        notes = (*self._unjudged([row for row, _ in judged]), *usage_notes(self.suite, self.judge, before))
        return Evaluation(run, self._identity(recordings), notes, tuple(episode for _, episode in judged))

    def _identity(self, recordings: Sequence[Recording]) -> dict[str, Any]:
        return {
            "judge": self.judge.identity.to_data(),
            "recordings": {r.arc: recording_digest(r) for r in recordings},
            "recorded_against": recorded_against(recordings),
            "memory": combined_identity(recordings, "memory"),
            "agent": combined_identity(recordings, "agent"),
            "attempts": max((int(r.made_with.get("attempt", 1)) for r in recordings), default=1),
            "extra": {},
        }

    def _progress(self, counts: Sequence[Mapping[str, int]]) -> Progress:
        return Progress(
            self.suite,
            self.say,
            time.monotonic,
            terminal=self.terminal,
            to_record=sum(count["certain"] for count in counts),
            perhaps=sum(count["perhaps"] for count in counts),
            jobs=min(self.settings.jobs, len(self.spec.arcs)),
        )

    def _recordings(self) -> ArcRecordings:
        return ArcRecordings(
            suite=self.suite,
            settings=self.settings,
            memory=self.memory,
            runner=self.runner,
            base=self.base,
            redaction=self.redaction,
            progress=self._progress(()),
            describe=self.describe,
            around=self.around,
        )

    def _to_record(self, arc: ArcSpec) -> dict[str, int]:
        """Return how many of an arc's episodes are certain to be recorded, and how many are if the arc is stale."""
        mode, episodes = self.settings.record_mode, len(arc.episodes)
        there = recording_path(self.settings.cassettes, self.suite, arc.id).exists()
        certain = mode in ("all", "rewrite") or (mode != "none" and not there)
        perhaps = mode == "new_episodes" and there
        return {"certain": episodes if certain else 0, "perhaps": episodes if perhaps else 0}

    def _refreshes(self, brought: Sequence[Brought]) -> list[str]:
        refreshed = [b.refreshed for b in brought if b.refreshed is not None]
        baselines = baselines_of(self.settings.baselines, self.suite) if refreshed else ()
        return refresh_lines(self.suite, refreshed, len(self.spec.arcs), baselines=baselines, root=self.root)

    def _judged(
        self, recordings: Sequence[Recording], executor: Executor | None
    ) -> list[list[tuple[EpisodeRow, Episode]]]:
        """Return the rows and episodes of each recording; all are judged together, under one limit."""
        arcs = [derive_log(recording).episodes for recording in recordings]
        told: list[str] = []

        def say(text: str) -> None:
            told.append(text)
            self.say(Told(f"{self.suite}: {text}", passing=self.terminal))

        lines = Lines(say, 0.5 if self.terminal else LINE_EVERY, time.monotonic)
        found = judge_episodes(self.judge, chain.from_iterable(arcs), executor, lines)
        rows: list[list[tuple[EpisodeRow, Episode]]] = []
        left: Counter[str] = Counter()
        eligible = 0
        for recording, episodes in zip(recordings, arcs, strict=True):
            ordinals = creation_ordinals(episodes)
            of_arc = []
            for episode, judged in islice(found, len(episodes)):
                asked = [span.id for span in judged.spans if span.outcome is SpanOutcome.ELIGIBLE]
                eligible += len(asked)
                left[recording.arc] += sum(name not in judged.judgments for name in asked)
                row = episode_row(episode, judged.spans, judged.judgments, ordinals=ordinals, reasons=judged.reasons)
                of_arc.append((row, episode))
            rows.append(of_arc)
        deque(found, maxlen=0)  # What ends the run of a judge comes after its last episode.
        if told and self.terminal:
            self.say(Told("", passing=False))
        check_judged(left, eligible, self.settings, self.suite, self.judge)
        return rows

    def _unjudged(self, rows: Sequence[EpisodeRow]) -> tuple[str, ...]:
        left = sum(span.outcome is RowOutcome.UNJUDGED for row in rows for span in row.spans)
        if not left or not isinstance(self.judge, EpisodesJudge):
            return ()
        return (f"suite {self.suite!r}: {left} spans are left unjudged: {self.judge.stopped}",)

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
