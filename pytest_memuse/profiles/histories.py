"""Item histories: what was written, changed, delivered and made of an item across an arc's episodes (MemUse A.4.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_memuse.judging.answers import Effect, Influence
from pytest_memuse.model import OperationKind
from pytest_memuse.profiles.assembling import item_name
from pytest_memuse.profiles.judged_episode import JudgedEpisode, by_arc
from pytest_memuse.profiles.rows import EntryRow, RowOutcome
from pytest_memuse.spans.types import Span

Order = tuple[int, int, int]
"""Place in an arc's record: episode, operation in it (-1 before the first), and 0 for a change or 1 for a recall."""


class ChangeKind(StrEnum):
    """What a change did to an item; a creation of an item that the record knows already is a *recreation*."""

    CREATED = "created"
    RECREATED = "recreated"
    UPDATED = "updated"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something happened: episode, task, its position in the arc, its scope, and the task's outcome.

    ``step`` is the agent step that asked for it or read it, None where the host did or nobody is known to have read it.
    """

    episode: str
    task: str
    position: int
    scope: str
    success: bool | None
    step: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """One recorded change of an item, by the operation of that name; ``value`` is the text after it.

    ``net`` marks one that is known only from two captures of the store: what stood in between was not observed.
    """

    kind: ChangeKind
    place: Place
    operation: str
    value: str | None
    order: Order
    net: bool = False

    @property
    def creates(self) -> bool:
        return self.kind in (ChangeKind.CREATED, ChangeKind.RECREATED)


@dataclass(frozen=True, slots=True)
class Recall:
    """One span that delivered the item: the item-level recall link. ``entries`` are its assessments, one a version.

    ``origin`` is the creation behind it, None where that was not recorded; ``written`` the last recorded writing before
    it, which gave the item the text that was delivered unless an unobserved change came between. ``after_deletion`` is
    set where the last recorded change before it deleted the item.
    """

    place: Place
    span: str
    outcome: RowOutcome
    deliveries: int
    entries: tuple[EntryRow, ...]
    order: Order
    origin: Change | None = None
    written: Change | None = None
    after_deletion: bool = False

    @property
    def assessed(self) -> tuple[EntryRow, ...]:
        """The entries with an accepted assessment."""
        return self.entries if self.outcome is RowOutcome.JUDGED else ()


@dataclass(frozen=True, slots=True)
class ItemHistory:
    """An item of an arc's store, with its recorded changes and its recalls, each in order."""

    arc: str
    namespace: str
    item: str
    changes: tuple[Change, ...]
    recalls: tuple[Recall, ...]

    @property
    def origin(self) -> Change | None:
        """The item's first creation; None where it was not recorded, which is an unobserved origin."""
        return self.changes[0] if self.changes and self.changes[0].kind is ChangeKind.CREATED else None

    @property
    def events(self) -> tuple[Change | Recall, ...]:
        """Changes and recalls together, in order."""
        return tuple(sorted((*self.changes, *self.recalls), key=lambda event: event.order))

    @property
    def acted_on(self) -> tuple[EntryRow, ...]:
        """Every assessment of the item that the agent acted on, in order."""
        return tuple(e for r in self.recalls for e in r.assessed if e.influence == Influence.ACTED_ON)


def item_histories(episodes: Sequence[JudgedEpisode]) -> tuple[ItemHistory, ...]:
    """Return the history of every item that the episodes wrote or received, in order of first appearance.

    The episodes are those of one run, in which no arc is repeated. An item is told by arc, namespace and identity, for
    each arc has a store of its own. Operations are in recorded
    order. A delivery comes right after the last operation that it names; one that names none comes after the operations
    of earlier steps, and no earlier than the writing without which it could not have been delivered.
    """
    histories: list[ItemHistory] = []
    for arc, found in by_arc(episodes).items():
        events: dict[tuple[str, str], list[Change | Recall]] = {}
        for number, judged in enumerate(found):
            written = _collect_changes(number, judged, events)
            _collect_recalls(number, judged, events, written)
        histories += [_history(arc, *item, sorted(of, key=lambda event: event.order)) for item, of in events.items()]
    return tuple(histories)


_KINDS = {
    OperationKind.CREATE: ChangeKind.CREATED,
    OperationKind.UPDATE: ChangeKind.UPDATED,
    OperationKind.DELETE: ChangeKind.DELETED,
}
_Events = dict[tuple[str, str], list[Change | Recall]]


