"""A suite's gate as plain data, for programs: every gated figure with all that is known of it, and every change.

What has no value is null, and ``undefined`` beside it says why; no number is infinite or none.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pytest_memuse.gate import ChangeKind, EntryChange
from pytest_memuse.gate.comparison import Comparison, Refusal
from pytest_memuse.gate.matching import Matching, TaskKey
from pytest_memuse.gate.rulings import Decided, failing
from pytest_memuse.gate.verdicts import FigureResult, Verdict

MOST_CHANGES = 5_000
"""Changes of one suite that are given; what is left out is counted, and newly harmful entries never are."""


class GateStatus(StrEnum):
    """What the gate said of a suite."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    NOT_EVALUATED = "not evaluated"


@dataclass(frozen=True, slots=True)
class SuiteGate:
    """What the gate said of a suite, and why.

    ``against`` names what the suite was compared with, ``changed`` what else changed since. Of a comparison that was
    refused for its tasks there is the ``refusal``. ``broken`` tells what fails the gate beside its figures: a
    comparison that could not be made, or a hook that raised.
    """

    status: GateStatus
    reason: str
    against: str = ""
    comparison: Comparison | None = None
    decided: tuple[Decided, ...] = ()
    changed: tuple[str, ...] = ()
    refusal: Refusal | None = None
    broken: str = ""

    @property
    def fails(self) -> bool:
        """Whether the gate fails the build; one that was not evaluated does where the settings say so."""
        return self.status is GateStatus.FAILED or bool(self.broken)

    @classmethod
    def of(
        cls, comparison: Comparison, decided: tuple[Decided, ...], against: str, changed: Sequence[str] = ()
    ) -> "SuiteGate":
        """Return the gate of a comparison.

        It failed where a figure fails the build, and is inconclusive where none does and one is without an answer that
        nobody ruled on.
        """
        failed = failing(decided)
        open_figures = [one for one in decided if one.figure.verdict is Verdict.INCONCLUSIVE and not one.rulings]
        status = GateStatus.FAILED if failed else GateStatus.INCONCLUSIVE if open_figures else GateStatus.PASSED
        told = failed or open_figures or [one for one in decided if one.rulings]
        reason = "; ".join(_told(one) for one in told)
        if not decided:
            status, reason = GateStatus.INCONCLUSIVE, "no figure is gated"
        return cls(status, reason, against, comparison, decided, tuple(changed))


def not_evaluated(reason: str, *, fails: bool = False) -> SuiteGate:
    """Return the gate of a suite that was not compared, which ``fails`` the build where the settings say so."""
    return SuiteGate(GateStatus.NOT_EVALUATED, reason, broken=reason if fails else "")


def gate_data(gate: SuiteGate) -> dict[str, Any]:
    """Return a gate; of one that was not evaluated, and of a refused one, what there is."""
    compared = gate.comparison
    matching = compared.matching if compared is not None else gate.refusal.matching if gate.refusal else None
    changes = [] if compared is None else [c for key in compared.changes for c in compared.changes[key]]
    given = bounded(changes)
    ungated = () if compared is None else compared.not_gated
    return {
        "status": gate.status.value,
        "reason": gate.reason,
        "fails": gate.fails,
        "against": gate.against or None,
        "confidence": None if compared is None else finite(1 - compared.alpha),
        "same_recordings": None if compared is None else compared.same_recordings,
        "changed_since": list(gate.changed),
        "figures": {one.figure.name: figure_data(one, compared) for one in gate.decided if compared is not None},
        "not_gated": {one.name: {"title": one.title, "reason": one.reason} for one in ungated},
        "matching": None if matching is None else matching_data(matching),
        "changes": [change_data(change) for change in given],
        "changes_left_out": len(changes) - len(given),
    }


def both_sides(figure: FigureResult) -> dict[str, float | None]:
    """Return a figure's two values, their difference and its bounds, by the names that every output gives them."""
    return {
        "baseline": figure.baseline,
        "now": figure.current,
        "difference": figure.difference,
        "lower": figure.lower,
        "upper": figure.upper,
    }


