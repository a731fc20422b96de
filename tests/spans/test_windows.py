"""Credit windows beyond the worked cases (MemUse A.1.5)."""

from typing import Any

from tests.spans.episodes import built, delivery, windows

NARROW = "drain the node"
WIDE = "drain the node then wait"
PLAIN = {"u": "go", "a": NARROW, "b": WIDE, "c": NARROW}


def test_equal_text_after_the_copy_has_gone_takes_over() -> None:
    spans = built(
        [["u", "a"], ["u"], ["u", "c"]], PLAIN, delivery("d1", 1, "a", NARROW), delivery("d2", 3, "c", NARROW)
    )
    assert windows(spans) == [[(1, 2)], [(3, 3)]]


def test_the_earliest_containing_span_is_the_boundary() -> None:
    wider = WIDE + " and retry"
    spans = built(
        [["a"], ["a", "b"], ["a", "b", "d"]],
        PLAIN | {"d": wider},
        delivery("d1", 1, "a", NARROW),
        delivery("d2", 2, "b", WIDE),
        delivery("d3", 3, "d", wider),
    )
    assert windows(spans) == [[(1, 1)], [(2, 2)], [(3, 3)]]


def test_another_item_sets_no_boundary_whatever_its_text() -> None:
    spans = built([["a"], ["a", "b"]], PLAIN, delivery("d1", 1, "a", NARROW), delivery("d2", 2, "b", WIDE, item="B"))
    assert windows(spans) == [[(1, 2)], [(2, 2)]]


def test_items_of_two_namespaces_are_two_items() -> None:
    other = delivery("d2", 2, "b", WIDE, entry={"namespace": "other"})
    assert windows(built([["a"], ["a", "b"]], PLAIN, delivery("d1", 1, "a", NARROW), other)) == [[(1, 2)], [(2, 2)]]


def full_read(selected: list[str], step: int = 2) -> list[list[tuple[int, int] | None]]:
    """Return the windows where the text that is already visible is read again in another slot."""
    again = delivery("d2", step, "c", NARROW, place={"slot": "read"}, selected_from=selected)
    first = ["u", "a", "c"] if step == 1 else ["u", "a"]
    sees = [first, ["u", "a", "c"], ["u", "a", "c"]]
    return windows(built(sees, PLAIN | {"c": f"read: {NARROW}"}, delivery("d1", 1, "a", NARROW), again))


def test_a_full_read_that_a_proven_selection_retrieved_takes_over_although_it_adds_nothing() -> None:
    assert full_read(["d1"]) == [[(1, 1)], [(2, 3)]]


def test_a_selection_of_an_unrecorded_delivery_proves_nothing() -> None:
    assert full_read([]) == full_read(["nowhere"]) == [[(1, 3)], [None]]


def test_a_selection_within_the_same_step_proves_nothing() -> None:
    assert full_read(["d1"], step=1) == [[(1, 3)], [None]]


def test_a_selection_exempts_the_selected_item_only() -> None:
    texts = {"a": "alpha beta", "b": "gamma delta", "c": "alpha beta; gamma delta"}
    entries = [{"item": "A", "version": 1, "value": "alpha beta"}, {"item": "B", "version": 1, "value": "gamma delta"}]
    both: dict[str, Any] = delivery("d3", 2, "c", texts["c"], selected_from=["d1"]) | {"entries": entries}
    spans = built(
        [["a", "b"], ["a", "b", "c"]],
        texts,
        delivery("d1", 1, "a", "alpha beta"),
        delivery("d2", 1, "b", "gamma delta", item="B"),
        both,
    )
    assert windows(spans) == [[(1, 1)], [(1, 2)], [(2, 2), None]]


def test_a_new_identifier_on_a_narrower_copy_leaves_the_wider_window_open() -> None:
    keyed = delivery("d2", 2, "t", f"mem-7 {NARROW}", entry={"key": "mem-7", "value": NARROW})
    spans = built([["b"], ["b", "t"]], PLAIN | {"t": f"mem-7 {NARROW}"}, delivery("d1", 1, "b", WIDE), keyed)
    assert windows(spans) == [[(1, 2)], [(2, 2)]]


