"""What one simulated build adds to each table: a row of zeros and ones, whose sums over builds are the table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from pytest_memuse.gate.exchange import Pair
from pytest_memuse.gate.resampling import decide
from pytest_memuse.gate.sides import FigureSides, Side
from pytest_memuse.gate.tolerance import Tolerance
from pytest_memuse.gate.verdicts import FigureResult, Verdict, verdicts
from pytest_memuse.profiles.figures import FIGURES as REGISTRY
from tests.benchmarks.gate.generators import CHANGED_FIGURE, DIRECTIONS, FIGURES, SIGNS, Generators, generators
from tests.benchmarks.gate.references import METHODS, references

KINDS = tuple(Verdict)
_ANY = REGISTRY["relevance_share"]
SPECS = tuple(
    replace(_ANY, name=name.replace(" ", "_"), title=name, worse=worse)
    for name, worse in zip(FIGURES, DIRECTIONS, strict=True)
)
TOLERANCES: Mapping[str, float] = MappingProxyType({"none": 0.0, "half": 0.5, "just less": 0.99, "double": 2.0})
"""Tolerances as a multiple of what the change costs in truth."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: so many builds of one generator, of so many arcs, with one change or none."""

    table: str
    generator: str
    arcs: int
    change: str
    resamples: int
    tolerance: str = "none"

    @property
    def name(self) -> str:
        """The cell in one line; what is kept of it is found by this."""
        return " ".join(str(part) for part in (self.table, *self.place, self.resamples))

    @property
    def place(self) -> tuple[str, str, str, str]:
        """Change, tolerance, generator and arcs."""
        return self.change, self.tolerance, self.generator, str(self.arcs)


def columns(table: str) -> tuple[str, ...]:
    """Return what the numbers of a table's rows say."""
    ways = ("gate", *METHODS)
    by_table = {
        "verdicts": (*(f"fails: {way}" for way in ways), *(f"found: {way}" for way in ways)),
        "kinds": (*(f"changed: {kind}" for kind in KINDS), *(f"any: {kind}" for kind in KINDS), "held wrongly"),
        "bounds": (
            *(f"all {side}{which}" for which in ("", ", unlabelled") for side in ("below", "above")),
            *(f"{name} {side}" for side in ("below", "above") for name in FIGURES),
            *(f"{name} labelled" for name in FIGURES),
            *(f"{name} {side}, unlabelled" for side in ("below", "above") for name in FIGURES),
        ),
    }
    return by_table[table]


def row(cell: Cell, seed: int) -> list[int]:
    """Return one build's row. One seed gives one build in every table."""
    source = generators()
    rng = np.random.default_rng([seed, cell.arcs])
    pairs = source.build(cell.generator, cell.arcs, rng, cell.change)
    return [int(value) for value in _ROWS[cell.table](cell, source, pairs, np.random.default_rng([seed, 1]))]


def _verdicts(cell: Cell, source: Generators, pairs: Sequence[Pair], rng: np.random.Generator) -> list[bool]:
    """Return who fails the build, then who calls the changed figure worse."""
    found = decide(pairs, DIRECTIONS, rng, resamples=cell.resamples, bounds=False)
    gate = np.array([decision.regressed for decision in found])
    ways = [gate, *references(pairs, rng)]
    changed = CHANGED_FIGURE.get(cell.change)
    return [bool(way.any()) for way in ways] + [changed is not None and bool(way[changed]) for way in ways]


def _kinds(cell: Cell, source: Generators, pairs: Sequence[Pair], rng: np.random.Generator) -> list[bool | int]:
    """Return the changed figure's verdict (of the first one where none changed), how many have each, wrong *held*."""
    truth = source.worse_by(cell.generator, cell.change)
    limits = TOLERANCES[cell.tolerance] * np.maximum(truth, 0.0)
    results = judged(pairs, rng, limits, cell.resamples)
    found = [result.verdict for result in results]
    changed = found[CHANGED_FIGURE.get(cell.change, 0)]
    wrong = any(r.verdict is Verdict.HELD and t > limit for r, t, limit in zip(results, truth, limits, strict=True))
    return [*(changed is kind for kind in KINDS), *(found.count(kind) for kind in KINDS), wrong]


def judged(
    pairs: Sequence[Pair], rng: np.random.Generator, limits: Sequence[float], resamples: int
) -> tuple[FigureResult, ...]:
    """Return the gate's results for simulated pairs with absolute tolerances."""
    sides = [
        FigureSides(spec, Side(pair.baseline), Side(pair.current), pair)
        for spec, pair in zip(SPECS, pairs, strict=True)
    ]
    tolerances = {spec.name: Tolerance(float(limit)) for spec, limit in zip(SPECS, limits, strict=True)}
    results, _ = verdicts(sides, pairs[0].arcs, rng, tolerances=tolerances, resamples=resamples)
    return results


def _bounds(cell: Cell, source: Generators, pairs: Sequence[Pair], rng: np.random.Generator) -> list[bool]:
    """Return whether the bounds hold, all at once and each; a bound that is not given holds."""
    truth = SIGNS * source.worse_by(cell.generator, cell.change)
    results = judged(pairs, rng, [0.0] * len(pairs), cell.resamples)
    lower = [r.lower is None or r.lower <= t + 1e-12 for r, t in zip(results, truth, strict=True)]
    upper = [r.upper is None or r.upper >= t - 1e-12 for r, t in zip(results, truth, strict=True)]
    # From below is how much worse at least, from above how much worse at most.
    below = [low if sign > 0 else high for low, high, sign in zip(lower, upper, SIGNS, strict=True)]
    above = [high if sign > 0 else low for low, high, sign in zip(lower, upper, SIGNS, strict=True)]
    rough = [result.rough for result in results]
    unlabelled = [[held or label for held, label in zip(side, rough, strict=True)] for side in (below, above)]
    counted = [[held and not label for held, label in zip(side, rough, strict=True)] for side in (below, above)]
    together = [all(below), all(above), *(all(side) for side in unlabelled)]
    return [*together, *below, *above, *rough, *counted[0], *counted[1]]


_ROWS: Mapping[str, Callable[..., Sequence[bool | int]]] = MappingProxyType(
    {"verdicts": _verdicts, "kinds": _kinds, "bounds": _bounds}
)
