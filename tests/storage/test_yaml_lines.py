"""YAML with the line of every value, and words that read back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.storage.yaml_lines import Marked, load_yaml_lines, quoted, written
from pytest_memuse.storage.yaml_text import YamlError


def test_every_value_has_the_line_of_its_key_or_its_own() -> None:
    (found,) = load_yaml_lines("a: 1\nb:\n  - x\n  -\n    c: yes\nd:\n")
    assert found.line == 1
    assert found.value["a"] == Marked(1, 1)
    assert found.value["b"].line == 2
    assert found.value["b"].value[0] == Marked("x", 3)
    assert found.value["b"].value[1].value["c"] == Marked(True, 5)
    assert found.value["d"] == Marked(None, 6)


def test_numbers_with_a_fraction_dates_and_long_numbers_stay_texts() -> None:
    (found,) = load_yaml_lines("[1.5, 2026-11-30, 1:30, 0x1f, 1234567890, -3, '7', <<]")
    assert [each.value for each in found.value] == [
        *("1.5", "2026-11-30", "1:30", "0x1f", "1234567890", "-3", "7", "<<"),
    ]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: &x 1\nb: *x\n", 1),
        ("\n- *x\n", 2),
        ("a:\n  !!python/object/apply:os.system [id]\n", 2),
        ("a: !!binary aGk=\n", 1),
        ("a: !mine {}\n", 1),
        ("a: 1\na: 2\n", 2),
        ("? {a: 1}\n: 2\n", 1),
        ("a: 1\n  b: 2\n", 2),
    ],
)
def test_what_is_no_plain_data_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(YamlError) as caught:
        load_yaml_lines(text)
    assert caught.value.line == line


@given(st.text(st.characters()))
def test_a_quoted_text_stands_on_one_line_and_reads_back(text: str) -> None:
    word = quoted(text)
    assert word.isprintable()
    assert load_yaml_lines(f"a: {word}\nb: 1\n") == [Marked({"a": Marked(written(text), 1), "b": Marked(1, 2)}, 1)]
    assert written(written(text)) == written(text)
