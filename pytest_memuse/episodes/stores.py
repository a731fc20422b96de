"""The items of the recorded store and of the one at hand, under names that both sides share.

Identifiers that a memory system makes at random say nothing from one run to the next. An item is called by the order in
which it was created in the recording; an item of the store at hand is the recorded one that the same operation created
with the same text, else in the same place.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_memuse.episodes.drift import EntryDifference, entry_differences
from pytest_memuse.model import OperationKind
from pytest_memuse.recording.recording import ItemNames, MemoryOperation
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change


class BothStores:
    """What both stores hold after each operation; lives for one replay.

    ``created`` are the items that the recording creates, under their first names (`item_names.created_items`).
    """

    def __init__(self, created: Sequence[str], redaction: Redaction) -> None:
        self._redaction = redaction
        self._names = {first: _name(number) for number, first in enumerate(created, 1)}
        self.before: dict[str, str] = {}
        """Names by the identifiers of the recording, as they stand at the present operation."""
        self.now: dict[str, str] = {}
        """Names by the identifiers of the store at hand."""
        self.lost: set[str] = set()
        """Names of items that an operation wrote which could not be followed: what became of them cannot be told."""
        self._now_by_name: dict[str, str] = {}
        self._store_before: dict[str, str] = {}
        self._store_now: dict[str, str] = {}
        self._created = 0
        self._new = 0

    def rename(self, junction: ItemNames) -> None:
        """Call the recorded items by other identifiers from here on, as a refreshed recording does."""
        self.before = {item: self._names[first] for item, first in junction.names.items() if first in self._names}

    def translated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Put the identifiers of the store at hand where recorded arguments hold those of the recording."""
        return {
            key: self._now_by_name.get(self.before[value], value)
            if isinstance(value, str) and value in self.before
            else value
            for key, value in arguments.items()
        }

    def names_lost(self, arguments: Mapping[str, Any]) -> bool:
        """Tell whether recorded arguments name an item that the store at hand has no part in."""
        return any(isinstance(value, str) and self.before.get(value) in self.lost for value in arguments.values())

    def follow(self, recorded: MemoryOperation, changes: Sequence[Change]) -> None:
        """Name what was created, and carry the changes over to both stores."""
        created = self._recorded(recorded)
        fresh = [
            (change.item, self._redaction.text(change.value or ""))
            for change in changes
            if change.kind is OperationKind.CREATE and change.item not in self.now
        ]
        for item, name in _matched(created, list(dict(fresh).items())).items():
            if not name:
                self._new += 1
                name = f"new item {self._new}"
            self.now[item] = name
            self._now_by_name[name] = item
        for change in changes:
            name = self.now.get(change.item, change.item)
            _apply(self._store_now, name, change.kind, self._redaction.text(change.value or ""))

    def leave_out(self, recorded: MemoryOperation) -> None:
        """Carry a recorded operation over that could not be followed."""
        self._recorded(recorded)
        self.lost |= {self.before.get(str(change.get("item")), str(change.get("item"))) for change in recorded.changes}

    def first_names(self) -> dict[str, str]:
        """Return the first name in the recording of every item of the store at hand that the recording knows too."""
        firsts = {name: first for first, name in self._names.items()}
        return {item: firsts[name] for item, name in self.now.items() if name in firsts}

    def differences(self) -> tuple[EntryDifference, ...]:
        """Return how the store at hand differs from the recorded one, as far as that can be told."""
        before, now = (
            [(name, text) for name, text in store.items() if name not in self.lost]
            for store in (self._store_before, self._store_now)
        )
        return entry_differences(before, now)

    def _recorded(self, recorded: MemoryOperation) -> list[tuple[str, str]]:
        """Carry the recorded changes over; return name and text of every item that they created."""
        created: dict[str, str] = {}
        for change in recorded.changes:
            item, kind, value = str(change.get("item")), str(change.get("kind")), str(change.get("value") or "")
            if kind == OperationKind.CREATE and item not in self.before:
                self._created += 1
                name = self.before[item] = _name(self._created)
                created[name] = value
            _apply(self._store_before, self.before.get(item, item), kind, value)
        return list(created.items())


def _name(number: int) -> str:
    return f"item {number}"


def _matched(recorded: Sequence[tuple[str, str]], fresh: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return for each fresh item the recorded name of the same text, else of the same place, else nothing."""
    free = list(recorded)
    found: dict[str, str] = {}
    for item, text in fresh:
        same = next((pair for pair in free if pair[1] == text), None)
        if same is not None:
            free.remove(same)
            found[item] = same[0]
    rest = [item for item, _ in fresh if item not in found]
    for index, item in enumerate(rest):
        found[item] = free[index][0] if index < len(free) else ""
    return {item: found[item] for item, _ in fresh}


def _apply(store: dict[str, str], name: str, kind: str, value: str) -> None:
    if kind == OperationKind.DELETE:
        store.pop(name, None)
    else:
        store[name] = value
