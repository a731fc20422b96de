"""In what two outcomes of one span differ: in its signals, and in anything that a record holds."""

from dataclasses import dataclass, fields

from pytest_memuse.judging.answers import Assessment, Judgment, Signal
from pytest_memuse.judging.llm.outcome import SpanJudgment

UNDETERMINED = "undetermined"
NOT_LOOKED_AT = "–"
"""Stands for the value of a signal that a judgment does not determine."""


@dataclass(frozen=True, slots=True)
class SignalDifference:
    """A signal of an entry, ``e1``, ``e2``, ..., that has another value now than then; values as they are shown."""

    entry: str
    signal: Signal
    then: str
    now: str

    def __str__(self) -> str:
        return f"{self.entry} {self.signal.value}: {self.then} then, {self.now} now"


@dataclass(frozen=True, slots=True)
class SignalComparison:
    """How two judgments of a span compare: ``signals`` counts those that either determines, entry by entry."""

    signals: int
    differences: tuple[SignalDifference, ...]


def compare_signals(then: Judgment, now: Judgment) -> SignalComparison:
    """Compare the signals of two judgments of the same span, entry by entry in the order of the entries.

    Where they assess different numbers of entries, as a changed record may, those that both assess are compared.
    """
    signals = [signal for signal in Signal if signal in then.determines | now.determines]
    found = []
    for number, (old, new) in enumerate(zip(then.assessments, now.assessments, strict=False), start=1):
        for signal in signals:
            before, after = _shown(old, signal, then), _shown(new, signal, now)
            if before != after:
                found.append(SignalDifference(f"e{number}", signal, before, after))
    return SignalComparison(len(signals) * len(then.assessments), tuple(found))


def record_differences(then: SpanJudgment, now: SpanJudgment) -> tuple[str, ...]:
    """Return a text for each part in which two outcomes of a span differ; none where they are equal."""
    parts = [each.name for each in fields(SpanJudgment) if getattr(then, each.name) != getattr(now, each.name)]
    if "judgment" in parts and then.judgment is not None and now.judgment is not None:
        differences = compare_signals(then.judgment, now.judgment).differences
        if differences:
            return (*map(str, differences), *(part for part in parts if part != "judgment"))
    return tuple(parts)


def _shown(assessment: Assessment, signal: Signal, judgment: Judgment) -> str:
    if signal not in judgment.determines:
        return NOT_LOOKED_AT
    value = getattr(assessment, signal.value)
    if value is None:
        return UNDETERMINED
    return str(value).lower() if isinstance(value, bool) else str(value.value)
