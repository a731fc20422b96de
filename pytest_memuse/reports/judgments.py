"""What kept answers took and how their checks went, as text and as data (MemUse A.6.8)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pytest_memuse.judging.answers import JudgeIdentity, Signal
from pytest_memuse.judging.llm.outcome import SpanJudgment
from pytest_memuse.judging.llm.repairs import COVERAGE, Changes, Repairs, Reported, Use, repairs_of, use_of
from pytest_memuse.judging.llm.spending import Spent
from pytest_memuse.model.errors import inert, printable
from pytest_memuse.profiles.quantity import Quantity
from pytest_memuse.reports.data import plain
from pytest_memuse.reports.numbers import counted, number, quantity
from pytest_memuse.reports.table import table

_HEAD = ("arc", "spans", "calls a span", "cached", "input", "output", "US$", "sent back", "changed")
_ALL = "all"
_SHOWN = 50
"""Arcs of a judge that have a row of their own; the others share one."""


@dataclass(frozen=True, slots=True)
class KeptArc:
    """The kept answers of one judge about one arc; ``folder`` is the judge's.

    ``removed`` is how many were removed just now, None where that was not asked for.
    """

    folder: str
    judge: JudgeIdentity
    arc: str
    outcomes: tuple[SpanJudgment, ...]
    removed: int | None = None


def judgments_lines(arcs: Sequence[KeptArc]) -> list[str]:
    """Return a table and totals for each judge; the arcs of one judge stand together."""
    lines: list[str] = []
    for folder, group in groupby(arcs, lambda each: each.folder):
        of = [each for each in group if each.outcomes]
        if not of:
            lines += [f"{inert(folder, 200)}: no record", ""]
            continue
        every = [outcome for each in of for outcome in each.outcomes]
        rows = [_row(each.arc, each.outcomes) for each in of[:_SHOWN]]
        if len(of) > _SHOWN:
            rows.append(_row(f"{len(of) - _SHOWN:,} more", [each for one in of[_SHOWN:] for each in one.outcomes]))
        if len(rows) > 1:
            rows.append(_row(_ALL, every))
        judge = of[0].judge
        model = f", model {printable(judge.model, 120)}" if judge.model else ""
        lines += [
            f"{inert(folder, 200)}: {counted(len(every), 'span')} in {counted(len(of), 'arc')}",
            f"  judge: {printable(judge.kind, 40)} {printable(judge.version, 40)}{model}",
            *(f"  {line}" for line in table(_HEAD, rows, frozenset(range(1, len(_HEAD))))),
            *(f"  {line}" for line in _use_lines(use_of(every))),
            *(f"  {line}" for line in repair_lines(repairs_of(every))),
            "",
        ]
    return lines[:-1] if lines else ["no record"]


def repair_lines(found: Repairs) -> list[str]:
    """Return how the answers about spans fared in their checks, in the paper's terms."""
    whole = counted(found.spans, "span")
    if not found.followed_up:
        lines = [f"the first answer was accepted in all of {whole}" if found.spans else "no span"]
    else:
        kinds = [f"{printable(code.value)} {count}" for code, count in found.spans_by_code.items()]
        lines = [
            f"sent back: {found.followed_up} of {whole} ({counted(found.rejected, 'answer')}), "
            f"{found.incomplete_reads} for incomplete reads",
            f"  by reason, which overlap, in spans: {', '.join(kinds)}",
            f"repaired: {found.repaired}; {_changed(found.changes)}",
        ]
        if found.coverage_changes.comparable:
            lines.append(f"  of those sent back for incomplete reads: {_changed(found.coverage_changes)}")
    if found.errors:
        errors = [f"{reason.value} {count}" for reason, count in found.errors.items()]
        lines.append(f"without an accepted answer: {', '.join(errors)}")
    lines.append(
        f"forced final answers: {found.forced}, accepted: {found.forced_accepted}; spans with a round rolled back: "
        f"{found.rolled_back}; effects without an action, reset: {found.corrected}"
    )
    return lines


def usage_lines(model: str, spent: Spent) -> list[str]:
    """Return what a run took of a judge that asks a model, in one line; none where it had nothing to do."""
    asked, usage = spent.asked, spent.usage
    if not asked and not spent.reused:
        return []
    parts = [f"{counted(asked, 'span')} asked about", f"{spent.reused:,} from records"]
    if asked:
        parts.append(f"{number(usage.calls / asked)} calls a span")
        share = usage.cached / usage.input if usage.cached is not None and usage.input else None
        parts.append("cached share unknown" if share is None else f"{share:.1%} of input cached")
        parts.append(f"{quantity(Quantity.of([usage.cost]))} USD" if usage.cost is not None else "cost unknown")
    return [f"judge {printable(model, 120)}: {', '.join(parts)}"]


