"""Where delivered text goes and what comes of it: by delivery form, by route, by outcome class (MemUse 4.4, A.6.5)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_memuse.judging.answers import Influence, Signal
from pytest_memuse.profiles.axes import AXES, Axis, is_profiled, undetermined
from pytest_memuse.profiles.rows import EntryRow, RowOutcome, Run, SpanRow, Triage
from pytest_memuse.profiles.share import Share

COPIES = "copy of visible entries"
"""The form of automatic neutral spans: every credit window is empty, so they have text volume and no assessment."""
NO_ENTRIES = "no entries"
"""The form of empty spans."""
UNALLOCATED = "unallocated"
"""The form of text in a span whose entries have several forms and no exposed character to share it out by."""

FormOf = Callable[[SpanRow, EntryRow], str]
"""Tells the form of an entry of a span. The slot, the namespace or the annotation's provenance may decide it."""


def delivery_form(span: SpanRow, entry: EntryRow) -> str:
    """Return the form that the recording gives the span's first delivery."""
    return span.form


def delivery_route(span: SpanRow, entry: EntryRow) -> str:
    """Return the route of the span's first delivery: host-scheduled or agent-directed."""
    return span.route


@dataclass(frozen=True, slots=True)
class FormShares:
    """What one form delivered and what became of it (Table 11). ``routes`` are those that it came by.

    ``tokens`` are a share of the run's delivered tokens, restatements, unassessed text and spans outside every episode
    included, and ``beneficial`` of the run's beneficial entries. ``relevant``, ``acted_on``, ``harmful`` and
    ``selected`` are shares of the ``judged`` entries of the form; without any (copies of visible entries) they are
    undefined. ``restatements`` are a share of the deliveries of the spans whose first entry has the form.
    ``unknown_sizes`` counts the form's spans that hold text of unknown size: ``tokens.part`` is then a lower bound.
    """

    form: str
    routes: tuple[str, ...]
    spans: int
    judged: int
    tokens: Share
    beneficial: Share
    relevant: Share
    acted_on: Share
    harmful: Share
    selected: Share
    restatements: Share
    unknown_sizes: int


class _Tally:
    """The sums of one form while a run is gone through; lives inside one call of `delivery_shares`."""

    def __init__(self) -> None:
        self.routes: set[str] = set()
        self.spans: list[SpanRow] = []
        self.tokens = 0.0
        self.deliveries = 0
        self.restatements = 0
        self.judged: list[EntryRow] = []


def delivery_shares(run: Run, form_of: FormOf = delivery_form) -> tuple[FormShares, ...]:
    """Return the shares of each delivery form, the one with most tokens first (Table 11).

    A span's token estimate is allocated among its entries in proportion to exposed characters. Automatic neutral and
    empty spans are forms of their own. ``form_of`` may group by anything else, the route for instance.
    """
    tallies: dict[str, _Tally] = {}
    for span in (*run.spans, *run.outside):
        forms = _forms(span, form_of)
        for form in dict.fromkeys(forms):
            tally = tallies.setdefault(form, _Tally())
            tally.routes.add(span.route)
            tally.spans.append(span)
        first = tallies[forms[0]]
        first.deliveries += span.deliveries
        first.restatements += span.deliveries - 1
        for form, tokens in _allocated(span, forms):
            tally = tallies.setdefault(form, _Tally())
            tally.tokens += tokens
            tally.routes.add(span.route)
        if is_profiled(span):
            for form, entry in zip(forms, span.entries, strict=True):
                tallies[form].judged.append(entry)
    whole = sum(span.tokens for span in (*run.spans, *run.outside))
    benefit = AXES["benefit"]
    reason = undetermined(run.spans, benefit.rests_on)
    beneficial = 0 if reason else sum(benefit.holds(entry) for t in tallies.values() for entry in t.judged)
    rows = (_shares(form, tally, whole, beneficial, reason) for form, tally in tallies.items())
    return tuple(sorted(rows, key=lambda row: (-(row.tokens.part or 0), row.form)))


