"""The comparison of a suite's run with its baseline: what is matched, each figure's verdict, and who is responsible."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_memuse.gate.entry_changes import EntryChange, entry_changes, responsible
from pytest_memuse.gate.exchange import RESAMPLES
from pytest_memuse.gate.influence import movement
from pytest_memuse.gate.matching import LEAST_MATCHED, Matching, TaskKey, episodes_by_task, match, only_matched
from pytest_memuse.gate.resampling import ALPHA
from pytest_memuse.gate.sides import figure_sides
from pytest_memuse.gate.task_sides import TaskSides, task_sides
from pytest_memuse.gate.tolerance import Tolerance
from pytest_memuse.gate.verdicts import FigureResult, NotGated, Verdict, verdicts
from pytest_memuse.model.errors import MemuseError, nearest, printable
from pytest_memuse.profiles.figures import DEFAULT_GATED, FIGURES, FigureSpec
from pytest_memuse.profiles.rows import Run

SEED = 20_260_301
"""Seed of the gate's sign vectors where the caller has no other: one pair of runs gives one answer."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A suite compared with its baseline.

    ``figures`` holds the gated figures in the order asked for, ``not_gated`` the others with the reason.
    ``responsible`` maps each regressed figure to the changes that moved it most, newly harmful entries first;
    ``changes`` maps each matched task to all its changes. ``tasks`` holds every matched task on both sides, those that
    moved the figures most first. ``same_recordings`` says that every matched arc is the same recording on both sides.
    """

    suite: str
    matching: Matching
    figures: tuple[FigureResult, ...]
    not_gated: tuple[NotGated, ...]
    responsible: Mapping[str, tuple[EntryChange, ...]]
    changes: Mapping[TaskKey, tuple[EntryChange, ...]]
    alpha: float
    same_recordings: bool
    tasks: tuple[TaskSides, ...] = ()

    @property
    def regressed(self) -> tuple[FigureResult, ...]:
        """The figures that fail the gate."""
        return tuple(figure for figure in self.figures if figure.verdict is Verdict.REGRESSED)

    @property
    def changed_tasks(self) -> tuple[TaskSides, ...]:
        """The tasks of which anything changed, in the order of `tasks`."""
        return tuple(task for task in self.tasks if self.changes.get(task.key) or not task.then.same_as(task.now))

    @property
    def inconclusive(self) -> tuple[FigureResult, ...]:
        """The figures without an answer."""
        return tuple(figure for figure in self.figures if figure.verdict is Verdict.INCONCLUSIVE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Too few of the baseline's tasks are in this run for a comparison. ``message`` is one sentence with the counts."""

    suite: str
    matching: Matching
    message: str


def compare(
    baseline: Run,
    current: Run,
    *,
    figures: Sequence[str] = DEFAULT_GATED,
    tolerances: Mapping[str, Tolerance] | None = None,
    recordings: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
    rng: np.random.Generator | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
) -> Comparison | Refusal:
    """Compare a run with its baseline.

    ``recordings`` gives each arc's recording digest in the baseline and now. Without a generator the seed is `SEED`.
    Raises `MemuseError` for a figure that does not exist.
    """
    specs = [_spec(name) for name in dict.fromkeys(figures)]
    matching = match(baseline, current)
    if not matching.sufficient:
        return Refusal(current.suite, matching, _refusal(matching))
    arcs = matching.arcs
    before, now = only_matched(baseline, matching), only_matched(current, matching)
    same = recordings is not None and all(
        arc in recordings[0] and recordings[0][arc] == recordings[1].get(arc) for arc in arcs
    )
    sides = [figure_sides(spec, before, now, arcs) for spec in specs]
    results, ungated = verdicts(
        sides,
        len(arcs),
        rng if rng is not None else np.random.default_rng(SEED),
        tolerances=tolerances,
        same_recordings=same,
        alpha=alpha,
        resamples=resamples,
    )
    then_episodes, now_episodes = episodes_by_task(before), episodes_by_task(now)
    changes = entry_changes(matching.matched, then_episodes, now_episodes)
    regressed = {result.name for result in results if result.verdict is Verdict.REGRESSED}
    gated = {result.name: side for result in results for side in sides if side.spec.name == result.name}
    moved = {name: movement(side, then_episodes, now_episodes) for name, side in gated.items()}
    blamed = {name: responsible(name, of.by_task, changes) for name, of in moved.items() if name in regressed}
    tasks = task_sides(
        matching.matched,
        then_episodes,
        now_episodes,
        {name: of.by_task for name, of in moved.items()},
        {name: of.unit for name, of in moved.items()},
    )
    return Comparison(current.suite, matching, results, ungated, blamed, changes, alpha, same, tasks)


def _spec(name: str) -> FigureSpec:
    if name not in FIGURES:
        raise MemuseError(
            f"There is no figure {printable(name)!r}{nearest(name, FIGURES)}",
            reason="no-figure",
            mend=f"use one of {', '.join(FIGURES)}",
        )
    return FIGURES[name]


def _refusal(matching: Matching) -> str:
    total, matched = matching.baseline_tasks, len(matching.matched)
    if total == 0:
        return "The baseline holds no task of this suite, so there is nothing to compare."
    parts = [(len(matching.gone), "gone"), (len(matching.changed), "changed"), (len(matching.new), "new")]
    counts = ", ".join(f"{count} {word}" for count, word in parts)
    return (
        f"Only {matched} of the baseline's {total} tasks are in this run unchanged ({counts}); a comparison needs "
        f"{LEAST_MATCHED:.0%} of them."
    )
