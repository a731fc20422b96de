"""How a judge agrees with labelled sets, as text and as data."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.judging.agreement import Agreement, Scored, SignalAgreement
from pytest_memuse.judging.kappa import LEVEL, Kappa
from pytest_memuse.judging.labels import Value
from pytest_memuse.model.errors import inert, printable
from pytest_memuse.reports.numbers import counted
from pytest_memuse.reports.table import table

_HEAD = ("signal", "right", "wrong", "undetermined", "unanswered", "kappa", "at least", "of determined", "at least")
_UNDETERMINED = "undetermined"


def label_lines(judge: str, sets: Mapping[str, Agreement], total: Agreement, *, verbose: bool = False) -> list[str]:
    """Return the report on labelled sets by name, and on all together where there are several.

    ``verbose`` lists what is wrong and what is left undetermined, by case and entry.
    """
    lines = [f"judge: {printable(judge, 400)}", ""]
    for name, agreement in sets.items():
        lines += [*_set_lines(inert(name), agreement, verbose=verbose), ""]
    if len(sets) > 1:
        lines += [*_set_lines(f"all {counted(len(sets), 'set')}", total, verbose=False), ""]
    lines += [
        "Only labels that the construction of a case forces are scored. Unanswered: the judge does not determine the",
        "signal there; such labels enter no other column. Kappa counts undetermined as a value of its own; “of",
        "determined” leaves out what the judge left open. “At least” is the one-sided bound, taken by case, at",
        f"{100 * LEVEL:.0f} %. A dash is undefined: no label, one value throughout, or a bound from one case.",
    ]
    return lines


def label_data(judge: Mapping[str, Any], sets: Mapping[str, Agreement], total: Agreement) -> dict[str, Any]:
    """Return the same for programs, every wrong and open label included."""
    return {
        "judge": dict(judge),
        "level": LEVEL,
        "sets": {name: _agreement_data(agreement) for name, agreement in sets.items()},
        "all": _agreement_data(total),
    }


def _set_lines(name: str, agreement: Agreement, *, verbose: bool) -> list[str]:
    lines = [f"{name}: {counted(agreement.entries, 'entry')} in {counted(agreement.cases, 'case')}"]
    lines += table(_HEAD, [_row(one) for one in agreement.signals], frozenset(range(1, len(_HEAD))))
    for signal in agreement.signals:
        if confused := _confusion(signal):
            lines.append(f"{signal.signal.value}, forced → given: {confused}")
    claimed = len(agreement.false_claims)
    lines.append(f"acted on without an action: {claimed} of {counted(agreement.without_action, 'entry')}")
    if verbose:
        lines += [_scored_line("wrong", one) for one in agreement.mistakes]
        lines += [_scored_line("open", one) for one in agreement.open]
    return lines


def _row(one: SignalAgreement) -> tuple[str, ...]:
    counts = (one.right, one.wrong, one.undetermined, one.unanswered)
    kappas = (*_kappa_cells(one.kappa), *_kappa_cells(one.kappa_determined))
    return (one.signal.value, *map(str, counts), *kappas)


def _kappa_cells(kappa: Kappa) -> tuple[str, str]:
    return _figure(kappa.value), _figure(kappa.lower)


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def _confusion(signal: SignalAgreement) -> str:
    """Return the pairs that disagree, the most frequent first."""
    pairs = [(count, _shown(forced), _shown(given)) for (forced, given), count in signal.confusion.items()]
    apart = sorted((-count, forced, given) for count, forced, given in pairs if forced != given)
    return ", ".join(f"{forced} → {given} {-count}" for count, forced, given in apart)


def _scored_line(kind: str, one: Scored) -> str:
    given = "" if one.given is None else f"{_shown(one.given)}, "
    note = f" ({printable(one.note, 160)})" if one.note else ""
    where = f"{printable(one.case)} entry {one.entry}"
    return f"  {kind}: {where}: {one.signal.value}: {given}forced {_shown(one.expected)}{note}"


def _shown(value: Value) -> str:
    if value is None:
        return _UNDETERMINED
    return str(value).lower() if isinstance(value, bool) else value.value.replace("_", " ")


def _agreement_data(agreement: Agreement) -> dict[str, Any]:
    return {
        "cases": agreement.cases,
        "entries": agreement.entries,
        "signals": {one.signal.value: _signal_data(one) for one in agreement.signals},
        "acted_on_without_an_action": {
            "count": len(agreement.false_claims),
            "of": agreement.without_action,
        },
        "wrong": _scored_data(agreement.mistakes),
        "undetermined": _scored_data(agreement.open),
    }


def _signal_data(one: SignalAgreement) -> dict[str, Any]:
    pairs = sorted(one.confusion.items(), key=lambda item: (_shown(item[0][0]), _shown(item[0][1])))
    return {
        "right": one.right,
        "wrong": one.wrong,
        "undetermined": one.undetermined,
        "unanswered": one.unanswered,
        "kappa": _kappa_data(one.kappa),
        "kappa_determined": _kappa_data(one.kappa_determined),
        "confusion": [{"forced": forced, "given": given, "count": count} for (forced, given), count in pairs],
    }


def _kappa_data(kappa: Kappa) -> dict[str, Any]:
    return {"value": kappa.value, "lower": kappa.lower, "labels": kappa.labels, "cases": kappa.cases}


def _scored_data(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    return [
        {
            "source": one.source,
            "case": one.case,
            "entry": one.entry,
            "signal": one.signal.value,
            "forced": one.expected,
            "given": one.given,
            "note": one.note,
        }
        for one in scored
    ]
