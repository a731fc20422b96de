"""A suite beside a run that was saved before: the gate's table without its judgement."""

from pytest_memuse.gate.comparison import Comparison
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.gate_table import detail_lines, figure_lines, reason_lines
from pytest_memuse.reports.gate_tasks import task_lines
from pytest_memuse.reports.numbers import counted

WIDTH = 80


def look_lines(comparison: Comparison, beside: str, verbosity: int = 0, *, width: int = WIDTH) -> list[str]:
    """Return a comparison that decides nothing; ``beside`` names the run that stands as the baseline in the table."""
    arcs = counted(len(comparison.matching.arcs), "arc")
    lines = [f"suite {printable(comparison.suite)} beside {printable(beside)}, {arcs} (a look, which fails nothing)"]
    if verbosity < 0:
        return lines
    lines += figure_lines(comparison.figures, comparison.alpha, width)
    lines += reason_lines(comparison.figures, comparison.alpha, width, numbers=verbosity <= 0)
    if verbosity >= 1:
        lines += ["", *detail_lines(comparison.figures, width)]
    if verbosity >= 2:
        lines += ["", *task_lines(comparison, width)]
    return lines
