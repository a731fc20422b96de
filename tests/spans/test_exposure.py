"""Exposure matching (MemUse A.1.2) beyond the worked cases."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model import Delivery, Entry, Placement, PlacementKind
from pytest_memuse.spans import Exposure, ExposureKind, match_exposure
from pytest_memuse.spans.exposure import ExposureMatcher

MESSAGE, TOOL = PlacementKind.MESSAGE, PlacementKind.TOOL_RESULT
ESCAPED = 'say "hi"\nthen stop'


def nested(value: str, levels: int) -> str:
    for _ in range(levels):
        value = json.dumps({"memory": value})
    return value


@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_up_to_four_nested_json_levels_are_decoded(levels: int) -> None:
    assert match_exposure(ESCAPED, nested(ESCAPED, levels), MESSAGE).kind is ExposureKind.FULL


def test_five_nested_json_levels_are_not() -> None:
    assert match_exposure('"hi"\n', nested('"hi"\n', 5), MESSAGE).kind is ExposureKind.UNKNOWN


def test_an_odd_quotation_mark_in_prose_hides_no_literal() -> None:
    text = 'a 5" pipe, then ' + json.dumps(ESCAPED)
    assert match_exposure(ESCAPED, text, MESSAGE).kind is ExposureKind.FULL


def test_prose_between_quotation_marks_with_a_false_escape_is_no_json_string() -> None:
    assert match_exposure("C:dir\nname", '"C:\\dir\\nname"', MESSAGE).kind is ExposureKind.UNKNOWN


@pytest.mark.parametrize("separator", ["\t", ":", "|", "→", ": ", " | "])
def test_numbered_lines_are_decoded_whatever_separates_them(separator: str) -> None:
    value = "def f():\n    return 1\n\n    # end"
    text = "\n".join(f"{number:>5}{separator}{line}" for number, line in enumerate(value.split("\n"), start=9))
    assert match_exposure(value, f"file.py\n{text}\ndone", TOOL).kind is ExposureKind.FULL


def test_one_run_of_numbered_lines_has_one_separator() -> None:
    assert match_exposure("alpha = 1\nbeta = 2", "1:alpha = 1\n2|beta = 2", TOOL).kind is not ExposureKind.FULL


def test_a_line_without_a_number_ends_a_run() -> None:
    assert match_exposure("alpha = 1\nbeta = 2", "1\talpha = 1\n--\n2\tbeta = 2", TOOL).kind is not ExposureKind.FULL


def test_numbered_lines_inside_a_json_envelope_are_decoded() -> None:
    text = json.dumps({"output": '1\tx = "a"\n2\ty = "b"'})
    assert match_exposure('x = "a"\ny = "b"', text, TOOL).kind is ExposureKind.FULL


def test_numeric_character_entities_are_decoded() -> None:
    assert match_exposure("a\tb < c", "<n>a&#9;b &#x3C; c</n>", MESSAGE).kind is ExposureKind.FULL


def test_entities_that_name_no_character_stay_as_they_are() -> None:
    text = "<n>&#xD800; &#1114112; &#0; &lt;</n>"
    assert match_exposure("&#xD800; &#1114112; &#0; <", text, MESSAGE).kind is ExposureKind.FULL


def test_matching_never_joins_two_text_nodes() -> None:
    assert match_exposure("a < b < c", "<n>a &lt; b</n><n> &lt; c</n>", MESSAGE).kind is ExposureKind.UNKNOWN


def test_backslashes_and_tabs_in_a_value_rule_out_normalising() -> None:
    assert match_exposure("a\\_b and more", "a\\_b  and  more", MESSAGE).kind is ExposureKind.UNKNOWN
    assert match_exposure("alpha\tb", "alpha b", MESSAGE).kind is ExposureKind.UNKNOWN


def test_decoded_text_is_normalised_too() -> None:
    text = json.dumps("prefer  small\n commits")
    assert match_exposure("prefer small commits", text, MESSAGE).kind is ExposureKind.FULL


def test_an_empty_value_verifies_nothing() -> None:
    assert match_exposure("", "some text", MESSAGE) == Exposure(ExposureKind.UNKNOWN)


def delivery_of(value: str, *texts: str | None) -> tuple[Delivery, Entry]:
    entry = Entry("A", value)
    placements = tuple(Placement(f"p{number}", text) for number, text in enumerate(texts))
    return Delivery("d", (entry,), placements, None), entry


@pytest.mark.parametrize(
    ("texts", "kind", "text"),
    [
        (("the worker pool", "the worker pool must be drained first"), ExposureKind.FULL, None),
        (("the worker pool", "the worker pool must"), ExposureKind.CLIPPED, "the worker pool must"),
        ((None, "the worker pool"), ExposureKind.CLIPPED, "the worker pool"),
        ((None,), ExposureKind.UNKNOWN, None),
    ],
)
def test_a_delivery_has_the_best_exposure_of_its_placements(
    texts: tuple[str | None, ...], kind: ExposureKind, text: str | None
) -> None:
    value = "the worker pool must be drained first"
    delivery, entry = delivery_of(value, *texts)
    expected = value if kind is ExposureKind.FULL else text
    assert ExposureMatcher().entry(entry, delivery) == Exposure(kind, expected)


@pytest.mark.parametrize(
    ("identifier", "text", "shown"),
    [("mem-4", "see mem-4: x", True), ("mem-4", "see mem-42: x", False), ("4", "a4 4", True), ("x", "", False)],
)
def test_an_identifier_is_shown_only_where_it_is_no_part_of_a_longer_one(
    identifier: str, text: str, shown: bool
) -> None:
    assert ExposureMatcher().shows(identifier, text, MESSAGE) is shown


HOSTILE = {
    "backslashes": "\\" * 200_000,
    "quotation marks": '"' * 200_000,
    "escaped quotation marks": '\\"' * 100_000,
    "open tags": "<" * 200_000,
    "entities": "&lt;" * 50_000,
    "numbers": "1\n" * 100_000,
    "spaces": " " * 200_000,
    "one letter": "a" * 200_000,
    "digits": "9" * 200_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_matched_in_time(name: str) -> None:
    """A quadratic search of these texts would take hours; the suite's own time limit is the assertion."""
    text = HOSTILE[name]
    assert match_exposure("a" * 100_000 + "b", text, TOOL).kind in (ExposureKind.UNKNOWN, ExposureKind.CLIPPED)
    assert match_exposure('no "such"\nvalue', text, TOOL).kind is ExposureKind.UNKNOWN


@settings(deadline=None, database=None)
@given(st.text(min_size=1, max_size=40), st.text(max_size=40), st.text(max_size=40), st.sampled_from(PlacementKind))
def test_a_value_within_its_placement_is_full(value: str, before: str, after: str, kind: PlacementKind) -> None:
    assert match_exposure(value, before + value + after, kind) == Exposure(ExposureKind.FULL, value)


@settings(deadline=None, database=None)
@given(st.text(min_size=8, max_size=40), st.integers(0, 40), st.text(max_size=40))
def test_a_clipped_exposure_is_the_longest_prefix_of_at_least_eight_characters(value: str, cut: int, rest: str) -> None:
    text = value[:cut] + rest
    exposure = match_exposure(value, text, MESSAGE)
    longest = max((n for n in range(len(value) + 1) if value[:n] in text), default=0)
    if exposure.kind is ExposureKind.CLIPPED:
        assert exposure.text is not None
        assert len(exposure.text) >= max(8, longest)
        assert value.startswith(exposure.text)
    elif exposure.kind is ExposureKind.UNKNOWN:
        assert longest < 8
