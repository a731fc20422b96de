from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.comparing import can_be_same
from pytest_memuse.judging.measures import Dimension, Quantity
from pytest_memuse.judging.quantities import quantities
from pytest_memuse.judging.spelled import number_in_words

ONES = [
    *["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    *["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"],
]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SECONDS = {"s": 1, "seconds": 1, "min": 60, "minutes": 60, "h": 3600, "hours": 3600, "days": 86400}
METRES = {"mm": "0.001", "cm": "0.01", "metres": "1", "km": "1000"}
BYTES = {"KiB": 1024, "Mi": 1024**2, "GiB": 1024**3}


def the_quantity(text: str) -> Quantity:
    (found,) = [q for q in quantities(text) if not q.alternate]
    return found


def in_words(number: int) -> str:
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{ONES[number // 100]} hundred" + (f" and {in_words(number % 100)}" if number % 100 else "")
    return f"{in_words(number // 1000)} thousand" + (f" {in_words(number % 1000)}" if number % 1000 else "")


@given(st.integers(0, 99_999))
def test_a_number_in_words_is_the_number(number: int) -> None:
    assert number_in_words(in_words(number)) == number


@pytest.mark.parametrize("words", ["one two", "twenty thirty", "five hundred six hundred seven eight", "ten eleven"])
def test_several_numbers_in_a_row_are_not_one(words: str) -> None:
    assert number_in_words(words) is None


@given(st.sampled_from(sorted(SECONDS)), st.sampled_from(sorted(SECONDS)), st.integers(1, 500))
def test_a_duration_is_the_same_in_every_unit(one: str, other: str, number: int) -> None:
    seconds = number * SECONDS[one] * SECONDS[other]
    first = the_quantity(f"every {seconds // SECONDS[one]} {one}")
    second = the_quantity(f"every {seconds // SECONDS[other]} {other}")
    assert first.same_as(second)
    assert second.same_as(first)
    assert not first.same_as(the_quantity(f"every {seconds // SECONDS[other] + 1} {other}"))


@given(st.sampled_from(sorted(METRES)), st.sampled_from(sorted(METRES)), st.integers(1, 10**6))
def test_a_length_is_the_same_in_every_unit(one: str, other: str, millimetres: int) -> None:
    lengths = [Decimal(millimetres) / 1000 / Decimal(METRES[unit]) for unit in (one, other)]
    first, second = (the_quantity(f"{n:f} {unit}") for n, unit in zip(lengths, (one, other), strict=True))
    assert first.dimension is Dimension.LENGTH
    assert first.same_as(second)
    assert can_be_same(first, second)


@given(st.sampled_from(sorted(BYTES)), st.sampled_from(sorted(BYTES)), st.integers(1, 4096))
def test_a_size_is_the_same_in_every_unit(one: str, other: str, number: int) -> None:
    size = number * 1024**3
    assert the_quantity(f"{size // BYTES[one]} {one}").same_as(the_quantity(f"{size // BYTES[other]} {other}"))


TEXTS = [
    *["410 cm", "4.10 m", "4.1", "13 ft", "90 days", "ninety days", "90 hours", "P90D", "7776000", "8 kg", "8000 g"],
    *["37.40 EUR", "3740", "3740 cents", "37.40 USD", "15 %", "0.15", "15", "14:30", "half past two", "2.30 pm"],
    *["2026-12-14", "14 December", "14th", "3.11", "3.11.4", "512 MiB", "0.5Gi", "20 °C", "68 °F", "1.250", "1250"],
]
QUANTITIES = st.sampled_from(TEXTS).map(the_quantity)


@given(QUANTITIES, QUANTITIES)
def test_equality_has_no_direction(one: Quantity, other: Quantity) -> None:
    assert one.same_as(other) == other.same_as(one)
    assert one.may_equal(other) == other.may_equal(one)
    assert can_be_same(one, other) == can_be_same(other, one)


@given(QUANTITIES)
def test_a_quantity_equals_itself(quantity: Quantity) -> None:
    assert quantity.same_as(quantity)
    assert quantity.may_equal(quantity)
    assert can_be_same(quantity, quantity)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("four hours", "seconds: 14400"),
        ("36 hours", "P1DT12H"),
        ("1 h 30 min", "5400 s"),
        ("an hour and a half", "90 minutes"),
        ("half an hour", "1800 seconds"),
        ("half past two in the afternoon", "14:30"),
        ("a quarter to six in the evening", "17:45"),
        ("9 am", "09:00"),
        ("noon", "12:00"),
        ("7.30 pm", "at 2026-03-01T19:30:00Z"),
        ("410 cm", "metres: 4.1"),
        ("1.2 t", "1200 kg"),
        ("500 g", "kg: 0.5"),
        ("512 MiB", "0.5Gi"),
        ("37.40 EUR", "cents: 3740"),
        ("15 percent", "0.15"),
        ("call +47 22 85 50 61", "4722855061"),
        ("account NO93 8601 1117 947", "NO9386011117947"),
        ("ninety", "90"),
        ("a dozen", "12"),
        ("68 °F", "20 °C"),
    ],
)
def test_one_value_in_two_formats_is_one(one: str, other: str) -> None:
    assert any(a.same_as(b) for a in quantities(one) if not a.alternate for b in quantities(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("four hours", "240 s"),
        ("410 cm", "4.2 m"),
        ("half past two in the afternoon", "02:30"),
        ("37.40 EUR", "37.40 USD"),
        ("512 MiB", "1Gi"),
        ("call +47 22 85 50 61", "4722855062"),
        ("90 days", "90 hours"),
        ("2 kg", "2 km"),
    ],
)
def test_two_values_are_not_one(one: str, other: str) -> None:
    pairs = [(a, b) for a in quantities(one) for b in quantities(other) if not (a.alternate or b.alternate)]
    assert [a.same_as(b) for a, b in pairs] == [False]


def test_a_possible_clock_time_hides_no_duration() -> None:
    assert the_quantity("after ten days").same_as(the_quantity("10 days"))


def test_numbers_in_a_row_are_no_telephone_number() -> None:
    assert [q.forms for q in quantities("sizes 10 20 30 40") if not q.alternate] == [
        frozenset({n}) for n in ("10", "20", "30", "40")
    ]


@pytest.mark.parametrize("text", ["one of the steps", "a two-step matter", "no one", "the first half"])
def test_a_word_of_the_language_is_no_number(text: str) -> None:
    assert quantities(text) == []
