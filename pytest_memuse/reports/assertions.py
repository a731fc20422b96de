"""What an assertion on a figure says: where it fails, and what a passing one rests on."""

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from operator import ge, gt, le, lt
from types import MappingProxyType

from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.figure import Figure, Responsible
from pytest_memuse.profiles.support import Doubt, Lack
from pytest_memuse.profiles.undefined import enclosed, expression_of
from pytest_memuse.reports.numbers import counted, number, span

_SHOWN = 5
_NOTED = 8
_LINES, _CHARACTERS = 8, 640
"""What pytest shows of an explanation without ``-vv``."""
_REFLECTED = MappingProxyType({"<": ">", "<=": ">=", ">": "<", ">=": "<="})
_HOLDS: Mapping[str, Callable[[float, float], bool]] = MappingProxyType({"<": lt, "<=": le, ">": gt, ">=": ge})


def explain_comparison(op: str, left: object, right: object, *, brief: bool = False) -> list[str] | None:
    """Return the lines that explain a comparison with figures in a failed assertion, None where neither side is one.

    The entries named are those for which a figure is as high as it is, or as low, by what the comparison asked for.
    ``brief`` keeps to what pytest shows of an explanation without ``-vv``, and says how many entries that leaves out.
    """
    if not isinstance(left, Figure) and not isinstance(right, Figure):
        return None
    lines = [f"{_side(left)} {op} {_side(right)}"]
    owed: list[tuple[Figure, bool]] = []
    for figure, other, wants in ((left, right, op), (right, left, _REFLECTED.get(op, op))):
        if isinstance(figure, Figure):
            lines += _told(figure)
            owed.append((figure, _too_high(figure, wants, other)))
    for place, (figure, too_high) in enumerate(owed, start=1):
        whole = responsible_lines(figure.owed_to(too_high=too_high))
        lines += _within(lines, whole, place / len(owed)) if brief else whole
    return lines


def _too_high(figure: Figure, op: str, other: object) -> bool:
    """Return in which direction a figure misses what was asked of it; under ``not`` the comparison itself held."""
    number = float(other) if isinstance(other, Real) else getattr(other, "expected", None)
    if not isinstance(number, Real):
        return True
    if op in ("==", "!="):
        return float(figure) >= float(number)
    held = op in _HOLDS and _HOLDS[op](float(figure), float(number))
    return (op in ("<", "<=")) is not held


def _within(before: Sequence[str], lines: Sequence[str], part: float) -> list[str]:
    """Return as many lines as fit behind those before within a part of what pytest shows, and how many do not."""
    if not lines:
        return []
    kept: list[str] = []
    room, rows = part * _CHARACTERS - sum(map(len, before)) - 40, part * _LINES - len(before)
    for line in lines:
        room -= len(line)
        rows -= 1
        if room < 0 or rows < (0 if len(kept) + 1 == len(lines) else 1):
            break
        kept.append(line)
    return kept if len(kept) == len(lines) else [*kept, "  more entries with -vv"]


def note(doubt: Doubt) -> str:
    """Return what a passing assertion on a figure lacks, and on a second line the assertion that lacks it not."""
    figure = doubt.figure
    said = f"{printable(figure.name)} {doubt.relation} {number(doubt.threshold)}"
    end = "upper" if doubt.from_above else "lower"
    arcs = counted(figure.behind.clusters, "arc")
    if doubt.lack is Lack.RARE:
        told = f"{figure.counts} in {arcs} support no more than “{span(*_one_sided(doubt))}” (95 %)"
    elif doubt.lack is Lack.NEAR:
        interval = span(*figure.interval) if figure.interval is not None else ""
        told = f"{arcs} cannot tell {_value(figure)} from it (95 % interval {interval}{_rough(figure)})"
    elif doubt.lack is Lack.NO_INTERVAL:
        return f"{said} passes on {arcs}: there is no interval, and nothing says how far it holds"
    elif doubt.lack is Lack.BOUND:
        return f"{said} passes, but the figure is {figure.reason}"
    else:
        could = "could be up to" if doubt.from_above else "could be down to"
        told = f"{figure.behind.open}: it {could} {number(doubt.limit)}"
        end = "highest" if " " not in figure.name else ""
    return f"{said} passes, but {told}" + _instead(doubt, end)


