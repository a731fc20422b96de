"""What a session leaves in the project's work folder, and the look back at what an earlier one left there."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_memuse import __version__
from pytest_memuse.gate.baseline import Baseline, SuiteBaseline
from pytest_memuse.gate.saved_runs import SavedRun, find_run, read_run, save_last, save_run
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.comparing import compared_with
from pytest_memuse.plugin.live import terminal_width
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.planting import FAULT
from pytest_memuse.plugin.state import SessionState
from pytest_memuse.plugin.turns import VARIABLE
from pytest_memuse.plugin.updating import short_path, suite_baseline
from pytest_memuse.storage.git import GitError, Repository


def find_earlier(state: SessionState, root: Path) -> None:
    """Read the saved run that the session is to be shown beside, before this one is saved.

    Raises `pytest.UsageError` where the one that was named is not there.
    """
    wanted = state.settings.compare
    if wanted is None:
        return
    try:
        found = find_run(root, wanted)
        state.earlier = found, read_run(found)
    except MemuseError as error:
        if not wanted and error.reason == "no-run":
            state.no_earlier = f"--memuse-compare: {_problem(error)}; {error.mend}"
            return
        raise pytest.UsageError(f"--memuse-compare: {error}") from None


def leave_behind(session: pytest.Session, state: SessionState) -> None:
    """Store the suites that were evaluated as the last run, show the session beside an earlier one, and save it.

    What is looked at or saved may be of a run that failed or was a part of one: its rows are those of whole suites all
    the same. A process that records for another session leaves nothing. Nothing here raises or fails the session.
    """
    if FAULT in os.environ or VARIABLE in os.environ:
        return
    if state.no_earlier:
        state.reports += ["", state.no_earlier]
    try:
        suites = {name: suite_baseline(result) for name, result in state.results.items()}
        whole = [suite for name, suite in suites.items() if not state.incomplete and name not in state.partial]
        if whole:
            state.reports += _keep(session.config.rootpath, whole)
        settled = [suite for name, suite in suites.items() if name not in state.unsettled]
        if state.earlier is not None:
            for suite in settled:
                state.reports += ["", *_look(session.config, state.settings, *state.earlier, suite)]
        if state.settings.save is not None:
            state.reports += ["", _save(session, state.settings.save, settled)]
    except Exception as error:
        # A look back that breaks is no reason to lose the summary.
        state.reports += ["", f"the run's history broke, which is a defect: {error!r}"]


def _keep(root: Path, suites: Sequence[SuiteBaseline]) -> list[str]:
    try:
        save_last(root, _run(suites, ""))
    except (MemuseError, OSError) as error:
        return ["", f"the run was not kept as the last one: {_problem(error)}"]
    return []


def _save(session: pytest.Session, name: str, suites: Sequence[SuiteBaseline]) -> str:
    if not suites:
        return "the run was not saved: no suite was evaluated"
    root = session.config.rootpath
    try:
        path = save_run(root, name, _run(suites, _commit(root)))
    except (MemuseError, OSError) as error:
        return f"the run was not saved: {_problem(error)}"
    failed = f" ({session.testsfailed} of its tests failed)" if session.testsfailed else ""
    number = path.name.partition("_")[0]
    return f"run saved as {short_path(path, session)}{failed}; `pytest --memuse-compare={number}` shows one beside it"


def _look(config: pytest.Config, settings: Settings, run: SavedRun, then: Baseline, suite: SuiteBaseline) -> list[str]:
    from pytest_memuse.gate.comparison import Refusal
    from pytest_memuse.reports.gate import refusal_text
    from pytest_memuse.reports.look import look_lines

    name = suite.run.suite
    try:
        stored = then.suite(name, str(run))
        compared = compared_with(stored, str(run), suite.run, suite.identity.judge, suite.recordings, settings)
    except MemuseError as error:
        return [f"suite {name} beside {run}: not compared ({str(error).partition(chr(10))[0]})"]
    if isinstance(compared, Refusal):
        return [f"suite {name} beside {run}: not compared", *refusal_text(compared).splitlines()[:-1]]
    made = f"of {stored.created}" + (f" at {stored.commit}" if stored.commit else "")
    changed = [f"changed since {run}: {line}" for line in stored.identity.differences(suite.identity)]
    return [*look_lines(compared, f"run {run} {made}", config.get_verbosity(), width=terminal_width(config)), *changed]


def _run(suites: Sequence[SuiteBaseline], commit: str) -> Baseline:
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return Baseline(__version__, {s.run.suite: replace(s, created=now, commit=commit) for s in suites})


def _commit(root: Path) -> str:
    """Return what is checked out, as far as git knows: the commit, and whether files differ from it."""
    try:
        repository = Repository.around(root)
        commit = repository.find_commit("HEAD")
        if commit is None:
            return ""
        return commit[:10] + (" with changes" if repository.changed() else "")
    except GitError:
        return ""


def _problem(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).partition("\n")[0]
