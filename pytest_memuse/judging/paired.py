"""Agreement of two judges on the same entries, signal by signal, whoever is right."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_memuse.judging.answers import Signal
from pytest_memuse.judging.kappa import Kappa, kappa_of

Given = bool | str | None
"""What a judge gave for a signal, in the words of rows; None is *undetermined*."""

PREVALENT = 0.8
"""Share of one value from which on kappa says little: chance alone would make the judges agree that often."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One signal of one entry as two judges gave it. ``entry`` counts from 0 in its span; ``arc`` is the cluster."""

    arc: str
    episode: str
    span: str
    entry: int
    first: Given
    second: Given

    @property
    def agree(self) -> bool:
        return self.first == self.second


@dataclass(frozen=True, slots=True)
class PairedSignal:
    """How two judges agree on one signal. ``confusion`` counts (first, second) pairs.

    *Undetermined* is a value like any other, so that silence is no agreement with a claim.
    """

    signal: Signal
    pairs: tuple[Pair, ...]
    confusion: Mapping[tuple[Given, Given], int]
    kappa: Kappa

    @property
    def agreed(self) -> int:
        """How many entries both judges give the same value."""
        return sum(pair.agree for pair in self.pairs)

    @property
    def disagreements(self) -> tuple[Pair, ...]:
        """The entries of which the judges differ, in order."""
        return tuple(pair for pair in self.pairs if not pair.agree)

    @property
    def prevalent(self) -> tuple[Given, float] | None:
        """The value that both judges together give most often, and its share of what they give; None without pairs.

        Where it is near 1, kappa is low however often the judges agree (the kappa paradox), and hangs on few entries.
        """
        if not self.pairs:
            return None
        given = Counter(value for pair in self.pairs for value in (pair.first, pair.second))
        value, count = min(given.items(), key=lambda item: (-item[1], str(item[0])))
        return value, count / (2 * len(self.pairs))

    @property
    def no_kappa(self) -> str:
        """Why there is no kappa, empty where there is one."""
        if not self.pairs:
            return "no entry has a value from both judges"
        if self.kappa.value is None:
            return "both judges give one and the same value throughout, which chance explains as well"
        return ""

    @property
    def no_bound(self) -> str:
        """Why kappa has no lower bound, empty where it has one."""
        if self.no_kappa:
            return self.no_kappa
        return "a bound takes entries of at least two arcs" if self.kappa.lower is None else ""


def paired_signal(signal: Signal, pairs: Iterable[Pair]) -> PairedSignal:
    """Return the agreement on a signal. The order of pairs has no influence on anything but their own order."""
    found = tuple(pairs)
    confusion = Counter((pair.first, pair.second) for pair in found)
    return PairedSignal(signal, found, confusion, kappa_of((pair.arc, pair.first, pair.second) for pair in found))
