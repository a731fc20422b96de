"""``--memuse-rejudge=BASELINE``: a stored baseline's own recordings, judged by the judge of now."""

import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.gate.baseline import Baseline, SuiteBaseline
from pytest_memuse.gate.store import baseline_path, read_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.plugin.judging_options import Rejudging
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.state import state_of
from pytest_memuse.plugin.suites import Evaluation, SuiteRunner
from pytest_memuse.profiles.rows import EpisodeRow, Run
from pytest_memuse.recording.files import load_recording, recording_path
from pytest_memuse.recording.lines import read_lines, recording_digest
from pytest_memuse.recording.recording import Recording
from pytest_memuse.reports.numbers import counted
from pytest_memuse.storage.git import GitError, Repository

_BASELINE = pytest.StashKey[Baseline]()
_COMMITS = 200
"""Versions of a recording that are looked through, the newest first."""

_LARGEST = 256 * 1024 * 1024
"""Bytes of the largest version that is read out of git."""

_LISTED = 5


def skip_unless_held(config: pytest.Config, suite: str) -> None:
    """Skip a test whose suite is not part of the baseline that the session judges again; there is nothing to judge."""
    settings = state_of(config).settings
    if settings.judging.rejudging is not Rejudging.BASELINE:
        return
    if suite not in _baseline(config).suites:
        state_of(config).partial.pop(suite, None)
        pytest.skip(f"baseline {printable(settings.judging.baseline)} holds no suite {printable(suite)!r}")


def judge_baseline(config: pytest.Config, runner: SuiteRunner) -> Evaluation:
    """Return the evaluation of a suite's stored run: its recordings, judged by the suite's judge.

    Raises `MemuseError` where a recording cannot be found, a span stays unjudged, or the baseline holds tasks that its
    recordings do not; nothing is written then but the judge's records.
    """
    settings = runner.settings
    stored = _baseline(config).suite(runner.suite, settings.judging.baseline)
    evaluation = runner.judge_recordings(_recordings(runner, stored))
    return replace(evaluation, run=_stored_tasks(stored, evaluation.run, settings))


def _baseline(config: pytest.Config) -> Baseline:
    if _BASELINE not in config.stash:
        settings = state_of(config).settings
        config.stash[_BASELINE] = read_baseline(settings.baselines, settings.judging.baseline)
    return config.stash[_BASELINE]


def _recordings(runner: SuiteRunner, stored: SuiteBaseline) -> list[Recording]:
    """Return the recordings that the stored run was made from, in the order of its arcs."""
    settings = runner.settings
    baseline = baseline_path(settings.baselines, settings.judging.baseline)
    found, missing = [], []
    arcs = list(dict.fromkeys((*stored.run.arcs, *stored.recordings)))
    for arc in arcs:
        path = recording_path(settings.cassettes, runner.suite, arc)
        digest = stored.recordings.get(arc)
        recording = next((r for r in _versions(path, baseline) if r.arc == arc and recording_digest(r) == digest), None)
        if recording is None:
            missing.append(f"{printable(arc, 60)} ({_shown(path, runner.root)})")
        else:
            found.append(recording)
    if missing:
        more = f" and {len(missing) - _LISTED} more" if len(missing) > _LISTED else ""
        raise MemuseError(
            f"suite {printable(runner.suite)!r}: {len(missing)} of the {counted(len(arcs), 'recording')} that baseline "
            f"{printable(settings.judging.baseline)} was made from can be found neither in the working tree nor in "
            f"git's history of the file, so that it is not judged again: {', '.join(missing[:_LISTED])}{more}",
            reason="no-recording",
            mend="fetch the whole history (`git fetch --unshallow` in a shallow clone), check out a commit at which "
            "baseline and recordings go together, or make the baseline anew with "
            f"`pytest --memuse-update={printable(settings.judging.baseline)}`",
        )
    return found


def _versions(path: Path, baseline: Path) -> Iterator[Recording]:
    """Yield a recording as it stands, and then as git holds it: first beside the baseline, then the newest first.

    What cannot be read is passed over.
    """
    with suppress(OSError, MemuseError):
        yield load_recording(path)
    try:
        repository = Repository.around(path.parent)
        beside = Repository.around(baseline.parent).commits_of(baseline, 1)
        commits = dict.fromkeys((*beside, *repository.commits_of(path, _COMMITS)))
    except GitError:
        return
    seen: set[bytes] = set()
    for commit in commits:
        try:
            content = repository.content(commit, path, _LARGEST)
            if content is not None and content not in seen:
                seen = {content}
                yield read_lines(io.BytesIO(content), f"{path} at {commit[:10]}")
        except MemuseError:
            continue


def _stored_tasks(stored: SuiteBaseline, judged: Run, settings: Settings) -> Run:
    """Return the rows of the tasks that the baseline holds, in its order; its recordings may hold others, too.

    Raises `MemuseError` where the baseline holds tasks that are in none of its recordings: it kept them when others
    were added.
    """
    judged_rows: dict[tuple[str, str, str], list[EpisodeRow]] = {}
    for row in judged.episodes:
        judged_rows.setdefault((row.arc, row.task, row.task_digest), []).append(row)
    rows, gone = [], []
    for old in stored.run.episodes:
        if waiting := judged_rows.get((old.arc, old.task, old.task_digest)):
            rows.append(waiting.pop(0))
        else:
            gone.append(f"{old.arc}/{old.task}")
    if gone:
        listed = ", ".join(printable(key, 60) for key in gone[:_LISTED])
        more = f" and {len(gone) - _LISTED} more" if len(gone) > _LISTED else ""
        raise MemuseError(
            f"suite {printable(judged.suite)!r}: {counted(len(gone), 'task')} of baseline "
            f"{printable(settings.judging.baseline)} {'is' if len(gone) == 1 else 'are'} in none of its recordings, so "
            f"that nobody can judge {'it' if len(gone) == 1 else 'them'} again: {listed}{more}",
            reason="no-recording",
            mend=f"make the baseline anew with `pytest --memuse-update={printable(settings.judging.baseline)}`",
        )
    return Run(judged.suite, tuple(rows), stored.run.outside)


def _shown(path: Path, root: Path) -> str:
    return str(path.relative_to(root) if path.is_relative_to(root) else path)
