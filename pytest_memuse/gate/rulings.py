"""What a verdict does to the build, and who changed that: verdicts are computed, rulings on them are somebody's."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pytest_memuse.gate.verdicts import FigureResult, Verdict
from pytest_memuse.model.errors import printable


class Outcome(StrEnum):
    """What a figure's verdict does to the build, the mildest first."""

    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


_SEVERITY = {outcome: rank for rank, outcome in enumerate(Outcome)}


@dataclass(frozen=True, slots=True)
class Ruled:
    """What somebody decides that a verdict does to the build, why, and the plugin or conftest.py that says so."""

    outcome: Outcome
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class Decided:
    """A gated figure with what it does to the build.

    ``usual`` is what the settings make of the verdict, ``rulings`` are what others made of it; the verdict itself is
    nobody's to change.
    """

    figure: FigureResult
    usual: Outcome
    rulings: tuple[Ruled, ...] = field(default=())

    @property
    def outcome(self) -> Outcome:
        """The strictest of the rulings, whatever their order; what the settings say where there is none."""
        if not self.rulings:
            return self.usual
        return max((ruled.outcome for ruled in self.rulings), key=_SEVERITY.__getitem__)

    @property
    def changed(self) -> bool:
        """Whether somebody's ruling makes the outcome another one than the settings do."""
        return self.outcome is not self.usual

    @property
    def told(self) -> str:
        """Who rules what and why, on one line; empty where nobody does."""
        return "; ".join(
            f"{ruled.outcome} by {printable(ruled.by)}: {printable(ruled.reason, 300)}" for ruled in self.rulings
        )


def usual_outcome(figure: FigureResult, inconclusive: str) -> Outcome:
    """Return what the settings make of a verdict; ``inconclusive`` is the word that ``memuse_inconclusive`` gives."""
    if figure.verdict is Verdict.REGRESSED:
        return Outcome.FAIL
    return Outcome(inconclusive) if figure.verdict is Verdict.INCONCLUSIVE else Outcome.PASS


def rulings_told(decided: Iterable[Decided]) -> Mapping[str, str]:
    """Return what baselines keep of rulings: for each figure that somebody ruled on, what the settings say, and who."""
    return {one.figure.name: f"{one.usual} by the settings; {one.told}" for one in decided if one.rulings}


def failing(decided: Sequence[Decided]) -> tuple[Decided, ...]:
    """Return those that fail the build, in order."""
    return tuple(one for one in decided if one.outcome is Outcome.FAIL)
