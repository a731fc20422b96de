"""How a stale recording is told: where the memory system first delivers something else, and which entries."""

from collections.abc import Sequence

from pytest_memuse.episodes.drift import DeliveryChange, Drift, DriftKind, EntryDifference, Preview
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.numbers import counted
from pytest_memuse.reports.table import table

_HOW = {"in": "comes in", "out": "goes out", "changed": "changed", "moved": "moved"}
_SHOWN = 5
"""Entries shown of an arc, and arcs shown with their entries; of the others only the place."""
_TOUCHED = 12
"""Entries shown that the agent had acted on."""
_HEAD = ["arc", "deliveries that differ", "acted-on entries", "come in", "delivered tokens", "visible anyway (tokens)"]


def describe_drifts(drifts: Sequence[Drift]) -> str:
    """Return one paragraph an arc: what diverged first, at which episode and step, and the entries concerned."""
    lines = [line for drift in drifts[:_SHOWN] for line in _drift(drift)]
    lines += [_drift(drift)[0] for drift in drifts[_SHOWN:]]
    return "\n".join([*lines, *preview_lines(drifts)])


def preview_lines(drifts: Sequence[Drift]) -> list[str]:
    """Return what the rest of the stale arcs comes to, as far as the recorded steps go; none where nothing is known."""
    known = [(drift, drift.preview) for drift in drifts if drift.preview is not None]
    if not known:
        return []
    lines = ["  as far as the recorded steps go, with the agent's part as it was recorded, the stale arcs come to:"]
    rows = [[drift.arc, *_totals([preview])] for drift, preview in known[:_SHOWN]]
    if len(known) > 1:
        rows.append([f"all {len(known)}", *_totals([preview for _, preview in known])])
    lines += [f"    {line}" for line in table(_HEAD, rows, frozenset(range(1, len(_HEAD))))]
    touched = [
        (drift.arc, change, d)
        for drift, preview in known
        for change in preview.changes
        for d in change.differences
        if d.acted_on
    ]
    lines += [f"    {_touched(*each)}" for each in touched[:_TOUCHED]]
    if len(touched) > _TOUCHED:
        lines.append(f"    and {len(touched) - _TOUCHED} more that the agent had acted on")
    left_out = sum(preview.left_out for _, preview in known)
    if left_out:
        every = counted(sum(preview.operations for _, preview in known), "operation")
        lines.append(f"    {left_out} of {every} could not be followed and are left out with what they wrote")
    return lines


def together(notes: Sequence[str]) -> list[str]:
    """Return notes of arcs with equal ones together: ``a, b and 3 more arcs: the note``."""
    arcs: dict[str, list[str]] = {}
    for note in notes:
        arc, _, text = note.partition(": ")
        arcs.setdefault(text, []).append(arc)
    return [f"note, {_listed(names)}: {printable(text, 300)}" for text, names in arcs.items()]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(printable(name, 40) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {counted(len(names) - 3, 'more arc')}"


def _totals(previews: Sequence[Preview]) -> list[str]:
    changes = [change for preview in previews for change in preview.changes]
    differences = [d for change in changes for d in change.differences]
    acted = [d.how for d in differences if d.acted_on]
    seen = [change for change in changes if change.visible is not None]
    incoming, visible = sum(change.incoming for change in seen), sum(change.visible or 0 for change in seen)
    return [
        f"{len(changes)} of {sum(preview.deliveries for preview in previews)}",
        f"{acted.count('out')} gone, {acted.count('changed')} changed",
        f"{sum(d.how == 'in' for d in differences)}",
        f"{sum(p.tokens_before for p in previews):,} → {sum(p.tokens_now for p in previews):,}",
        f"{visible:,} of {incoming:,}" if incoming else "–",
    ]


def _touched(arc: str, change: DeliveryChange, difference: EntryDifference) -> str:
    where = f"{printable(arc)}, episode {printable(change.episode)}"
    where += f", step {change.step}" if change.step is not None else ""
    return f"{where}, acted on: {_difference(difference, in_store=False)}"


def _drift(drift: Drift) -> list[str]:
    where = f"{printable(drift.arc)}" + (f", episode {printable(drift.episode)}" if drift.episode else "")
    if drift.step is not None:
        where += f", step {drift.step}"
    told = {
        DriftKind.DIFFERENT: "delivers differently",
        DriftKind.UNREPLAYABLE: "unreplayable"
        + (f" at operation {drift.operation}" if drift.operation is not None else ""),
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