def _place(judged: JudgedEpisode, step: int | None) -> Place:
    episode = judged.episode
    return Place(episode.id, judged.task, episode.position, episode.scope, judged.row.success, step)


def _collect_changes(number: int, judged: JudgedEpisode, events: _Events) -> dict[tuple[str, str], Order]:
    """Add an episode's changes; return the first writing of each item that no earlier episode knows."""
    first: dict[tuple[str, str], Order] = {}
    for index, operation in enumerate(judged.episode.operations):
        if operation.kind not in _KINDS or not operation.item:
            continue
        item = (operation.namespace, operation.item)
        change = Change(
            _KINDS[operation.kind],
            _place(judged, operation.step),
            operation.id,
            operation.value,
            (number, index, 0),
            operation.net,
        )
        if item not in events and change.creates:
            first[item] = change.order
        events.setdefault(item, []).append(change)
    return first


def _collect_recalls(
    number: int, judged: JudgedEpisode, events: _Events, written: dict[tuple[str, str], Order]
) -> None:
    places = {operation.id: index for index, operation in enumerate(judged.episode.operations)}
    for span, row, pairs in judged.pairs:
        named = _named_operation(span, places)
        entries: dict[tuple[str, str], list[EntryRow]] = {}
        for entry, entry_row in pairs:
            name = item_name(entry.entry)
            if name:
                entries.setdefault((entry.entry.namespace, name), []).append(entry_row)
        for item, found in entries.items():
            index = named if named is not None else _before(judged, span.first)
            if named is None and item in written:
                index = max(index, written[item][1])
            recall = Recall(
                _place(judged, span.first), span.id, row.outcome, row.deliveries, tuple(found), (number, index, 1)
            )
            events.setdefault(item, []).append(recall)


def _named_operation(span: Span, places: dict[str, int]) -> int | None:
    found = [places[name] for name in span.deliveries[0].operations if name in places]
    return max(found) if found else None


def _before(judged: JudgedEpisode, step: int | None) -> int:
    """Return the last operation that an earlier step asked for, -1 where there is none."""
    operations = enumerate(judged.episode.operations)
    return max((i for i, o in operations if step is not None and o.step is not None and o.step < step), default=-1)


def _history(arc: str, namespace: str, item: str, events: Iterable[Change | Recall]) -> ItemHistory:
    changes: list[Change] = []
    recalls: list[Recall] = []
    origin: Change | None = None
    written: Change | None = None
    for event in events:
        if isinstance(event, Recall):
            deleted = bool(changes) and changes[-1].kind is ChangeKind.DELETED
            recalls.append(replace(event, origin=origin, written=written, after_deletion=deleted))
            continue
        if event.kind is ChangeKind.CREATED and (changes or recalls):
            event = replace(event, kind=ChangeKind.RECREATED)
        origin = event if event.creates else origin
        written = event if event.kind is not ChangeKind.DELETED else written
        changes.append(event)
    return ItemHistory(arc, namespace, item, tuple(changes), tuple(recalls))


@dataclass(frozen=True, slots=True)
class HarmfulItem:
    """An item whose every acted-on use harmed: a target for revision or removal (MemUse 4.4, A.6.6)."""

    namespace: str
    item: str
    uses: int
    recalls: tuple[Recall, ...]
    histories: tuple[ItemHistory, ...]


def revise_or_remove(histories: Iterable[ItemHistory], *, corpus: bool = False) -> tuple[HarmfulItem, ...]:
    """Return the items that were acted on and harmed each time, the most often used first.

    A use of undetermined effect is not known to have harmed, so its item is not named. ``recalls`` are those with such
    a use. ``corpus=True`` takes items of one namespace and identity for one item over all arcs and runs: right for a
    fixed corpus, wrong where each arc numbers its own items.
    """
    groups: dict[tuple[object, ...], list[ItemHistory]] = {}
    for number, history in enumerate(histories):
        key = (history.namespace, history.item) if corpus else (number,)
        groups.setdefault(key, []).append(history)
    found = []
    for group in groups.values():
        uses = [entry for history in group for entry in history.acted_on]
        if uses and all(entry.effect == Effect.HARMED for entry in uses):
            recalls = tuple(r for h in group for r in h.recalls if any(_harms(e) for e in r.assessed))
            found.append(HarmfulItem(group[0].namespace, group[0].item, len(uses), recalls, tuple(group)))
    return tuple(sorted(found, key=lambda item: -item.uses))


def _harms(entry: EntryRow) -> bool:
    return entry.influence == Influence.ACTED_ON and entry.effect == Effect.HARMED
