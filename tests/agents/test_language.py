"""The controlled language of the scripted model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.agents.scripted.language import (
    MOST_FACTS,
    MOST_NEEDS,
    Need,
    NeedKind,
    brief_of,
    facts_in_lines,
    facts_in_prose,
    pointer_in,
    reminders,
    sentences,
    setting_in,
    values_of,
)


def test_a_task_is_read_into_its_parts() -> None:
    brief = brief_of(
        """Keep in mind: the proxy is direct,
        so `billing.port` is `8081`. Read `NEWS.md` first. Set `billing.port` in `config/a.ini`, then run `shop.build`.
        In `pricing.module`, replace `A = 1` with `A = 2`. Check with `python tools/check.py`."""
    )
    assert brief.needs == (
        Need(NeedKind.SET, "billing.port", file="config/a.ini"),
        Need(NeedKind.RUN, "shop.build"),
        Need(NeedKind.REPLACE, "pricing.module", old="A = 1", new="A = 2"),
    )
    assert values_of("billing.port", brief.facts) == ["8081"]
    assert brief.reads == ("NEWS.md",)
    assert brief.check == "python tools/check.py"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("`a` is `1`.", ["1"]),
        ("`a` is now `1`.", ["1"]),
        ("Once `a` was `1`.", []),
        ("`a` is not `1`.", []),
        ("`a` is 1.", []),
        ("`a` is `1`. Later on `a` is `2`, and `a` is `1` again.", ["1", "2"]),
        ("a long line\nin which `a`\nis `1`.", ["1"]),
    ],
)
def test_only_a_statement_of_subject_and_value_is_a_fact(text: str, values: list[str]) -> None:
    assert values_of("a", facts_in_prose(text)) == values


def test_a_line_of_output_is_a_statement_of_its_own() -> None:
    assert values_of("a", facts_in_lines("`a`\nis `1`\n`a` is `2`")) == ["2"]


def test_a_full_stop_in_backticks_ends_no_sentence() -> None:
    assert list(sentences("See `a. b`, it is new. Then stop")) == ["See `a. b`, it is new.", "Then stop"]


def test_list_items_and_paragraphs_are_sentences_of_their_own() -> None:
    assert list(sentences("one\ntwo\n\nthree\n- four\n* five")) == ["one two", "three", "four", "five"]


def test_a_reminder_loses_its_opening_words() -> None:
    assert list(reminders("Hello there. Keep in mind: the build is slow. Bye.")) == ["The build is slow."]


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ("a.b = 1", "a.b", "1"),
        ("a.b: 1", "a.b", "1"),
        ("A_B=1", "A_B", "1"),
        ('  "a.b": "x y",', "a.b", "x y"),
        ("a.b = 1  # why", "a.b", "1"),
        ("a.b = 'it # is'", "a.b", "'it"),
        ("a.b =", "a.b", ""),
        ("url: http://x/y", "url", "http://x/y"),
    ],
)
def test_a_setting_is_read_with_the_place_of_its_value(line: str, key: str, value: str) -> None:
    setting = setting_in(line)
    assert setting is not None
    assert (setting.key, setting.value) == (key, value)
    assert line[setting.start : setting.end] == value


@pytest.mark.parametrize("line", ["", "just words", "= 1", "two words = 1", "a" * 2000 + " = 1"])
def test_other_lines_are_no_settings(line: str) -> None:
    assert setting_in(line) is None


def test_a_pointer_names_the_path_without_the_full_stop() -> None:
    assert pointer_in("For a.b see docs/regions.md.") == "docs/regions.md"
    assert pointer_in("seeds are in docs/x.md") is None


def test_needs_and_facts_beyond_the_bound_are_passed_over() -> None:
    many = " ".join(f"Set `k{i}` in `f`. `k{i}` is `{i}`." for i in range(MOST_FACTS + 5))
    brief = brief_of(many)
    assert len(brief.needs) == MOST_NEEDS
    assert len(brief.facts) == MOST_FACTS


@given(st.text(alphabet="`ab .\n!?:=-*'\"#,", max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    brief = brief_of(text)
    assert all(fact.value and "`" not in fact.value for fact in brief.facts)
    assert all(sentence == " ".join(sentence.split()) for sentence in sentences(text))
    for line in text.splitlines():
        setting = setting_in(line)
        assert setting is None or line[setting.start : setting.end] == setting.value
