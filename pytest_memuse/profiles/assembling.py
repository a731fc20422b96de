"""From spans and judgments to the plain rows that profiles are computed from (MemUse 3.5, A.4.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from pytest_memuse.judging.answers import Assessment, Judgment
from pytest_memuse.model import Delivery, Entry, Episode, OperationKind
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.rows import TEXT_KEPT, EntryRow, EpisodeRow, RowOutcome, SpanRow, Triage, Usage
from pytest_memuse.profiles.verdicts import triage_label, usage_label, without_unacted_effect
from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.types import Span, SpanEntry, SpanOutcome

_OUTCOMES = {
    SpanOutcome.NEUTRAL: RowOutcome.NEUTRAL,
    SpanOutcome.EMPTY: RowOutcome.EMPTY,
    SpanOutcome.UNASSESSABLE: RowOutcome.UNASSESSABLE,
    SpanOutcome.ERROR: RowOutcome.ERROR,
}
NO_ANSWER = "the judge obtained no accepted answer"

Ordinals = Mapping[tuple[str, str], int]
"""Order of creation in the arc, from 0, by namespace and item."""


def creation_ordinals(arc: Iterable[Episode]) -> dict[tuple[str, str], int]:
    """Return the order in which an arc's items were created, from 0, by namespace and item.

    The episodes are to be given in the arc's order. An item whose creation was not recorded has no place (A.4.3).
    """
    ordinals: dict[tuple[str, str], int] = {}
    for episode in arc:
        for operation in episode.operations:
            if operation.kind is OperationKind.CREATE and operation.item is not None:
                ordinals.setdefault((operation.namespace, operation.item), len(ordinals))
    return ordinals


def episode_row(
    episode: Episode,
    spans: Sequence[Span],
    judgments: Mapping[str, Judgment | None],
    *,
    ordinals: Ordinals | None = None,
    reasons: Mapping[str, str] | None = None,
) -> EpisodeRow:
    """Return the row of an episode.

    ``judgments`` is keyed by span. An eligible span that it lacks is *unjudged*; one whose judgment is None is an
    *error* with the sentence that ``reasons`` gives for it.
    """
    rows = []
    for span in spans:
        pending = span.id not in judgments
        reason = (reasons or {}).get(span.id, NO_ANSWER)
        rows.append(span_row(span, judgments.get(span.id), reason=None if pending else reason, ordinals=ordinals))
    return EpisodeRow(
        id=episode.id,
        arc=episode.arc or episode.id,
        task=episode.task.id if episode.task is not None else "",
        task_digest=episode.task.digest if episode.task is not None else "",
        position=episode.position,
        success=episode.outcome.success if episode.outcome is not None else None,
        steps=len(episode.steps),
        spans=tuple(rows),
    )


def span_row(
    span: Span, judgment: Judgment | None, *, reason: str | None = None, ordinals: Ordinals | None = None
) -> SpanRow:
    """Return the row of a span.

    An eligible span with a judgment of every entry is *judged*; without a judgment it is an *error* where ``reason``
    says why, else *unjudged*, as is one whose judgment determines no signal at all. A judgment that does not assess
    every entry is no accepted answer (A.4.2). A neutral span has a triage label and nothing else.
    """
    outcome, problems = _outcome(span, judgment, reason)
    entries: tuple[EntryRow, ...]
    triage: Triage | None = Triage.NEUTRAL if outcome is RowOutcome.NEUTRAL else None
    determines: tuple[str, ...] = ()
    corrected = 0
    if outcome is RowOutcome.JUDGED and judgment is not None:
        assessments = tuple(without_unacted_effect(a) for a in judgment.assessments)
        corrected = sum(a is not b for a, b in zip(assessments, judgment.assessments, strict=True))
        usages = tuple(usage_label(assessment) for assessment in assessments)
        triage = triage_label(usages)
        determines = tuple(sorted(signal.value for signal in judgment.determines))
        entries = tuple(
            _entry_row(entry, ordinals, assessment, usage)
            for entry, assessment, usage in zip(span.entries, assessments, usages, strict=True)
        )
    else:
        entries = tuple(_entry_row(entry, ordinals) for entry in span.entries)
    return SpanRow(
        id=span.id,
        outcome=outcome,
        characters=span.characters,
        entries=entries,
        triage=triage,
        first=span.first,
        last=span.last,
        deliveries=len(span.deliveries),
        route=span.deliveries[0].route.value,
        form=span.deliveries[0].form,
        redacted=span.redacted,
        determines=determines,
        problems=problems,
        corrected=corrected,
    )


def outside_rows(deliveries: Sequence[Delivery]) -> tuple[SpanRow, ...]:
    """Return the rows of deliveries outside every recorded episode, in recorded order, for `Run.outside` (A.4.2).

    Nobody is known to have read them, so a delivery joins only the span of the one right before it, and every span is
    empty or unassessable. They keep their delivery cost, restatements included.
    """
    nowhere = Episode(id="", steps=(), deliveries=tuple(replace(d, call=None) for d in deliveries), messages={})
    return tuple(span_row(span, None) for span in build_spans(nowhere))


def _outcome(span: Span, judgment: Judgment | None, reason: str | None) -> tuple[RowOutcome, tuple[str, ...]]:
    if span.outcome is not SpanOutcome.ELIGIBLE:
        return _OUTCOMES[span.outcome], span.problems
    if judgment is None:
        return (RowOutcome.UNJUDGED, ()) if reason is None else (RowOutcome.ERROR, (reason,))
    if not judgment.determines:
        return RowOutcome.UNJUDGED, ()
    if len(judgment.assessments) != len(span.entries):
        sentence = f"the judgment assesses {len(judgment.assessments)} of {len(span.entries)} entries"
        return RowOutcome.ERROR, (sentence,)
    return RowOutcome.JUDGED, ()


def _entry_row(
    entry: SpanEntry, ordinals: Ordinals | None, assessment: Assessment | None = None, usage: Usage | None = None
) -> EntryRow:
    stored = entry.entry
    row = EntryRow(
        item=item_name(stored),
        namespace=stored.namespace,
        ordinal=(ordinals or {}).get((stored.namespace, stored.item)) if stored.item is not None else None,
        text=printable(entry.exposure.text or "", TEXT_KEPT),
        exposure=entry.exposure.kind.value,
        window=None if entry.window is None else (entry.window.first, entry.window.last),
        exposed=None if entry.exposure.text is None else len(entry.exposure.text),
    )
    if assessment is None:
        return row
    return replace(
        row,
        relevance=assessment.relevance,
        accuracy=_word(assessment.accuracy),
        novelty=_word(assessment.novelty),
        influence=_word(assessment.influence),
        effect=_word(assessment.effect),
        anchors=tuple(assessment.anchors),
        usage=usage,
    )


def item_name(entry: Entry) -> str:
    """Return what a person can find an entry's item by; the display key stands in for a missing identifier."""
    return entry.item or entry.key or ""


def _word(value: StrEnum | None) -> str | None:
    return None if value is None else str(value.value)
