"""How far a grid has come, at what rate, and how long the rest may take."""

from collections.abc import Callable

from pytest_memuse.arcs.cells import Cell

TERMINAL_SECONDS = 0.2
"""Seconds between two lines that are written over each other."""

PLAIN_SECONDS = 10.0
"""Seconds between two lines that stay."""


class GridProgress:
    """Counts arcs as they end and tells of them now and then; lives for one grid.

    ``say`` shows a line, ``clock`` gives seconds that only go forward, ``every`` is how many pass between two lines.
    """

    def __init__(self, arcs: int, say: Callable[[str], None], clock: Callable[[], float], *, every: float) -> None:
        self._arcs = arcs
        self._say = say
        self._clock = clock
        self._every = every
        self._begun = self._told = clock()
        self._done = 0

    def count(self, cell: Cell) -> None:
        """Count an arc of a cell."""
        self._done += 1
        now = self._clock()
        if now - self._told < self._every:
            return
        self._told = now
        rate = self._done / (now - self._begun)
        left = (self._arcs - self._done) / rate
        memory = "/".join(part for part in (cell.condition, cell.variant) if part)
        self._say(
            f"{self._done} of {self._arcs} arcs ({cell.domain}, {cell.tier}, {memory}), {60 * rate:,.0f} arcs/min, "
            f"about {max(1, round(left)):,} s left"
        )