def test_text_and_identifier_must_be_in_one_copy_to_be_resident() -> None:
    """One visible copy has the text, another the identifier; neither holds all that the third shows."""
    texts = {"t1": NARROW, "t2": "mem-7 drain the", "t3": f"mem-7 {NARROW}"}
    spans = built(
        [["t1"], ["t1", "t2"], ["t1", "t2", "t3"]],
        texts,
        delivery("d1", 1, "t1", NARROW),
        delivery("d2", 2, "t2", texts["t2"], entry={"key": "mem-7", "value": "drain the"}),
        delivery("d3", 3, "t3", texts["t3"], entry={"key": "mem-7", "value": NARROW}),
    )
    assert windows(spans)[2] == [(3, 3)]


def unknown(name: str, step: int, message: str, text: str, **more: Any) -> dict[str, Any]:
    return delivery(name, step, message, text, entry={"value": "something quite different", **more})


def test_a_same_step_copy_of_unknown_exposure_starts_after_the_shared_step() -> None:
    texts = {"a": "sits by it", "b": "sits there"}
    sees = [["a", "b"], ["a", "b"]]
    spans = built(sees, texts, unknown("d1", 1, "a", "sits by it"), unknown("d2", 1, "b", "sits there"))
    assert windows(spans) == [[(1, 1)], [(2, 2)]]
    spans = built([["a", "b"]], texts, unknown("d1", 1, "a", "sits by it"), unknown("d2", 1, "b", "sits there"))
    assert windows(spans) == [[(1, 1)], [None]]


def test_a_same_step_copy_of_unknown_exposure_shares_the_step_when_it_shows_an_identifier() -> None:
    texts = {"a": "sits by it", "b": "seat-1 sits there"}
    later = unknown("d2", 1, "b", "seat-1 sits there", key="seat-1")
    assert windows(built([["a", "b"], ["a", "b"]], texts, unknown("d1", 1, "a", "sits by it"), later)) == [
        [(1, 1)],
        [(1, 2)],
    ]


def test_verified_text_after_an_unknown_copy_in_the_same_step_shares_the_step() -> None:
    texts = {"a": "sits by it", "b": NARROW}
    spans = built([["a", "b"], ["b"]], texts, unknown("d1", 1, "a", "sits by it"), delivery("d2", 1, "b", NARROW))
    assert windows(spans) == [[(1, 1)], [(1, 2)]]


def test_a_visible_identifier_is_not_new_even_beside_unknown_text() -> None:
    texts = {"a": "seat-1 sits by it", "b": "seat-1 sits there"}
    first = unknown("d1", 1, "a", "seat-1 sits by it", key="seat-1")
    second = unknown("d2", 1, "b", "seat-1 sits there", key="seat-1")
    assert windows(built([["a", "b"], ["a", "b"]], texts, first, second)) == [[(1, 1)], [(2, 2)]]


def test_two_versions_of_one_item_in_one_delivery_do_not_bound_each_other() -> None:
    entries = [{"item": "A", "version": n, "value": v} for n, v in ((1, NARROW), (2, WIDE))]
    block = delivery("d1", 1, "a", f"{NARROW}; {WIDE}") | {"entries": entries}
    assert windows(built([["a"], ["a"]], {"a": f"{NARROW}; {WIDE}"}, block)) == [[(1, 2), (1, 2)]]


def test_a_verified_version_stays_a_copy_beside_an_unknown_one_of_its_item() -> None:
    entries = [{"item": "A", "version": n, "value": v} for n, v in ((1, NARROW), (2, "something different"))]
    block = delivery("d1", 1, "a", NARROW) | {"entries": entries}
    again = delivery("d2", 2, "c", NARROW, place={"slot": "read"})
    spans = built([["a"], ["a", "c"]], {"a": NARROW, "c": f"read: {NARROW}"}, block, again)
    assert windows(spans)[1] == [None]


def test_a_copy_of_unknown_exposure_keeps_no_credit_even_where_its_text_holds_the_later_one() -> None:
    texts = {"a": f"note: {NARROW}", "c": f"read: {NARROW}"}
    first = delivery("d1", 1, "a", texts["a"], entry={"value": "something different"})
    later = delivery("d2", 2, "c", NARROW, place={"slot": "read"})
    assert windows(built([["a"], ["a", "c"]], texts, first, later)) == [[(1, 1)], [(2, 2)]]
