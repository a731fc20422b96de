"""What memory says never reaches a terminal, or the log of a CI system, as anything but text."""

import pytest

from pytest_memuse.model.errors import inert, printable
from tests.hostile_text import HOSTILE_TEXTS, dangers
from tests.reports.hostile_reports import reports_of

REPORTS = tuple(reports_of("owned"))


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_of_hostile_values_is_text_and_nothing_else(report: str) -> None:
    found = {hostile: dangers(reports_of(text)[report]) for hostile, text in HOSTILE_TEXTS.items()}
    assert {hostile: of for hostile, of in found.items() if of} == {}


@pytest.mark.parametrize("report", REPORTS)
def test_a_hostile_text_is_shown_and_not_left_out(report: str) -> None:
    """A report that left the text out would be inert without proving anything."""
    assert "owned" in reports_of(HOSTILE_TEXTS["ansi"])[report]


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_does_not_grow_with_the_length_of_a_text(report: str) -> None:
    sizes = {hostile: len(reports_of(HOSTILE_TEXTS[hostile])[report]) for hostile in ("long", "many-lines")}
    assert max(sizes.values()) < 60_000, sizes


@pytest.mark.parametrize("report", REPORTS)
def test_no_line_can_be_forged(report: str) -> None:
    forged = ("1 passed in", "gate billing against main")
    assert not [line for line in reports_of(HOSTILE_TEXTS["verdict"])[report].split("\n") if line.startswith(forged)]


def test_a_text_is_cut_to_the_length_that_is_asked_for() -> None:
    assert printable("x" * 500, 20) == "x" * 19 + "…"
    assert len(printable("\u202e" * 500, 20)) == 20


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("##[error]x", "#�[error]x"),
        ("a ###vso[task.x]", "a ##�vso[task.x]"),
        (" ::error::x", " �:error::x"),
        ("::1 is the loopback address", "::1 is the loopback address"),
        ("std::vector", "std::vector"),
        ("## A heading [1]", "## A heading [1]"),
        ("name\u3164", "name�"),
        ("a\U000e0101b", "a�b"),
        ("❤️ and é", "❤️ and é"),
    ],
)
def test_commands_lose_one_character_and_other_text_keeps_all(text: str, shown: str) -> None:
    assert inert(text) == shown
