"""How far recording and replaying a suite have come, at what rate, and how long the rest may take."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

QUIET = 2.0
"""Seconds that a replay may take before it is told of; most are over by then."""

LINE_EVERY = 10.0
"""Seconds between two lines about replaying where each stays on the screen."""


@dataclass(frozen=True, slots=True)
class Told:
    """A progress line. ``passing`` is set where a terminal may write the next one over it."""

    text: str
    passing: bool


class Teller(Protocol):
    """What is told of an arc while it is worked on."""

    def recording(self, arc: str, place: str, episode: str, number: int, episodes: int) -> None:
        """Tell an episode that begins to be recorded."""

    def replaying(self, arc: str, place: str, number: int, episodes: int) -> None:
        """Tell an episode that begins to be replayed."""

    def end(self) -> None:
        """Tell that the arc ends."""


class Progress:
    """Tells the episodes of a suite as they begin; lives for one evaluation of the suite.

    ``say`` shows a line, ``clock`` gives seconds that only go forward, ``terminal`` says that lines are written over
    each other. ``to_record`` is the number of episodes that are certain to be recorded, ``perhaps`` of those that will
    be if their arcs turn out stale. ``jobs`` arcs are worked on at the same time.
    """

    def __init__(
        self,
        suite: str,
        say: Callable[[Told], None],
        clock: Callable[[], float],
        *,
        terminal: bool = False,
        to_record: int = 0,
        perhaps: int = 0,
        jobs: int = 1,
    ) -> None:
        self._jobs = jobs
        self._told = 0
        self._suite = suite
        self._say = say
        self._clock = clock
        self._terminal = terminal
        self._certain = to_record
        self._perhaps = perhaps
        self._begun = clock()
        self._said = self._begun
        self._recording = 0.0
        self._recorded = 0
        self._since: float | None = None
        self._open = False

    def recording(self, arc: str, place: str, episode: str, number: int, episodes: int) -> None:
        """Tell an episode that begins to be recorded; ``number`` counts from 1 in the arc's ``episodes``."""
        now = self._clock()
        self._told += 1
        if self._jobs > 1:
            # Of the episodes that were begun as many are not over as arcs are in hand.
            self._recorded = max(0, self._told - self._jobs)
            self._since = self._since or now
            self._recording = now - self._since
        else:
            if self._since is not None:
                self._recording += now - self._since
                self._recorded += 1
            self._since = now
        line = f"recording {self._suite}/{arc} ({place}), episode {number}/{episodes} {episode}"
        self._tell(line + self._rate(episodes - number + 1))

    def begin(self, *, certain: int = 0, perhaps: int = 0) -> None:
        """Begin an arc, of which so many episodes were counted among those to record."""
        self._certain -= certain
        self._perhaps -= perhaps

    def end(self) -> None:
        """End an arc; what follows until the next episode is no recording time."""
        if self._since is not None and self._jobs == 1:
            self._recording += self._clock() - self._since
            self._recorded += 1
            self._since = None

    def close(self) -> None:
        """End the suite: a line that could be written over is."""
        if self._open:
            self._open = False
            self._say(Told("", passing=False))

    def replaying(self, arc: str, place: str, number: int, episodes: int) -> None:
        """Tell an episode that begins to be replayed, once a replay takes long, and then not too often."""
        now = self._clock()
        if now - self._begun < QUIET or (not self._terminal and now - self._said < LINE_EVERY):
            return
        self._said = now
        self._tell(f"replaying {self._suite}/{arc} ({place}), episode {number}/{episodes}")

    def _tell(self, text: str) -> None:
        self._open = self._terminal
        self._say(Told(text, passing=self._terminal))

    def _rate(self, here: int) -> str:
        if not self._recorded or self._recording <= 0:
            return ""
        each = self._recording / self._recorded
        # Of the arcs in hand, where there are several, it is not known how far each has come.
        bound = self._perhaps > 0 or self._jobs > 1
        left = _duration(((here if self._jobs == 1 else 0) + self._certain + self._perhaps) * each)
        return f", {_figure(60 / each)} episodes/min, {'at most' if bound else 'about'} {left} left"


def _figure(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"
