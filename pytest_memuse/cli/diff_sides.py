"""The two sides of `memuse diff`: a stored baseline, the last run, or the recordings as they are."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pytest_memuse import __version__
from pytest_memuse.cli.reading import judged
from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, SuiteBaseline
from pytest_memuse.gate.saved_runs import last_path
from pytest_memuse.gate.store import AT_COMMIT, baseline_path, read_baseline
from pytest_memuse.judging.answers import Judge, JudgeIdentity
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.model.errors import MemuseError, inert, nearest, printable
from pytest_memuse.profiles.rows import Run
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, recording_path, safe_name
from pytest_memuse.recording.lines import recording_digest
from pytest_memuse.recording.made_with import combined_identity, recorded_against, settings_text
from pytest_memuse.recording.recording import Recording
from pytest_memuse.storage import inside

_CHECKED = 100
"""Arcs up to which the recordings on disk are looked at to see whether a run is older than they are."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its suites, what it is called, and where it comes from.

    ``baseline`` is the whole of a stored file, which another suite can be put into. ``writable`` says that a change can
    be stored in it; ``accepted_whole`` that it is a run that pytest evaluated. ``notes`` are lines on a suite.
    """

    baseline: Baseline
    name: str
    writable: bool = False
    accepted_whole: bool = False
    dated: bool = True
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def suites(self) -> Mapping[str, SuiteBaseline]:
        """The suites by name."""
        return self.baseline.suites

    def told(self, suite: str) -> str:
        """Return what this side is, for the first line of a diff."""
        created = self.suites[suite].created
        return f"{self.name}, of {printable(created, 20)}" if created and self.dated else self.name


def baseline_side(folder: Path, name: str) -> Side:
    """Return the side that a baseline's name, path or revision gives. Raises `BaselineError` or `GitError`."""
    at_commit = name.startswith(AT_COMMIT)
    stored = read_baseline(folder, name)
    where = "" if at_commit or name.endswith(".json") else f" ({inert(str(baseline_path(folder, name)), 120)})"
    return Side(stored, f"baseline {inert(name, 120)}{where}", writable=not at_commit)


def current_side(options: argparse.Namespace, stored: Side) -> Side:
    """Return what is set against the baseline. Raises `MemuseError` where there is nothing, or it cannot be read."""
    if options.now and options.recordings:
        raise MemuseError(
            f"{printable(options.now)!r} and --recordings are two answers to what is compared",
            reason="usage",
            mend="give one of the two",
        )
    if options.now:
        found = baseline_side(options.baselines, options.now)
        return Side(found.baseline, found.name, accepted_whole=True, notes=_outdated(found.baseline, options.cassettes))
    last = last_path(Path())
    if last.is_file() and not options.recordings:
        run = read_baseline(last.parent, str(last))
        notes = _outdated(run, options.cassettes)
        return Side(run, f"the last pytest run ({last})", accepted_whole=True, notes=notes)
    suites = list(stored.suites) if options.suite is None else [options.suite]
    return _recorded(options.cassettes, suites, stored)


def common_suites(stored: Side, current: Side, wanted: str | None) -> list[str]:
    """Return the suites to compare. Raises `MemuseError` where there is none, or not the one that is wanted."""
    if wanted is not None:
        for side in (stored, current):
            if wanted not in side.suites:
                raise MemuseError(
                    f"{side.name} holds no suite {printable(wanted)!r}, but {_listed(side)}"
                    f"{nearest(wanted, side.suites)}",
                    reason="no-suite",
                    mend="name a suite of both sides; a suite that ran in part is in no run that is kept",
                )
        return [wanted]
    common = [suite for suite in stored.suites if suite in current.suites]
    if not common:
        raise MemuseError(
            f"{stored.name} holds {_listed(stored)}, {current.name} holds {_listed(current)}: no suite is in both",
            reason="no-suite",
            mend="run the baseline's suites with pytest, whole, and compare again",
        )
    return common


