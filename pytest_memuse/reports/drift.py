"""How a stale recording is told: where the memory system first delivers something else, and which entries."""

from collections.abc import Sequence

from pytest_memuse.episodes.drift import Drift, DriftKind, EntryDifference
from pytest_memuse.model.errors import printable

_HOW = {"in": "comes in", "out": "goes out", "changed": "changed", "moved": "moved"}
_SHOWN = 5
"""Entries shown of an arc, and arcs shown with their entries; of the others only the place."""


def describe_drifts(drifts: Sequence[Drift]) -> str:
    """Return one paragraph an arc: what diverged first, at which episode and step, and the entries concerned."""
    lines = [line for drift in drifts[:_SHOWN] for line in _drift(drift)]
    lines += [_drift(drift)[0] for drift in drifts[_SHOWN:]]
    return "\n".join(lines)


def _drift(drift: Drift) -> list[str]:
    where = f"{printable(drift.arc)}" + (f", episode {printable(drift.episode)}" if drift.episode else "")
    if drift.step is not None:
        where += f", step {drift.step}"
    told = {
        DriftKind.DIFFERENT: "delivers differently",
        DriftKind.UNREPLAYABLE: f"unreplayable at operation {drift.operation}",
        DriftKind.CHANGED_TASK: "task changed",
        DriftKind.SAME: "same",
    }[drift.kind]
    acted = " (the agent had acted on what changed)" if any(d.acted_on for d in drift.differences) else ""
    lines = [f"  {where}: {told}{acted}"]
    lines += [f"    {_difference(difference, drift.in_store)}" for difference in drift.differences[:_SHOWN]]
    if len(drift.differences) > _SHOWN:
        lines.append(f"    and {len(drift.differences) - _SHOWN} more entries")
    if drift.reason:
        lines.append(f"    {printable(drift.reason, 300)}")
    return lines


def _difference(difference: EntryDifference, in_store: bool) -> str:
    told = f"{'stored entry' if in_store else 'entry'} {_HOW[difference.how]}: {printable(difference.item)}"
    if difference.how == "changed":
        return f"{told}: {_quoted(difference.before)} is now {_quoted(difference.now)}"
    return f"{told}: {_quoted(difference.now or difference.before)}"


def _quoted(text: str) -> str:
    return f"“{printable(text, 160)}”"