def _forms(span: SpanRow, form_of: FormOf) -> list[str]:
    """Return the form of each entry; of a span without a credit window or without entries, the one that it has."""
    if not span.entries:
        return [NO_ENTRIES if span.outcome is RowOutcome.EMPTY else span.form]
    if span.outcome is RowOutcome.NEUTRAL:
        return [COPIES] * len(span.entries)
    return [form_of(span, entry) for entry in span.entries]


def _allocated(span: SpanRow, forms: list[str]) -> Iterator[tuple[str, float]]:
    if len(set(forms)) == 1:
        yield forms[0], span.tokens
        return
    exposed = [entry.exposed or 0 for entry in span.entries]
    if not any(exposed):
        yield UNALLOCATED, span.tokens
        return
    for form, characters in zip(forms, exposed, strict=True):
        yield form, span.tokens * characters / sum(exposed)


def _shares(form: str, tally: _Tally, tokens: int, beneficial: int, reason: str | None) -> FormShares:
    def rate(axis: Axis) -> Share:
        return _rate(tally, axis.rests_on, axis.holds)

    benefit = AXES["benefit"]
    found = None if reason else sum(benefit.holds(entry) for entry in tally.judged)
    return FormShares(
        form=form,
        routes=tuple(sorted(tally.routes)),
        spans=len(tally.spans),
        judged=len(tally.judged),
        tokens=Share(tally.tokens, tokens),
        beneficial=Share(found, beneficial, reason or ""),
        relevant=rate(AXES["relevance"]),
        acted_on=rate(AXES["acted_on"]),
        harmful=rate(AXES["harm"]),
        selected=_rate(tally, frozenset({Signal.INFLUENCE}), lambda entry: entry.influence == Influence.SELECTED),
        restatements=Share(tally.restatements, tally.deliveries),
        unknown_sizes=sum(span.redacted for span in tally.spans),
    )


def _rate(tally: _Tally, signals: frozenset[Signal], holds: Callable[[EntryRow], bool]) -> Share:
    reason = undetermined(tally.spans, signals)
    found = None if reason else sum(holds(entry) for entry in tally.judged)
    return Share(found, len(tally.judged), reason or "")


@dataclass(frozen=True, slots=True)
class Volume:
    """Delivered text of some spans: ``tokens`` is a share of all; ``unknown_sizes`` spans make it a lower bound."""

    spans: int
    deliveries: int
    characters: int
    tokens: Share
    unknown_sizes: int


def volumes(run: Run) -> dict[str, Volume]:
    """Return the delivered text by triage label, by outcome class where there is none, and ``outside`` every episode.

    Every span's volume is retained, whatever became of it (A.4.4).
    """
    groups: dict[str, list[SpanRow]] = {label.value: [] for label in Triage}
    unlabelled = (RowOutcome.ERROR, RowOutcome.UNJUDGED, RowOutcome.EMPTY, RowOutcome.UNASSESSABLE)
    groups |= {outcome.value: [] for outcome in unlabelled} | {"outside": list(run.outside)}
    for span in run.spans:
        labelled = span.outcome in (RowOutcome.JUDGED, RowOutcome.NEUTRAL) and span.triage is not None
        groups.setdefault(str(span.triage) if labelled else span.outcome.value, []).append(span)
    whole = sum(span.tokens for spans in groups.values() for span in spans)
    return {label: _volume(spans, whole) for label, spans in groups.items()}


def _volume(spans: list[SpanRow], whole: int) -> Volume:
    return Volume(
        spans=len(spans),
        deliveries=sum(span.deliveries for span in spans),
        characters=sum(span.characters for span in spans),
        tokens=Share(sum(span.tokens for span in spans), whole),
        unknown_sizes=sum(span.redacted for span in spans),
    )