def outdated_arcs(run: SuiteBaseline, cassettes: Path) -> list[str]:
    """Return the arcs of a run whose recording on disk is another one than the run was made from, or is not there."""
    return [arc for arc, digest in run.recordings.items() if _digest(cassettes, run.run.suite, arc) != digest]


def _digest(cassettes: Path, suite: str, arc: str) -> str:
    try:
        return recording_digest(load_recording(recording_path(cassettes, suite, arc)))
    except (OSError, MemuseError):
        return ""


def _outdated(run: Baseline, cassettes: Path) -> dict[str, list[str]]:
    notes = {}
    for name, suite in run.suites.items():
        there = (cassettes / safe_name(name)).is_dir()
        changed = outdated_arcs(suite, cassettes) if there and len(suite.recordings) <= _CHECKED else []
        if changed:
            notes[name] = [
                f"note: {len(changed)} of {len(suite.recordings)} recordings are not those of this run any more; "
                "--recordings compares them as they are, pytest makes a new run"
            ]
    return notes


def _recorded(cassettes: Path, suites: Sequence[str], stored: Side) -> Side:
    found = {}
    for suite in suites:
        folder = inside(cassettes, cassettes / safe_name(suite))
        recordings = [load_recording(path) for path in sorted(folder.glob("*.jsonl"))]
        if recordings:
            found[suite] = _judged(suite, recordings, folder, _judge_beside(stored.suites.get(suite), folder))
    if not found:
        raise MemuseError(
            f"there is no last run ({last_path(Path())}), and no recording of {_names(suites)} in "
            f"{inert(str(cassettes))}",
            reason="nothing-to-compare",
            mend="run the suite with pytest in this folder, or name the folder of its recordings with --cassettes",
        )
    return Side(Baseline(__version__, found), f"the recordings in {inert(str(cassettes), 120)}", dated=False)


def _judge_beside(stored: SuiteBaseline | None, folder: Path) -> Judge:
    """Return the judge of the stored side where the answers that it kept lie with the recordings, else the tracer.

    Nobody is asked: spans without a kept answer are left unjudged.
    """
    if stored is not None and stored.identity.judge.kind == "llm":
        from pytest_memuse.judging.llm.recorded import OF_A_SUITE, RecordedJudge
        from pytest_memuse.judging.llm.records import kept_judges

        for records in kept_judges(folder / OF_A_SUITE):
            if not stored.identity.judge.differences(_judged_by(records.identity)):
                return RecordedJudge(records)
    return Tracer()


def _judged_by(judge: JudgeIdentity) -> JudgedBy:
    return JudgedBy(judge.kind, judge.version, judge.model, dict(judge.settings))


def _judged(suite: str, recordings: Sequence[Recording], folder: Path, judge: Judge) -> SuiteBaseline:
    others = [recording.arc for recording in recordings if recording.suite != suite]
    if others:
        raise MemuseError(
            f"{inert(str(folder))} holds recordings of another suite than {printable(suite)!r}: arc "
            f"{printable(others[0])}",
            reason="another-suite",
            mend="move them to their suite's folder, or record the suite again",
        )
    agent = combined_identity(recordings, "agent")
    episodes = (judged(derive_log(recording).episodes, judge) for recording in recordings)
    return SuiteBaseline(
        run=Run(suite, tuple(one.row for of_arc in episodes for one in of_arc)),
        identity=Identity(
            judge=_judged_by(judge.identity),
            memory=settings_text(combined_identity(recordings, "memory")),
            agent=settings_text(agent),
            model=agent.get("model", ""),
            recorded_against=recorded_against(recordings),
        ),
        recordings={recording.arc: recording_digest(recording) for recording in recordings},
        created="",
    )


def _listed(side: Side) -> str:
    return _names(list(side.suites)) or "no suite at all"


def _names(suites: Sequence[str]) -> str:
    shown = ", ".join(printable(suite, 60) for suite in suites[:10])
    return f"{shown} and {len(suites) - 10} more" if len(suites) > 10 else shown
