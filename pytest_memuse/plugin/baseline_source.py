"""Which copy of which stored baseline a session compares with, read before any test runs."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.gate.baseline import Baseline
from pytest_memuse.gate.store import AT_COMMIT, DEFAULT, baseline_path, parse_committed, read_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.options import check_figures
from pytest_memuse.plugin.state import SessionState
from pytest_memuse.plugin.target_branch import BaseCopy, copy_at_merge_base, target_branch


def prepare(state: SessionState) -> None:
    """Read the baseline before any test runs. Raises `pytest.UsageError` where it cannot be used.

    In CI it is read as it stands at the merge base with the target branch, where git knows that.
    """
    settings = state.settings
    if settings.tolerance or settings.gated:
        # Under xdist the controller collects no test, so that this is its only chance before the first one.
        check_figures(settings)
    try:
        if settings.update:
            # A name that cannot be used is found before anything is recorded, not after.
            baseline_path(settings.baselines, settings.update)
        if settings.judging.baseline:
            read_baseline(settings.baselines, settings.judging.baseline)
        if not settings.baseline:
            return
        if settings.baseline.startswith(AT_COMMIT):
            state.baseline = read_baseline(settings.baselines, settings.baseline)
            return
        path = baseline_path(settings.baselines, settings.baseline)
        if settings.update == settings.baseline and not path.exists():
            return
        target = target_branch(settings.target_branch, os.environ) if settings.in_ci else ""
        base = copy_at_merge_base(path, target) if target else None
        if isinstance(base, BaseCopy) and base.text is not None:
            state.merge_base = base.commit
            state.baseline = _of_before(state, path, base, base.text)
            return
        state.baseline = read_baseline(settings.baselines, settings.baseline)
        if isinstance(base, BaseCopy):
            state.baseline_notes.append(
                f"warning: {path.name} is not there at {base.commit[:10]}, the merge base with {base.branch}; read as "
                "this change adds it, which can only agree with itself"
            )
        elif base is not None:
            state.baseline_notes.append(
                f"warning: read as this change has it, its own update included, since the merge base with {target} is "
                f"not known: {base.why}; to mend: {base.mend}"
            )
    except MemuseError as error:
        raise pytest.UsageError(str(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        name = settings.baseline or settings.update
        raise pytest.UsageError(f"{name}: the baseline cannot be read: {error}") from None


def _of_before(state: SessionState, path: Path, base: BaseCopy, text: str) -> Baseline:
    """Return the baseline from before the change, with the suites that only the change's own copy holds.

    A change that adds a suite has nothing of before to compare it with; its first run becomes the baseline when it is
    merged. Raises `MemuseError` where either copy cannot be read: one is needed now, the other once it is merged.
    """
    before = parse_committed(text, f"{path.name} at {base.commit[:10]}")
    notes = state.baseline_notes
    notes.append(f"read as it stands at {base.commit[:10]}, the merge base with {base.branch}")
    state.read_as = f"{AT_COMMIT}{base.commit[:10]}:{state.settings.baseline}".removesuffix(f":{DEFAULT}")
    if not path.exists():
        notes.append(f"warning: this change deletes {path.name}, which takes effect once it is merged")
        return before
    after = read_baseline(path.parent, str(path))
    if after == before:
        state.read_as = ""
        return before
    notes.append(f"warning: this change edits {path.name}; the edited copy takes effect once it is merged")
    from pytest_memuse.gate.promotion import judged_again

    state.judged_again = {
        name: suite
        for name, suite in after.suites.items()
        if name in before.suites and judged_again(before.suites[name], suite)
    }
    added = {name: suite for name, suite in after.suites.items() if name not in before.suites}
    if added:
        notes.append(f"new in this change, so compared with what it adds itself: {', '.join(added)}")
    return replace(before, suites={**before.suites, **added})
