"""Tolerances: how much worse a figure may be before it counts as regressed."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pytest_memuse.model.errors import MemuseError, nearest, printable

_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class Tolerance:
    """An absolute tolerance in the figure's unit, or a share of the baseline's figure where ``relative`` is set."""

    value: float
    relative: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and self.value >= 0):
            raise MemuseError(f"A tolerance is a finite number of at least 0, not {self.value!r}.", reason="tolerance")

    def of(self, baseline: float) -> float:
        """Return the tolerance in the figure's unit, for a baseline figure."""
        return self.value * abs(baseline) if self.relative else self.value


NO_TOLERANCE = Tolerance(0.0)


def parse_tolerance(text: str, figures: Iterable[str]) -> tuple[str, Tolerance]:
    """Return figure name and tolerance of ``name=0.02`` (absolute) or ``name=5%`` (of the baseline's figure)."""
    name, separator, amount = (part.strip() for part in text.partition("="))
    known = sorted(figures)
    if name not in known:
        raise MemuseError(
            f"The tolerance {printable(text)!r} names no figure{nearest(name, known)}",
            reason="tolerance",
            mend=f"use one of {', '.join(known)}",
        )
    relative = amount.endswith("%")
    number = amount.removesuffix("%").strip()
    if not separator or not _NUMBER.fullmatch(number):
        raise MemuseError(
            f"The tolerance {printable(text)!r} gives no number.",
            reason="tolerance",
            mend=f"write {name}=0.02 (in the figure's unit) or {name}=5% (of the baseline's figure)",
        )
    return name, Tolerance(float(number) / 100 if relative else float(number), relative)


def parse_tolerances(text: str, figures: Iterable[str]) -> dict[str, Tolerance]:
    """Return the tolerance of each figure from texts that `parse_tolerance` takes, separated by commas or lines."""
    known, found = tuple(figures), dict[str, Tolerance]()
    for part in re.split(r"[,\n]", text):
        if not part.strip():
            continue
        name, tolerance = parse_tolerance(part.strip(), known)
        if name in found:
            raise MemuseError(
                f"The figure {name!r} has two tolerances.", reason="tolerance", mend="give it one, absolute or relative"
            )
        found[name] = tolerance
    return found


def check_gated(names: Iterable[str], figures: Iterable[str]) -> None:
    """Raise `MemuseError` for the first name that is no figure."""
    known = tuple(figures)
    for name in names:
        if name not in known:
            raise MemuseError(
                f"There is no figure {printable(name)!r} to gate{nearest(name, known)}",
                reason="no-figure",
                mend=f"use some of {', '.join(known)}",
            )
