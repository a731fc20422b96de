"""The gate for a terminal and for test reports: one table, and for each failure who is responsible."""

from collections.abc import Sequence

from pytest_memuse.gate.comparison import Comparison, Refusal
from pytest_memuse.gate.entry_changes import EntryChange
from pytest_memuse.gate.verdicts import FigureResult, Verdict
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.numbers import counted, number, signed, span
from pytest_memuse.reports.table import table

_SHOWN = 8
_LISTED = 5


def gate_lines(comparison: Comparison, against: str, baseline: str, verbosity: int = 0) -> list[str]:
    """Return the gate's table: each figure with baseline, now, difference, bounds and verdict; then what to do next.

    ``against`` names what the run was compared with, ``baseline`` the stored baseline, empty where none was given.
    """
    failed = len(comparison.regressed)
    arcs = len(comparison.matching.arcs)
    verdict = f"FAILED: {counted(failed, 'figure')} regressed" if failed else "passed"
    lines = [f"gate {printable(comparison.suite)} against {printable(against)} ({counted(arcs, 'arc')}): {verdict}"]
    shown = [f for f in comparison.figures if verbosity >= 0 or f.verdict is Verdict.REGRESSED]
    if shown:
        head = ["figure", "baseline", "now", "difference", "bounds", "verdict"]
        lines += table(head, [_row(figure) for figure in shown], frozenset({1, 2, 3}))
    lines += [f"not gated: {figure.title} ({printable(figure.reason)})" for figure in comparison.not_gated]
    lines += _unmatched(comparison)
    if comparison.inconclusive and verbosity > 0:
        lines += [_detectable(figure) for figure in comparison.inconclusive if figure.smallest_detectable is not None]
    lines.append(_next_command(comparison, baseline))
    return lines


def failure_text(comparison: Comparison, figure: FigureResult) -> str:
    """Return the text of a gate's failing report: what got worse, by how much, and the entries responsible."""
    lines = [
        f"{figure.title} {_verdict(figure)}",
        f"  baseline {number(figure.baseline)}, now {number(figure.current)}, "
        f"difference {signed(figure.difference)} ({figure.unit})",
        f"  simultaneous {1 - comparison.alpha:.0%} bounds of the difference: {span(figure.lower, figure.upper)}; "
        f"{figure.differing} of {counted(figure.arcs, 'arc')} differ",
    ]
    changes = comparison.responsible.get(figure.name, ())
    if changes:
        lines.append("  responsible:")
        lines += [f"    {line}" for change in changes[:_SHOWN] for line in _change(change)]
        if len(changes) > _SHOWN:
            lines.append(f"    and {len(changes) - _SHOWN} more")
    return "\n".join(lines)


def refusal_text(refusal: Refusal) -> str:
    """Return why a comparison was refused, with the tasks that did not match."""
    matching = refusal.matching
    lines = [refusal.message]
    for word, keys in (("gone", matching.gone), ("changed", matching.changed), ("new", matching.new)):
        lines += _listed(word, [str(key) for key in keys])
    lines.append("to mend: restore the tasks, or store a new baseline with `pytest --memuse-update=NAME`")
    return "\n".join(lines)


def _row(figure: FigureResult) -> list[str]:
    return [
        figure.title,
        number(figure.baseline),
        number(figure.current),
        signed(figure.difference),
        span(figure.lower, figure.upper) + (" (rough)" if figure.rough and figure.lower is not None else ""),
        _verdict(figure),
    ]


def _verdict(figure: FigureResult) -> str:
    return f"{figure.verdict.value}: {figure.reason}" if figure.reason else figure.verdict.value


def _detectable(figure: FigureResult) -> str:
    needed = f"; about {counted(figure.arcs_needed, 'arc')} would settle it" if figure.arcs_needed is not None else ""
    return f"{figure.title}: this suite detects a change of {number(figure.smallest_detectable)} for the worse{needed}"


def _change(change: EntryChange) -> list[str]:
    where = printable(f"{change.arc}/{change.task}") + (f", step {change.step}" if change.step is not None else "")
    if not change.item:
        return [f"{where}: {change.kind.value} ({change.then} then, {change.now} now)"]
    then, now = _at(change.then, change.step_then), _at(change.now, change.step_now)
    text = f"“{printable(change.text, 160)}”"
    if change.text_then is None:
        return [f"{where}: {printable(change.item, 40)} {text}: {then} then, {now} now"]
    return [
        f"{where}: {printable(change.item, 40)}",
        f"  then “{printable(change.text_then, 160)}”: {then}",
        f"  now {text}: {now}",
    ]


def _at(what: str, step: int | None) -> str:
    return what if step is None else f"{what} at step {step}"


def _unmatched(comparison: Comparison) -> list[str]:
    matching = comparison.matching
    lines = []
    for word, keys in (("gone", matching.gone), ("changed", matching.changed), ("new", matching.new)):
        lines += _listed(word, [str(key) for key in keys])
    if any(matching.outside):
        before, now = matching.outside
        lines.append(f"not compared, delivered outside every episode: {before:,} tokens in the baseline, {now:,} now")
    return lines


def _listed(word: str, names: Sequence[str]) -> list[str]:
    if not names:
        return []
    shown = ", ".join(printable(name, 60) for name in names[:_LISTED])
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return [f"not compared, {word}: {shown}{more}"]


def _next_command(comparison: Comparison, baseline: str) -> str:
    name = printable(baseline) or "NAME"
    if comparison.regressed:
        return (
            f"next: undo the change and record again (`pytest --memuse-record-mode=new_episodes`), or accept it with "
            f"`pytest --memuse-update={name} --memuse-force`"
        )
    return f"next: nothing to do; after a reviewed change, `pytest --memuse-update={name}`"
