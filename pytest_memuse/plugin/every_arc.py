"""Bringing every arc's recording of a suite up to date, one after the other or several at the same time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_memuse.episodes.progress import Progress
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.plugin.arc_recordings import ArcRecordings, Brought
from pytest_memuse.plugin.forks import in_parallel
from pytest_memuse.recording.files import load_recording


class _Relay:
    """Hands what a forked process has to tell to its parent: the method's name and its arguments."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self._tell = tell

    def recording(self, arc: str, place: str, episode: str, number: int, episodes: int) -> None:
        self._tell(("recording", (arc, place, episode, number, episodes)))

    def replaying(self, arc: str, place: str, number: int, episodes: int) -> None:
        self._tell(("replaying", (arc, place, number, episodes)))

    def end(self) -> None:
        return None


def every_arc(
    recordings: ArcRecordings, arcs: Sequence[ArcSpec], counts: Sequence[Mapping[str, int]], progress: Progress
) -> Iterator[tuple[int, Brought]]:
    """Yield each arc's place in the suite, from 0, with what bringing its recording up to date came to.

    One after the other they come in order, several at the same time as they end. ``counts`` are for each arc the
    episodes that it counts in the progress. What one arc raises ends the others and is raised.
    """
    jobs = min(recordings.settings.jobs, len(arcs))
    places = [f"{number}/{len(arcs)}" for number in range(1, len(arcs) + 1)]
    if jobs == 1:
        for number, arc in enumerate(arcs):
            progress.begin(**counts[number])
            yield number, recordings.bring(arc, places[number])
        return
    if any(any(count.values()) for count in counts):
        # Made before the processes are, so that all of them ask the same local servers.
        recordings.runner()

    def work(number: int, tell: Callable[[Any], None]) -> tuple[Any, ...]:
        found = replace(recordings, progress=_Relay(tell)).bring(arcs[number], places[number])
        # The recording itself is in its file.
        return found.drift, found.refreshed, found.notes

    def told(message: tuple[str, tuple[Any, ...]]) -> None:
        name, arguments = message
        (progress.recording if name == "recording" else progress.replaying)(*arguments)

    for number, (drift, refreshed, notes) in in_parallel(jobs, range(len(arcs)), work, told):
        progress.begin(**counts[number])
        yield number, Brought(load_recording(recordings.path(arcs[number])), drift, refreshed, notes)
