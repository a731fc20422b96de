"""The last pass over a recording before it is written: what was learned late is removed from what stands before."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from pytest_memuse.recording.binding import at
from pytest_memuse.recording.placements import hosts_of
from pytest_memuse.recording.recording import DeliveryNote, Event, Exchange
from pytest_memuse.recording.redaction import Redaction

_STRUCTURE = frozenset(
    {"id", "kind", "method", "slot", "pointer", "text_digest", "problem", "what", "route", "form", "observer", "actor"}
    | {"spelling"}
)
"""Fields whose texts are the product's own words, or name what the user's arcs file names."""


def redacted_events(events: Sequence[Event], redaction: Redaction, *, bodies: bool = True) -> list[Event]:
    """Return the events without secrets; placements are proven anew where the request that carries them has changed.

    Without ``bodies`` the bodies of exchanges are left as they are, for a redaction that has learned nothing since they
    were recorded.
    """
    out: list[Event] = []
    changed: dict[int, Exchange] = {}
    for event in events:
        clean = _event(event, redaction, bodies)
        if isinstance(clean, Exchange) and isinstance(event, Exchange) and clean.request != event.request:
            changed[clean.number] = clean
        out.append(clean)
    return [
        _proven(e, changed[e.exchange]) if isinstance(e, DeliveryNote) and e.exchange in changed else e for e in out
    ]


def _event(event: Event, redaction: Redaction, bodies: bool) -> Event:
    now: dict[str, Any] = {}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name in _STRUCTURE or value is None or isinstance(value, (bool, int)):
            continue
        if field.name in ("request", "response"):
            clean = redaction.content(value) if bodies else value
        elif field.name == "uri":
            clean = redaction.uri(value)
        else:
            clean = redaction.value(value)
            clean = tuple(clean) if isinstance(value, tuple) else clean
        if clean != value:
            now[field.name] = clean
    return replace(event, **now) if now else event


def _proven(note: DeliveryNote, carrier: Exchange) -> DeliveryNote:
    """Prove the placements of a delivery in its request as that is now. A proof that failed before stays failed."""
    hosts = hosts_of(carrier.request, uri=carrier.uri)
    if note.pointer is not None and not note.problem:
        found = at(hosts, note.pointer, note.text)
        note = replace(note, text=found.shown, text_digest=found.text_digest, problem=str(found.problem))
    also: list[Mapping[str, Any]] = []
    for placed in note.also:
        if placed.get("pointer") is not None and not placed.get("problem"):
            found = at(hosts, str(placed["pointer"]), str(placed["text"]))
            placed = {**placed, "text": found.shown, "text_digest": found.text_digest}
            if found.problem:
                placed["problem"] = str(found.problem)
        also.append(placed)
    return replace(note, also=tuple(also))
