"""What a kept answer cannot be: values that have the right type and that no accepted answer has."""

import math
from collections.abc import Collection

from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.llm.outcome import SpanJudgment

_MOST = 10**15
"""Tokens, sizes and calls that are believed."""


def impossible(outcome: SpanJudgment) -> tuple[str, str] | None:
    """Return the first field of an accepted outcome whose value cannot be, and why; types alone do not tell."""
    assert outcome.judgment is not None
    confidence = outcome.judgment.confidence
    if confidence is not None and not 0 <= confidence <= 1:
        return "judgment.confidence", "it is not between 0 and 1"
    if outcome.judgment.span != outcome.span:
        return "judgment.span", f"it is not the line's span, {outcome.span!r}"
    if not outcome.attempts or outcome.attempts[-1].violations or any(each.accepted for each in outcome.attempts[:-1]):
        return "attempts", "the last answer and no other one must be accepted"
    for number, usage in enumerate(outcome.calls):
        if not _in_bounds((usage.calls, usage.input or 0, usage.cached or 0, usage.output or 0)):
            return f"calls.{number}", "it is no count of tokens"
        if usage.cost is not None and not 0 <= usage.cost < math.inf:
            return f"calls.{number}.cost", "it is no amount of money"
    for record, ranges in (outcome.reads or {}).items():
        ends = [0]
        for each in ranges:
            ends += each
        if ends != sorted(ends):
            return f"reads.{record}", "the ranges are not in order"
    numbers = [outcome.corrected, *(attempt.call for attempt in outcome.attempts)]
    for rollback in outcome.rollbacks:
        numbers += (rollback.call, rollback.size)
    if not _in_bounds(numbers):
        return "corrected, rollbacks or attempts", "a number is out of all bounds"
    return None


def _in_bounds(counts: Collection[int]) -> bool:
    return min(counts) >= 0 and max(counts) <= _MOST


def misfit(outcome: SpanJudgment, package: EvidencePackage) -> str:
    """Return why an answer cannot be one about this evidence, whose digest it has; empty where it can."""
    assert outcome.judgment is not None
    assessments = outcome.judgment.assessments
    if len(assessments) != len(package.entries):
        return f"the answer assesses {len(assessments)} entries and the delivery has {len(package.entries)}"
    for entry, assessment in zip(package.entries, assessments, strict=True):
        window = entry.window
        if any(window is None or not window.first <= anchor <= window.last for anchor in assessment.anchors):
            return f"an anchor of {entry.name} is outside of its credit window"
    return ""