def figure_data(decided: Decided, comparison: Comparison) -> dict[str, Any]:
    """Return a gated figure: its verdict, what that does to the build, both sides, and the difference."""
    figure = decided.figure
    numbers = both_sides(figure) | {
        "p": figure.p,
        "smallest_detectable": figure.smallest_detectable,
        "arcs_needed": figure.arcs_needed,
    }
    known = {name: finite(value) for name, value in numbers.items()}
    responsible = comparison.responsible.get(figure.name, ())
    given = bounded(responsible)
    return known | {
        "title": figure.title,
        "unit": figure.unit,
        "worse": figure.worse.value,
        "verdict": figure.verdict.value,
        "reason": figure.reason,
        "outcome": decided.outcome.value,
        "usual_outcome": decided.usual.value,
        "rulings": [{"outcome": r.outcome.value, "reason": r.reason, "by": r.by} for r in decided.rulings],
        "baseline_counts": _counts(figure.baseline_counts),
        "now_counts": _counts(figure.current_counts),
        "tolerance": finite(figure.tolerance),
        "lower_excluded": figure.lower_excluded,
        "upper_excluded": figure.upper_excluded,
        "arcs": figure.arcs,
        "differing_arcs": figure.differing,
        "rough": figure.rough,
        "undefined": {name: _why(figure, name) for name, value in known.items() if value is None},
        "responsible": [change_data(change) for change in given],
        "responsible_left_out": len(responsible) - len(given),
    }


def matching_data(matching: Matching) -> dict[str, Any]:
    """Return which tasks were compared, and those that could not be."""
    before, now = matching.outside
    return {
        "matched": len(matching.matched),
        "baseline_tasks": matching.baseline_tasks,
        "arcs": list(matching.arcs),
        "gone": _tasks(matching.gone),
        "changed": _tasks(matching.changed),
        "new": _tasks(matching.new),
        "tokens_outside": {"baseline": before, "now": now},
    }


def change_data(change: EntryChange) -> dict[str, Any]:
    """Return what became of one entry; of a change of a whole task ``item`` is empty."""
    return {
        "kind": change.kind.value,
        "arc": change.arc,
        "task": change.task,
        "episode": change.episode,
        "item": change.item,
        "text": change.text,
        "text_then": change.text_then,
        "then": change.then,
        "now": change.now,
        "step_then": change.step_then,
        "step_now": change.step_now,
    }


def bounded(changes: Sequence[EntryChange], most: int = MOST_CHANGES) -> list[EntryChange]:
    """Return at most so many changes, in order: the newly harmful ones, all of them, before any other."""
    if len(changes) <= most:
        return list(changes)
    harmful = {n for n, change in enumerate(changes) if change.kind is ChangeKind.NEWLY_HARMFUL}
    others = [n for n in range(len(changes)) if n not in harmful][: max(0, most - len(harmful))]
    return [changes[n] for n in sorted({*harmful, *others})]


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, None where there is none; zero has no sign."""
    return value or type(value)(0) if value is not None and math.isfinite(value) else None


def _told(decided: Decided) -> str:
    figure = decided.figure
    by = f" ({decided.told})" if decided.rulings else ""
    return f"{figure.title} {figure.verdict}{': ' + figure.reason if figure.reason else ''}{by}"


def _why(figure: FigureResult, name: str) -> str:
    """Return why a field of a figure has no value."""
    if name in ("baseline", "now"):
        return figure.reason or "undefined on this side"
    if figure.difference is None:
        return "the figure is undefined on one side"
    if name == "arcs_needed":
        open_question = figure.verdict is Verdict.INCONCLUSIVE
        return "no number of arcs can be told" if open_question else "only an inconclusive difference has one"
    what = {"p": "no test", "smallest_detectable": "no estimate"}.get(name, "no bound on this side")
    none_at_all = figure.lower is None and figure.upper is None and figure.reason
    return f"the arcs support {what}" + (f" ({figure.reason})" if none_at_all else "")


def _counts(counts: tuple[int, int]) -> dict[str, int]:
    return {"part": counts[0], "whole": counts[1]}


def _tasks(keys: Sequence[TaskKey]) -> list[dict[str, str]]:
    return [{"arc": key.arc, "task": key.task} for key in keys]
