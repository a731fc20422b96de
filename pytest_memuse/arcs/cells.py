"""The cells of a grid: domain, tier, seed, memory condition and corruption, and running them arc by arc (MERIT 4)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from pytest_memuse.arcs.controls import FLOOR
from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.loop import ChatModel
from pytest_memuse.arcs.metering import Price
from pytest_memuse.arcs.metrics import CORRUPTIONS
from pytest_memuse.arcs.running import ArcRun, MemoryFactory, run_arc
from pytest_memuse.arcs.types import Tier, WorldArc
from pytest_memuse.arcs.users import Paraphrase
from pytest_memuse.memory.conditions import CONDITIONS, VARIANTS, condition
from pytest_memuse.memory.faults import FAULTS, StaleVersion, superseded_values
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model.errors import MemuseError, nearest, printable

_FAULT_OF = {"contradiction": "contradiction", "distractor": "flood"}

OWN = "own"
"""The condition that a user's own memory system has in a grid."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: which arcs, under which memory. ``corruption`` is empty and ``rate`` 0 where memory is clean."""

    domain: str
    tier: Tier
    seed: int
    condition: str
    variant: str = "starter"
    corruption: str = ""
    rate: float = 0.0


MemoryOf = Callable[[Cell, WorldArc], MemoryFactory]
"""Gives the memory factory of one arc in one cell."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many arcs a cell has, and how they are made (see `generator.generate`)."""

    arcs: int = 10
    episodes: int = 5
    dependent_ratio: float = 0.5


ArcsOf = Callable[[Cell], Sequence[WorldArc]]
"""Gives the arcs of a cell; cells of one domain, tier and seed have the same."""


def generated(shape: Shape = Shape()) -> ArcsOf:
    """Return what gives generated arcs of this shape."""
    made: dict[tuple[str, Tier, int], tuple[WorldArc, ...]] = {}

    def arcs(cell: Cell) -> Sequence[WorldArc]:
        key = (cell.domain, cell.tier, cell.seed)
        if key not in made:
            made[key] = generate(
                cell.domain,
                cell.tier,
                seed=cell.seed,
                arcs=shape.arcs,
                episodes=shape.episodes,
                dependent_ratio=shape.dependent_ratio,
            )
        return made[key]

    return arcs


def written(arcs: Sequence[WorldArc]) -> ArcsOf:
    """Return what gives arcs that somebody wrote, each in the cells of its domain, tier and seed."""
    return lambda cell: [arc for arc in arcs if (arc.domain, arc.tier, arc.seed) == (cell.domain, cell.tier, cell.seed)]


def grid(
    *,
    domains: Sequence[str] = tuple(DOMAINS),
    tiers: Sequence[str] = tuple(Tier),
    seeds: Sequence[int] = (0,),
    conditions: Sequence[str] = CONDITIONS,
    variants: Sequence[str] = ("starter",),
    corruptions: Sequence[str] = (),
    rates: Sequence[float] = (),
) -> tuple[Cell, ...]:
    """Return the cells of a grid over generated arcs, in order, the condition without memory always among them.

    Corrupted cells repeat the clean ones for each corruption and rate; without memory there is nothing to corrupt. None
    and full replay have no variants and run once, a system of one's own has no variant. Raises `MemuseError` for a name
    that does not exist.
    """
    _known("domain", domains, tuple(DOMAINS))
    _known("tier", tiers, tuple(Tier))
    places = [(domain, Tier(tier), seed) for domain, tier, seed in product(domains, tiers, seeds)]
    return _cells(places, conditions, variants, corruptions, rates)


def grid_over(
    arcs: Sequence[WorldArc],
    *,
    conditions: Sequence[str] = CONDITIONS,
    variants: Sequence[str] = ("starter",),
    corruptions: Sequence[str] = (),
    rates: Sequence[float] = (),
) -> tuple[Cell, ...]:
    """Return the cells of a grid over arcs that somebody wrote; see `grid`."""
    places = [(arc.domain, arc.tier, arc.seed) for arc in arcs]
    return _cells(places, conditions, variants, corruptions, rates)


