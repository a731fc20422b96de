"""Injection spans and what belongs to them (MemUse 3.3)."""

from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.model import Delivery, Entry


class ExposureKind(StrEnum):
    """How much of an entry stands in its consuming input (MemUse 3.1)."""

    FULL = "full"
    CLIPPED = "clipped"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Exposure:
    """Exposure of one entry; ``text`` is its exposed text, None where the exposure is unknown."""

    kind: ExposureKind
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A credit window: the steps from ``first`` to ``last``, both included."""

    first: int
    last: int

    def __contains__(self, step: int) -> bool:
        return self.first <= step <= self.last


class SpanOutcome(StrEnum):
    """What the rules before judging make of a span (MemUse 3.3, eligibility)."""

    ELIGIBLE = "eligible"
    NEUTRAL = "neutral"
    EMPTY = "empty"
    UNASSESSABLE = "unassessable"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class SpanEntry:
    """One entry of a span with its exposure and its credit window; ``window`` is None where it is empty."""

    entry: Entry
    exposure: Exposure
    window: Window | None


@dataclass(frozen=True, slots=True)
class Span:
    """Repeats of one delivery while an earlier copy is visible; every delivery after the first is a restatement.

    ``first`` and ``last`` are the first and last consuming steps, None for an unassessable span (and for an empty
    span without an attributed step). ``characters`` sums the placement characters of every delivery, wrapper text
    included; ``redacted`` is set where a placement of unknown size makes that a lower bound. ``problems`` says why an
    error span is one.

    ``provisional`` is the step next to which an unattributed span stands in the record, None where there is none. It is
    for a reader of the record only: no rule uses it, and such a span is never judged (A.1.1).
    """

    id: str
    deliveries: tuple[Delivery, ...]
    entries: tuple[SpanEntry, ...]
    first: int | None
    last: int | None
    outcome: SpanOutcome
    characters: int
    redacted: bool = False
    problems: tuple[str, ...] = ()
    provisional: int | None = None
