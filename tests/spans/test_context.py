"""The prior context (MemUse 3.1, A.1.3)."""

from dataclasses import replace

import pytest

from pytest_memuse.model import MemuseError
from pytest_memuse.spans import build_spans, prior_context
from tests.spans.episodes import delivery, episode


def test_only_the_target_delivery_is_cut_out_of_the_first_consuming_input() -> None:
    whole = episode(
        [["u"], ["s", "u", "m"]],
        {"u": "Fix it.", "s": "Agent. MEM[use uv] KEEP[port 81] end", "m": "use uv"},
        delivery("d1", 2, "s", "MEM[use uv]", entry={"value": "use uv"}),
        delivery("d2", 2, "s", "KEEP[port 81]", item="B", entry={"value": "port 81"}),
    )
    first, second = build_spans(whole)

    sources = prior_context(whole, first)
    assert [source.text for source in sources] == ["Agent.  KEEP[port 81] end", "Fix it.", "use uv"]
    assert [source.removed for source in sources] == [((7, 18),), (), ()]
    assert [source.position for source in sources] == [0, 1, 2]
    assert prior_context(whole, second)[0].text == "Agent. MEM[use uv]  end"


def test_a_message_that_is_memory_throughout_keeps_its_place_as_an_empty_marker() -> None:
    whole = episode([["m", "u"]], {"u": "", "m": "use uv"}, delivery("d1", 1, "m", "use uv"))
    marker, other = prior_context(whole, build_spans(whole)[0])
    assert (marker.text, marker.is_marker) == ("", True)
    assert other.is_marker is False


def test_overlapping_placements_of_one_delivery_are_cut_once() -> None:
    block = delivery("d1", 1, "m", "bcd")
    block["placements"].append({"slot": "host", "message": "m", "text": "cdef"})
    whole = episode([["m"]], {"m": "abcdefg"}, block)
    assert prior_context(whole, build_spans(whole)[0])[0].text == "ag"


def test_a_placement_within_another_leaves_none_of_the_wider_one() -> None:
    block = delivery("d1", 1, "m", "bcdef")
    block["placements"].append({"slot": "host", "message": "m", "text": "cd"})
    whole = episode([["m"]], {"m": "abcdefg"}, block)
    assert prior_context(whole, build_spans(whole)[0])[0].text == "ag"


def test_the_same_message_twice_in_an_input_is_cut_only_where_it_is_proven() -> None:
    whole = episode([["m", "u", "m"]], {"u": "go", "m": "use uv"}, delivery("d1", 1, "m", "use uv"))
    assert [source.text for source in prior_context(whole, build_spans(whole)[0])] == ["use uv", "go", ""]


def test_there_is_no_prior_context_without_a_step_or_a_resolved_placement() -> None:
    unread = episode([["m"]], {"m": "use uv"}, delivery("d1", None, "m", "use uv"))
    with pytest.raises(MemuseError, match="no consuming step"):
        prior_context(unread, build_spans(unread)[0])
    unproven = episode([["m"]], {"m": "use uv"}, delivery("d1", 1, "m", "use uv", place={"proof": "missing"}))
    with pytest.raises(MemuseError, match="span S1, delivery d1, slot host: 0 proofs") as error:
        prior_context(unproven, build_spans(unproven)[0])
    assert error.value.reason == "missing_proof"


def test_there_is_no_prior_context_where_a_message_of_the_input_is_lost() -> None:
    whole = episode([["m", "u"]], {"m": "use uv", "u": "go"}, delivery("d1", 1, "m", "use uv"))
    kept = {digest: message for digest, message in whole.messages.items() if message.text != "go"}
    lost = replace(whole, messages=kept)
    with pytest.raises(MemuseError, match="lost a message of the input of step 1") as error:
        prior_context(lost, build_spans(lost)[0])
    assert error.value.reason == "input_gap"
