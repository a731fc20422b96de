"""Injection spans beyond the worked cases (MemUse 3.3, A.1.4)."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.spans import SpanOutcome, build_spans
from tests.spans.episodes import built, delivery, episode, grouped, windows

TEXT = "use ISO dates"


def repeated(first: dict[str, Any], second: dict[str, Any]) -> list[list[str]]:
    """Return how two deliveries of one visible text group when their entries differ as said."""
    texts = {"a": f"1 {TEXT}", "b": f"2 {TEXT}"}
    one, two = (delivery(f"d{n}", n, m, TEXT) for n, m in ((1, "a"), (2, "b")))
    one["entries"][0] |= first
    two["entries"][0] |= second
    return grouped(built([["a"], ["a", "b"]], texts, one, two))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {}),
        ({"digest": "x"}, {"digest": "x"}),
        ({"version": None}, {"version": None}),
        ({"local_version": "op-1"}, {"local_version": "op-2"}),
        ({"item": None, "key": "ISO"}, {"item": None, "key": "ISO"}),
        ({"version": None, "scheme": "s"}, {"version": None, "scheme": "s"}),
    ],
)
def test_equal_entries_repeat(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert repeated(first, second) == [["d1", "d2"]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {"version": 2}),
        ({}, {"digest": "x"}),
        ({}, {"namespace": "other"}),
        ({}, {"scheme": "other"}),
        ({}, {"item": "B"}),
        ({"version": None}, {"version": None, "value": "use ISO dates and more"}),
        ({"item": None, "key": "k", "local_version": "k"}, {"item": None, "key": "k", "local_version": "k"}),
        ({"item": None}, {"item": None}),
    ],
)
def test_entries_that_differ_or_have_no_identity_do_not_repeat(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert repeated(first, second) == [["d1"], ["d2"]]


@pytest.mark.parametrize("change", [{"slot": "other"}, {"kind": "tool_result"}, {"text": f"1 {TEXT}"}])
def test_a_change_of_placement_starts_a_new_span(change: dict[str, Any]) -> None:
    spans = built([["a"], ["a"]], {"a": f"1 {TEXT}"}, delivery("d1", 1, "a", TEXT), delivery("d2", 2, "a", TEXT))
    assert grouped(spans) == [["d1", "d2"]]
    second = delivery("d2", 2, "a", TEXT, place=change)
    assert grouped(built([["a"], ["a"]], {"a": f"1 {TEXT}"}, delivery("d1", 1, "a", TEXT), second)) == [["d1"], ["d2"]]


def test_a_change_of_exposure_starts_a_new_span() -> None:
    """One version, but now the recorded value goes on behind the text that is shown."""
    longer = {"value": f"{TEXT} everywhere"}
    spans = built([["a"], ["a"]], {"a": TEXT}, delivery("d1", 1, "a", TEXT), delivery("d2", 2, "a", TEXT, entry=longer))
    assert grouped(spans) == [["d1"], ["d2"]]
    assert windows(spans) == [[(1, 2)], [None]]


def test_a_message_that_left_and_came_back_is_a_re_entry() -> None:
    spans = built(
        [["u", "a"], ["u"], ["u", "a"]],
        {"u": "go", "a": TEXT},
        delivery("d1", 1, "a", TEXT),
        delivery("d2", 3, "a", TEXT),
    )
    assert grouped(spans) == [["d1"], ["d2"]]
    assert windows(spans) == [[(1, 2)], [(3, 3)]]


def test_an_input_with_a_gap_proves_what_it_still_shows() -> None:
    both = (delivery("d1", 1, "a", TEXT), delivery("d2", 3, "a", TEXT))
    texts = {"u": "go", "a": TEXT}
    assert grouped(built([["u", "a"], ["a"], ["u", "a"]], texts, *both, gaps=[2])) == [["d1", "d2"]]
    assert grouped(built([["u", "a"], ["u"], ["u", "a"]], texts, *both, gaps=[2])) == [["d1"], ["d2"]]


def test_nothing_is_provably_visible_in_a_consuming_input_with_a_gap() -> None:
    both = (delivery("d1", 1, "a", TEXT), delivery("d2", 2, "a", TEXT))
    spans = built([["a"], ["a"]], {"a": TEXT}, *both, gaps=[2])
    assert grouped(spans) == [["d1"], ["d2"]]
    assert {span.outcome for span in spans} == {SpanOutcome.ERROR}


def test_an_unproven_placement_is_no_visible_copy() -> None:
    first = delivery("d1", 1, "a", TEXT, place={"proof": "invalid"})
    assert grouped(built([["a"], ["a"]], {"a": TEXT}, first, delivery("d2", 2, "a", TEXT))) == [["d1"], ["d2"]]


def test_each_entry_may_be_visible_in_another_earlier_copy() -> None:
    texts = {
        "a1": "1 alpha beta",
        "b1": "1 gamma delta",
        "a2": "2 alpha beta",
        "b2": "2 gamma delta",
        "a3": "3",
        "b3": "3",
    }
    texts |= {"a3": "3 alpha beta", "b3": "3 gamma delta"}
    entries = [{"item": "A", "version": 1, "value": "alpha beta"}, {"item": "B", "version": 1, "value": "gamma delta"}]

    def block(n: int) -> dict[str, Any]:
        places = [{"slot": s, "message": f"{s}{n}", "text": t} for s, t in (("a", "alpha beta"), ("b", "gamma delta"))]
        return {"id": f"d{n}", "step": n, "entries": entries, "placements": places}

    sees = [["a1", "b1"], ["a1", "b1", "a2", "b2"], ["b1", "a2", "a3", "b3"]]
    assert grouped(built(sees, texts, block(1), block(2), block(3))) == [["d1", "d2", "d3"]]
    sees = [["a1", "b1"], ["a1", "b1", "a2", "b2"], ["a2", "a3", "b3"]]
    assert grouped(built(sees, texts, block(1), block(2), block(3))) == [["d1", "d2"], ["d3"]]


def test_a_displayed_key_that_is_out_of_sight_ends_the_repeats() -> None:
    texts = {f"{key}{n}": f"{n}: {text}" for n in (1, 2) for key, text in (("a", TEXT), ("k", "mem-4"))}

    def block(n: int) -> dict[str, Any]:
        places = [{"slot": s, "message": f"{s}{n}", "text": t} for s, t in (("a", TEXT), ("k", "mem-4"))]
        return delivery(f"d{n}", n, f"a{n}", TEXT, entry={"key": "mem-4"}) | {"placements": places}

    assert grouped(built([["a1", "k1"], ["a1", "k1", "a2", "k2"]], texts, block(1), block(2))) == [["d1", "d2"]]
    assert grouped(built([["a1", "k1"], ["a1", "a2", "k2"]], texts, block(1), block(2))) == [["d1"], ["d2"]]


def test_a_related_delivery_ends_the_whole_span_of_its_item() -> None:
    """Once B came alone, the block of A and B is over, although its first item was not touched."""
    both = "alpha beta; gamma delta"
    entries = [{"item": "A", "version": 1, "value": "alpha beta"}, {"item": "B", "version": 1, "value": "gamma delta"}]
    block = delivery("d1", 1, "a", both) | {"entries": entries}
    alone = delivery("d2", 2, "b", "gamma delta", item="B")
    again = delivery("d3", 3, "a", both) | {"entries": entries}
    spans = built([["a"], ["a", "b"], ["a", "b"]], {"a": both, "b": "gamma delta"}, block, alone, again)
    assert grouped(spans) == [["d1"], ["d2"], ["d3"]]
    assert windows(spans) == [[(1, 3), (1, 3)], [None], [None, None]]


def empty(name: str, step: int | None, message: str, **more: Any) -> dict[str, Any]:
    return delivery(name, step, message, "no results", **more) | {"entries": []}


def test_empty_deliveries_join_only_the_immediately_preceding_one() -> None:
    texts = {"n": "no results", "a": TEXT}
    sees = [["n"], ["n"], ["n", "a"], ["n", "a"]]
    middle = delivery("d3", 3, "a", TEXT)
    spans = built(sees, texts, empty("d1", 1, "n"), empty("d2", 2, "n"), middle, empty("d4", 4, "n"))
    assert grouped(spans) == [["d1", "d2"], ["d3"], ["d4"]]


def test_empty_deliveries_of_other_attribution_do_not_join() -> None:
    spans = built([["n"], ["n"]], {"n": "no results"}, empty("d1", 1, "n"), empty("d2", None, "n"))
    assert grouped(spans) == [["d1"], ["d2"]]
    assert [(span.outcome, span.first) for span in spans] == [(SpanOutcome.EMPTY, 1), (SpanOutcome.EMPTY, None)]


def test_a_delivery_that_nobody_read_neither_ends_nor_bounds_a_span() -> None:
    unread = delivery("d2", None, "b", f"{TEXT} everywhere")
    spans = built(
        [["a"], ["a"]],
        {"a": TEXT, "b": f"{TEXT} everywhere"},
        delivery("d1", 1, "a", TEXT),
        unread,
        delivery("d3", 2, "a", TEXT),
    )
    assert grouped(spans) == [["d1", "d3"], ["d2"]]
    assert windows(spans) == [[(1, 2)], [None]]


def test_deliveries_are_processed_by_step_before_recorded_position() -> None:
    spans = built([["a"], ["a"]], {"a": TEXT}, delivery("late", 2, "a", TEXT), delivery("early", 1, "a", TEXT))
    assert grouped(spans) == [["early", "late"]]


def test_every_copy_adds_its_characters_and_an_unknown_size_makes_them_a_lower_bound() -> None:
    whole = episode([["a"], ["a"]], {"a": TEXT}, delivery("d1", 1, "a", TEXT), delivery("d2", 2, "a", TEXT))
    (span,) = build_spans(whole)
    assert (span.characters, span.redacted) == (2 * len(TEXT), False)

    redacted = replace(whole.deliveries[1].placements[0], text=None)
    sized = replace(redacted, characters=100)
    for placement, characters, unknown in ((redacted, len(TEXT), True), (sized, len(TEXT) + 100, False)):
        second = replace(whole.deliveries[1], placements=(placement,))
        spans = build_spans(replace(whole, deliveries=(whole.deliveries[0], second)))
        assert sum(span.characters for span in spans) == characters
        assert any(span.redacted for span in spans) is unknown
