"""Where memory text stands in an episode's messages, by its proven placements (MemUse A.1.3, A.2.1)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model import Episode, Placement
from pytest_memuse.spans import Span
from pytest_memuse.spans.proofs import Host, ProofResolver


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters ``[start, end)`` of a message that are memory, and the names of the deliveries that put them there."""

    start: int
    end: int
    deliveries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hosted:
    """Where one delivery of a span stands: its consuming step, its placements, and the host of each that is proven."""

    step: int
    placements: tuple[Placement, ...]
    hosts: tuple[tuple[Placement, Host], ...]


@dataclass(frozen=True, slots=True)
class DeliveryNames:
    """The names of delivery records by span and by the recorder's identifier of a delivery.

    A restatement is the same text and has no record of its own. A delivery without a consuming step has none either:
    nobody is known to have read it.
    """

    of_span: Mapping[str, str]
    of_delivery: Mapping[str, str]

    @classmethod
    def of(cls, spans: Iterable[Span]) -> "DeliveryNames":
        """Return the names of the deliveries of an episode's spans."""
        read = [(f"delivery {n}", s) for n, s in enumerate((s for s in spans if s.first is not None), start=1)]
        return cls({s.id: name for name, s in read}, {d.id: name for name, s in read for d in s.deliveries})


def hosted_deliveries(episode: Episode, spans: Iterable[Span]) -> dict[str, tuple[Hosted, ...]]:
    """Return where the deliveries of each span stand, by the span's identifier; unproven placements are left out."""
    resolver = ProofResolver(episode.messages)
    steps = {step.call.id: step for step in episode.steps}
    found: dict[str, tuple[Hosted, ...]] = {}
    for span in spans:
        rows = []
        for delivery in span.deliveries:
            step = steps.get(delivery.call or "")
            if step is not None:
                resolved = ((p, resolver.resolve(p, step.call)) for p in delivery.placements)
                hosts = tuple((p, host) for p, host in resolved if isinstance(host, Host))
                rows.append(Hosted(step.number, delivery.placements, hosts))
        found[span.id] = tuple(rows)
    return found


def memory_marks(hosted: Mapping[str, Sequence[Hosted]], names: DeliveryNames) -> dict[str, tuple[Mark, ...]]:
    """Return the memory text of every message that carries some."""
    places: dict[str, dict[tuple[int, int], dict[str, None]]] = {}
    for span, rows in hosted.items():
        for row in rows:
            for _, host in row.hosts:
                if host.start < host.end:
                    intervals = places.setdefault(host.message, {})
                    intervals.setdefault((host.start, host.end), {})[names.of_span[span]] = None
    return {message: _disjoint(intervals) for message, intervals in places.items()}


def _disjoint(intervals: Mapping[tuple[int, int], Iterable[str]]) -> tuple[Mark, ...]:
    """Return the intervals with those that overlap drawn together, so that no character is told twice."""
    out: list[Mark] = []
    for (start, end), deliveries in sorted(intervals.items(), key=lambda item: item[0]):
        if out and start < out[-1].end:
            names = dict.fromkeys((*out[-1].deliveries, *deliveries))
            out[-1] = Mark(out[-1].start, max(out[-1].end, end), tuple(names))
        else:
            out.append(Mark(start, end, tuple(deliveries)))
    return tuple(out)


def whole_text(text: str, marks: Sequence[Mark]) -> dict[str, Any]:
    """Return a text with its memory text in place and named."""
    return _parts(text, marks, lambda mark: {"memory": list(mark.deliveries), "text": text[mark.start : mark.end]})


def outside_memory(text: str, marks: Sequence[Mark]) -> dict[str, Any]:
    """Return a text in which its memory text is only referred to, since it is kept in records of its own."""
    return _parts(text, marks, _reference)


def without(text: str, cuts: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> dict[str, Any]:
    """Return a text without the intervals of a target delivery; of other memory text what is left stays, named."""
    pieces: list[dict[str, Any]] = []
    reached = 0
    for start, end in (*sorted(cuts), (len(text), len(text))):
        pieces += _between(text, reached, max(start, reached), marks)
        if end > reached and start < end:
            pieces.append({"target delivery": end - max(start, reached), "removed": "characters"})
        reached = max(reached, end)
    return {"parts": pieces}


def _between(text: str, low: int, high: int, marks: Sequence[Mark]) -> list[dict[str, Any]]:
    pieces: list[dict[str, Any]] = []
    for mark in marks:
        start, end = max(low, mark.start), min(high, mark.end)
        if start >= end:
            continue
        if low < start:
            pieces.append({"text": text[low:start]})
        pieces.append({"memory": list(mark.deliveries), "text": text[start:end]})
        low = end
    if low < high:
        pieces.append({"text": text[low:high]})
    return pieces


def _reference(mark: Mark) -> dict[str, Any]:
    return {"memory": list(mark.deliveries), "characters": mark.end - mark.start}


def _parts(text: str, marks: Sequence[Mark], of_memory: Callable[[Mark], dict[str, Any]]) -> dict[str, Any]:
    if not marks:
        return {"text": text}
    pieces: list[dict[str, Any]] = []
    reached = 0
    for mark in marks:
        if reached < mark.start:
            pieces.append({"text": text[reached : mark.start]})
        pieces.append(of_memory(mark))
        reached = mark.end
    if reached < len(text):
        pieces.append({"text": text[reached:]})
    return {"parts": pieces}
