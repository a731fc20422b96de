"""Sums of what was measured, with three kinds of zero told apart (conditional utility S1.5; MemUse A.4.4)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Knowledge(StrEnum):
    """What is known of a sum.

    *Measured*: every part reported, so that a zero is a measured zero. *At least*: some parts reported and some did
    not. *Unreported*: there were parts and none reported. *Absent*: there was nothing to measure, so that the cell
    leaves the denominator of a mean.
    """

    MEASURED = "measured"
    AT_LEAST = "at least"
    UNREPORTED = "unreported"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A sum over parts: ``measured`` of them reported and add up to ``total``, ``unreported`` of them did not."""

    total: float = 0
    measured: int = 0
    unreported: int = 0

    @classmethod
    def of(cls, parts: Iterable[float | None]) -> "Quantity":
        """Return the sum of parts, None being one that did not report. The order of the parts does not matter."""
        found = list(parts)
        known = [part for part in found if part is not None]
        whole = all(isinstance(part, int) for part in known)
        return cls(sum(known) if whole else math.fsum(known), len(known), len(found) - len(known))

    @property
    def knowledge(self) -> Knowledge:
        if self.measured:
            return Knowledge.AT_LEAST if self.unreported else Knowledge.MEASURED
        return Knowledge.UNREPORTED if self.unreported else Knowledge.ABSENT

    @property
    def value(self) -> float | None:
        """The sum, a lower bound where some part did not report; None where none did or there was none."""
        return self.total if self.measured else None

    @property
    def exact(self) -> float | None:
        """The sum where every part reported, else None."""
        return self.total if self.knowledge is Knowledge.MEASURED else None

    def __str__(self) -> str:
        if self.knowledge is Knowledge.MEASURED:
            return f"{self.total:g}"
        if self.knowledge is Knowledge.AT_LEAST:
            parts = self.measured + self.unreported
            return f"at least {self.total:g} ({self.unreported} of {parts} parts did not report)"
        return self.knowledge.value


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over cells whose quantity is fully measured; the others leave the denominator and are counted."""

    total: float
    measured: int
    partial: int
    unreported: int
    absent: int

    @property
    def value(self) -> float | None:
        """The mean over measured cells, None without one."""
        return self.total / self.measured if self.measured else None


def mean_of(cells: Iterable[Quantity]) -> Mean:
    """Return the mean of a quantity over cells. A measured zero counts in it, an absent or unreported one does not."""
    every = list(cells)
    exact = [cell.total for cell in every if cell.knowledge is Knowledge.MEASURED]

    def count(knowledge: Knowledge) -> int:
        return sum(cell.knowledge is knowledge for cell in every)

    return Mean(
        total=math.fsum(exact),
        measured=len(exact),
        partial=count(Knowledge.AT_LEAST),
        unreported=count(Knowledge.UNREPORTED),
        absent=count(Knowledge.ABSENT),
    )
