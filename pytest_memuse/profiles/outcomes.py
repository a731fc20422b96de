"""Task outcomes against observed memory effects, and against runs without memory (MemUse 4.3, A.5.4, A.6.4)."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.axes import AXES, Axis, count_on, profiled, undetermined
from pytest_memuse.profiles.breakdowns import HiddenByOutcomes, hidden_by_outcomes
from pytest_memuse.profiles.resolve_rates import REPLICATES, RateDifference, rate_difference
from pytest_memuse.profiles.rows import EpisodeRow, Run
from pytest_memuse.profiles.share import Share

if TYPE_CHECKING:
    from numpy.random import Generator

TaskName = tuple[str, str]
"""Arc and task; the arc is empty where tasks are matched without it."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Tasks gained and lost, summed over pairs of runs: differences between their lists of resolved tasks."""

    pairs: int
    gained: int
    lost: int

    @property
    def mean_gained(self) -> float | None:
        """Tasks that the first run of a pair solved and the second did not, on average; None without a pair."""
        return self.gained / self.pairs if self.pairs else None

    @property
    def mean_lost(self) -> float | None:
        """Tasks that the second run of a pair solved and the first did not, on average; None without a pair."""
        return self.lost / self.pairs if self.pairs else None


@dataclass(frozen=True, slots=True)
class EpisodeCounts:
    """Memory episodes with a result: how many received memory, and hold an acted-on, beneficial or harmful entry.

    A count is None where the judge does not determine what it rests on; ``undefined`` then says so.
    """

    episodes: int
    received: int
    acted_on: int | None
    beneficial: int | None
    harmful: int | None
    undefined: str = ""

    def share(self, word: str) -> Share:
        """Return the share of these episodes that ``received`` memory, or hold such an entry."""
        return Share(getattr(self, word), self.episodes, self.undefined if getattr(self, word) is None else "")


@dataclass(frozen=True, slots=True)
class Stratum:
    """The tasks that ``solved_by`` of the runs without memory resolved, and their memory episodes (Table 10).

    In the stratum of tasks that no such run resolved, ``resolved`` are the episodes that gained; in that of tasks which
    all of them resolved, ``failed`` are those that lost.
    """

    solved_by: int
    tasks: int
    resolved: EpisodeCounts
    failed: EpisodeCounts

    @property
    def all(self) -> EpisodeCounts:
        """Every memory episode of the stratum."""
        a, b = self.resolved, self.failed
        return EpisodeCounts(
            a.episodes + b.episodes,
            a.received + b.received,
            _plus(a.acted_on, b.acted_on),
            _plus(a.beneficial, b.beneficial),
            _plus(a.harmful, b.harmful),
            a.undefined,
        )

    @property
    def resolved_share(self) -> Share:
        """The resolved share of the memory episodes."""
        return Share(self.resolved.episodes, self.all.episodes)

    def resolved_with(self, word: str) -> Share:
        """Return the resolved share of the episodes that ``received`` memory, or hold an ``acted_on``, ... entry."""
        whole = getattr(self.all, word)
        return Share(getattr(self.resolved, word), whole or 0, self.all.undefined if whole is None else "")


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True)
class Strata:
    """Memory episodes by how many runs without memory resolved their task, none of them first.

    Left out, and counted: ``without_result``, the memory episodes that no check brought to a result, and
    ``unplaced``, the matched tasks of which a run without memory has no result.
    """

    groups: tuple[Stratum, ...]
    without_result: int
    unplaced: int


@dataclass(frozen=True, slots=True)
class OutcomeComparison:
    """Runs with and without memory over the same tasks; ``memory`` and ``baseline`` hold a row for each of ``tasks``.

    ``unmatched`` are tasks that not every run holds in the same form. An episode without a result counts as not
    resolved in resolve rates, gains and losses, as in A.5.4, and is left out of everything else; ``without_result``
    counts them on both sides.
    """

    memory: tuple[tuple[EpisodeRow, ...], ...]
    baseline: tuple[tuple[EpisodeRow, ...], ...]
    tasks: tuple[TaskName, ...]
    unmatched: tuple[TaskName, ...]

    @property
    def without_result(self) -> int:
        return sum(episode.success is None for run in (*self.memory, *self.baseline) for episode in run)

    @property
    def changes(self) -> Changes:
        """Gains and losses of the memory runs relative to the others, over all pairs of one of each."""
        return _changes(itertools.product(_resolved(self.memory), _resolved(self.baseline)))

    @property
    def baseline_changes(self) -> Changes:
        """The same among the runs without memory, over ordered pairs of distinct runs."""
        return _changes(itertools.permutations(_resolved(self.baseline), 2))

    @property
    def hidden(self) -> HiddenByOutcomes:
        """Matched memory episodes whose outcome says the opposite of an observed effect in them (4.3)."""
        return hidden_by_outcomes(Run("", tuple(itertools.chain.from_iterable(self.memory))))

    @property
    def strata(self) -> Strata:
        """Memory episodes by how many runs without memory resolved their task (Table 10)."""
        groups: list[list[EpisodeRow]] = [[] for _ in range(len(self.baseline) + 1)]
        tasks = [0] * len(groups)
        without = unplaced = 0
        for number in range(len(self.tasks)):
            outcomes = [run[number].success for run in self.baseline]
            if None in outcomes:
                unplaced += 1
                continue
            solved = sum(outcome is True for outcome in outcomes)
            episodes = [run[number] for run in self.memory]
            known = [episode for episode in episodes if episode.success is not None]
            tasks[solved] += 1
            without += len(episodes) - len(known)
            groups[solved] += known
        reasons = [self._undetermined(AXES[word]) for word in ("acted_on", "benefit", "harm")]
        strata = tuple(
            Stratum(
                solved_by=number,
                tasks=tasks[number],
                resolved=_counts([e for e in group if e.success], reasons),
                failed=_counts([e for e in group if not e.success], reasons),
            )
            for number, group in enumerate(groups)
        )
        return Strata(strata, without, unplaced)

    def difference(self, generator: "Generator", replicates: int = REPLICATES) -> RateDifference:
        """Return the difference of resolve rates with a paired bootstrap over tasks, drawn from a seeded generator."""
        return rate_difference(_solved(self.memory), _solved(self.baseline), generator, replicates)

    def _undetermined(self, axis: Axis) -> str | None:
        return undetermined((s for run in self.memory for e in run for s in e.spans), axis.rests_on)


