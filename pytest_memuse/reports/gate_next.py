"""What a person does after a gate: the last lines of each form, with the commands as they are typed."""

import shlex

from pytest_memuse.gate.comparison import Comparison, Refusal
from pytest_memuse.gate.store import stored_name
from pytest_memuse.gate.verdicts import Verdict
from pytest_memuse.model.errors import inert, printable

_RECORD_AGAIN = "`pytest --memuse-record-mode=new_episodes`"


def after_gate(comparison: Comparison, baseline: str, *, failed: bool, brief: bool = False) -> list[str]:
    """Return what to do now, the next command last. ``brief`` gives that line alone.

    ``baseline`` is the name, path or revision that the user gave, empty where the other side is no stored baseline.
    """
    suite = printable(comparison.suite)
    verdicts = {figure.verdict for figure in comparison.figures}
    differs = f"next: {_diff(baseline)} shows what changed in suite {suite}, entry by entry"
    if failed:
        undo = f"to undo it: take the change back, then {_RECORD_AGAIN}"
        settle = f"to settle it: more arcs in suite {suite}"
        accept = f"to accept it, after a review: `memuse diff {_stored(baseline)} --accept --reason WHY`"
        ways, last = [undo if Verdict.REGRESSED in verdicts else settle, accept], differs
        if not baseline:
            # The other side of a pair is no stored baseline, which a diff could be made against.
            ways, last = [], f"next: take the change of suite {suite} back, and record both sides again"
        return [last] if brief else [*ways, last]
    if not comparison.figures:
        return [f"next: set `memuse_gated` in the ini file to figures that suite {suite} defines"]
    if Verdict.IMPROVED in verdicts:
        return [f"next: {_store(baseline)} keeps the improvement of suite {suite}"]
    if Verdict.INCONCLUSIVE in verdicts and baseline and comparison.changed_tasks:
        return [differs]
    return [f"next: nothing to do; a new baseline of {suite}: {_store(baseline)}"]


def after_refusal(refusal: Refusal, baseline: str) -> str:
    """Return what to do about tasks that do not match."""
    suite = printable(refusal.suite)
    return f"next: restore the tasks, or make this run the baseline of suite {suite}: {_store(baseline)}"


def _diff(baseline: str) -> str:
    return f"`memuse diff {_typed(baseline)}`"


def _store(baseline: str) -> str:
    return f"`pytest --memuse-update={_stored(baseline)}`"


def _stored(baseline: str) -> str:
    # What was read as it stands at a commit is stored in the working tree.
    return _typed(stored_name(baseline)) if baseline else "NAME"


def _typed(baseline: str) -> str:
    """Return a baseline as it is typed into a shell."""
    return shlex.quote(inert(baseline, 200))
