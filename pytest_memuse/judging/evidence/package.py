"""The evidence package of each eligible span of an episode (MemUse A.2.1)."""

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_memuse.judging.evidence.copies import EarlierCopies
from pytest_memuse.judging.evidence.episode_records import delivery_line, placement_lines, shared_evidence
from pytest_memuse.judging.evidence.memory_text import DeliveryNames, hosted_deliveries, memory_marks
from pytest_memuse.judging.evidence.messages import MessageBook, message_book
from pytest_memuse.judging.evidence.prior_records import PriorContexts
from pytest_memuse.judging.evidence.rendering import rendered_lines
from pytest_memuse.judging.evidence.types import (
    PRIOR_INDEX,
    TARGET,
    EpisodeEvidence,
    EvidencePackage,
    TargetEntry,
)
from pytest_memuse.model import Episode
from pytest_memuse.model.digests import json_digest, text_digest
from pytest_memuse.spans import Span, SpanEntry
from pytest_memuse.spans.exposure import ExposureMatcher

TARGET_SHOWN = 24_000
"""Characters of a target's record that the prompt shows whole; a longer one is a mandatory read."""


class EpisodeCase:
    """An episode made ready for judging: its shared records once, then one package a span.

    ``spans`` are all spans of the episode, whose inputs are replayed (`replay_inputs`). ``reference`` says whether the
    task's reference facts are part of the evidence, where it has any. The outcome never is. ``book`` tells the names of
    messages, ``shared`` holds what all spans of the episode have in common.
    """

    def __init__(self, episode: Episode, spans: Sequence[Span], *, reference: bool = True) -> None:
        self._names = DeliveryNames.of(spans)
        self._hosted = hosted_deliveries(episode, [span for span in spans if span.id in self._names.of_span])
        marks = memory_marks(self._hosted, self._names)
        self.book: MessageBook = message_book(episode)
        self._prior = PriorContexts(episode, self.book, marks)
        self._matcher = ExposureMatcher()
        self._copies = EarlierCopies(episode, spans, self._hosted, self._names, self._matcher)
        self.shared: EpisodeEvidence = shared_evidence(
            episode, spans, self.book, marks, self._hosted, self._names, reference=reference
        )

    def package(self, span: Span) -> EvidencePackage:
        """Return the evidence of one span. Raises `MemuseError` as `prior_context` does, where nobody may judge it."""
        prior = self._prior.of(span)
        assert span.first is not None
        entries = tuple(self._entry(number, span, entry) for number, entry in enumerate(span.entries, start=1))
        target = rendered_lines(self._target(span, entries))
        own = {PRIOR_INDEX: prior.index, TARGET: target, **prior.cut}
        texts = sorted((name, text_digest(text)) for name, text in own.items())
        return EvidencePackage(
            shared=self.shared,
            delivery=self._names.of_span[span.id],
            first=span.first,
            last=self.shared.last_step,
            entries=entries,
            prior=prior.names,
            removed=prior.removed,
            own=own,
            aliases=prior.aliases,
            unshown=len(target) > TARGET_SHOWN,
            digest=json_digest([self.shared.digest, span.first, texts]),
        )

    def _entry(self, number: int, span: Span, entry: SpanEntry) -> TargetEntry:
        key = entry.entry.key
        shown = key and any(
            p.text is not None and self._matcher.shows(key, p.text, p.kind) for p in span.deliveries[0].placements
        )
        return TargetEntry(
            name=f"e{number}",
            exposure=entry.exposure.kind,
            text=entry.exposure.text,
            key=key if shown else None,
            window=entry.window,
            copies=tuple(self._copies.of(span, entry)),
        )

    def _target(self, span: Span, entries: Sequence[TargetEntry]) -> Iterator[dict[str, Any]]:
        yield delivery_line(span, self._names, self._hosted)
        yield {"first consuming step": span.first, "last step of the episode": self.shared.last_step}
        for entry, stored in zip(entries, span.entries, strict=True):
            line = _entry_line(entry)
            if later := list(self._copies.later(span, stored)):
                line["later deliveries of the same item"] = later
            yield line
        yield from placement_lines(span.deliveries[0])


def _entry_line(entry: TargetEntry) -> dict[str, Any]:
    line: dict[str, Any] = {"entry": entry.name, "exposure": entry.exposure.value}
    if entry.text is None:
        line["withheld"] = "what the agent saw of it could not be verified; read the placements"
    else:
        line["text"] = entry.text
    if entry.key is not None:
        line["shown as"] = entry.key
    window = entry.window
    line["credit window"] = None if window is None else [window.first, window.last]
    if entry.copies:
        line["earlier copies"] = [
            {
                "delivery": copy.delivery,
                "step": copy.step,
                "state": copy.state.value,
                "exposure": copy.exposure.value,
                "holds all of this entry": copy.holds_target,
            }
            for copy in entry.copies
        ]
    return line


def build_evidence(episode: Episode, spans: Sequence[Span], span: Span, *, reference: bool = True) -> EvidencePackage:
    """Return the evidence package of one span; who asks for several makes one `EpisodeCase`."""
    return EpisodeCase(episode, spans, reference=reference).package(span)
