"""Earlier copies of a span's items: still visible, gone, or arriving together (MemUse A.2.1)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pytest_memuse.judging.evidence.memory_text import DeliveryNames, Hosted
from pytest_memuse.judging.evidence.types import CopyState, EarlierCopy
from pytest_memuse.model import Episode, Placement
from pytest_memuse.spans import Exposure, Span, SpanEntry, match_exposure
from pytest_memuse.spans.exposure import UNKNOWN, ExposureMatcher, best_exposure

_FOREMOST = (CopyState.VISIBLE, CopyState.UNDETERMINED, CopyState.TOGETHER, CopyState.GONE)
_Found = tuple[CopyState, Exposure, tuple[Placement, ...]]


class EarlierCopies:
    """Finds the earlier copies of an entry's item, one a span: its restatements are the same text again."""

    def __init__(
        self,
        episode: Episode,
        spans: Sequence[Span],
        hosted: Mapping[str, tuple[Hosted, ...]],
        names: DeliveryNames,
        matcher: ExposureMatcher,
    ) -> None:
        self._hosted, self._names, self._matcher = hosted, names, matcher
        self._inputs = [frozenset(step.call.input) for step in episode.steps]
        self._of_item: dict[tuple[str, str], list[tuple[Span, SpanEntry]]] = {}
        for span in spans:
            for entry in span.entries if span.first is not None else ():
                if entry.entry.identity is not None:
                    self._of_item.setdefault(entry.entry.identity, []).append((span, entry))

    def of(self, span: Span, target: SpanEntry) -> Iterator[EarlierCopy]:
        """Yield the copies of a target's item that other spans delivered up to the target's first consuming step."""
        assert span.first is not None
        identity = target.entry.identity
        for other, entry in self._of_item.get(identity, ()) if identity is not None else ():
            if other.id == span.id or other.first is None or other.first > span.first:
                continue
            found = [self._state(entry, row, span.first) for row in self._hosted[other.id] if row.step <= span.first]
            # Of equal states the latest delivery's is kept: what it still shows outlasts the others.
            state, exposure, shown = min(reversed(found), key=lambda each: _FOREMOST.index(each[0]))
            holds = self._holds(exposure, shown, target)
            yield EarlierCopy(self._names.of_span[other.id], other.first, state, exposure.kind, holds)

    def later(self, span: Span, target: SpanEntry) -> Iterator[str]:
        """Yield the names of the deliveries of a target's item that were first read after the target was."""
        identity = target.entry.identity
        for other, _ in self._of_item.get(identity, ()) if identity is not None else ():
            if other.first is not None and span.first is not None and other.first > span.first:
                yield self._names.of_span[other.id]

    def _state(self, entry: SpanEntry, row: Hosted, first: int) -> _Found:
        """Return what became of one delivered copy, what of it is exposed, and the placements that show it.

        A copy is visible through the placements whose host message stands in this input and stood in the one before. A
        message that only comes back with this input arrives with it.
        """
        if row.step == first:
            return CopyState.TOGETHER, entry.exposure, row.placements
        left = tuple(placement for placement, host in row.hosts if host.message in self._inputs[first - 1])
        stayed = tuple(p for p, host in row.hosts if p in left and host.message in self._inputs[first - 2])
        if left and not stayed:
            return CopyState.TOGETHER, _exposed(entry, left), left
        if entry.exposure.text is None:
            if not stayed:
                return CopyState.GONE, UNKNOWN, row.placements
            whole = len(stayed) == len(row.placements)
            return (CopyState.VISIBLE if whole else CopyState.UNDETERMINED), UNKNOWN, stayed
        exposure = _exposed(entry, stayed)
        if exposure.text is None:
            return CopyState.GONE, entry.exposure, row.placements
        return CopyState.VISIBLE, exposure, stayed

    def _holds(self, exposure: Exposure, shown: Iterable[Placement], target: SpanEntry) -> bool | None:
        text = target.exposure.text
        if text is None or exposure.text is None:
            return None
        return any(p.text is not None and self._matcher.holds(text, p.text, p.kind) for p in shown)


def _exposed(entry: SpanEntry, placements: Iterable[Placement]) -> Exposure:
    """Return what these placements show of an entry: the whole of it, or only a prefix."""
    return best_exposure(match_exposure(entry.entry.value, p.text, p.kind) for p in placements)
