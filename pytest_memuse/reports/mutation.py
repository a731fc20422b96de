"""A suite under planted faults, for a terminal and as plain data: what was caught, by what, and what was not."""

from collections.abc import Sequence
from typing import Any

from pytest_memuse.arcs.mutation import Catch, FaultResult, Move, MutationReport
from pytest_memuse.memory.faults import Way
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.reports.data import plain
from pytest_memuse.reports.numbers import counted, number
from pytest_memuse.reports.table import table

_ARROWS = {Way.UP: "↑", Way.DOWN: "↓"}


def mutation_lines(report: MutationReport, verbosity: int = 0) -> list[str]:
    """Return the report: a row for each fault, the counts, and for each fault that got through what it would take.

    With a positive ``verbosity`` every declared figure of every fault is told.
    """
    against = f"gate against {printable(report.against)}" if report.against else "gate against the run without a fault"
    lines = [
        f"planted faults, suite {printable(report.suite)}: {counted(report.arcs, 'arc')}, rate {report.rate:g}, "
        f"seed {report.seed}, {against}"
    ]
    if report.recorded_against:
        lines.append(f"  recorded against {printable(report.recorded_against)}")
    lines += _control(report)
    if report.results:
        head = ["fault", "touched", "moved", "assertions", "gate", "result"]
        lines += table(head, [_row(result) for result in report.results])
        lines += _counts(report)
    for result in report.results:
        lines += _details(result, verbosity)
    if report.left:
        left = ", ".join(printable(name, 60) for name in report.left)
        lines.append(f"not run: {left}; the same command goes on with them")
    return lines


def mutation_data(report: MutationReport) -> dict[str, Any]:
    """Return the report as plain data, with the counts that the terminal shows."""
    data: dict[str, Any] = plain(report)
    data["results"] = [
        {
            **plain(result),
            "catch": result.catch.value,
            "moves": [{**plain(move), "moved": move.moved} for move in result.moves],
            "arcs_needed": result.arcs_needed,
        }
        for result in report.results
    ]
    return data | {
        "counted": len(report.counted),
        "caught": report.caught,
        "by_assertions": report.by_assertions,
        "by_gate": report.by_gate,
        "score": report.score,
    }


def _row(result: FaultResult) -> list[str]:
    touched = result.touched
    return [
        result.title,
        f"{touched.struck:,} of {touched.deliveries:,} deliveries, {counted(touched.arcs, 'arc')}",
        f"{result.moved} of {len(result.moves)}" if result.moves else "–",
        _listed(result.failed),
        "no verdict" if result.refused else _listed([FIGURES[name].title for name in result.regressed]),
        result.catch.value,
    ]


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "–"
    return printable(names[0], 50) + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _control(report: MutationReport) -> list[str]:
    control = report.control
    failed = [*control.failed, *(f"gate[{name}]" for name in control.regressed)]
    if not failed:
        return []
    return [
        "  warning: without any fault these fail when the suite is recorded again, and count for nothing below: "
        + ", ".join(printable(name, 60) for name in failed)
    ]


def _counts(report: MutationReport) -> list[str]:
    many = len(report.counted)
    if not many:
        return ["caught: there was no fault to catch (none was planted that this judge can see)"]
    gate_alone = sum(result.catch is Catch.GATE for result in report.counted)
    line = (
        f"caught: {report.caught} of {counted(many, 'visible fault')} ({number(100 * report.caught / many)} %); "
        f"by assertions {report.by_assertions}, by the gate {report.by_gate}, by the gate alone {gate_alone}"
    )
    return [line]


def _details(result: FaultResult, verbosity: int) -> list[str]:
    lines = []
    if result.catch is Catch.NOTHING:
        if not result.moved:
            why = "none of its figures moved: this suite's tasks do not need what it breaks"
        elif result.arcs_needed is not None:
            why = f"the gate would need about {counted(result.arcs_needed, 'arc')}"
        else:
            why = "nothing supports a number of arcs that would show it"
        lines.append(f"{printable(result.title)}: caught by nothing; {why}")
    if result.refused:
        lines.append(f"{printable(result.title)}: the gate gave no verdict: {printable(result.refused, 400)}")
    if verbosity > 0 or result.catch is Catch.NOTHING:
        lines += [f"  {_move(move)}" for move in result.moves]
    return lines


def _move(move: Move) -> str:
    way = "as declared" if move.moved else "not as declared"
    return (
        f"{FIGURES[move.figure].title} {_ARROWS[move.way]}: {number(move.without)} without it, "
        f"{number(move.with_fault)} with it ({way})"
    )
