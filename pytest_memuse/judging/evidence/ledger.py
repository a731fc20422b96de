"""Which characters of which record a judge has read: a value, so that what is rolled back is simply the one before."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Range = tuple[int, int]
"""Characters ``[start, end)``."""


@dataclass(frozen=True, slots=True)
class ReadLedger:
    """Disjoint ranges in order, by record. Only what a read returned and what is still in the context belongs here."""

    read: Mapping[str, tuple[Range, ...]] = field(default_factory=dict)

    def with_read(self, record: str, start: int, end: int) -> "ReadLedger":
        """Return the ledger with one more range; an empty one changes nothing."""
        if start >= end:
            return self
        return ReadLedger({**self.read, record: _union((*self.read.get(record, ()), (start, end)))})

    def union(self, other: "ReadLedger") -> "ReadLedger":
        """Return what either has read."""
        names = dict.fromkeys((*self.read, *other.read))
        return ReadLedger({n: _union((*self.read.get(n, ()), *other.read.get(n, ()))) for n in names})

    def missing(self, record: str, length: int) -> tuple[Range, ...]:
        """Return the ranges of a record of this length that were not read."""
        out: list[Range] = []
        reached = 0
        for start, end in self.read.get(record, ()):
            if start >= length:
                break
            if start > reached:
                out.append((reached, start))
            reached = max(reached, end)
        if reached < length:
            out.append((reached, length))
        return tuple(out)

    def is_complete(self, record: str, length: int) -> bool:
        """Whether every character of a record was read. A record that nobody opened is not, be it empty."""
        return record in self.read and not self.missing(record, length)


def _union(found: tuple[Range, ...]) -> tuple[Range, ...]:
    out: list[Range] = []
    for start, end in sorted(found):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)
