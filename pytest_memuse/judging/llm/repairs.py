"""What checks and limits did to a judge's answers, and what its calls used (MemUse A.6.8)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from pytest_memuse.judging.answers import Signal
from pytest_memuse.judging.llm.outcome import Attempt, ErrorReason, SpanJudgment, Usage
from pytest_memuse.judging.violations import ViolationCode

COVERAGE = frozenset(
    {
        ViolationCode.UNREAD_MANDATORY,
        ViolationCode.UNREAD_PRIOR,
        ViolationCode.UNREAD_WINDOW,
        ViolationCode.UNREAD_CONSEQUENCES,
    }
)
"""Violations that are mended by reading more: the paper's *incomplete reads*. Steps that are cited and not read are
counted apart there, and are here."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The sum of what calls report, and of how many calls; what no call reports is unknown, never zero."""

    total: float = 0
    reporting: int = 0
    calls: int = 0

    @property
    def known(self) -> bool:
        """Whether every call reports it, and at least one was made; otherwise the total is a lower bound at best."""
        return 0 < self.calls == self.reporting

    def each(self, spans: int) -> float | None:
        """Return the average over so many spans; None where not every call reports it, or there is no span."""
        return self.total / spans if self.known and spans else None


@dataclass(frozen=True, slots=True)
class Use:
    """What conversations used: over ``spans`` that were asked about, ``calls`` in all that were answered.

    ``cached`` are those of the input tokens that a prompt cache served; ``cost`` is in US dollars.
    """

    spans: int = 0
    calls: int = 0
    input: Reported = Reported()
    cached: Reported = Reported()
    output: Reported = Reported()
    cost: Reported = Reported()
    cached_share: float | None = None
    """Cached tokens by input tokens, over the calls that report both; None where none does."""

    @property
    def calls_a_span(self) -> float | None:
        """The average number of calls; None without a span."""
        return self.calls / self.spans if self.spans else None


