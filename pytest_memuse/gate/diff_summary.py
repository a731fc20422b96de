"""What many changed entries have in common, so that a reader sees what broke before the first single entry."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pytest_memuse.gate.entry_diff import ChangeKind, EntryDiff
from pytest_memuse.gate.suite_diff import SuiteDiff, TaskDiff


@dataclass(frozen=True, slots=True)
class Tally:
    """How many entries, in how many tasks."""

    entries: int
    tasks: int


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """Counts over the matched tasks of a suite.

    ``fewer_solved`` and ``more_solved`` count tasks that are solved in a smaller or larger share of their episodes now;
    ``repeated`` says that there are tasks with more than one.
    ``kinds`` tallies what became of entries. ``silent`` counts the tasks that nothing is delivered to any more, among
    ``served`` that something was delivered to then, and ``newly_served`` the tasks of which it is the other way round.
    ``older`` tallies entries whose item fell back to a text that the
    baseline delivered earlier in the arc; ``foreign`` those of a namespace that the baseline delivered nothing of to
    the task, whose names ``namespaces`` counts; ``contradicted`` the newly harmful ones whose claim is contradicted.
    ``steps_then`` and ``steps_now`` are steps an episode, None where there is no episode.
    """

    tasks: int
    changed: int
    fewer_solved: int
    more_solved: int
    kinds: Mapping[ChangeKind, Tally]
    silent: int
    served: int
    newly_served: int
    repeated: bool
    older: Tally
    foreign: Tally
    namespaces: Mapping[str, int]
    contradicted: int
    steps_then: float | None
    steps_now: float | None


def summary_of(diff: SuiteDiff) -> DiffSummary:
    """Return what the changed entries of a suite have in common."""
    served = [task for task in diff.tasks if task.then.entries]
    foreign = Counter(entry.shown.namespace for entry in _entries(diff.tasks) if entry.foreign)
    rates = [_rates(task) for task in diff.tasks]
    known = [(then, now) for then, now in rates if then is not None and now is not None]
    return DiffSummary(
        tasks=len(diff.tasks),
        changed=len(diff.changed),
        fewer_solved=sum(now < then for then, now in known),
        more_solved=sum(now > then for then, now in known),
        kinds=_by_kind(diff.tasks),
        silent=sum(not task.now.entries for task in served),
        served=len(served),
        newly_served=sum(bool(task.now.entries) and not task.then.entries for task in diff.tasks),
        repeated=any(max(task.then.episodes, task.now.episodes) > 1 for task in diff.tasks),
        older=_tally(diff.tasks, lambda entry: bool(entry.older)),
        foreign=_tally(diff.tasks, lambda entry: entry.foreign),
        namespaces=dict(foreign.most_common()),
        contradicted=sum(
            entry.kind is ChangeKind.NEWLY_HARMFUL and entry.shown.contradicted for entry in _entries(diff.tasks)
        ),
        steps_then=_mean([(task.then.steps, task.then.episodes) for task in diff.tasks]),
        steps_now=_mean([(task.now.steps, task.now.episodes) for task in diff.tasks]),
    )


def _entries(tasks: Iterable[TaskDiff]) -> Iterable[EntryDiff]:
    return (entry for task in tasks for entry in task.entries)


def _by_kind(tasks: Iterable[TaskDiff]) -> dict[ChangeKind, Tally]:
    entries: Counter[ChangeKind] = Counter()
    holding: Counter[ChangeKind] = Counter()
    for task in tasks:
        kinds = Counter(entry.kind for entry in task.entries if entry.kind is not None)
        entries.update(kinds)
        holding.update(kinds.keys())
    return {kind: Tally(entries[kind], holding[kind]) for kind in ChangeKind if entries[kind]}


def _tally(tasks: Iterable[TaskDiff], holds: Callable[[EntryDiff], bool]) -> Tally:
    counts = [sum(holds(entry) for entry in task.entries) for task in tasks]
    return Tally(sum(counts), sum(count > 0 for count in counts))


def _rates(task: TaskDiff) -> tuple[float | None, float | None]:
    then, now = task.then, task.now
    return then.solved / then.known if then.known else None, now.solved / now.known if now.known else None


def _mean(parts: Iterable[tuple[int, int]]) -> float | None:
    pairs = list(parts)
    episodes = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / episodes if episodes else None
