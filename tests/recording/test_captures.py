"""Store captures show net changes, and only what two of them, or a lifecycle event, can show."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model import MemuseError, OperationKind
from pytest_memuse.recording.rendered import Change
from tests.recording.bridged import Bridged


def test_captures_show_net_changes_that_no_operation_reported() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.bridge.snapshot({"a": "1", "b": "2"})
        made.bridge.write([Change(OperationKind.CREATE, "c", "3")])
        made.bridge.snapshot({"a": "1", "b": "20", "c": "3", "d": "4"})
        made.bridge.snapshot({"b": "20", "c": "3", "d": "4"})
    operations = made.episodes()[0].operations
    assert [(o.kind, o.item, o.value, o.net) for o in operations] == [
        ("create", "c", "3", False),
        ("create", "d", "4", True),
        ("update", "b", "20", True),
        ("delete", "a", None, True),
    ]
    assert len({o.id for o in operations}) == 4


def test_a_write_that_never_reached_the_store_is_undone_by_the_capture_after_it() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.bridge.snapshot({})
        made.bridge.write([Change(OperationKind.CREATE, "a", "1")])
        made.bridge.snapshot({})
    assert [(o.kind, o.net) for o in made.episodes()[0].operations] == [("create", False), ("delete", True)]


def test_where_the_items_of_a_first_capture_come_from_is_not_known_unless_the_store_was_made_empty() -> None:
    for lifecycle, expected in (("opened", []), ("created", [("create", "a", True)])):
        made = Bridged()
        made.bridge.lifecycle(lifecycle)
        with made.bridge.episode("t"):
            made.bridge.snapshot({"a": "1"})
        assert [(o.kind, o.item, o.net) for o in made.episodes()[0].operations] == expected


def test_a_reset_deletes_what_was_known_and_is_no_net_change() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.bridge.snapshot({"a": "1"})
        made.bridge.lifecycle("reset")
        made.bridge.snapshot({"b": "2"})
    operations = made.episodes()[0].operations
    assert [(o.kind, o.item, o.net) for o in operations] == [("delete", "a", False), ("create", "b", True)]


def test_captures_go_on_over_the_arcs_episodes() -> None:
    made = Bridged()
    made.bridge.snapshot({"a": "1"})
    with made.bridge.episode("t"):
        made.bridge.snapshot({"a": "1", "b": "2"})
    with made.bridge.episode("u"):
        made.bridge.snapshot({"b": "2"})
    first, second = made.episodes()
    assert [(o.kind, o.item) for o in (*first.operations, *second.operations)] == [("create", "b"), ("delete", "a")]


def test_an_unknown_lifecycle_is_refused_with_the_nearest() -> None:
    with pytest.raises(MemuseError, match=r"no lifecycle 'resett'.*did you mean 'reset'"):
        Bridged().bridge.lifecycle("resett")


@settings(max_examples=25)
@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.sampled_from("123"), max_size=4), min_size=1, max_size=6))
def test_net_changes_lead_from_one_capture_to_the_next(stores: list[dict[str, str]]) -> None:
    made = Bridged()
    made.bridge.lifecycle("created")
    with made.bridge.episode("t"):
        for store in stores:
            made.bridge.snapshot(store)
    state: dict[str, str | None] = {}
    for operation in made.episodes()[0].operations:
        item = str(operation.item)
        assert (item in state) == (operation.kind is not OperationKind.CREATE)
        if operation.kind is OperationKind.DELETE:
            del state[item]
        else:
            assert state.get(item) != operation.value
            state[item] = operation.value
    assert state == stores[-1]
