"""The matched tasks on both sides: how each ended, what was delivered to it, and by how much it moved each figure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_memuse.gate.matching import TaskKey
from pytest_memuse.profiles.rows import EpisodeRow


@dataclass(frozen=True, slots=True)
class TaskSide:
    """A task in one run, its repeats summed. ``known`` counts the episodes whose outcome is known.

    ``tokens`` are estimated delivered tokens, restatements included; ``entries`` counts delivered entries, once a span.
    """

    episodes: int
    solved: int
    known: int
    tokens: int
    entries: int
    steps: int

    @classmethod
    def of(cls, episodes: Sequence[EpisodeRow]) -> "TaskSide":
        """Return the side that some episodes of one task make."""
        spans = [span for episode in episodes for span in episode.spans]
        return cls(
            episodes=len(episodes),
            solved=sum(episode.success is True for episode in episodes),
            known=sum(episode.success is not None for episode in episodes),
            tokens=sum(span.tokens for span in spans),
            entries=sum(len(span.entries) for span in spans),
            steps=sum(episode.steps for episode in episodes),
        )

    def same_as(self, other: "TaskSide") -> bool:
        """Return whether an episode looks the same on both sides; how often the task was run is no difference."""
        rates = [
            (self.solved, self.known, other.solved, other.known),
            (self.tokens, self.episodes, other.tokens, other.episodes),
            (self.entries, self.episodes, other.entries, other.episodes),
            (self.steps, self.episodes, other.steps, other.episodes),
        ]
        known_alike = (self.known == 0) == (other.known == 0)
        return known_alike and all(mine * others_all == others * my_all for mine, my_all, others, others_all in rates)


@dataclass(frozen=True, slots=True)
class TaskSides:
    """A matched task then and now. ``moved`` says by how much it moved each gated figure that it moved at all.

    That is in the figure's unit and positive for the worse; over all tasks it adds up to the figure's difference. Of a
    figure that is undefined now it is the share of the baseline's denominator that the task held.
    """

    key: TaskKey
    then: TaskSide
    now: TaskSide
    moved: Mapping[str, float] = field(default_factory=dict)


def task_sides(
    tasks: Iterable[TaskKey],
    before: Mapping[TaskKey, Sequence[EpisodeRow]],
    now: Mapping[TaskKey, Sequence[EpisodeRow]],
    influence: Mapping[str, Mapping[TaskKey, float]],
    units: Mapping[str, float],
) -> tuple[TaskSides, ...]:
    """Return every task, those first that moved the gated figures most, whatever the direction.

    ``influence`` says for each gated figure by how much each task moved it, and ``units`` what that is measured by, so
    that the movements of different figures can be added (`gate.influence`).
    """
    found = [
        TaskSides(
            key,
            TaskSide.of(before[key]),
            TaskSide.of(now[key]),
            {name: of[key] for name, of in influence.items() if abs(of.get(key, 0.0)) > ROUNDING * units[name]},
        )
        for key in tasks
    ]

    def rank(task: TaskSides) -> tuple[float, TaskKey]:
        return -sum(abs(amount) / units[name] for name, amount in task.moved.items()), task.key

    return tuple(sorted(found, key=rank))


ROUNDING = 1e-9
"""Share of a figure's unit under which a movement is the rounding of floating point."""
