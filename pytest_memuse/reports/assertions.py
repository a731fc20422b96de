"""What a failing assertion on a figure says: value, interval, counts, and the entries responsible."""

from collections.abc import Sequence

from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.figure import Figure, Responsible
from pytest_memuse.reports.numbers import number, span

_SHOWN = 5


def explain_comparison(op: str, left: object, right: object) -> list[str] | None:
    """Return the lines that explain a failed comparison with a figure, None where neither side is one."""
    for figure in (left, right):
        if isinstance(figure, Figure):
            return [f"{_side(left)} {op} {_side(right)}", *_told(figure)]
    return None


def _side(value: object) -> str:
    if isinstance(value, Figure):
        return f"{value.name} {number(float(value))}"
    return printable(repr(value))


def _told(figure: Figure) -> list[str]:
    lines = [f"  {figure.spec.title}: {number(float(figure))} ({figure.spec.unit})", f"  counts: {figure.counts}"]
    if figure.interval is not None:
        lines.append(f"  95 % interval over arcs: {span(*figure.interval)}")
    if (comparison := getattr(figure, "comparison", None)) is not None and comparison.p is not None:
        how = "paired bootstrap" if comparison.method == "bootstrap" else "exact exchange"
        lines.append(f"  two-sided p {number(comparison.p)}, {how} over {comparison.arcs} arcs")
    if figure.reason:
        lines.append(f"  {figure.reason}")
    return lines + responsible_lines(figure.responsible)


def responsible_lines(found: Sequence[Responsible]) -> list[str]:
    """Return a line for each of the first entries that a figure is owed to."""
    lines = [f"  {_entry(one)}" for one in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"  and {len(found) - _SHOWN} more")
    return lines


def _entry(one: Responsible) -> str:
    where = printable(f"{one.arc}/{one.task}") + (f", step {one.step}" if one.step is not None else "")
    if not one.item:
        return f"{where}: the task failed"
    if one.told:
        return f"{where}: {printable(one.item, 60)}: {printable(one.told, 90)}"
    usage = f", {one.usage.value}" if one.usage is not None else ""
    return f"{where}: {printable(one.item, 40)} “{printable(one.text, 90)}”{usage}"