def note_lines(notes: Mapping[str, Sequence[str]], *, everything: bool = False) -> list[str]:
    """Return the notes of passing tests, each with the test that it is of; the same notes of several tests once."""
    tests: dict[tuple[str, ...], list[str]] = {}
    for test, found in notes.items():
        tests.setdefault(tuple(found), []).append(test)
    lines, shown = ["passed on little:"], 0
    for found, of in tests.items():
        if shown >= _NOTED and not everything:
            continue
        more = f" and {counted(len(of) - 1, 'other test')}" if len(of) > 1 else ""
        lines += [f"  {printable(of[0], 160)}{more}", *(f"    {line}" for one in found for line in one.splitlines())]
        shown += len(found)
    left = sum(map(len, tests)) - shown
    return [*lines, f"  and {counted(left, 'more note')} (-v)"] if left else lines


def responsible_lines(found: Sequence[Responsible]) -> list[str]:
    """Return a line for each of the first entries that a figure is owed to."""
    lines = [f"  {_entry(one)}" for one in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"  and {len(found) - _SHOWN} more")
    return lines


def _side(value: object) -> str:
    if isinstance(value, Figure):
        return f"{printable(enclosed(value.name))} {_value(value)}"
    return printable(repr(value))


def _told(figure: Figure) -> list[str]:
    bound = f"{figure.bound} " if figure.bound is not None else ""
    lines = [f"  {printable(figure.spec.title)}: {bound}{_value(figure)} ({printable(figure.spec.unit)})"]
    interval = ""
    if figure.interval is not None:
        interval = f"; 95 % interval over arcs: {span(*figure.interval)}{_rough(figure)}"
    lines.append(f"  counts: {figure.counts}{interval}")
    if (comparison := getattr(figure, "comparison", None)) is not None and comparison.p is not None:
        how = "paired bootstrap" if comparison.method == "bootstrap" else "exact exchange"
        lines.append(f"  two-sided p {number(comparison.p)}, {how} over {comparison.arcs} arcs")
    if figure.reason:
        lines.append(f"  {figure.reason}")
    if figure.behind.open.signals and figure.highest is not figure:
        lines.append(f"  {figure.behind.open}: it could be {span(*figure.possible)}")
    return lines


def _value(figure: Figure) -> str:
    return number(float(figure))


def _rough(figure: Figure) -> str:
    return ", rough" if figure.rough else ""


def _one_sided(doubt: Doubt) -> tuple[float | None, float | None]:
    return (None, doubt.limit) if doubt.from_above else (doubt.limit, None)


def _instead(doubt: Doubt, part: str) -> str:
    """Return the assertion on the limit itself, with a number at which it passes."""
    if doubt.limit is None or not part:
        return ""
    passes = _beyond(doubt.limit, up=doubt.from_above)
    written = printable(enclosed(expression_of(doubt.figure.spec)))
    return f"\nto assert on that: assert {written}.{part} {'<' if doubt.from_above else '>'} {passes:g}"


def _beyond(limit: float, *, up: bool) -> float:
    """Return a number of two digits beyond a limit."""
    if limit == 0:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(limit))) - 1)
    steps = math.floor(limit / step) + 1 if up else math.ceil(limit / step) - 1
    return float(f"{steps * step:.3g}")


def _entry(one: Responsible) -> str:
    where = printable(f"{one.arc}/{one.task}") + (f", step {one.step}" if one.step is not None else "")
    if not one.item:
        return f"{where}: the task failed" if not one.text else f"{where}: “{printable(one.text, 90)}”{_usage(one)}"
    if one.told:
        return f"{where}: {printable(one.item, 60)}: {printable(one.told, 90)}"
    return f"{where}: {printable(one.item, 40)} “{printable(one.text, 90)}”{_usage(one)}"


def _usage(one: Responsible) -> str:
    return f", {one.usage.value}" if one.usage is not None else ""
