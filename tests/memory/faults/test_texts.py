"""Altering values and changing words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.memory.faults.altering import altered, other_value
from pytest_memuse.memory.faults.wording import kept_in, paraphrased


@pytest.mark.parametrize(
    ("text", "was"),
    [
        ("`billing.port` is `8081`.", "8081"),
        ('It says "north-1" there.', "north-1"),
        ("The limit is 25 posts.", "25"),
        ("It moved to src/billing/core.py today.", "src/billing/core.py"),
        ("The queue is called after Heron now.", "Heron"),
    ],
)
def test_the_value_of_a_text_is_altered_and_nothing_else(text: str, was: str) -> None:
    found = altered(text, lambda limit: 0)
    assert found is not None
    assert found.was == was
    assert found.now != was
    assert found.text == text.replace(was, found.now)


def test_a_text_without_a_value_cannot_be_altered() -> None:
    assert altered("Nothing here says a thing.", lambda limit: 0) is None


@given(st.text(min_size=1, max_size=60), st.integers(0, 10**9))
def test_another_value_is_another_value(value: str, chance: int) -> None:
    assert other_value(value, lambda limit: chance % limit) != value


@given(st.from_regex(r"[1-9][0-9]{0,9}", fullmatch=True), st.integers(0, 10**9))
def test_a_number_stays_a_number_of_its_width(value: str, chance: int) -> None:
    now = other_value(value, lambda limit: chance % limit)
    assert now.isdigit()
    assert len(now) == len(value)


@given(
    st.lists(
        st.sampled_from(
            ["The", "must not", "directly", "`a is so`", "12:30", "src/so.py", "because", "and", "Heron", "."]
        ),
        min_size=1,
        max_size=12,
    ).map(" ".join)
)
def test_a_paraphrase_is_another_text_with_the_same_values(text: str) -> None:
    said = paraphrased(text)
    assert said != text
    assert len(said) in (len(text), len("Noted: " + text))
    assert kept_in(said) == kept_in(text)
    assert "Heron" not in text or "Heron" in said