def pruned_lines(arcs: Sequence[KeptArc]) -> list[str]:
    """Return what was removed."""
    removed = [each for each in arcs if each.removed]
    lines = [
        f"removed {each.removed} of {counted(each.removed + len(each.outcomes), 'record')} of arc "
        f"{printable(each.arc, 80)} ({inert(each.folder, 200)})"
        for each in removed
        if each.removed is not None
    ]
    return [*(lines or ["every record is needed: nothing was removed"]), ""]


def judgments_data(arcs: Sequence[KeptArc]) -> dict[str, Any]:
    """Return the same for programs; what is undefined is null."""
    judges: dict[str, dict[str, Any]] = {}
    for folder, group in groupby(arcs, lambda each: each.folder):
        of = list(group)
        judge = of[0].judge
        total = _outcomes_data([outcome for each in of for outcome in each.outcomes])
        each_arc = {
            each.arc: _outcomes_data(each.outcomes) | ({} if each.removed is None else {"removed": each.removed})
            for each in of
        }
        judges[folder] = {"judge": plain(judge), "arcs": each_arc, "all": total}
    return {"judges": judges}


def _row(name: str, outcomes: Sequence[SpanJudgment]) -> tuple[str, ...]:
    use, repairs = use_of(outcomes), repairs_of(outcomes)
    changes = repairs.changes
    return (
        name,
        f"{len(outcomes):,}",
        number(use.calls_a_span),
        _share(use.cached_share),
        _sum(use.input),
        _sum(use.output),
        _sum(use.cost),
        f"{repairs.followed_up:,}",
        f"{changes.changed} of {changes.comparable}" if changes.comparable else "–",
    )


def _use_lines(use: Use) -> list[str]:
    """Return the averages; what some calls do not report has none."""
    tokens = f"{_each(use.input, use)} input and {_each(use.output, use)} output tokens a span"
    unreported = use.cached.calls - use.cached.reporting
    note = f" ({counted(unreported, 'call')} of {use.calls:,} report no cached tokens)" if unreported else ""
    return [
        f"{number(use.calls_a_span)} calls a span, {_share(use.cached_share)} of input cached{note}; "
        f"{tokens}; US$ a span: {_each(use.cost, use)}"
    ]


def _changed(changes: Changes) -> str:
    if not changes.comparable:
        return "no first answer can be read, so that none can be told to have changed a signal"
    signals = ", ".join(f"{signal.value} {count}" for signal, count in changes.by_signal.items())
    told = f"{changes.changed} of {changes.comparable} with a readable first answer changed a signal"
    return f"{told} ({signals})" if signals else told


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


def _sum(found: Reported) -> str:
    return quantity(Quantity(found.total, found.reporting, found.calls - found.reporting))


def _each(found: Reported, use: Use) -> str:
    value = found.each(use.spans)
    return "unknown" if value is None else number(value)


def _outcomes_data(outcomes: Sequence[SpanJudgment]) -> dict[str, Any]:
    use, repairs = use_of(outcomes), repairs_of(outcomes)
    return {
        "spans": len(outcomes),
        "asked": use.spans,
        "calls": use.calls,
        "calls_a_span": use.calls_a_span,
        "cached_share": use.cached_share,
        "tokens": {name: _reported_data(getattr(use, name), use) for name in ("input", "cached", "output")},
        "dollars": _reported_data(use.cost, use),
        "repairs": _repairs_data(repairs),
    }


def _reported_data(found: Reported, use: Use) -> dict[str, Any]:
    return {
        "total": found.total if found.known else None,
        "reported": found.total if found.reporting else None,
        "calls_reporting": found.reporting,
        "a_span": found.each(use.spans),
    }


def _repairs_data(found: Repairs) -> dict[str, Any]:
    return {
        "accepted": found.accepted,
        "errors": _words(found.errors),
        "sent_back": found.followed_up,
        "repaired": found.repaired,
        "answers_not_accepted": found.rejected,
        "answers_by_violation": _words(found.answers),
        "spans_by_violation": _words(found.spans_by_code),
        "incomplete_reads": {"spans": found.incomplete_reads, "violations": sorted(code.value for code in COVERAGE)},
        "forced": found.forced,
        "forced_accepted": found.forced_accepted,
        "rolled_back": found.rolled_back,
        "effects_without_action": found.corrected,
        "changed": _changes_data(found.changes),
        "changed_after_incomplete_reads": _changes_data(found.coverage_changes),
    }


def _changes_data(changes: Changes) -> dict[str, Any]:
    signals = {signal.value: changes.by_signal.get(signal, 0) for signal in Signal}
    return {"comparable": changes.comparable, "changed": changes.changed, "by_signal": signals}


def _words(counts: Mapping[Any, int]) -> dict[str, int]:
    return {str(kind.value): count for kind, count in counts.items()}
