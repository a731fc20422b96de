"""Pairs of sides for the tests of the procedure."""

import numpy as np
from hypothesis import strategies as st

from pytest_memuse.gate.exchange import Pair


def make_pair(before, now, denominator=1.0) -> Pair:
    """Return a pair of numerators over one denominator for all arcs and both sides."""
    before, now = np.asarray(before, dtype=float), np.asarray(now, dtype=float)
    same = np.full(len(before), float(denominator))
    return Pair(before, same, now, same.copy())


@st.composite
def pairs(draw: st.DrawFn, least: int, most: int) -> Pair:
    """Draw counts over positive denominators, small enough for ties to be common."""
    arcs = draw(st.integers(least, most))
    numerators = st.lists(st.integers(0, 4), min_size=arcs, max_size=arcs)
    denominators = st.lists(st.integers(1, 6), min_size=arcs, max_size=arcs)
    drawn = [draw(strategy) for strategy in (numerators, denominators, numerators, denominators)]
    return Pair(*(np.array(values, dtype=float) for values in drawn))


@st.composite
def figures(draw: st.DrawFn, least: int, most: int, count: int = 3) -> list[Pair]:
    """Draw several figures over the same arcs."""
    arcs = draw(st.integers(least, most))
    return [draw(pairs(arcs, arcs)) for _ in range(count)]


@st.composite
def uncommon(draw: st.DrawFn, arcs: int) -> Pair:
    """Draw what is seldom: arcs that stand on one side only, sides without an event, one arc above all others."""
    numerators, denominators = [], []
    for _ in range(2):
        counts = st.lists(st.sampled_from([0, 0, 0, 1, 2]), min_size=arcs, max_size=arcs)
        spans = np.array(draw(st.lists(st.integers(0, 3), min_size=arcs, max_size=arcs)), dtype=float)
        spans[draw(st.integers(0, arcs - 1))] = draw(st.sampled_from([1.0, 1e6]))
        numerators.append(np.array(draw(counts)) * draw(st.sampled_from([0.0, 1.0, 1e-9])) * np.minimum(spans, 1e3))
        denominators.append(spans)
    return Pair(numerators[0], denominators[0], numerators[1], denominators[1])
