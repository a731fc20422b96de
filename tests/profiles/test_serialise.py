"""Runs as plain data."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from pytest_memuse.model import FormatError
from pytest_memuse.profiles import Run, run_from_dict, run_to_dict
from tests.profiles.runs import entry, judged, run_of, runs


@given(runs)
@settings(deadline=None, database=None, max_examples=40)
def test_writing_and_reading_a_run_is_the_identity(run: Run) -> None:
    text = json.dumps(run_to_dict(run))
    again = run_from_dict(json.loads(text))
    assert again == run
    assert json.dumps(run_to_dict(again)) == text


def test_empty_fields_are_left_out() -> None:
    assert run_to_dict(run_of(())) == {
        "suite": "suite",
        "episodes": [{"id": "E0", "arc": "arc-0", "task": "task-0"}],
    }


def damaged(path: list[str | int], value: Any) -> dict[str, Any]:
    data: dict[str, Any] = run_to_dict(run_of((judged(entry(window=(1, 2))),)))
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return data


SPAN: list[str | int] = ["episodes", 0, "spans", 0]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["suite"], 3, "b.json: suite: expected a text, found a number"),
        (["episodes"], {}, "b.json: episodes: expected a list, found an object"),
        (["episodes", 0], None, r"b.json: episodes\[0\]: expected an object, found null"),
        (["episodes", 0, "success"], 1, r"episodes\[0\].success: expected a boolean, found a number"),
        (["episodes", 0, "steps"], True, r"episodes\[0\].steps: expected a whole number of at least 0, found True"),
        (["episodes", 0, "stesp"], 1, r"episodes\[0\]: unknown field 'stesp'; did you mean 'steps'\?"),
        ([*SPAN, "outcome"], "juged", r"spans\[0\].outcome: expected one of judged, .*; did you mean 'judged'\?"),
        ([*SPAN, "characters"], -1, r"spans\[0\].characters: expected a whole number of at least 0, found -1"),
        ([*SPAN, "determines"], ["luck"], r"spans\[0\].determines\[0\]: expected one of relevance"),
        ([*SPAN, "entries", 0, "window"], [3, 2], r"entries\[0\].window: expected the first and the last step"),
        ([*SPAN, "entries", 0, "influence"], "acted on", r"did you mean 'acted_on'"),
    ],
)
def test_damaged_data_is_refused_by_the_path_of_its_field(path: list[str | int], value: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message) as error:
        run_from_dict(damaged(path, value), source="b.json")
    assert error.value.reason == "damaged"


def test_a_missing_field_is_named() -> None:
    with pytest.raises(FormatError, match=r"^run: the field 'episodes' is missing$"):
        run_from_dict({"suite": "x"})
