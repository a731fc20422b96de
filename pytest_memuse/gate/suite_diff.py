"""Two runs of a suite set against each other task by task and entry by entry, to be reviewed like a snapshot.

Nothing here is a verdict, and nothing needs statistics: one task is enough, and so are two runs of which the gate says
that too few of their tasks match.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_memuse.gate.entry_diff import ChangeKind, EntryDiff, entry_diffs, texts_seen
from pytest_memuse.gate.influence import movement
from pytest_memuse.gate.matching import Matching, TaskKey, episodes_by_task, match, only_matched
from pytest_memuse.gate.sides import Side, figure_sides
from pytest_memuse.gate.task_sides import ROUNDING, TaskSide
from pytest_memuse.profiles.figures import DEFAULT_GATED, FIGURES, FigureSpec, Worse
from pytest_memuse.profiles.rows import RowOutcome, Run, SpanRow

_JUDGED = (RowOutcome.JUDGED, RowOutcome.ERROR)
"""What a span is because of a judge; every other outcome is settled before one is asked."""


@dataclass(frozen=True, slots=True)
class TaskDiff:
    """A task then and now, with every entry that either side delivered to it, the gravest change first.

    ``moved`` says by how much the task moved each figure that it moved, in the figure's unit and positive for the
    worse. ``weight`` adds these up, each as a multiple of the figure's unit (`gate.influence.Movement`) and
    whatever its direction: the task that moved the figures most weighs most.
    """

    key: TaskKey
    then: TaskSide
    now: TaskSide
    entries: tuple[EntryDiff, ...]
    moved: Mapping[str, float]
    weight: float

    @property
    def changes(self) -> tuple[EntryDiff, ...]:
        """The entries that something became of."""
        return tuple(entry for entry in self.entries if entry.kind is not None)

    @property
    def newly_harmful(self) -> tuple[EntryDiff, ...]:
        """The entries that do harm now and did none then."""
        return tuple(entry for entry in self.entries if entry.kind is ChangeKind.NEWLY_HARMFUL)

    @property
    def changed(self) -> bool:
        """Whether anything differs: an entry, the outcome, the steps or the delivered text."""
        return bool(self.changes) or not self.then.same_as(self.now)


@dataclass(frozen=True, slots=True)
class FigureMove:
    """A figure over the matched tasks, then and now; it is no verdict, which the gate alone gives."""

    spec: FigureSpec
    then: Side
    now: Side

    @property
    def worse(self) -> bool:
        """Whether the figure is worse now, by however little; one that is not defined any more is."""
        if self.then.value is None or self.now.value is None:
            return self.then.value is not None
        difference = self.now.value - self.then.value
        return difference < 0 if self.spec.worse is Worse.LOWER else difference > 0


@dataclass(frozen=True, slots=True)
class SuiteDiff:
    """A suite's two runs. ``tasks`` holds every matched task, those that moved the figures most first.

    ``matching`` lists what is in one run only. ``judged`` is false where the judgments of the two sides cannot be
    compared, so that only what was delivered is.
    """

    suite: str
    matching: Matching
    tasks: tuple[TaskDiff, ...]
    figures: tuple[FigureMove, ...]
    judged: bool = True

    @property
    def changed(self) -> tuple[TaskDiff, ...]:
        """The tasks in which anything differs."""
        return tuple(task for task in self.tasks if task.changed)

    @property
    def same(self) -> bool:
        """Whether the two runs differ in nothing that is compared, the tasks of the suite included."""
        matching = self.matching
        return not (self.changed or matching.gone or matching.changed or matching.new)


def diff_suites(baseline: Run, current: Run, *, figures: Sequence[FigureSpec] = (), judged: bool = True) -> SuiteDiff:
    """Set two runs of a suite against each other, ordered by the given figures, by default those that gate.

    With ``judged=False`` the judgments of both are left out, as those of different judges: only what was delivered and
    how the task ended is compared, and only figures that rest on these order it.
    """
    specs = list(figures) or [FIGURES[name] for name in DEFAULT_GATED]
    if not judged:
        baseline, current = delivery_only(baseline), delivery_only(current)
        specs = [spec for spec in specs if rests_on_deliveries(spec)]
    matching = match(baseline, current)
    before, now = only_matched(baseline, matching), only_matched(current, matching)
    then_episodes, now_episodes = episodes_by_task(before), episodes_by_task(now)
    sides = [figure_sides(spec, before, now, matching.arcs) for spec in specs]
    moved: dict[TaskKey, dict[str, float]] = {key: {} for key in matching.matched}
    weights = dict.fromkeys(matching.matched, 0.0)
    for side in sides:
        found = movement(side, then_episodes, now_episodes)
        for key, amount in found.by_task.items():
            if abs(amount) > ROUNDING * found.unit:
                moved[key][side.spec.name] = amount
                weights[key] += abs(amount) / found.unit
    seen = texts_seen(before.episodes)
    tasks = [
        TaskDiff(
            key,
            TaskSide.of(then_episodes[key]),
            TaskSide.of(now_episodes[key]),
            entry_diffs(then_episodes[key], now_episodes[key], seen),
            moved[key],
            weights[key],
        )
        for key in matching.matched
    ]
    return SuiteDiff(
        suite=current.suite,
        matching=matching,
        tasks=tuple(sorted(tasks, key=lambda task: (-task.weight, task.key))),
        figures=tuple(FigureMove(side.spec, side.baseline, side.current) for side in sides),
        judged=judged,
    )


def only_task(diff: SuiteDiff, task: str) -> SuiteDiff:
    """Return a diff with one task alone, named as arc/task; without any where no matched task has the name."""
    found = tuple(one for one in diff.tasks if str(one.key) == task)
    return replace(diff, tasks=found, matching=Matching(tuple(one.key for one in found)))


def rests_on_deliveries(spec: FigureSpec) -> bool:
    """Return whether a figure is the same whoever judges: it rests on deliveries, outcomes and steps alone."""
    return not spec.rests_on and spec.worse is not Worse.NEITHER


def delivery_only(run: Run) -> Run:
    """Return a run with every judgment taken out."""
    return replace(
        run,
        episodes=tuple(
            replace(episode, spans=tuple(_delivered_only(span) for span in episode.spans)) for episode in run.episodes
        ),
    )


def _delivered_only(span: SpanRow) -> SpanRow:
    """Return a span as it is before a judge sees it."""
    if span.outcome not in _JUDGED:
        return span
    bare = tuple(
        replace(
            entry,
            relevance=None,
            accuracy=None,
            novelty=None,
            influence=None,
            effect=None,
            anchors=(),
            usage=None,
        )
        for entry in span.entries
    )
    return replace(span, outcome=RowOutcome.UNJUDGED, entries=bare, triage=None, determines=(), corrected=0)
