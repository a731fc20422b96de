"""How two judges agree, and what a judge's own noise is in a profile: as text and as data."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from pytest_memuse.judging.kappa import LEVEL
from pytest_memuse.judging.noise import ESTIMATOR
from pytest_memuse.judging.paired import PREVALENT, Given, PairedSignal
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.agreement import CellMoves, Disagreement, JudgesAgreement, SignalAgreement
from pytest_memuse.profiles.judge_noise import FigureNoise
from pytest_memuse.profiles.replacing import Moved
from pytest_memuse.profiles.share import Share
from pytest_memuse.reports.numbers import counted, number, shared, signed
from pytest_memuse.reports.table import table

_HEAD = ("signal", "entries", "arcs", "agree", "kappa", "at least")
_SHOWN = 10
_UNDETERMINED = "undetermined"


def agreement_lines(found: JudgesAgreement, *, verbose: bool = False) -> list[str]:
    """Return the report on two judges; ``verbose`` lists every disagreement, not the first ten of a signal."""
    lines = [f"A: {printable(found.first, 300)}", f"B: {printable(found.second, 300)}", _compared(found), ""]
    lines += table(_HEAD, [_row(one) for one in found.signals], frozenset(range(1, len(_HEAD))))
    lines += [f"{one.signal.value}: {_why(one)}" for one in found.signals if _why(one)]
    if note := _effect_note(found):
        lines.append(note)
    for one in found.signals:
        if one.paired.disagreements:
            lines += ["", *_signal_lines(found, one.paired, verbose=verbose)]
    moved = found.moves()
    if moved:
        lines += ["", "With every signal of B's in place of A's:", *_moved_table(moved)]
    lines += [
        "",
        "“At least” is the one-sided bound of kappa, taken by arc, at "
        f"{100 * LEVEL:.0f} %. Undetermined is a value of its own.",
    ]
    return lines


def noise_lines(found: Sequence[FigureNoise], repeats: int) -> list[str]:
    """Return the report on a judge's own noise over repeated judgings of the same spans."""
    splits = [(one.figure, one.split) for one in found if one.split is not None]
    lines = [f"The judge's own noise, over {repeats} judgings of the same spans ({ESTIMATOR}):"]
    rows = [
        (
            name,
            number(split.value),
            number(split.judge_deviation),
            number(split.judge / split.arcs),
            signed(split.agent / split.arcs) if split.agent < 0 else number(split.agent / split.arcs),
            "–" if split.judge_share is None else f"{number(100 * split.judge_share)} %",
        )
        for name, split in splits
    ]
    head = ("figure", "value", "differs by", "variance: judge", "agent", "judge's share")
    lines += table(head, rows, frozenset(range(1, len(head)))) if rows else ["no figure is defined in every judging"]
    below = [name for name, split in splits if split.agent < 0]
    if below:
        lines.append(
            f"Below zero for the agent ({', '.join(below)}): arcs differ by less than the judge's noise alone would "
            "make them differ. Of arcs this says nothing but that they are too few, or alike."
        )
    lines.append(
        "“Differs by” is the standard deviation of a figure over judgings of the same spans; the variances are of the "
        "figure as one judging gives it."
    )
    return lines


def agreement_data(found: JudgesAgreement) -> dict[str, Any]:
    """Return the same for programs, every disagreement included."""
    return {
        "first": found.first,
        "second": found.second,
        "level": LEVEL,
        "spans": {"both": len(found.spans), "only_first": found.only_first, "only_second": found.only_second},
        "signals": {one.signal.value: _signal_data(found, one) for one in found.signals},
        "moved": _moved_data(found.moves()),
        "disagreements": [_disagreement_data(one) for one in found.disagreements()],
    }


def noise_data(found: Sequence[FigureNoise]) -> dict[str, Any]:
    """Return a judge's noise for programs."""
    return {
        one.figure: {"undefined": one.reason}
        if one.split is None
        else {
            "value": one.split.value,
            "arcs": one.split.arcs,
            "repeats": one.split.repeats,
            "judge": one.split.judge,
            "agent": one.split.agent,
            "variance": one.split.variance,
            "judge_deviation": one.split.judge_deviation,
            "judge_share": one.split.judge_share,
        }
        for one in found
    }


def _compared(found: JudgesAgreement) -> str:
    arcs = len({found.run.episodes[place[0]].arc for place in found.spans})
    line = f"{counted(len(found.spans), 'span')} judged by both, in {counted(arcs, 'arc')}"
    apart = [f"{amount:,} by {name} alone" for amount, name in ((found.only_first, "A"), (found.only_second, "B"))]
    return f"{line}; {apart[0]}, {apart[1]}"


