"""From the deliveries of an episode to its injection spans (MemUse 3.3, A.1.4)."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from pytest_memuse.model import Entry, Episode
from pytest_memuse.model.digests import text_digest
from pytest_memuse.spans.checks import Problem, Record, delivery_records, problems_of
from pytest_memuse.spans.exposure import ExposureMatcher
from pytest_memuse.spans.provisional import provisional_steps
from pytest_memuse.spans.replay import replay_inputs
from pytest_memuse.spans.types import Exposure, Span, SpanEntry, SpanOutcome, Window
from pytest_memuse.spans.visibility import Standing, VisibleCopies, equality_key, item_of
from pytest_memuse.spans.windows import Claim, credit_windows

_SENTENCES_KEPT = 8
"""Problems that an error span repeats; every span of the episode has the same ones."""


class _Growing:
    """A span while its deliveries are still coming in; lives inside one call of `build_spans`."""

    def __init__(self, key: Hashable, record: Record, exposures: tuple[Exposure, ...], standings: tuple[Standing, ...]):
        self.key = key
        self.records = [record]
        self.exposures = exposures
        self.standings = standings

    @property
    def first(self) -> int | None:
        return self.records[0].step

    @property
    def last(self) -> int | None:
        return self.records[-1].step


def build_spans(episode: Episode) -> tuple[Span, ...]:
    """Return the injection spans of an episode in order of their first delivery; every delivery is in exactly one.

    Deliveries are processed by consuming step and then recorded position. A delivery without an attributed step has no
    place in that order; it keeps the one right after the delivery recorded before it, which is the closest reading of
    its provisional step (A.1.1). It neither joins nor ends a span of attributed deliveries, for nobody read it.
    """
    episode = replay_inputs(episode)
    records = delivery_records(episode)
    problems = problems_of(episode, records)
    grown = _grow(episode, _processing_order(records))
    windows = credit_windows(_claims(grown), episode.last_step)
    sentences = _sentences(problems)
    provisional = provisional_steps(episode, records)
    return tuple(
        _span(index, span, windows, sentences, provisional.get(span.records[0].position))
        for index, span in enumerate(grown)
    )


def _processing_order(records: Iterable[Record]) -> list[Record]:
    places: list[tuple[int, int, Record]] = []
    before = 0
    for record in records:
        before = record.step if record.step is not None else before
        places.append((before, record.position, record))
    return [record for _, _, record in sorted(places, key=lambda place: place[:2])]


def _grow(episode: Episode, records: Sequence[Record]) -> list[_Growing]:
    matcher = ExposureMatcher()
    copies = VisibleCopies(episode, matcher)
    selections = _Selections(records)
    spans: list[_Growing] = []
    current: dict[Hashable, _Growing] = {}  # The current span of each item.
    preceding: _Growing | None = None
    by_digest = any(p.text is None for record in records for p in record.delivery.placements)
    for record in records:
        entries = record.delivery.entries
        exposures = matcher.delivery(record.delivery)
        key = _delivery_key(record, exposures, by_digest)
        standings: tuple[Standing, ...] = ()
        if record.step is not None:
            standings = tuple(copies.standing(e, x, record) for e, x in zip(entries, exposures, strict=True))
        if record.step is None or not entries:
            # Their visibility cannot be checked, so they join only the immediately preceding delivery's span.
            joined = preceding if preceding is not None and preceding.key == key else None
        else:
            joined = _current_span(entries, current)
            if joined is not None and not (joined.key == key and all(s.restated for s in standings)):
                joined = None
        if joined is not None:
            joined.records.append(record)
        else:
            joined = _Growing(key, record, exposures, selections.exempt(record, standings))
            spans.append(joined)
            if record.step is not None:
                # A related delivery ends the current span of each of its items, whatever else that span holds.
                current.update((item, joined) for entry in entries if (item := item_of(entry)) is not None)
        copies.add(record, exposures)
        preceding = joined
    return spans


def _current_span(entries: Sequence[Entry], current: dict[Hashable, _Growing]) -> _Growing | None:
    """Return the span that is the current one of every entry's item, None where there is no such span."""
    candidate = current.get(item_of(entries[0]))
    return candidate if all(current.get(item_of(entry)) is candidate for entry in entries) else None


