"""The generators of ``gate_generator.yaml``: builds of seven figures, the same arcs on both sides.

``MEMUSE_CASES=DIR`` takes the file from another folder, changed parameters included. The file holds the dense generator
as a mapping and the two others as remarks ("sparse": as dense with ...); both forms are read, and a mapping of that
name goes before a remark.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from pytest_memuse.gate.exchange import Pair
from pytest_memuse.profiles.figures import Worse
from tests.benchmarks.gate.expressions import Expression, parse
from tests.cases.episodes import OWN_CASES, MalformedCase, cases_folder

FIGURES = ("relevance", "corroboration", "information gain", "acted on", "benefit", "harm", "benefit per token")
DIRECTIONS = tuple(Worse.HIGHER if name == "harm" else Worse.LOWER for name in FIGURES)
SIGNS = np.array([1.0 if direction is Worse.HIGHER else -1.0 for direction in DIRECTIONS])
CHANGED_FIGURE = MappingProxyType({"harm": 5, "relevance": 0, "acted_on": 3})
"""The changes of the current side only, and the figure that each changes by itself."""

FILE = "gate_generator.yaml"
_REMARK = re.compile(r'^#\s*"(\w+)": as dense(.*)$', re.MULTILINE)
_COUNTS = MappingProxyType({"two": 2, "three": 3, "four": 4, "five": 5})


@dataclass(frozen=True, slots=True)
class Generator:
    """One generator of builds: what an arc's spans, rates and tokens are drawn from, and the shares of its entries."""

    spans: Expression
    relevance: Expression
    corroborated: float
    informative: float
    acted_on: float
    harmed: float
    beneficial: float
    tokens: Expression
    entries: int = 10
    repeats: int = 1
    moved: Expression | None = None
    """What becomes of an arc's rate ``r`` on a changed side."""

    def changed(self, change: Mapping[str, Any]) -> "Generator":
        """Return the generator of a changed side."""
        parts = {key: value for key, value in change.items() if key != "relevance"}
        moved = parse(change["relevance"]) if "relevance" in change else self.moved
        return replace(self, **{key: float(value) for key, value in parts.items()}, moved=moved)

    def rates(self, arcs: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Return one rate for each arc, the same on both sides of a build."""
        return self.relevance.draw(rng, (arcs,))

    def side(self, rates: NDArray[np.float64], rng: np.random.Generator) -> list[tuple[NDArray[np.float64], ...]]:
        """Return numerators and denominators by arc of each figure on one side."""
        arcs = len(rates)
        spans = self.spans.draw(rng, (self.repeats, arcs)).astype(int)
        arc = np.repeat(np.tile(np.arange(arcs), self.repeats), spans.ravel())
        here = rates[arc] if self.moved is None else self.moved.draw(rng, (len(arc),), rates[arc])
        relevant = rng.binomial(self.entries, np.clip(here, 0.0, 1.0))
        corroborated = rng.binomial(relevant, self.corroborated)
        informative = rng.binomial(relevant, self.informative)
        acted_on = rng.binomial(relevant, self.acted_on)
        harmed = rng.binomial(acted_on, self.harmed)
        beneficial = rng.binomial(acted_on - harmed, self.beneficial)
        tokens = self.tokens.draw(rng, (len(arc),))
        count = np.bincount(arc, minlength=arcs).astype(float)
        axes = (relevant, corroborated, informative, acted_on, beneficial, harmed)
        out = [(np.bincount(arc, counted / self.entries, arcs), count) for counted in axes]
        return [*out, (np.bincount(arc, beneficial, arcs), np.bincount(arc, tokens, arcs))]

    def expected(self) -> NDArray[np.float64]:
        """Return each figure in expectation."""
        rate = self.relevance.mean()
        relevant = rate if self.moved is None else self.moved.mean(rate)
        acted_on = relevant * self.acted_on
        harm = acted_on * self.harmed
        benefit = self.beneficial * (acted_on - harm)
        shares = [relevant, self.corroborated * relevant, self.informative * relevant, acted_on, benefit, harm]
        return np.array([*shares, self.entries * benefit / self.tokens.mean()])


@dataclass(frozen=True, slots=True)
class Generators:
    """What a generator file holds. ``measured`` are the figures measured once, ``digest`` names the file's text."""

    by_name: Mapping[str, Generator]
    changes: Mapping[str, Mapping[str, Any]]
    measured: Mapping[str, Any]
    digest: str

    def build(self, name: str, arcs: int, rng: np.random.Generator, change: str = "none") -> list[Pair]:
        """Return the seven figures of one build."""
        generator = self.by_name[name]
        rates = generator.rates(arcs, rng)
        baseline = generator.side(rates, rng)
        current = self._current(name, change).side(rates, rng)
        return [Pair(*before, *now) for before, now in zip(baseline, current, strict=True)]

    def worse_by(self, name: str, change: str) -> NDArray[np.float64]:
        """Return by how much a change makes each figure worse in expectation; negative where it makes it better."""
        return SIGNS * (self._current(name, change).expected() - self.by_name[name].expected())

    def _current(self, name: str, change: str) -> Generator:
        return self.by_name[name] if change == "none" else self.by_name[name].changed(self.changes[change])


@cache
def generators(path: Path | None = None) -> Generators:
    """Return the generators of a file: by default that of ``MEMUSE_CASES``, or the project's where it has none."""
    if path is None:
        path = cases_folder() / FILE
        path = path if path.exists() else OWN_CASES / FILE
    text = path.read_text(encoding="utf-8")
    try:
        document = yaml.safe_load(text)
        dense = _generator(document["dense"])
        by_name = {"dense": dense}
        for match in _REMARK.finditer(text):
            by_name[match[1]] = _with(dense, _remarked(match[2]))
        for name in document.keys() - {"dense", "changes", "measured_once"}:
            by_name[name] = _with(dense, document[name])
        return Generators(by_name, document["changes"], document.get("measured_once", {}), _digest(text))
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise MalformedCase(f"{path}: not a file of generators: {error!r}") from error


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


_EXPRESSIONS = ("spans", "relevance", "tokens")


def _generator(parameters: Mapping[str, Any]) -> Generator:
    return Generator(**_read(parameters))


def _with(dense: Generator, parameters: Mapping[str, Any]) -> Generator:
    return replace(dense, **_read(parameters))


def _read(parameters: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name for field in fields(Generator)} - {"moved"}
    if unknown := parameters.keys() - known:
        raise ValueError(f"unknown parameters {', '.join(sorted(unknown))}")
    whole = ("entries", "repeats")
    return {
        key: parse(value) if key in _EXPRESSIONS else int(value) if key in whole else float(value)
        for key, value in parameters.items()
    }


def _remarked(remark: str) -> dict[str, Any]:
    """Return the parameters that a remark names: ``relevance "beta(0.3, 6)", acted_on 0.1``, ``(spans 1 + ...)``."""
    found: dict[str, Any] = {}
    for key, quoted, number in re.findall(r'\b([a-z_]+) (?:"([^"]{1,200})"|([0-9.]{1,20})(?=[,\s(]|$))', remark):
        found[key] = quoted or number
    if spans := re.search(r"\(spans (.{1,100}?)\)\s*(?:,|$)", remark):
        found["spans"] = spans[1]
    if repeats := re.search(r"\b(\w+) repeats a task", remark):
        found["repeats"] = _COUNTS.get(repeats[1]) or int(repeats[1])
    return found
