"""Simulated builds for the gate: the generators of ``tests/cases/data/gate_generator.yaml``, as numpy arrays.

``python -m tests.benchmarks.gate.simulation --help`` prints the tables of ``docs/statistics.md``.
"""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pytest_memuse.gate.exchange import Pair
from pytest_memuse.gate.resampling import ALPHA, decide
from pytest_memuse.profiles.figures import Worse

FIGURES = ("relevance", "corroboration", "information gain", "acted on", "benefit", "harm", "benefit per token")
DIRECTIONS = tuple(Worse.HIGHER if name == "harm" else Worse.LOWER for name in FIGURES)
SIGNS = np.array([1.0 if direction is Worse.HIGHER else -1.0 for direction in DIRECTIONS])
CHANGED_FIGURE = {"harm": 5, "relevance": 0, "acted_on": 3}
"""The changes of the current side only, and the figure that each changes by itself."""
ENTRIES = 10


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator of builds. ``relevance`` holds the parameters of the beta distribution of an arc's own rate."""

    relevance: tuple[float, float] = (0.6, 3.0)
    acted_on: float = 0.27
    harmed: float = 0.05
    heavy: bool = False
    repeats: int = 1


GENERATORS = {
    "dense": Generator(),
    "sparse": Generator(relevance=(0.3, 6.0), acted_on=0.1, harmed=0.02),
    "repeats": Generator(heavy=True, repeats=3),
}


def build(generator: Generator, arcs: int, rng: np.random.Generator, change: str | None = None) -> list[Pair]:
    """Return the seven figures of one build, the same arcs on both sides."""
    rates = rng.beta(*generator.relevance, arcs)
    baseline = _side(generator, rates, rng, None)
    current = _side(generator, rates, rng, change)
    return [Pair(*before, *now) for before, now in zip(baseline, current, strict=True)]


