"""The gate for a terminal and for test reports: what failed, what is known of each figure, and what to do next."""

from collections.abc import Collection, Sequence

from pytest_memuse.gate.comparison import Comparison, Refusal
from pytest_memuse.gate.entry_changes import EntryChange
from pytest_memuse.gate.entry_diff import ChangeKind
from pytest_memuse.gate.matching import Matching
from pytest_memuse.gate.verdicts import FigureResult, Verdict
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.reports.gate_entries import located
from pytest_memuse.reports.gate_next import after_gate, after_refusal
from pytest_memuse.reports.gate_table import (
    counts_of,
    detail_lines,
    figure_lines,
    interval,
    not_gated_lines,
    reason_lines,
    value,
)
from pytest_memuse.reports.gate_tasks import task_lines
from pytest_memuse.reports.numbers import change, counted, number

WIDTH = 80
"""Columns that a terminal has where nobody says otherwise."""

_SHOWN = 8
_LISTED = 5


def gate_lines(
    comparison: Comparison,
    against: str,
    baseline: str,
    verbosity: int = 0,
    *,
    width: int = WIDTH,
    failing: Collection[str] | None = None,
    warned: Collection[str] = (),
    remarks: Sequence[str] = (),
) -> list[str]:
    """Return the gate of a suite; the last line is the next command.

    ``against`` names what the run was compared with, ``baseline`` the stored baseline, empty where none was given.
    Under a ``verbosity`` of 0 only what failed or is warned of is shown; at 0 the table with what keeps figures open;
    at 1 also counts, p, tolerances and what the suite detects; from 2 on also every task that changed. ``width`` is the
    terminal's. ``failing`` and ``warned`` name the figures that fail the build and those that warn; without ``failing``
    these are the regressed ones. ``remarks`` are lines of others, which stand before what to do next.
    """
    fails = {figure.name for figure in comparison.regressed} if failing is None else set(failing)
    lines = [_head(comparison, against, fails, warned)]
    shown = comparison.figures
    if verbosity < 0:
        shown = tuple(figure for figure in shown if figure.name in fails or figure.name in warned)
    if shown:
        lines += figure_lines(shown, comparison.alpha, width)
        lines += reason_lines(shown, comparison.alpha, width, numbers=verbosity <= 0)
    if verbosity >= 0:
        lines += not_gated_lines(comparison.not_gated, width)
        lines += _unmatched(comparison.matching)
    if verbosity >= 1 and shown:
        lines += ["", *detail_lines(shown, width)]
    if verbosity >= 2:
        lines += ["", *task_lines(comparison, width)]
    return [*lines, *remarks, *after_gate(comparison, baseline, failed=bool(fails), brief=verbosity < 0)]


def failure_text(comparison: Comparison, figure: FigureResult) -> str:
    """Return the text of a gate's failing report: what got worse, by how much, and the entries responsible."""
    then, now = value(figure.baseline), value(figure.current)
    difference = change(figure.baseline, figure.current)
    rough = " (rough: few arcs differ)" if figure.rough and interval(figure) != "–" else ""
    lines = [
        f"{printable(figure.title)} {_verdict(figure)}",
        f"  baseline {then}, now {now}, difference {difference} ({printable(figure.unit)})",
    ]
    if figure.difference is not None:
        lines.append(
            f"  simultaneous {1 - comparison.alpha:.0%} bounds of the difference: {interval(figure)}{rough}; "
            f"{figure.differing} of {counted(figure.arcs, 'arc')} differ"
        )
    if figure.tolerance:
        lines.append(f"  tolerance {number(figure.tolerance)}")
    if figure.baseline is not None and figure.current is not None:
        spec = FIGURES.get(figure.name)
        words = f" ({spec.counted}, of {spec.among})" if spec is not None else ""
        then, now = counts_of(figure.baseline_counts), counts_of(figure.current_counts)
        lines.append(f"  counts: {then} in the baseline, {now} now{words}")
    changes = comparison.responsible.get(figure.name, ())
    if changes:
        lines.append("  responsible:")
        shown = _shown(figure.name, changes)
        lines += [f"    {line}" for change in changes[:shown] for line in located(change)]
        if len(changes) > shown:
            lines.append(f"    and {len(changes) - shown} more")
    return "\n".join(lines)


def _shown(figure: str, changes: Sequence[EntryChange]) -> int:
    """Return how many of a figure's changes are told: of a figure of harm all newly harmful entries, the first ones."""
    harmful = sum(change.kind is ChangeKind.NEWLY_HARMFUL for change in changes) if "harm" in figure else 0
    return max(_SHOWN, harmful)


def refusal_text(refusal: Refusal, baseline: str = "") -> str:
    """Return why a comparison was refused, with the tasks that did not match; the last line is the next command."""
    return "\n".join([refusal.message, *_unmatched(refusal.matching), after_refusal(refusal, baseline)])


def _head(comparison: Comparison, against: str, fails: Collection[str], warned: Collection[str]) -> str:
    arcs = counted(len(comparison.matching.arcs), "arc")
    return f"gate {printable(comparison.suite)} against {printable(against)} ({arcs}): " + (
        f"FAILED: {_by_verdict(comparison, fails)}" if fails else _passed(comparison, warned)
    )


def _passed(comparison: Comparison, warned: Collection[str]) -> str:
    if not comparison.figures:
        return "no figure could be gated"
    if warned:
        return f"passed with a warning: {_by_verdict(comparison, warned)}"
    told = [verdict for verdict in (Verdict.IMPROVED, Verdict.INCONCLUSIVE) if _named(comparison, verdict)]
    return ", ".join(["passed", *(f"{len(_named(comparison, verdict))} {verdict.value}" for verdict in told)])


def _by_verdict(comparison: Comparison, names: Collection[str]) -> str:
    found = {verdict: [name for name in _named(comparison, verdict) if name in names] for verdict in Verdict}
    return ", ".join(f"{counted(len(of), 'figure')} {verdict.value}" for verdict, of in found.items() if of)


def _named(comparison: Comparison, verdict: Verdict) -> list[str]:
    return [figure.name for figure in comparison.figures if figure.verdict is verdict]


def _verdict(figure: FigureResult) -> str:
    return f"{figure.verdict.value}: {printable(figure.reason, 300)}" if figure.reason else figure.verdict.value


def _unmatched(matching: Matching) -> list[str]:
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
