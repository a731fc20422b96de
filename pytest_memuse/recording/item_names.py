"""Items under one name through a whole recording, although a refreshed one holds those of more than one store.

A memory system that makes identifiers at random gives the items of a rebuilt store other ones than the kept episodes
hold. The recording keeps both as they were and says at the junction which is which; here they are read as one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_memuse.model import OperationKind
from pytest_memuse.recording.recording import DeliveryNote, Event, ItemNames, MemoryOperation, StoreCapture


def with_first_names(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return the events with every item called as where it was created; the junctions are left out.

    Display keys and texts stay as the agent saw them, and so do the arguments that it gave.
    """
    if not any(isinstance(event, ItemNames) for event in events):
        return tuple(events)
    return tuple(_renamed(events))


def created_items(events: Sequence[Event]) -> tuple[str, ...]:
    """Return the items that the recorded operations created, under their first names, in order of creation."""
    operations = (event for event in with_first_names(events) if isinstance(event, MemoryOperation))
    made = (
        str(change.get("item"))
        for operation in operations
        for change in operation.changes
        if change.get("kind") == OperationKind.CREATE
    )
    return tuple(dict.fromkeys(made))


def _renamed(events: Sequence[Event]) -> Iterator[Event]:
    names: Mapping[str, str] = {}
    taken: frozenset[str] = frozenset()
    junctions = 0

    def first(item: str) -> str:
        # A store that counts its items may give a new one the identifier that another had in the store before.
        return names.get(item) or (f"{item} ({junctions + 1})" if item in taken else item)

    def named(raw: Mapping[str, Any]) -> Mapping[str, Any]:
        item = raw.get("item")
        return {**raw, "item": first(item)} if isinstance(item, str) else raw

    for event in events:
        if isinstance(event, ItemNames):
            # The names are those of the store from here on, whole: an earlier junction's say nothing about it.
            names, junctions = event.names, junctions + 1
            taken = frozenset(names.values())
        elif isinstance(event, MemoryOperation):
            yield replace(
                event, entries=tuple(named(e) for e in event.entries), changes=tuple(named(c) for c in event.changes)
            )
        elif isinstance(event, DeliveryNote) and event.entries is not None:
            yield replace(event, entries=tuple(named(entry) for entry in event.entries))
        elif isinstance(event, StoreCapture):
            put = {str(named({"item": item})["item"]): text for item, text in event.put.items()}
            yield replace(event, put=put, gone=tuple(str(named({"item": item})["item"]) for item in event.gone))
        else:
            yield event
