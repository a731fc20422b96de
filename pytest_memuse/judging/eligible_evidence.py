"""The evidence of every span of an episode that a judge would be asked about."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span, SpanOutcome, build_spans, replay_inputs


class SpanEvidence(NamedTuple):
    """An eligible span by its identifier, and its evidence."""

    span: str
    package: EvidencePackage


def eligible_evidence(
    episode: Episode, spans: Sequence[Span] | None = None, *, reference: bool = True
) -> Iterator[SpanEvidence]:
    """Yield the evidence of the eligible spans of an episode, in order; ``spans`` are all of them, built if not given.

    ``reference`` says whether the task's reference facts are shown. A span whose evidence cannot be put together is
    passed over: no judge is asked about it.
    """
    replayed = replay_inputs(episode)
    spans = build_spans(replayed) if spans is None else spans
    case: EpisodeCase | None = None
    for span in spans:
        if span.outcome is not SpanOutcome.ELIGIBLE:
            continue
        try:
            case = case or EpisodeCase(replayed, spans, reference=reference)
            package = case.package(span)
        except MemuseError:
            continue
        yield SpanEvidence(span.id, package)