def compare_outcomes(memory: Sequence[Run], baseline: Sequence[Run], *, match_arcs: bool = True) -> OutcomeComparison:
    """Set runs with memory against runs without, task by task.

    Tasks are the same where arc, identifier and digest agree; ``match_arcs=False`` leaves the arc out, for runs without
    memory that know no arcs. Raises `MemuseError` without a run on a side, for a run that holds a task twice, and for
    one without any known outcome, whose resolve rate is undefined.
    """
    if not memory or not baseline:
        raise MemuseError(
            "outcomes are compared between at least one run with memory and one without",
            reason="no_runs",
            mend="give both",
        )
    with_memory = [_by_task(run, match_arcs) for run in memory]
    without = [_by_task(run, match_arcs) for run in baseline]
    everyone = [*with_memory, *without]
    names = dict.fromkeys(name for run in everyone for name in run)
    tasks = tuple(name for name in names if len({_digest(run, name) for run in everyone}) == 1)
    matched = frozenset(tasks)
    return OutcomeComparison(
        memory=tuple(tuple(run[name] for name in tasks) for run in with_memory),
        baseline=tuple(tuple(run[name] for name in tasks) for run in without),
        tasks=tasks,
        unmatched=tuple(name for name in names if name not in matched),
    )


def split_repeats(run: Run) -> tuple[Run, ...]:
    """Return a run whose tasks were repeated as runs of one repeat each: the n-th episode of a task is in the n-th."""
    seen: dict[TaskName, int] = {}
    repeats: list[list[EpisodeRow]] = []
    for episode in run.episodes:
        number = seen.get((episode.arc, episode.task), 0)
        seen[episode.arc, episode.task] = number + 1
        if number == len(repeats):
            repeats.append([])
        repeats[number].append(episode)
    return tuple(Run(run.suite, tuple(episodes)) for episodes in repeats)


def _by_task(run: Run, match_arcs: bool) -> dict[TaskName, EpisodeRow]:
    if not any(episode.success is not None for episode in run.episodes):
        raise MemuseError(
            f"no episode of a run of suite {printable(run.suite)!r} has a known outcome: its resolve rate is undefined",
            reason="no_outcomes",
            mend="give a run whose episodes were checked",
        )
    rows: dict[TaskName, EpisodeRow] = {}
    for episode in run.episodes:
        name = (episode.arc if match_arcs else "", episode.task)
        if name in rows:
            task = printable("/".join(filter(None, name)))
            raise MemuseError(
                f"a run of suite {printable(run.suite)!r} holds the task {task!r} twice",
                reason="task_twice",
                mend="give the repeats as runs of their own (`split_repeats`)"
                + ("" if match_arcs else ", or match tasks within arcs (`match_arcs=True`)"),
            )
        rows[name] = episode
    return rows


def _digest(run: dict[TaskName, EpisodeRow], name: TaskName) -> str | None:
    return run[name].task_digest if name in run else None


def _solved(runs: Iterable[Iterable[EpisodeRow]]) -> list[list[bool]]:
    return [[episode.success is True for episode in run] for run in runs]


def _resolved(runs: Iterable[Iterable[EpisodeRow]]) -> list[frozenset[int]]:
    return [frozenset(number for number, solved in enumerate(run) if solved) for run in _solved(runs)]


def _changes(pairs: Iterator[tuple[frozenset[int], ...]]) -> Changes:
    differences = [(len(one - other), len(other - one)) for one, other in pairs]
    return Changes(len(differences), sum(d[0] for d in differences), sum(d[1] for d in differences))


def _counts(episodes: Sequence[EpisodeRow], reasons: Sequence[str | None]) -> EpisodeCounts:
    def holding(word: str, reason: str | None) -> int | None:
        if reason is not None:
            return None
        return sum(any(count_on(AXES[word], span) for span in profiled(episode)) for episode in episodes)

    acted_on, benefit, harm = reasons
    return EpisodeCounts(
        episodes=len(episodes),
        received=sum(bool(episode.spans) for episode in episodes),
        acted_on=holding("acted_on", acted_on),
        beneficial=holding("benefit", benefit),
        harmful=holding("harm", harm),
        undefined=next((reason for reason in reasons if reason is not None), ""),
    )