@dataclass(frozen=True, slots=True)
class Changes:
    """Repaired spans whose first answer could be read, and those of them in which the accepted one differs.

    ``by_signal`` counts a span once for each signal that differs in at least one entry.
    """

    comparable: int = 0
    changed: int = 0
    by_signal: Mapping[Signal, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Repairs:
    """How the answers about spans fared in their checks.

    ``spans`` were asked about or failed before; ``accepted`` have an answer that was, ``errors`` counts the others by
    reason. *Followed up* is a span with at least one answer that was not accepted, *repaired* one that was accepted in
    the end. ``rejected`` counts answers that were not accepted; ``answers`` counts them and ``spans_by_code`` their
    spans by what was wrong, which overlaps. ``forced`` spans were asked for their last answer without tools. In
    ``corrected`` are the effects of entries that were not acted on, in accepted answers: the verdict rules reset them.
    ``changes`` are over all repaired spans, ``coverage_changes`` over those that were sent back for incomplete reads.
    """

    spans: int = 0
    accepted: int = 0
    errors: Mapping[ErrorReason, int] = field(default_factory=dict)
    followed_up: int = 0
    repaired: int = 0
    rejected: int = 0
    answers: Mapping[ViolationCode, int] = field(default_factory=dict)
    spans_by_code: Mapping[ViolationCode, int] = field(default_factory=dict)
    incomplete_reads: int = 0
    forced: int = 0
    forced_accepted: int = 0
    rolled_back: int = 0
    corrected: int = 0
    changes: Changes = Changes()
    coverage_changes: Changes = Changes()


def use_of(outcomes: Iterable[SpanJudgment]) -> Use:
    """Return what the conversations about these spans used; spans that nobody was asked about are not counted."""
    asked = [outcome for outcome in outcomes if outcome.calls]
    calls = [usage for outcome in asked for usage in outcome.calls]
    both = [(usage.cached, usage.input) for usage in calls if usage.cached is not None and usage.input]
    read = sum(tokens for _, tokens in both)
    return Use(
        spans=len(asked),
        calls=sum(usage.calls for usage in calls),
        input=_reported(calls, [usage.input for usage in calls]),
        cached=_reported(calls, [usage.cached for usage in calls]),
        output=_reported(calls, [usage.output for usage in calls]),
        cost=_reported(calls, [usage.cost for usage in calls]),
        cached_share=sum(cached for cached, _ in both) / read if read else None,
    )


def repairs_of(outcomes: Iterable[SpanJudgment]) -> Repairs:
    """Return how the answers about these spans fared."""
    found = list(outcomes)
    rejected = [_rejected(outcome) for outcome in found]
    followed_up = [(outcome, answers) for outcome, answers in zip(found, rejected, strict=True) if answers]
    repaired = [(outcome, answers) for outcome, answers in followed_up if outcome.accepted]
    by_span = [{code for answer in answers for code in _codes(answer)} for _, answers in followed_up]
    return Repairs(
        spans=len(found),
        accepted=sum(outcome.accepted for outcome in found),
        errors=_ordered(ErrorReason, Counter(outcome.error for outcome in found if outcome.error is not None)),
        followed_up=len(followed_up),
        repaired=len(repaired),
        rejected=sum(map(len, rejected)),
        answers=_ordered(
            ViolationCode, Counter(code for answers in rejected for one in answers for code in _codes(one))
        ),
        spans_by_code=_ordered(ViolationCode, Counter(code for codes in by_span for code in codes)),
        incomplete_reads=sum(not codes.isdisjoint(COVERAGE) for codes in by_span),
        forced=sum(outcome.forced for outcome in found),
        forced_accepted=sum(outcome.forced and outcome.accepted for outcome in found),
        rolled_back=sum(bool(outcome.rollbacks) for outcome in found),
        corrected=sum(outcome.corrected for outcome in found if outcome.accepted),
        changes=_changes(repaired),
        coverage_changes=_changes(
            (outcome, answers) for outcome, answers in repaired if not _codes(answers[0]).isdisjoint(COVERAGE)
        ),
    )


def changed_signals(outcome: SpanJudgment) -> frozenset[Signal] | None:
    """Return the signals in which the accepted answer differs from the first one that was not, in any entry.

    Entries that only one of the two assesses are passed over. None where there was no repair, or where the first
    answer cannot be read.
    """
    rejected = _rejected(outcome)
    if not rejected or not outcome.accepted or rejected[0].signals is None:
        return None
    first, last = rejected[0].signals, outcome.attempts[-1].signals or {}
    return frozenset(
        signal
        for signal in Signal
        for entry in first.keys() & last.keys()
        if first[entry].get(signal) != last[entry].get(signal)
    )


def _rejected(outcome: SpanJudgment) -> list[Attempt]:
    return [attempt for attempt in outcome.attempts if not attempt.accepted]


def _codes(attempt: Attempt) -> frozenset[ViolationCode]:
    return frozenset(violation.code for violation in attempt.violations)


def _changes(repaired: Iterable[tuple[SpanJudgment, list[Attempt]]]) -> Changes:
    differing = [signals for outcome, _ in repaired if (signals := changed_signals(outcome)) is not None]
    counts = Counter(signal for signals in differing for signal in signals)
    return Changes(len(differing), sum(map(bool, differing)), _ordered(Signal, counts))


def _reported(calls: Sequence[Usage], amounts: Sequence[float | None]) -> Reported:
    known = [(amount, usage.calls) for amount, usage in zip(amounts, calls, strict=True) if amount is not None]
    return Reported(
        sum(amount for amount, _ in known), sum(number for _, number in known), sum(usage.calls for usage in calls)
    )


_Kind = TypeVar("_Kind", bound=StrEnum)


def _ordered(kinds: Iterable[_Kind], counts: Mapping[_Kind, int]) -> dict[_Kind, int]:
    return {kind: counts[kind] for kind in kinds if counts.get(kind)}