def _row(one: SignalAgreement) -> tuple[str, ...]:
    paired = one.paired
    agree = shared(Share(paired.agreed, len(paired.pairs))) if paired.pairs else "–"
    kappa = paired.kappa
    return (
        one.signal.value,
        f"{len(paired.pairs):,}",
        f"{kappa.cases:,}",
        agree,
        _figure(kappa.value),
        _figure(kappa.lower),
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _why(one: SignalAgreement) -> str:
    """Return why a signal has no kappa or no bound, or why kappa says little; empty where neither is so."""
    if one.missing:
        return printable(one.missing, 300)
    if one.paired.no_kappa:
        return f"kappa is undefined: {one.paired.no_kappa}"
    prevalent = one.paired.prevalent
    if prevalent is not None and prevalent[1] >= PREVALENT and one.paired.disagreements:
        value, share = prevalent
        return (
            f"{number(100 * share)} % of what the judges give is “{shown(value)}”, so that kappa hangs on the few "
            "other entries and is low however often they agree: read the table"
        )
    return f"no bound: {one.paired.no_bound}" if one.paired.no_bound else ""


def _effect_note(found: JudgesAgreement) -> str:
    return "effect: only of entries that both call acted on" if found.effect.paired.pairs else ""


def _signal_lines(found: JudgesAgreement, paired: PairedSignal, *, verbose: bool) -> Iterator[str]:
    signal = paired.signal
    yield f"{signal.value}, A down, B across"
    yield from _confusion(paired)
    moved = found.moves(signal)
    if moved:
        yield f"{signal.value} of B's in place of A's:"
        yield from _moved_table(moved)
    else:
        yield f"{signal.value} of B's in place of A's moves no figure"
    for cell in found.cells(signal):
        yield f"  A {shown(cell.first)}, B {shown(cell.second)} ({counted(cell.entries, 'entry')}): {_moved_text(cell)}"
    most = len(paired.disagreements) if verbose else _SHOWN
    for one in islice(found.disagreements(signal), most):
        yield "  " + _disagreement_line(one)
    if len(paired.disagreements) > most:
        yield f"  and {len(paired.disagreements) - most:,} more (-v)"


def _confusion(paired: PairedSignal) -> list[str]:
    values: list[Given] = sorted({value for pair in paired.confusion for value in pair}, key=_order)
    head = ("", *map(shown, values))
    rows = [(shown(first), *(str(paired.confusion.get((first, second), 0)) for second in values)) for first in values]
    return table(head, rows, frozenset(range(1, len(head))))


def _order(value: Given) -> tuple[bool, str]:
    return value is None, shown(value)


def _moved_table(moved: Iterable[Moved]) -> list[str]:
    rows = [(one.figure, number(one.before), number(one.after), signed(one.change)) for one in moved]
    return table(("figure", "A", "with B's", "change"), rows, frozenset((1, 2, 3)))


def _moved_text(cell: CellMoves | Disagreement, most: int = 6) -> str:
    said = [f"{one.figure} {signed(one.change)}" for one in cell.moved]
    more = f" and {len(said) - most} more" if len(said) > most else ""
    return ", ".join(said[:most]) + more or "moves no figure"


def _disagreement_line(one: Disagreement) -> str:
    where = f"{printable(one.pair.episode, 80)} step {one.step}, {printable(one.pair.span, 40)} e{one.pair.entry + 1}"
    text = f" “{printable(one.entry.text, 60)}”" if one.entry.text else ""
    return f"{where}: A {shown(one.pair.first)}, B {shown(one.pair.second)}:{text} ({_moved_text(one, 2)})"


def shown(value: Given) -> str:
    """Return a signal's value as people read it."""
    if value is None:
        return _UNDETERMINED
    return str(value).lower() if isinstance(value, bool) else str(value).replace("_", " ")


def _signal_data(found: JudgesAgreement, one: SignalAgreement) -> dict[str, Any]:
    paired = one.paired
    prevalent = paired.prevalent
    return {
        "missing": one.missing,
        "entries": len(paired.pairs),
        "agreed": paired.agreed,
        "kappa": {
            "value": paired.kappa.value,
            "lower": paired.kappa.lower,
            "arcs": paired.kappa.cases,
            "undefined": one.missing or paired.no_bound,
        },
        "prevalent": None if prevalent is None else {"value": prevalent[0], "share": prevalent[1]},
        "confusion": [
            {"first": first, "second": second, "count": count}
            for (first, second), count in sorted(
                paired.confusion.items(), key=lambda item: (_order(item[0][0]), _order(item[0][1]))
            )
        ],
        "moved": _moved_data(found.moves(one.signal)),
        "cells": [
            {"first": c.first, "second": c.second, "entries": c.entries, "moved": _moved_data(c.moved)}
            for c in found.cells(one.signal)
        ],
    }


def _moved_data(moved: Iterable[Moved]) -> list[dict[str, Any]]:
    return [{"figure": one.figure, "first": one.before, "second": one.after, "change": one.change} for one in moved]


def _disagreement_data(one: Disagreement) -> dict[str, Any]:
    return {
        "signal": one.signal.value,
        "arc": one.pair.arc,
        "episode": one.pair.episode,
        "task": one.task,
        "span": one.pair.span,
        "entry": one.pair.entry + 1,
        "step": one.step,
        "item": one.entry.item,
        "text": one.entry.text,
        "first": one.pair.first,
        "second": one.pair.second,
        "moved": _moved_data(one.moved),
    }
