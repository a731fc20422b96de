"""Rulings for a terminal and for test reports: who changed what a verdict does to the build, and why."""

from collections.abc import Sequence

from pytest_memuse.gate.comparison import Comparison
from pytest_memuse.gate.rulings import Decided, Outcome
from pytest_memuse.model.errors import printable
from pytest_memuse.reports.gate import failure_text

_DOES = {Outcome.PASS: "passes", Outcome.WARN: "warns", Outcome.FAIL: "fails"}


def ruling_lines(suite: str, decided: Sequence[Decided]) -> list[str]:
    """Return a line for each figure that somebody ruled on."""
    return [f"gate {printable(suite)}: {ruling_text(one)}" for one in decided if one.rulings]


def failing_text(comparison: Comparison, decided: Decided) -> str:
    """Return the text of a figure's failing report, empty where it does not fail the build."""
    if decided.outcome is not Outcome.FAIL:
        return ""
    text = failure_text(comparison, decided.figure)
    return f"{ruling_text(decided)}\n{text}" if decided.rulings else text


def ruling_text(decided: Decided) -> str:
    """Return the figure, what it does to the build now, who says so and why, and what the settings say."""
    figure = decided.figure
    return (
        f"{figure.title} ({figure.verdict}) {_DOES[decided.outcome]}: {decided.told}; "
        f"by the settings it {_DOES[decided.usual]}"
    )