def wilson(hits: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the 95 % Wilson interval of a share."""
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return float(centre - half), float(centre + half)


def gate_regresses(pairs: Sequence[Pair], seed: int, resamples: int) -> NDArray[np.bool_]:
    """Return which figures the gate calls regressed."""
    rng = np.random.default_rng([seed, 1])
    found = decide(pairs, DIRECTIONS, rng, resamples=resamples, bounds=False)
    return np.array([decision.regressed for decision in found])


def reference_regresses(pairs: Sequence[Pair], seed: int, resamples: int) -> NDArray[np.bool_]:
    """Return the same of a plain single-step maximum on sign flips, written for comparison only."""
    rng = np.random.default_rng([seed, 2])
    flips = np.where(rng.random((resamples, pairs[0].arcs)) < 0.5, -1.0, 1.0)
    flips[0] = 1.0
    columns = []
    for pair, sign in zip(pairs, SIGNS, strict=True):
        numerators = pair.baseline_numerator + pair.current_numerator
        denominators = pair.baseline_denominator + pair.current_denominator
        ratio = numerators.sum() / denominators.sum()
        before = pair.baseline_numerator - ratio * pair.baseline_denominator
        contribution = sign * (pair.current_numerator - ratio * pair.current_denominator - before)
        size = np.sqrt(np.sum(contribution**2))
        columns.append(contribution / size if size > 0 else contribution)
    table = flips @ np.stack(columns, axis=1)
    largest = table.max(axis=1)
    return np.array([np.mean(largest >= observed - 1e-9) <= ALPHA for observed in table[0]])


def true_differences(generator: Generator, change: str) -> NDArray[np.float64]:
    """Return by how much a change makes each figure worse in expectation."""
    return SIGNS * (_expected(generator, change) - _expected(generator, None))


def _expected(generator: Generator, change: str | None) -> NDArray[np.float64]:
    alpha, beta = generator.relevance
    relevant = alpha / (alpha + beta) * (0.7 if change == "relevance" else 1.0)
    acted_on = relevant * (0.15 if change == "acted_on" else generator.acted_on)
    harm = acted_on * (0.25 if change == "harm" else generator.harmed)
    benefit = 0.75 * (acted_on - harm)
    per_token = ENTRIES * benefit / np.exp(6 + 0.5**2 / 2)
    return np.array([relevant, 0.6 * relevant, 0.7 * relevant, acted_on, benefit, harm, per_token])


def _side(
    generator: Generator, rates: NDArray[np.float64], rng: np.random.Generator, change: str | None
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    arcs = len(rates)
    shape = (generator.repeats, arcs)
    spans = 1 + (np.round(rng.pareto(1.5, shape)).astype(int) if generator.heavy else rng.poisson(1, shape))
    arc = np.repeat(np.tile(np.arange(arcs), generator.repeats), spans.ravel())
    relevant = rng.binomial(ENTRIES, rates[arc] * (0.7 if change == "relevance" else 1.0))
    corroborated = rng.binomial(relevant, 0.6)
    informative = rng.binomial(relevant, 0.7)
    acted_on = rng.binomial(relevant, 0.15 if change == "acted_on" else generator.acted_on)
    harmed = rng.binomial(acted_on, 0.25 if change == "harm" else generator.harmed)
    beneficial = rng.binomial(acted_on - harmed, 0.75)
    tokens = np.exp(rng.normal(6, 0.5, len(arc)))
    count = np.bincount(arc, minlength=arcs).astype(float)
    for entries in (relevant, corroborated, informative, acted_on, beneficial, harmed):
        yield np.bincount(arc, entries / ENTRIES, arcs), count
    yield np.bincount(arc, beneficial, arcs), np.bincount(arc, tokens, arcs)


def verdict_row(name: str, arcs: int, seed: int, change: str | None, resamples: int) -> list[bool]:
    """Return for one build: it fails by the gate, by the reference, and its changed figure does by each of them."""
    pairs = build(GENERATORS[name], arcs, np.random.default_rng([seed, arcs]), change)
    found = [gate_regresses(pairs, seed, resamples), reference_regresses(pairs, seed, resamples)]
    row = [bool(regressed.any()) for regressed in found]
    if change is not None:
        row += [bool(regressed[CHANGED_FIGURE[change]]) for regressed in found]
    return row


def bound_row(name: str, arcs: int, seed: int, change: str | None, resamples: int) -> list[bool]:
    """Return for one build: all bounds from below hold, all from above do, and each figure's two bounds do."""
    pairs = build(GENERATORS[name], arcs, np.random.default_rng([seed, arcs]), change)
    found = decide(pairs, DIRECTIONS, np.random.default_rng([seed, 1]), resamples=resamples)
    truth = true_differences(GENERATORS[name], change) if change else np.zeros(len(FIGURES))
    below = [d.at_least.value is None or d.at_least.value <= t + 1e-12 for d, t in zip(found, truth, strict=True)]
    above = [d.at_most.value is None or d.at_most.value >= t - 1e-12 for d, t in zip(found, truth, strict=True)]
    return [all(below), all(above), *below, *above]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print shares of simulated builds: failing ones and changed figures found, or builds all of whose bounds hold."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("table", choices=["verdicts", "bounds"])
    parser.add_argument("--builds", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first build")
    parser.add_argument("--arcs", type=int, nargs="+", default=[20, 100, 500])
    parser.add_argument("--generators", nargs="+", default=list(GENERATORS))
    parser.add_argument("--changes", nargs="*", default=["none", *CHANGED_FIGURE])
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args(arguments)
    row = verdict_row if options.table == "verdicts" else bound_row
    seeds = range(options.first, options.first + options.builds)
    with ProcessPoolExecutor(options.workers) as pool:
        for change in options.changes:
            for name in options.generators:
                for arcs in options.arcs:
                    fixed = (repeat(value) for value in (None if change == "none" else change, options.resamples))
                    rows = list(pool.map(row, repeat(name), repeat(arcs), seeds, *fixed, chunksize=25))
                    hits = [sum(column) for column in zip(*rows, strict=True)]
                    low, high = wilson(hits[0], options.builds)
                    shares = " ".join(f"{hit / options.builds:.3f}" for hit in hits)
                    print(f"{change:9} {name:8} {arcs:4}  {shares}  first: [{low:.3f}, {high:.3f}]", flush=True)


if __name__ == "__main__":
    main()