def _cells(
    places: Iterable[tuple[str, Tier, int]],
    conditions: Sequence[str],
    variants: Sequence[str],
    corruptions: Sequence[str],
    rates: Sequence[float],
) -> tuple[Cell, ...]:
    _known("condition", conditions, (*CONDITIONS, OWN))
    _known("variant", variants, VARIANTS)
    _known("corruption", corruptions, CORRUPTIONS)
    if any(not 0 < rate <= 1 for rate in rates) or bool(rates) != bool(corruptions):
        raise MemuseError(
            f"memory cannot be corrupted at the rates {', '.join(f'{rate:g}' for rate in rates) or 'none'}",
            reason="merit",
            mend="give corruptions and rates together, rates above 0 and at most 1",
        )
    memories = [
        (name, variant)
        for name in dict.fromkeys((FLOOR, *conditions))
        for variant in (("",) if name == OWN else variants[:1] if name in _ALIKE else dict.fromkeys(variants))
    ]
    kinds = [("", 0.0), *product(dict.fromkeys(corruptions), dict.fromkeys(rates))]
    return tuple(
        Cell(*place, *memory, *kind)
        for place in dict.fromkeys(places)
        for memory in memories
        for kind in kinds
        if memory[0] != FLOOR or not kind[0]
    )


def run_cells(
    cells: Iterable[Cell],
    model: ChatModel,
    *,
    arcs: ArcsOf | None = None,
    memory: MemoryOf | None = None,
    prices: Mapping[str, Price] | None = None,
    paraphrase: Paraphrase | None = None,
) -> Iterator[tuple[Cell, ArcRun]]:
    """Run the arcs of each cell, in order, and yield each as it ends.

    ``arcs`` gives the arcs, generated ones of the paper's shape unless told otherwise, and ``memory`` the memory
    systems, the six conditions unless told otherwise. Equal arguments give equal runs where memory and model are
    deterministic.
    """
    arcs, memory = arcs or generated(), memory or conditions_with()
    for cell in cells:
        for arc in arcs(cell):
            run = run_arc(
                arc,
                corrupted(memory(cell, arc), cell, arc),
                model,
                condition=cell.condition,
                variant=cell.variant,
                corruption=cell.corruption,
                rate=cell.rate,
                prices=prices,
                paraphrase=paraphrase,
                # What memory asks over HTTP is metered in its recording.
                record_http=cell.variant == "real" or cell.condition == OWN,
            )
            yield cell, run


def conditions_with(settings: Mapping[str, Any] | None = None, own: MemoryFactory | None = None) -> MemoryOf:
    """Return what gives the memory of a cell: MERIT's conditions with these settings, and a system of one's own.

    Settings are those of `memory.conditions.Settings`.
    """

    def memory(cell: Cell, arc: WorldArc) -> MemoryFactory:
        if cell.condition == OWN:
            if own is None:
                raise MemuseError("there is no memory system of one's own", reason="merit", mend="give its factory")
            return own
        return partial(_condition, cell, settings or {})

    return memory


def _condition(cell: Cell, settings: Mapping[str, Any], folder: Path) -> MemorySystem:
    return condition(cell.condition, cell.variant, **settings)


def corrupted(factory: MemoryFactory, cell: Cell, arc: WorldArc) -> MemoryFactory:
    """Return the factory with the cell's corruption, if any.

    What is superseded in an arc is known from its gold facts, so that stale records can be returned by systems that
    only add, too. Arcs without updates have none.
    """
    if not cell.corruption:
        return factory
    if cell.corruption == "stale":
        facts = [fact for episode in arc.episodes for fact in episode.gold if fact.superseded]
        older = superseded_values({fact.value: fact.superseded[-1] for fact in facts})
        return lambda folder: StaleVersion(factory(folder), rate=cell.rate, seed=cell.seed, arc=arc.id, older=older)
    wrap = FAULTS[_FAULT_OF[cell.corruption]].wrap
    return lambda folder: wrap(factory(folder), rate=cell.rate, seed=cell.seed, arc=arc.id)


_ALIKE = ("none", "replay")


def _known(what: str, given: Sequence[object], there: Sequence[str]) -> None:
    for name in given:
        if name not in there:
            raise MemuseError(
                f"there is no {what} {printable(str(name))!r}{nearest(str(name), there)}",
                reason="merit",
                mend=f"the {what}s are {', '.join(there)}",
            )
