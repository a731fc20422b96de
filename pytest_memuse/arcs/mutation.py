"""Mutation testing of a memory test suite: what its assertions and its gate make of planted faults."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.gate.comparison import Refusal, compare
from pytest_memuse.gate.tolerance import Tolerance
from pytest_memuse.memory.faults import Fault, Seen, Way, touches_of
from pytest_memuse.profiles.figure import Figure
from pytest_memuse.profiles.figures import DEFAULT_GATED, FIGURES
from pytest_memuse.profiles.profile import figure_of
from pytest_memuse.profiles.rows import Run
from pytest_memuse.recording.recording import Recording


class Catch(StrEnum):
    """What became of a fault."""

    BOTH = "caught by assertions and gate"
    ASSERTIONS = "caught by assertions"
    GATE = "caught by the gate alone"
    NOTHING = "caught by nothing"
    INVISIBLE = "invisible to this judge"
    NOT_PLANTED = "not planted: it found nothing to touch"


@dataclass(frozen=True, slots=True)
class Move:
    """A figure that a fault must move, without the fault and with it; None where it is undefined.

    ``arcs_needed`` are the arcs on which the difference, were it the true one, would be called regressed with 80 %
    power; None where it is called so already, and where nothing supports a number.
    """

    figure: str
    way: Way
    without: float | None
    with_fault: float | None
    arcs_needed: int | None = None

    @property
    def moved(self) -> bool:
        """Whether it moved the declared way at all; an undefined figure did not."""
        if self.without is None or self.with_fault is None:
            return False
        return self.with_fault > self.without if self.way is Way.UP else self.with_fault < self.without


@dataclass(frozen=True, slots=True)
class Touched:
    """What a fault did, by its ground truth: ``struck`` of ``deliveries`` recalls and searches, in ``arcs`` arcs.

    ``entries`` counts what was done to single entries.
    """

    struck: int = 0
    deliveries: int = 0
    entries: int = 0
    arcs: int = 0

    @classmethod
    def of(cls, recordings: Iterable[Recording]) -> "Touched":
        """Count what recordings say that was done."""
        struck = deliveries = entries = arcs = 0
        for recording in recordings:
            touched = False
            for operation in recording.operations:
                found = touches_of(operation.truth)
                reads = operation.kind == "recall" or (operation.kind == "tool" and "query" in operation.asked)
                deliveries += reads or bool(found)
                struck += bool(found)
                entries += sum(bool(touch.item) for touch in found)
                touched = touched or bool(found)
            arcs += touched
        return cls(struck, deliveries, entries, arcs)


@dataclass(frozen=True, slots=True)
class FaultResult:
    """What one fault did to a suite.

    ``failed`` are tests that fail with it and not without it, ``regressed`` the gated figures of which the same holds.
    ``refused`` says why the gate gave no verdict. ``seconds`` is what the run took.
    """

    fault: str
    title: str
    visible: bool
    touched: Touched
    moves: tuple[Move, ...] = ()
    failed: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    refused: str = ""
    seconds: float = 0.0

    @property
    def catch(self) -> Catch:
        """What became of the fault."""
        if not self.touched.struck:
            return Catch.NOT_PLANTED
        if self.failed or self.regressed:
            if not self.regressed:
                return Catch.ASSERTIONS
            return Catch.BOTH if self.failed else Catch.GATE
        return Catch.NOTHING if self.visible else Catch.INVISIBLE

    @property
    def counts(self) -> bool:
        """Whether it is one of the faults that are to be caught: planted, and visible to the judge."""
        return self.visible and bool(self.touched.struck)

    @property
    def moved(self) -> int:
        """How many of the declared figures moved the declared way."""
        return sum(move.moved for move in self.moves)

    @property
    def arcs_needed(self) -> int | None:
        """The fewest arcs on which one of the figures that moved would be called regressed; None where unknown."""
        needed = [move.arcs_needed for move in self.moves if move.moved and move.arcs_needed is not None]
        return min(needed, default=None)


@dataclass(frozen=True, slots=True)
class Control:
    """The suite recorded without a fault: what fails then is no fault's doing."""

    failed: tuple[str, ...] = ()
    regressed: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class MutationReport:
    """A suite under planted faults. ``against`` is the baseline of the gate, empty where that was the control itself.

    ``left`` are faults that were not run.
    """

    suite: str
    arcs: int
    rate: float
    seed: int
    against: str
    recorded_against: str
    control: Control
    results: tuple[FaultResult, ...]
    left: tuple[str, ...] = ()

    @property
    def counted(self) -> tuple[FaultResult, ...]:
        """The faults that are to be caught."""
        return tuple(result for result in self.results if result.counts)

    @property
    def caught(self) -> int:
        """How many of them assertions or gate catch."""
        return sum(bool(result.failed or result.regressed) for result in self.counted)

    @property
    def by_assertions(self) -> int:
        return sum(bool(result.failed) for result in self.counted)

    @property
    def by_gate(self) -> int:
        return sum(bool(result.regressed) for result in self.counted)

    @property
    def score(self) -> float | None:
        """The share caught of the faults that are to be caught; None where there is none."""
        return self.caught / len(self.counted) if self.counted else None


def gate_on(
    reference: Run,
    run: Run,
    figures: Sequence[str] = (),
    *,
    tolerances: Mapping[str, Tolerance] | None = None,
    control: Sequence[str] = (),
) -> tuple[tuple[str, ...], str]:
    """Return the gated figures that regressed, those of ``control`` left out, and why there is no verdict, if none."""
    compared = compare(reference, run, figures=figures or DEFAULT_GATED, tolerances=tolerances)
    if isinstance(compared, Refusal):
        return (), compared.message
    return tuple(figure.name for figure in compared.regressed if figure.name not in control), ""


def moves_of(fault: Fault, without: Run, with_fault: Run) -> tuple[Move, ...]:
    """Return what became of the figures that a fault must move.

    The arcs needed are those of a gate on these figures alone.
    """
    needed: Mapping[str, int | None] = {}
    if fault.moves:
        compared = compare(without, with_fault, figures=tuple(fault.moves))
        if not isinstance(compared, Refusal):
            needed = {figure.name: figure.arcs_needed for figure in compared.figures}
    return tuple(
        Move(name, way, _value(without, name), _value(with_fault, name), needed.get(name))
        for name, way in fault.moves.items()
    )


def visible_to(fault: Fault, judge_kind: str) -> bool:
    """Whether a judge of this kind can see what a fault does."""
    return fault.seen is Seen.TRACER or judge_kind != "tracer"


def _value(run: Run, name: str) -> float | None:
    found = figure_of(run, FIGURES[name])
    return float(found) if isinstance(found, Figure) else None
