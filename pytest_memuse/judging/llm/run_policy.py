"""Many spans under one limit: in parallel, up to a budget, resumed from records (MemUse A.6.8)."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from threading import Event
from typing import Protocol, runtime_checkable

from pytest_memuse.judging.answers import Judgment
from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
from pytest_memuse.judging.llm.outcome import ErrorReason, SpanJudgment
from pytest_memuse.judging.llm.pool import DaemonThreads
from pytest_memuse.judging.llm.progress import Progress
from pytest_memuse.judging.llm.settings import RunLimits
from pytest_memuse.judging.llm.spending import Spending
from pytest_memuse.judging.run import Asked, Judged, JudgedSpans, Lines
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span, SpanOutcome, build_spans, replay_inputs


class Records(Protocol):
    """Where accepted answers are kept. Both are called by several threads, each with the episode of the span."""

    def find(self, episode: Episode, span: str, package: EvidencePackage) -> SpanJudgment | None:
        """Return the outcome for a span whose evidence and judge are unchanged, None where it must be asked."""

    def accepted(self, episode: Episode, outcome: SpanJudgment) -> None:
        """Keep an accepted answer, at once: whatever happens after this call, it is not lost.

        Raises `MemuseError` where it cannot be kept; that ends the run.
        """


@runtime_checkable
class KeepsErrors(Protocol):
    """Records that want to know of the spans that came to no accepted answer, too."""

    def failed(self, episode: Episode, outcome: SpanJudgment) -> None:
        """Keep what a span ended in, if it says something of the span; called by several threads."""


Conversing = Callable[[str, EvidencePackage, Event], SpanJudgment | None]
"""Holds the conversation about a span to its end; None where it was left because the event was set."""


_Result = tuple[SpanJudgment | None, bool]
"""An outcome, None for *unjudged*, and whether it was asked for."""

_Submitting = Callable[[Episode, str, EvidencePackage], Future[_Result]]


@dataclass(frozen=True, slots=True)
class _Pending:
    """A span whose judgment may still be under way."""

    result: Future[_Result] | _Result

    def wait(self) -> _Result:
        return self.result if isinstance(self.result, tuple) else self.result.result()


@dataclass(frozen=True, slots=True)
class _Plan:
    """An episode, its spans, and those of them that are to be judged."""

    episode: Episode
    spans: tuple[Span, ...]
    asked: tuple[Span, ...]
    pending: dict[str, _Pending] = field(default_factory=dict)

    @classmethod
    def of(cls, episode: Episode, names: Collection[str] | None) -> "_Plan":
        replayed = replay_inputs(episode)
        spans = build_spans(replayed)
        eligible = (span for span in spans if span.outcome is SpanOutcome.ELIGIBLE)
        return cls(replayed, spans, tuple(span for span in eligible if names is None or span.id in names))


@dataclass(frozen=True, slots=True)
class RunPolicy:
    """Judges the spans of episodes; ``converse`` holds one conversation."""

    converse: Conversing
    limits: RunLimits
    spending: Spending
    records: Records | None = None
    reference: bool = True

    def episodes(self, episodes: Iterable[Episode], lines: Lines | None = None, asked: Asked | None = None) -> Judged:
        """Yield each episode with its spans and what became of them, in the order given; of those ``asked``, if given.

        All episodes are read before the first span is asked about, so that the rest can be estimated. Where the caller
        leaves, Ctrl-C included, nothing further is begun, and accepted answers are with the records already.
        """
        names = repeat(None) if asked is None else asked
        plans = [_Plan.of(*each) for each in zip(episodes, names, strict=asked is not None)]
        progress = Progress(lines, sum(len(plan.asked) for plan in plans), self.spending.usage)
        threads, left = DaemonThreads(self.limits.parallel), Event()
        judged = partial(self._judged, left=left)
        whole = False
        try:
            for plan in self._begun(plans, partial(threads.submit, judged)):
                yield plan.episode, self._gathered(plan, progress)
            whole = True
        finally:
            if not whole:
                left.set()
            threads.shutdown(wait=whole, cancel_futures=not whole)
            progress.close(self.spending.usage, self.spending.stopped)

    def _begun(self, plans: Iterable[_Plan], submit: _Submitting) -> Iterator[_Plan]:
        """Yield plans in order once their spans are begun, with a bounded number of spans begun ahead."""
        ahead: deque[_Plan] = deque()
        for plan in plans:
            self._begin(plan, submit)
            ahead.append(plan)
            while sum(_is_open(one) for each in ahead for one in each.pending.values()) > 4 * self.limits.parallel:
                yield ahead.popleft()
        yield from ahead

    def _begin(self, plan: _Plan, submit: _Submitting) -> None:
        case: EpisodeCase | None = None
        for span in plan.asked:
            try:
                case = case or EpisodeCase(plan.episode, plan.spans, reference=self.reference)
                package = case.package(span)
            except MemuseError as error:
                failed = SpanJudgment(span.id, "", error=ErrorReason.EVIDENCE, problem=str(error))
                plan.pending[span.id] = _Pending((failed, False))
                continue
            found = self.records.find(plan.episode, span.id, package) if self.records is not None else None
            if found is not None:
                self.spending.done(asked=False)
                plan.pending[span.id] = _Pending((found, False))
            else:
                plan.pending[span.id] = _Pending(submit(plan.episode, span.id, package))

    def _judged(self, episode: Episode, span: str, package: EvidencePackage, left: Event) -> _Result:
        return self.span(episode, span, package, left), True

    def span(self, episode: Episode, span: str, package: EvidencePackage, left: Event) -> SpanJudgment | None:
        """Return the outcome of one span, asked about where the limits allow it; None leaves it unjudged.

        Where the event is set, the conversation is left before its next call.
        """
        if left.is_set() or not self.spending.begin():
            return None
        outcome = self.converse(span, package, left)
        if outcome is not None:
            self.spending.done(asked=True)
        if outcome is not None and outcome.accepted and self.records is not None:
            try:
                self.records.accepted(episode, outcome)
            except BaseException:
                # The run ends here: no other span costs anything for an answer that cannot be kept either.
                left.set()
                raise
        elif outcome is not None and isinstance(self.records, KeepsErrors):
            self.records.failed(episode, outcome)
        return outcome

    def _gathered(self, plan: _Plan, progress: Progress) -> JudgedSpans:
        judgments: dict[str, Judgment | None] = {}
        reasons: dict[str, str] = {}
        for name, pending in plan.pending.items():
            outcome, asked = pending.wait()
            if outcome is None:
                continue
            progress.done(self.spending.usage, asked=asked)
            judgments[name] = outcome.judgment
            if outcome.error is not None:
                reasons[name] = f"{outcome.error.value}: {outcome.problem}"
        return JudgedSpans(plan.spans, judgments, reasons)


def _is_open(pending: _Pending) -> bool:
    return not isinstance(pending.result, tuple) and not pending.result.done()
