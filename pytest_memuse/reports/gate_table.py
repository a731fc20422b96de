"""The gate's figures for a terminal: the table, why something is open, and the numbers behind a verdict."""

from collections.abc import Iterable, Sequence

from pytest_memuse.gate.power import arcs_for
from pytest_memuse.gate.verdicts import FigureResult, NotGated, Verdict
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.reports.numbers import bounds, change, counted, number
from pytest_memuse.reports.table import fitted
from pytest_memuse.reports.wrapping import wrapped

_UNDEFINED = "undefined"
_ROUGH = "~"
_HEAD = ("figure", "baseline", "now", "difference", "interval", "verdict")
_DIFFERENCE, _INTERVAL = 3, 4
_DETAILS = ("figure", "p", "tolerance", "detects", "arcs needed", "arcs differ")


def figure_lines(figures: Sequence[FigureResult], alpha: float, width: int) -> list[str]:
    """Return the table of some figures, and what its intervals are; without room, the differences go first."""
    lines = fitted(
        _HEAD,
        [_row(figure) for figure in figures],
        width,
        right=frozenset({1, 2, _DIFFERENCE, _INTERVAL}),
        dispensable=(_DIFFERENCE, _INTERVAL),
    )
    if _HEAD[_INTERVAL] not in lines[0]:
        return lines
    if any(figure.lower is not None or figure.upper is not None for figure in figures):
        confidence = f"{100 * (1 - alpha):g} %"
        lines += wrapped(
            f"interval: one-sided bounds of the difference, each {confidence} for all figures at once", width
        )
    if any(_is_rough(figure) for figure in figures):
        lines += wrapped(f"{_ROUGH} rough: rests on few differing arcs, and holds only roughly", width)
    return lines


def reason_lines(figures: Sequence[FigureResult], alpha: float, width: int, *, numbers: bool) -> list[str]:
    """Return why figures have the verdict they have, where the table does not say so; one line for each reason.

    ``numbers`` adds to an inconclusive one what this suite detects, and the arcs that would settle it.
    """
    reasons: dict[tuple[Verdict, str], list[FigureResult]] = {}
    for figure in figures:
        if figure.reason and _needs_reason(figure):
            reasons.setdefault((figure.verdict, figure.reason), []).append(figure)
    lines = []
    for (verdict, reason), alike in reasons.items():
        every = len(alike) == len(figures) > 1 and not any(_held_by(figure) for figure in alike)
        which = "every figure" if every else _titles(alike)
        lines += wrapped(f"{verdict.value}: {printable(reason, 300)} ({which})", width)
        if numbers and verdict is Verdict.INCONCLUSIVE:
            lines += _what_it_takes(alike, alpha, width)
    return lines


def not_gated_lines(figures: Iterable[NotGated], width: int) -> list[str]:
    """Return which figures are not gated, one line for each reason."""
    reasons: dict[str, list[NotGated]] = {}
    for figure in figures:
        reasons.setdefault(figure.reason, []).append(figure)
    return [
        line
        for reason, alike in reasons.items()
        for line in wrapped(f"not gated: {_titles(alike)} ({printable(reason, 300)})", width)
    ]


def detail_lines(figures: Sequence[FigureResult], width: int) -> list[str]:
    """Return the numbers behind the verdicts: p, tolerance, what the suite detects, arcs, counts on both sides."""
    lines = fitted(
        _DETAILS, [_details(figure) for figure in figures], width, right=frozenset({1, 2, 3, 4, 5}), dispensable=(4, 5)
    )
    lines += wrapped("p: one-sided, for the worse, adjusted for all figures at once", width)
    lines += wrapped("detects: the smallest change for the worse that this suite finds with 80 % power", width)
    lines += ["", "counts in the baseline and now"]
    return lines + [line for figure in figures for line in wrapped(_counts(figure), width, indent=2)]


def _row(figure: FigureResult) -> list[str]:
    return [
        figure.title,
        value(figure.baseline),
        value(figure.current),
        change(figure.baseline, figure.current),
        (_ROUGH if _is_rough(figure) else "") + interval(figure),
        figure.verdict.value,
    ]


def value(amount: float | None) -> str:
    """Return a figure's value on one side; undefined is never zero."""
    return _UNDEFINED if amount is None else number(amount)


def interval(figure: FigureResult) -> str:
    """Return a figure's bounds, a dash where the arcs support none."""
    return bounds(figure.lower, figure.upper, above=figure.lower_excluded, below=figure.upper_excluded)


def counts_of(counts: tuple[int, int]) -> str:
    """Return how much was counted, among how much."""
    return f"{counts[0]:,} of {counts[1]:,}"


def _details(figure: FigureResult) -> list[str]:
    return [
        figure.title,
        number(figure.p),
        number(figure.tolerance) if figure.tolerance else "none",
        number(figure.smallest_detectable),
        "–" if figure.arcs_needed is None else f"{figure.arcs_needed:,}",
        "–" if figure.difference is None else f"{figure.differing:,} of {figure.arcs:,}",
    ]


def _counts(figure: FigureResult) -> str:
    then = _UNDEFINED if figure.baseline is None else counts_of(figure.baseline_counts)
    now = _UNDEFINED if figure.current is None else counts_of(figure.current_counts)
    spec = FIGURES.get(figure.name)
    words = f" ({spec.counted}, of {spec.among})" if spec is not None else ""
    return f"{printable(figure.title)}: {then}, {now}{words}"


def _is_rough(figure: FigureResult) -> bool:
    return figure.rough and (figure.lower is not None or figure.upper is not None)


def _needs_reason(figure: FigureResult) -> bool:
    """Return whether the reason says more than the verdict: that of a change beyond chance or tolerance does not."""
    return figure.verdict in (Verdict.INCONCLUSIVE, Verdict.HELD) or figure.difference is None


def _what_it_takes(figures: Sequence[FigureResult], alpha: float, width: int) -> list[str]:
    takes: dict[str, list[FigureResult]] = {}
    for figure in figures:
        parts = []
        if figure.smallest_detectable is not None:
            parts.append(f"the smallest change detected with 80 % power is {number(figure.smallest_detectable)}")
        # Of the fewest arcs that any figure needs, the reason has told.
        if figure.arcs_needed is not None and figure.arcs_needed > arcs_for(alpha):
            parts.append(f"about {counted(figure.arcs_needed, 'arc')} needed for an answer")
        if parts:
            takes.setdefault("; ".join(parts), []).append(figure)
    return [
        line
        for text, alike in takes.items()
        for line in wrapped(text if len(alike) == len(figures) else f"{_titles(alike)}: {text}", width, indent=2)
    ]


def _titles(figures: Sequence[FigureResult | NotGated]) -> str:
    return ", ".join(printable(figure.title) + _held_by(figure) for figure in figures)


def _held_by(figure: FigureResult | NotGated) -> str:
    """Return the tolerance of a figure that is called held because of it."""
    held = isinstance(figure, FigureResult) and figure.verdict is Verdict.HELD and figure.tolerance
    return f": {number(held)}" if held else ""
