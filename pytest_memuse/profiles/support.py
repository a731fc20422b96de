"""What the entries of a run leave open of a comparison that came out as a test wanted it."""

import math
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from pytest_memuse.profiles.figure import Compared, Figure
from pytest_memuse.profiles.figures import Kind

_COUNTING = (Kind.SHARE, Kind.COUNT, Kind.RATE)
_OPPOSITE = MappingProxyType({"<": ">=", "<=": ">", ">": "<=", ">=": "<"})


class Lack(StrEnum):
    """What a comparison lacks."""

    RARE = "rare"
    """Nothing was counted, or everything; how far that holds is the interval's other end."""
    NEAR = "near"
    """The threshold lies within the interval."""
    NO_INTERVAL = "no interval"
    """There are fewer than two arcs."""
    OPEN = "open"
    """Entries of which nothing is determined could turn it."""
    BOUND = "bound"
    """Text without a recorded size could turn it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that a comparison which held lacks.

    ``relation`` is how the figure stands to ``threshold`` (a comparison that came out false says that the opposite
    holds). ``limit`` is the end of the interval, or the most or least that the figure could be, which an assertion
    would have to be on to hold; None where there is no such number.
    """

    lack: Lack
    figure: Figure
    relation: str
    threshold: float
    limit: float | None = None

    @property
    def from_above(self) -> bool:
        """Whether the relation holds the figure down."""
        return self.relation in ("<", "<=")


def doubts(compared: Compared) -> tuple[Doubt, ...]:
    """Return what the entries of the run leave open of a comparison, nothing where they bear it out.

    An equality is looked at where it says that nothing was counted, or that everything was.
    """
    figure, threshold = compared.figure, compared.threshold
    relation = compared.op if compared.held else _OPPOSITE.get(compared.op, "")
    if relation == "==":
        relation = _extreme(figure)
    if not relation or math.isnan(threshold):
        return ()
    strict, above = "=" not in relation, relation in ("<", "<=")

    def borne_out(end: float) -> bool:
        return (end < threshold if strict else end <= threshold) if above else (
            end > threshold if strict else end >= threshold
        )  # fmt: skip

    found = []
    if figure.interval is not None:
        end = figure.interval[1 if above else 0]
        if not borne_out(end):
            lack = Lack.RARE if _extreme(figure) in (relation, relation + "=") else Lack.NEAR
            found.append(Doubt(lack, figure, relation, threshold, end))
    elif figure.behind.kind in _COUNTING and figure.behind.clusters < 2:
        found.append(Doubt(Lack.NO_INTERVAL, figure, relation, threshold))
    possible = figure.possible[1 if above else 0]
    if not borne_out(possible):
        if math.isinf(possible):
            found.append(Doubt(Lack.BOUND, figure, relation, threshold))
        else:
            found.append(Doubt(Lack.OPEN, figure, relation, threshold, possible))
    return tuple(found)


def _extreme(figure: Figure) -> str:
    """Return the relation that holding nothing, or everything, comes down to; empty where something lies between."""
    if figure.behind.kind in _COUNTING and figure.counts.denominator:
        falls = figure.behind.falls
        if figure.counts.numerator == 0:
            return ">=" if falls else "<="
        if figure.behind.kind is Kind.SHARE and figure.counts.numerator == figure.counts.denominator:
            return "<=" if falls else ">="
    return ""
