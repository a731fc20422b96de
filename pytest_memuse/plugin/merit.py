"""The fixture `memuse_merit`: MERIT's figures of a recorded suite, and of generated arcs with known truth."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.arcs.cells import (
    OWN,
    ArcsOf,
    Cell,
    Shape,
    conditions_with,
    generated,
    grid,
    grid_over,
    run_cells,
    written,
)
from pytest_memuse.arcs.controls import FLOOR
from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.episode_tracing import traces
from pytest_memuse.arcs.files import load_arcs
from pytest_memuse.arcs.loop import ChatModel
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.metering import Price
from pytest_memuse.arcs.metrics import RATES
from pytest_memuse.arcs.progress import PLAIN_SECONDS, TERMINAL_SECONDS, GridProgress
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.scripted import ScriptedModel
from pytest_memuse.arcs.types import Tier
from pytest_memuse.episodes.progress import Told
from pytest_memuse.episodes.running import MemoryFactory
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.plugin.live import on_terminal, printer_of

_GRIDS = pytest.StashKey[dict[tuple[object, ...], tuple[ScoredEpisode, ...]]]()


class MemuseMerit:
    """What the `memuse_merit` fixture gives a test."""

    def __init__(
        self,
        config: pytest.Config,
        folder: Path,
        suite: Callable[[], Sequence[Episode]],
        own: Callable[[], MemoryFactory],
    ) -> None:
        self._config = config
        self._folder = folder
        self._suite = suite
        self._own = own

    def suite(self) -> Merit:
        """Return the figures of the suite that the test's ``memuse`` marker names, replayed or recorded.

        Traced are the episodes whose task carries references that its own text does not state. There is no floor and
        no corruption: gain and harm are undefined.
        """
        return self.of(self._suite())

    @staticmethod
    def of(episodes: Iterable[Episode]) -> Merit:
        """Return the figures of recorded episodes, wherever they are from."""
        return Merit.of(traces(episodes))

    def grid(
        self,
        *,
        domains: Sequence[str] = tuple(DOMAINS),
        tiers: Sequence[str] = tuple(Tier),
        conditions: Sequence[str] = (OWN,),
        variants: Sequence[str] = ("starter",),
        seeds: Sequence[int] = (0,),
        corruptions: Sequence[str] = (),
        rates: Sequence[float] = RATES,
        file: str | Path | None = None,
        arcs: int = 10,
        episodes: int = 5,
        dependent_ratio: float = 0.5,
        model: ChatModel | None = None,
        prices: Mapping[str, Price] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Merit:
        """Run generated arcs, or those of a file beside the test's (docs/arcs.md), and return their figures.

        The condition ``own`` is the system of the fixture ``memuse_memory``, the others are MERIT's, made with
        ``settings``; no memory always runs beside them, as their floor. Where one condition was asked for, the figures
        are of it; else `Merit.where` chooses. Without ``model`` the scripted stand-in is the agent. What was run once
        with the scripted agent is not run again in the session. Fails the test where the grid cannot be run.
        """
        memories: dict[str, Any] = {
            "conditions": conditions,
            "variants": variants,
            "corruptions": corruptions,
            "rates": rates if corruptions else (),
        }
        try:
            if file is None:
                cells = grid(domains=domains, tiers=tiers, seeds=seeds, **memories)
                of = generated(Shape(arcs, episodes, dependent_ratio))
            else:
                file = self._folder / file
                own = load_arcs(file)
                cells, of = grid_over(own, **memories), written(own)
            memory = conditions_with(settings, self._own() if OWN in conditions else None)
            key = (cells, file, arcs, episodes, dependent_ratio, repr(prices), repr(settings))
            scored = self._scored(key, cells, of, model or ScriptedModel(), memory=memory, prices=prices)
        except MemuseError as error:
            problem = str(error)
        else:
            problem = ""
        if problem:
            pytest.fail(problem, pytrace=False)
        merit = Merit.of(scored)
        named = [name for name in dict.fromkeys(conditions) if name != FLOOR]
        return merit.where(condition=named[0]) if len(named) == 1 else merit

    def _scored(
        self, key: tuple[object, ...], cells: Sequence[Cell], arcs: ArcsOf, model: ChatModel, **how: Any
    ) -> tuple[ScoredEpisode, ...]:
        known = self._config.stash.setdefault(_GRIDS, {})
        scripted = isinstance(model, ScriptedModel)
        if scripted and key in known:
            return known[key]
        progress = self._progress(sum(len(arcs(cell)) for cell in cells))
        found: list[ScoredEpisode] = []
        for cell, run in run_cells(cells, model, arcs=arcs, **how):
            found += run.scored
            progress.count(cell)
        if scripted:
            known[key] = tuple(found)
        return tuple(found)

    def _progress(self, arcs: int) -> GridProgress:
        terminal, printer = on_terminal(self._config), printer_of(self._config)
        every = TERMINAL_SECONDS if terminal else PLAIN_SECONDS
        return GridProgress(
            arcs, lambda text: printer(Told(f"merit: {text}", passing=terminal)), time.monotonic, every=every
        )