class _Selections:
    """Which entries an explicit selection retrieved (A.1.5, resident copies).

    A selection is proven where the delivery that the agent followed is in the record, was consumed at an earlier step
    and delivered the same item.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = {record.delivery.id: record for record in records}

    def exempt(self, record: Record, standings: Sequence[Standing]) -> tuple[Standing, ...]:
        """Return the standings with no selected entry counted as resident."""
        selected = {
            item_of(entry)
            for name in record.delivery.selected_from
            if (source := self._records.get(name)) is not None
            and source.step is not None
            and record.step is not None
            and source.step < record.step
            for entry in source.delivery.entries
        } - {None}
        return tuple(
            replace(standing, resident=False) if item_of(entry) in selected else standing
            for entry, standing in zip(record.delivery.entries, standings, strict=False)
        )


def _delivery_key(record: Record, exposures: tuple[Exposure, ...], by_digest: bool) -> Hashable:
    """Return what must agree for two deliveries to be one: entries, placements and exposure in order, attribution.

    ``by_digest`` compares texts by their digests, which a text that is unresolved may have too (A.1.4).
    """
    delivery = record.delivery
    return (
        # Entries of which nothing can be said to agree are told apart by their delivery's place in the record.
        tuple(equality_key(entry) or record.position for entry in delivery.entries),
        tuple(
            # Of a text that is neither recorded nor digested nothing can be said to agree.
            (p.slot, p.kind, (text_digest(p.text) if p.text is not None else p.text_digest or record.position))
            if by_digest
            else (p.slot, p.kind, p.text)
            for p in delivery.placements
        ),
        exposures,
        record.attributed,
    )


def _claims(spans: Sequence[_Growing]) -> dict[object, list[Claim]]:
    """Group the entries of attributed spans by item; an entry without an identity is an item of its own."""
    claims: dict[object, list[Claim]] = {}
    for index, span in enumerate(spans):
        if span.first is None or span.last is None:
            continue
        entries = span.records[0].delivery.entries
        for place, (entry, exposure, standing) in enumerate(zip(entries, span.exposures, span.standings, strict=True)):
            claim = Claim(index, place, span.first, span.last, exposure.text, standing.resident, standing.adds)
            claims.setdefault(item_of(entry) or (index, place), []).append(claim)
    return claims


def _sentences(problems: Sequence[Problem]) -> tuple[str, ...]:
    sentences = [str(problem) for problem in problems[:_SENTENCES_KEPT]]
    if len(problems) > _SENTENCES_KEPT:
        sentences.append(f"and {len(problems) - _SENTENCES_KEPT} more failed recording checks")
    return tuple(sentences)


def _span(
    index: int,
    span: _Growing,
    windows: dict[tuple[int, int], Window | None],
    problems: tuple[str, ...],
    provisional: int | None,
) -> Span:
    deliveries = tuple(record.delivery for record in span.records)
    entries = tuple(
        SpanEntry(entry, exposure, windows.get((index, place)))
        for place, (entry, exposure) in enumerate(zip(deliveries[0].entries, span.exposures, strict=True))
    )
    if not entries:
        outcome = SpanOutcome.EMPTY
    elif span.first is None:
        outcome = SpanOutcome.UNASSESSABLE
    elif problems:
        outcome = SpanOutcome.ERROR
    elif all(entry.window is None for entry in entries):
        outcome = SpanOutcome.NEUTRAL
    else:
        outcome = SpanOutcome.ELIGIBLE
    sizes = [placement.size for delivery in deliveries for placement in delivery.placements]
    return Span(
        id=f"S{index + 1}",
        deliveries=deliveries,
        entries=entries,
        first=span.first,
        last=span.last,
        outcome=outcome,
        characters=sum(size for size in sizes if size is not None),
        redacted=any(size is None for size in sizes),
        problems=problems if outcome is SpanOutcome.ERROR else (),
        provisional=provisional,
    )
