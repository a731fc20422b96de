"""Adding to a stored suite what it does not hold yet, every stored row left as it is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_memuse.gate.baseline import SuiteBaseline
from pytest_memuse.gate.matching import TaskKey, episodes_by_task, match
from pytest_memuse.profiles.rows import EpisodeRow, Run


@dataclass(frozen=True, slots=True)
class Extension:
    """A stored suite with the tasks ``added``.

    ``waiting`` are new tasks of arcs whose stored tasks read differently now: beside rows of another recording of their
    arc they would be part of no run that ever was. ``changed`` are tasks that are stored in another form.
    """

    suite: SuiteBaseline
    added: tuple[TaskKey, ...]
    waiting: tuple[TaskKey, ...]
    changed: tuple[TaskKey, ...]


def extend(stored: SuiteBaseline, now: SuiteBaseline) -> Extension:
    """Return a stored suite with the tasks of a run that it does not hold: same arc, task and digest is the same task.

    Stored rows stay as they are, in their order; a new task comes after the stored ones of its arc, a new arc last. An
    arc that only grew, so that its stored tasks read as before, is of the new recording from now on; every other
    recording stays.
    """
    matching = match(stored.run, now.run)
    before, after = episodes_by_task(stored.run), episodes_by_task(now.run)
    settled = {key.arc for key in before} - {key.arc for key, rows in before.items() if after.get(key) != rows}
    known = {key.arc for key in before}
    added = tuple(key for key in matching.new if key.arc in settled or key.arc not in known)
    run = Run(
        stored.run.suite, tuple(_episodes(stored.run.episodes, {key: after[key] for key in added})), stored.run.outside
    )
    arcs = {key.arc for key in added}
    return Extension(
        suite=replace(
            stored,
            run=run,
            recordings={**stored.recordings, **{arc: now.recordings[arc] for arc in arcs if arc in now.recordings}},
            attempts=max(stored.attempts, now.attempts) if added else stored.attempts,
        ),
        added=added,
        waiting=tuple(key for key in matching.new if key not in set(added)),
        changed=matching.changed,
    )


def _episodes(stored: Sequence[EpisodeRow], added: Mapping[TaskKey, tuple[EpisodeRow, ...]]) -> Iterator[EpisodeRow]:
    by_arc: dict[str, list[EpisodeRow]] = {}
    for key, rows in added.items():
        by_arc.setdefault(key.arc, []).extend(rows)
    last = {episode.arc: number for number, episode in enumerate(stored)}
    for number, episode in enumerate(stored):
        yield episode
        if last[episode.arc] == number:
            yield from by_arc.pop(episode.arc, ())
    for left in by_arc.values():
        yield from left
