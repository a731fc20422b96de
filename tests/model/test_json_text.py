"""JSON of others is parsed within bounds; lines of ours are inert and read back."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model.json_text import MAX_DEPTH, json_line, parse_json, parse_object

# A first half that is followed by a second half is, in JSON, the character that the two make.
_text = st.text(st.characters(), max_size=8).filter(lambda text: not re.search("[\ud800-\udbff][\udc00-\udfff]", text))
_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=12,
)


@given(_values)
def test_a_line_is_printable_utf8_and_reads_back_as_the_same_value(value: object) -> None:
    line = json_line(value)
    assert line.endswith("\n")
    assert parse_json(line.encode("utf-8")) == value
    assert not any(c in line[:-1] for c in "\x1b\x7f\x9b\u202e\u2028\ufeff\n")


@given(st.text(max_size=40) | st.binary(max_size=40))
def test_any_text_is_parsed_as_the_library_does_or_refused_as_a_value(raw: str | bytes) -> None:
    try:
        found = parse_json(raw)
    except ValueError:
        return
    assert json.dumps(found) == json.dumps(json.loads(raw))


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested more than 100 levels"),
        ("[" * 100_000, "nested too deeply|more than"),
        ("NaN", "NaN is no JSON number"),
        ("[-Infinity]", "-Infinity is no JSON number"),
        ("9" * 5_000, "4300 digits"),
        (b"\xff", "byte 1 is not UTF-8"),
        (b"\xef\xbb\xbf{}", "BOM"),
        ("{}".encode("utf-16"), "not UTF-8"),
        ("[" + "[]," * 200_000 + "[]]", "more than 200,000 objects and lists"),
        ("[" + "1," * 4_000_001 + "1]", "more than 4,000,000 values"),
        ('"' + '\\"' * 3_000_000, "Unterminated string"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_is_beyond_the_bounds_is_refused(raw: str | bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_json(raw)


def test_what_is_just_within_the_bounds_is_not() -> None:
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    assert parse_json(json.dumps(["," * 5_000_000])) == ["," * 5_000_000]
    assert parse_json(json.dumps(["[{" * 150_000])) == ["[{" * 150_000]


def test_a_key_that_stands_twice_is_refused_where_that_matters() -> None:
    assert parse_json('{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(ValueError, match="a key stands twice"):
        parse_json('{"b": {"a": 1, "a": 2}}', unique_keys=True)


def test_a_number_that_is_not_finite_has_no_line() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_line(float("inf"))


def test_an_object_is_told_from_every_other_value() -> None:
    assert parse_object('{"a": 1}') == {"a": 1}
    for text in ("[1]", '"a"', "1", "null"):
        with pytest.raises(ValueError, match="it is no JSON object"):
            parse_object(text)
