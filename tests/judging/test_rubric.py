"""The rubric's text and version, and the layout of the prompt that carries it."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from pytest_memuse.judging import Accuracy, Effect, Influence, Novelty
from pytest_memuse.judging.answer_checks import AnswerScope
from pytest_memuse.judging.answer_parsing import parse_answer
from pytest_memuse.judging.evidence import tool_schemas
from pytest_memuse.judging.prompt import mandatory_characters, opening_messages, required_reads
from pytest_memuse.judging.rubric import RECORDED, VERSION, read_rubric, rubric_files
from tests.judging.evidence_cases import delivery, entry, episode, message, package, packages, simple

RUBRIC = read_rubric()


def test_the_text_is_the_one_that_is_recorded_under_its_version() -> None:
    version, digest = RECORDED[-1]
    assert (VERSION, RUBRIC.digest) == (version, digest), (
        "The rubric's text has changed. In pytest_memuse/judging/rubric/versions.py: if a rule has changed, raise "
        f"VERSION and add (VERSION, {RUBRIC.digest!r}) to RECORDED, since judgments under the old rule are not "
        f"comparable; if only its wording has, leave VERSION and put {RUBRIC.digest!r} in place of the last hash."
    )


def test_every_version_is_recorded_once_and_in_order() -> None:
    versions = [int(version) for version, _ in RECORDED]
    assert versions == list(range(1, len(versions) + 1))


def test_every_part_is_in_the_text_in_order_and_is_package_data() -> None:
    parts = rubric_files()
    assert list(parts) == sorted(parts)
    assert [RUBRIC.text.index(part) for part in parts.values()] == sorted(
        RUBRIC.text.index(part) for part in parts.values()
    )
    assert files("pytest_memuse.judging.rubric").joinpath("text", next(iter(parts))).is_file()


@pytest.mark.parametrize("value", [*Accuracy, *Novelty, *Influence, *Effect])
def test_every_value_of_every_signal_has_its_rule(value: str) -> None:
    assert f"`{value}`" in RUBRIC.text
    assert f'"{value}"' in rubric_files()["B-answer.md"]


def test_the_tools_and_the_kinds_of_records_are_explained() -> None:
    for word in (
        *(each["function"]["name"] for each in tool_schemas()),
        *("task", "prior-index", "target", "deliveries", "reference"),
        *("prior N", "removed mN", "step N", "delivery N", "message mN"),
    ):
        assert word in RUBRIC.text, word


def test_the_answer_that_the_rubric_shows_has_the_form_that_is_accepted() -> None:
    (shown,) = re.findall(r"^\{.*\}$", rubric_files()["B-answer.md"], re.M)
    found = parse_answer(shown, ("e1",))
    assert found.violations == ()
    assert found.answer.entries[0].influence is Influence.ACTED_ON


def contents(messages: list[dict[str, Any]]) -> list[str]:
    return [each["content"] for each in messages]


def two_spans() -> list[list[str]]:
    """Return the opening messages of two spans of one episode."""
    messages = {
        "u": message("user", "task"),
        "a": message("user", "Use uv."),
        "b": message("user", "Wait between retries."),
    }
    made = episode(
        messages,
        [{"sees": ["u", "a"]}, {"sees": ["u", "a", "b"]}],
        [
            delivery(1, "a", "Use uv.", entry("Use uv.", "a")),
            delivery(2, "b", "Wait between retries.", entry("Wait between retries.", "b")),
        ],
    )
    return [contents(opening_messages(RUBRIC, found)) for _, found in packages(made)]


def test_spans_of_one_episode_share_all_but_their_own_part() -> None:
    one, other = two_spans()
    assert one[:2] == other[:2]
    assert one[2] != other[2]


def test_spans_of_two_episodes_share_the_rubric() -> None:
    one = contents(opening_messages(RUBRIC, package(simple())))
    other = contents(opening_messages(RUBRIC, package(simple(task="Another task."))))
    assert one[0] == other[0] == RUBRIC.text
    assert one[1] != other[1]


def test_the_required_reads_are_named_before_anything_is_asked() -> None:
    found = package(simple())
    told = required_reads(found)["required reads"]
    assert told == {
        "for any answer": ["task", "prior-index", "step 1", "step 2"],
        "for acted_on, and for novel, confirming or redundant": ["prior 1", "prior 2"],
        "by credit window": [
            {
                "entries": ["e1"],
                "for selected, referenced or none": ["step 2", "step 3"],
                "for improved, harmed or no_effect": ["step 2", "step 3"],
            }
        ],
    }
    own = opening_messages(RUBRIC, found)[2]["content"].split("\n")
    assert json.loads(own[-3]) == {"required reads": told}
    assert json.loads(own[-2]) == {"assess exactly": ["e1"]}


def test_entries_of_one_window_are_told_together_and_an_empty_window_is_said_to_be_empty() -> None:
    value = "Wait between retries."
    messages = {
        "u": message("user", "task"),
        "a": message("user", value),
        "b": message("user", f"- {value}\n- Use uv.\n- Use ruff."),
    }
    made = episode(
        messages,
        [{"sees": ["u", "a"]}, {"sees": ["u", "a", "b"]}],
        [
            delivery(1, "a", value, entry(value, "a")),
            delivery(2, "b", messages["b"]["text"], entry(value, "a"), entry("Use uv.", "b"), entry("Use ruff.", "c")),
        ],
    )
    found = package(made)
    told = required_reads(found)["required reads"]["by credit window"]
    assert [line["entries"] for line in told] == [["e1"], ["e2", "e3"]]
    assert "credit window" in told[0]
    assert AnswerScope.of(found).windows["e1"] is None


def test_what_must_fit_before_the_first_call_grows_with_the_mandatory_records() -> None:
    small, large = package(simple()), package(simple(result="x" * 10_000))
    grown = mandatory_characters(RUBRIC, large) - mandatory_characters(RUBRIC, small)
    assert 10_000 <= grown < 10_100
    assert mandatory_characters(RUBRIC, small) > len(RUBRIC.text)
