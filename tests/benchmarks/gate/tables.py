"""Sums over simulated builds as Markdown tables."""

import math
from collections.abc import Iterable, Mapping, Sequence

from tests.benchmarks.gate.generators import FIGURES, generators
from tests.benchmarks.gate.references import METHODS
from tests.benchmarks.gate.rows import KINDS, Cell, columns

Sums = Mapping[str, Sequence[int]]
Builds = Mapping[str, int]

MEASURED = {
    "plain maximum": "max_t_on_sign_flips",
    "Holm on sign flips": "holm_on_sign_flips",
    "Bonferroni, paired": "bonferroni_paired_interval",
    "each figure, paired": "per_figure_paired_interval",
    "outside the baseline's": "point_outside_baseline_interval",
}
"""Under which name the generator file holds what was measured once of a method."""


def wilson(hits: int, trials: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the Wilson interval of a share, by default with 95 %."""
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return centre - half, centre + half


def print_tables(table: str, cells: Sequence[Cell], builds: Builds, sums: Sums) -> None:
    """Print a table's cells, those without a change apart from those with one."""
    printed = {"verdicts": _verdict_tables, "kinds": _kind_tables, "bounds": _bound_tables}[table]
    for line in printed(cells, builds, sums):
        print(line)


def _verdict_tables(cells: Sequence[Cell], builds: Builds, sums: Sums) -> Iterable[str]:
    still = [cell for cell in cells if cell.change == "none"]
    if still:
        yield from _head("generator", "arcs", "builds", "gate fails", "Wilson", *METHODS)
    for cell in still:
        trials, hits = builds[cell.name], sums[cell.name]
        low, high = wilson(hits[0], trials)
        shares = [_percent(hit, trials) for hit in hits[: 1 + len(METHODS)]]
        yield _line(cell.generator, cell.arcs, trials, shares[0], f"{100 * low:.1f} to {100 * high:.1f} %", *shares[1:])
    if still:
        hits, trials = sum(sums[cell.name][0] for cell in still), sum(builds[cell.name] for cell in still)
        low, high = wilson(hits, trials)
        yield f"\nPooled: {100 * hits / trials:.2f} % of {trials:,} builds ({100 * low:.2f} to {100 * high:.2f} %).\n"
    changed = [cell for cell in cells if cell.change != "none"]
    if changed:
        yield from _head("change", "generator", "arcs", "builds", "gate finds", *METHODS)
    first = 1 + len(METHODS)
    for cell in changed:
        trials, hits = builds[cell.name], sums[cell.name]
        shares = [_percent(hit, trials) for hit in hits[first : 2 * first]]
        yield _line(cell.change, cell.generator, cell.arcs, trials, *shares)
    yield from _measured()


def _measured() -> Iterable[str]:
    measured = generators().measured
    yield "\nMeasured once, of the dense generator (300 builds without a change, 150 with one):\n"
    for title, key in (("no change, 20, 100, 500 arcs", "no_change"), ("100 arcs, found", "power_at_100_tasks")):
        held = measured.get(key, {})
        told = [
            f"{name} {', '.join(f'{100 * v:.1f} %' for v in held[old])}"
            for name, old in MEASURED.items()
            if old in held
        ]
        yield f"- {title}: {'; '.join(told)}"


def _kind_tables(cells: Sequence[Cell], builds: Builds, sums: Sums) -> Iterable[str]:
    kinds = [f"{whose}: {kind}" for whose in ("changed figure", "all figures") for kind in KINDS]
    yield from _head("change", "tolerance", "generator", "arcs", "builds", *kinds, "builds with a wrong held")
    for cell in cells:
        trials, hits = builds[cell.name], sums[cell.name]
        of_one, of_all = hits[: len(KINDS)], hits[len(KINDS) : 2 * len(KINDS)]
        one = [_percent(hit, trials) for hit in of_one]
        every = [_percent(hit, trials * len(FIGURES)) for hit in of_all]
        yield _line(*cell.place, trials, *one, *every, _percent(hits[-1], trials))


def _bound_tables(cells: Sequence[Cell], builds: Builds, sums: Sums) -> Iterable[str]:
    place = ("change", "generator", "arcs", "builds")
    yield from _head(*place, "all below", "all above", "unlabelled below", "unlabelled above", "labelled")
    figures = len(FIGURES)
    for cell in cells:
        trials, hits = builds[cell.name], dict(zip(columns("bounds"), sums[cell.name], strict=True))
        together = [_percent(hit, trials) for hit in sums[cell.name][:4]]
        labelled = sum(hits[f"{name} labelled"] for name in FIGURES)
        yield _line(*_plain(cell), trials, *together, _percent(labelled, trials * figures))
    for side in ("below", "above"):
        yield f"\nEach figure's bound from {side}; of the unlabelled ones / of all; share labelled.\n"
        yield from _head("change", "generator", "arcs", *FIGURES)
        for cell in cells:
            trials, hits = builds[cell.name], dict(zip(columns("bounds"), sums[cell.name], strict=True))
            told = []
            for name in FIGURES:
                labelled = hits[f"{name} labelled"]
                without = _percent(hits[f"{name} {side}, unlabelled"], trials - labelled)
                told.append(f"{without} / {_percent(hits[f'{name} {side}'], trials)}; {100 * labelled / trials:.0f} %")
            yield _line(*_plain(cell), *told)


def _plain(cell: Cell) -> tuple[str, str, str]:
    return cell.change, cell.generator, str(cell.arcs)


def _percent(hits: int, trials: int) -> str:
    return f"{100 * hits / trials:.1f} %" if trials else "–"


def _head(*titles: str) -> Iterable[str]:
    yield _line(*titles)
    yield "|" + "---|" * len(titles)


def _line(*values: object) -> str:
    return "| " + " | ".join(str(value) for value in values) + " |"
