"""Which tasks of two runs are compared: the same task, by arc, identifier and digest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pytest_memuse.profiles.rows import EpisodeRow, Run

LEAST_MATCHED = 0.9
"""Share of the baseline's tasks under which a comparison would be one of different suites."""


@dataclass(frozen=True, slots=True, order=True)
class TaskKey:
    """A task in its arc."""

    arc: str
    task: str

    def __str__(self) -> str:
        return f"{self.arc}/{self.task}"


@dataclass(frozen=True, slots=True)
class Matching:
    """The tasks of two runs. ``changed`` are in both under one identifier, but are not the same task any more.

    ``outside`` are delivered tokens outside every episode, in the baseline and now: no task holds them.
    """

    matched: tuple[TaskKey, ...]
    gone: tuple[TaskKey, ...] = ()
    changed: tuple[TaskKey, ...] = ()
    new: tuple[TaskKey, ...] = ()
    outside: tuple[int, int] = (0, 0)

    @property
    def baseline_tasks(self) -> int:
        """Number of tasks in the baseline."""
        return len(self.matched) + len(self.gone) + len(self.changed)

    @property
    def sufficient(self) -> bool:
        """Whether enough of the baseline's tasks are matched for the rest to be only listed."""
        return self.baseline_tasks > 0 and len(self.matched) >= LEAST_MATCHED * self.baseline_tasks

    @property
    def arcs(self) -> tuple[str, ...]:
        """The arcs with a matched task, in order."""
        return tuple(dict.fromkeys(key.arc for key in self.matched))


def match(baseline: Run, current: Run) -> Matching:
    """Return which tasks of the two runs are the same."""
    before, now = _digests(baseline.episodes), _digests(current.episodes)
    in_both = [key for key in before if key in now]
    return Matching(
        matched=tuple(key for key in in_both if before[key] == now[key]),
        gone=tuple(key for key in before if key not in now),
        changed=tuple(key for key in in_both if before[key] != now[key]),
        new=tuple(key for key in now if key not in before),
        outside=(sum(span.tokens for span in baseline.outside), sum(span.tokens for span in current.outside)),
    )


def only_matched(run: Run, matching: Matching) -> Run:
    """Return a run with the episodes of the matched tasks alone; what lies outside every episode stays."""
    kept = set(matching.matched)
    return replace(run, episodes=tuple(e for e in run.episodes if TaskKey(e.arc, e.task) in kept))


def episodes_by_task(run: Run) -> Mapping[TaskKey, tuple[EpisodeRow, ...]]:
    """Return the episodes of each task, its repeats in order."""
    out: dict[TaskKey, list[EpisodeRow]] = {}
    for episode in run.episodes:
        out.setdefault(TaskKey(episode.arc, episode.task), []).append(episode)
    return {key: tuple(episodes) for key, episodes in out.items()}


def _digests(episodes: Iterable[EpisodeRow]) -> dict[TaskKey, frozenset[str]]:
    out: dict[TaskKey, set[str]] = {}
    for episode in episodes:
        out.setdefault(TaskKey(episode.arc, episode.task), set()).add(episode.task_digest)
    return {key: frozenset(digests) for key, digests in out.items()}
