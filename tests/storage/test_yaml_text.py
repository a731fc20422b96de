"""YAML becomes plain data within bounds, or an error with its line."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.storage.yaml_text import MAX_VALUES, YamlError, load_yaml, load_yaml_documents

# YAML folds this line break into a space, and PyYAML writes it as it is.
_characters = st.characters(exclude_characters="\x85", exclude_categories=["Cs"])
_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(_characters, max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(_characters, max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(_data)
def test_plain_data_is_what_a_safe_loader_gives(value: object) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    assert load_yaml(text) == yaml.safe_load(text) == value


def test_an_alias_gives_what_it_stands_for() -> None:
    assert load_yaml("a: &x {n: [1, 2]}\nb: *x\nc: {<<: *x, m: 3}\n") == {
        "a": {"n": [1, 2]},
        "b": {"n": [1, 2]},
        "c": {"n": [1, 2], "m": 3},
    }


def test_a_key_may_stand_once_in_each_mapping_and_again_as_a_value() -> None:
    assert load_yaml("{a: b, b: a, c: [a, a], d: {a: 1}}") == {"a": "b", "b": "a", "c": ["a", "a"], "d": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("a: 1\nb: 2\na: 3\n", "the key 'a' stands twice in one mapping", 3),
        ("? [1]\n: 2\nb: 1\nb: 2\n", "the key 'b' stands twice in one mapping", 4),
        ("a: &x [1, *x]\n", "the alias 'x' stands within what it stands for", 1),
        ("a: *x\n", "undefined alias", 1),
        ("a: 1\nb: !!python/name:os.system x\n", "could not determine a constructor for the tag", 2),
        ("- " * 60, "nested more than 50 levels deep", 1),
        ("a: [1\n", "expected", 2),
        ("a: \0\n", "not allowed", None),
        ("a: !!bool perhaps\n", "a value is not what its tag says", None),
        ("a: !!timestamp perhaps\n", "a value is not what its tag says", None),
        (f"a: {'9' * 10_000}\n", "a value is not what its tag says", None),
    ],
)
def test_what_is_refused_is_named_with_its_line(text: str, problem: str, line: int | None) -> None:
    with pytest.raises(YamlError, match=problem) as caught:
        load_yaml(text)
    assert caught.value.line == line


def test_values_are_counted_again_wherever_an_alias_repeats_them() -> None:
    hundred = "x: &x [" + "1," * 99 + "]\n"
    assert len(load_yaml(hundred + "y: [" + "*x," * 100 + "]\n")["y"]) == 100
    with pytest.raises(YamlError, match=f"more than {MAX_VALUES:,} values, counting those that aliases repeat"):
        load_yaml(hundred + "y: &y [" + "*x," * 100 + "]\nz: [" + "*y," * 20 + "]\n")


def test_characters_are_counted_likewise() -> None:
    with pytest.raises(YamlError, match="characters, counting those that aliases repeat"):
        load_yaml("x: &x " + "y" * 1_000_000 + "\nz: [" + "*x," * 70 + "]\n")


def test_documents_are_loaded_in_order_and_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_yaml_documents("a: 1\n---\n- 2\n---\n") == [{"a": 1}, [2], None]
    monkeypatch.setattr("pytest_memuse.storage.yaml_text.MAX_VALUES", 10)
    part = "[1, 2, 3, 4, 5, 6]\n"
    assert len(load_yaml_documents(part)) == 1
    with pytest.raises(YamlError, match="more than 10 values"):
        load_yaml_documents(f"{part}---\n{part}")
