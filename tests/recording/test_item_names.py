"""Items keep one name through a refreshed recording."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.recording.item_names import created_items, with_first_names
from pytest_memuse.recording.recording import DeliveryNote, Event, ItemNames, MemoryOperation, StoreCapture


def _created(number: int, *items: str) -> MemoryOperation:
    changes = tuple({"kind": "create", "item": item, "value": "v"} for item in items)
    return MemoryOperation(number, "extract", "s", {}, changes=changes)


def _found(number: int, *items: str) -> MemoryOperation:
    entries = tuple({"item": item, "key": item, "value": "v"} for item in items)
    return MemoryOperation(number, "tool", "s", {}, entries=entries)


def _items(events: Sequence[Event]) -> list[list[str]]:
    operations = [e for e in with_first_names(events) if isinstance(e, MemoryOperation)]
    return [[str(raw["item"]) for raw in (*o.entries, *o.changes)] for o in operations]


def test_without_a_junction_the_events_are_what_they_are() -> None:
    events = (_created(1, "a"), _found(2, "a"))
    assert with_first_names(events) == events


def test_behind_a_junction_items_have_their_first_names_and_display_keys_stay() -> None:
    events = [_created(1, "a"), ItemNames({"b": "a"}), _found(2, "b", "other")]
    assert _items(events) == [["a"], ["a", "other"]]
    (_, found) = with_first_names(events)
    assert isinstance(found, MemoryOperation)
    assert [e["key"] for e in found.entries] == ["b", "other"]


def test_a_later_junction_says_all_there_is_to_say() -> None:
    events = [
        _created(1, "a"),
        ItemNames({"b": "a"}),
        _created(2, "c"),
        ItemNames({"d": "a", "e": "c"}),
        _found(3, "d", "e"),
    ]
    assert _items(events)[-1] == ["a", "c"]
    assert created_items(events) == ("a", "c")


def test_an_identifier_that_another_item_had_before_is_a_new_item() -> None:
    events = [_created(1, "1", "2"), ItemNames({"2": "1", "3": "2"}), _created(2, "1"), _found(3, "2", "1")]
    assert _items(events) == [["1", "2"], ["1 (2)"], ["1", "1 (2)"]]


def test_deliveries_and_captures_are_renamed_too() -> None:
    events = [
        _created(1, "a"),
        ItemNames({"b": "a"}),
        DeliveryNote(1, "system", "v", entries=({"item": "b", "value": "v"},)),
        StoreCapture("s", {"b": "v"}, gone=("b",)),
    ]
    _, note, capture = with_first_names(events)
    assert isinstance(note, DeliveryNote)
    assert note.entries == ({"item": "a", "value": "v"},)
    assert isinstance(capture, StoreCapture)
    assert (dict(capture.put), capture.gone) == ({"a": "v"}, ("a",))


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=5), st.booleans())
def test_however_often_a_store_is_rebuilt_no_item_is_lost_or_doubled(
    parts: list[tuple[int, bool]], counts: bool
) -> None:
    """Every part creates some items in a store that was rebuilt with identifiers of its own, or with the same count."""
    events: list[Event] = []
    firsts: list[str] = []
    for part, (many, shifted) in enumerate(parts):
        offset = int(shifted) if counts else 100 * part
        raw = [str(n + offset) for n in range(len(firsts) + many)]
        if part:
            events.append(ItemNames(dict(zip(raw, firsts, strict=False))))
        events.append(_created(part + 1, *raw[len(firsts) :]))
        firsts = list(created_items(events))
        events.append(_found(part + 1, *raw))
        assert len(firsts) == len(set(firsts)) == len(raw)
        assert _items(events)[-1] == firsts
