"""How the evaluation of a suite ends before its time: stale recordings, a budget used up, an interruption."""

from collections.abc import Sequence

from pytest_memuse.episodes.budget import BudgetUsedUp
from pytest_memuse.episodes.drift import Drift
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.plugin.options import Settings


class StaleRecording(MemuseError):
    """Recordings no longer show what the memory system delivers. ``drifts`` tells each arc's first divergence."""

    def __init__(self, message: str, drifts: Sequence[Drift], mend: str) -> None:
        super().__init__(message, reason="stale", mend=mend)
        self.drifts = tuple(drifts)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a suite was evaluated. ``told`` says what is kept and how to go on."""

    def __init__(self, told: str) -> None:
        super().__init__(told)
        self.told = told


def stopped(stop: BaseException, suite: str, finished: int, arcs: int, settings: Settings) -> MemuseError | Interrupted:
    """Return the error for an evaluation that was stopped when so many of its arcs were finished."""
    done = f"after {finished} of {arcs} arcs"
    how = _how_to_go_on(settings)
    if not isinstance(stop, BudgetUsedUp):
        if not settings.records:
            return Interrupted(f"suite {suite!r}: interrupted {done}; nothing was written")
        return Interrupted(
            f"suite {suite!r}: interrupted {done}; their recordings are whole and kept, of what was in hand "
            f"nothing new was written; {how}"
        )
    return MemuseError(
        f"suite {printable(suite)!r}: {stop.reason}, {done}; their recordings are whole and kept, of the arc in hand "
        "nothing new was written, since an arc is whole or it is no recording",
        reason="budget",
        mend=stop.mend or how,
    )


def _how_to_go_on(settings: Settings) -> str:
    budget = f" --memuse-budget={settings.budget}" if settings.budget else ""
    if settings.record_mode in ("all", "rewrite"):
        return (
            f"run again with `pytest --memuse-record-mode=new_episodes{budget}` for the arcs that have no recording or "
            f"a stale one (`--memuse-record-mode={settings.record_mode}` begins with the first arc)"
        )
    return f"run again with `pytest --memuse-record-mode={settings.record_mode}{budget}` to go on"
