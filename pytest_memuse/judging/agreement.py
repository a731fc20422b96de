"""Agreement of a judge with labels that a construction forces: right, wrong and undetermined, signal by signal."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.judging.answers import Assessment, Signal


@dataclass(frozen=True, slots=True)
class Label:
    """One entry's labels by signal; only ``forced`` signals are scored. A value of None is *undetermined*, forced."""

    values: Mapping[Signal, Any]
    forced: frozenset[Signal]


@dataclass(slots=True)
class Agreement:
    """Counts by signal, and where a judge was wrong or left a forced value open."""

    right: Counter[Signal] = field(default_factory=Counter)
    wrong: Counter[Signal] = field(default_factory=Counter)
    undetermined: Counter[Signal] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def add(self, where: str, label: Label, assessment: Assessment, determines: Iterable[Signal]) -> None:
        """Score one entry on the forced signals that the judge determines. None where None is forced is right."""
        for signal in sorted(label.forced & frozenset(determines)):
            expected, given = label.values[signal], getattr(assessment, signal.value)
            if given == expected:
                self.right[signal] += 1
            elif given is None:
                self.undetermined[signal] += 1
                self.open.append(f"{where}: {signal}: expected {_shown(expected)}; {assessment.notes.get(signal, '')}")
            else:
                self.wrong[signal] += 1
                note = assessment.notes.get(signal, "")
                self.mistakes.append(f"{where}: {signal}: {_shown(given)}, expected {_shown(expected)}; {note}")

    def table(self) -> str:
        """Return one line a signal: right, wrong, undetermined."""
        lines = [f"{'signal':<12}{'right':>7}{'wrong':>7}{'undetermined':>14}"]
        lines += [
            f"{s.value:<12}{self.right[s]:>7}{self.wrong[s]:>7}{self.undetermined[s]:>14}"
            for s in Signal
            if self.right[s] + self.wrong[s] + self.undetermined[s]
        ]
        return "\n".join(lines)


def _shown(value: Any) -> str:
    return "undetermined" if value is None else str(getattr(value, "value", value))
