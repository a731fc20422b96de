"""Reading labelled cases: what is wrong is named by file, case and field, with the nearest that would be right."""

from typing import Any

import pytest

from pytest_memuse.judging import Influence, Signal
from pytest_memuse.judging.labels import is_labelled, labelled_cases
from pytest_memuse.model import FormatError
from tests.judging.scripted_judge import case_data

ROW = {"influence": "none"}
TOOL = {"role": "tool", "text": "moored"}


def delivered(**changes: Any) -> dict[str, Any]:
    (delivery,) = case_data("c", ROW)["deliveries"]
    return {"deliveries": [delivery | changes]}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"steps": [{"sees": ["m", "rr"]}]}, "steps[0].sees: there is no message 'rr'; did you mean 'r'?"),
        ({"steps": [{"sees": ["m"], "dose": []}]}, "steps[0]: there is no field 'dose'; did you mean 'does'?"),
        (
            {"steps": [{"sees": ["m"], "does": [{"tool": "x", "args": {}, "result": "rr"}]}]},
            "steps[0].does[0].result: there is no message 'rr'; did you mean 'r'?",
        ),
        ({"steps": []}, "steps: an episode has at least one step"),
        ({"messages": {"m": {"role": "usr", "text": "x"}, "r": TOOL}}, "did you mean 'user'?"),
        ({"messages": {"m": {"role": "user"}, "r": TOOL}}, "messages.m: the field 'text' is missing"),
        (delivered(step=3), "deliveries[0].step: 3 is no step; the case has steps 1 to 2"),
        (delivered(entries="x"), "deliveries[0].entries: expected a list, found a text"),
        (delivered(placements=[{"slot": "s", "message": "m", "text": "x", "kind": "tool-result"}]), "'tool_result'?"),
        (delivered(placements=[{"slot": "s", "message": "m", "text": "x", "proof": "lost"}]), "'lost' is none of ok"),
        ({"labels": [{"influence": "acted on", "forced": []}]}, "'acted on' is none of acted_on"),
        ({"labels": [{"influence": "none", "forced": ["influense"]}]}, "did you mean 'influence'?"),
        ({"labels": [{"forced": ["novelty"]}]}, "labels[0].forced: 'novelty' is forced and has no value"),
        (
            {"labels": [{"relevance": "yes", "forced": []}]},
            "labels[0].relevance: relevance is true or false, not 'yes'",
        ),
        ({"labels": [ROW]}, "labels[0]: the field 'forced' is missing"),
        ({"labels": []}, "labels: the spans of the case hold 1 entries in all, and the rows are 0"),
        ({"messages": [1]}, "messages: expected a mapping, found a list"),
    ],
)
def test_a_malformed_case_is_named_by_file_case_and_field(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(FormatError) as caught:
        labelled_cases([case_data("moor", ROW, **changes)], "set.yaml")
    assert str(caught.value).startswith("set.yaml: case 'moor': ")
    assert told in str(caught.value)


def test_what_is_no_case_is_named_by_its_number() -> None:
    with pytest.raises(FormatError, match=r"set.yaml: case 2: expected a mapping, found a number"):
        labelled_cases([[case_data("c", ROW), 7]], "set.yaml")
    with pytest.raises(FormatError, match=r"set.yaml: case 'c': the field 'labels' is missing"):
        labelled_cases([{"case": "c"}], "set.yaml")
    with pytest.raises(FormatError, match=r"set.yaml: case 'c': case 2 has the name of an earlier one"):
        labelled_cases([case_data("c", ROW), case_data("c", ROW)], "set.yaml")


def test_documents_and_lists_are_cases_in_order_and_empty_ones_are_none() -> None:
    found = labelled_cases([case_data("a", ROW), None, [case_data("b", ROW), case_data("c", ROW)]], "set.yaml")
    assert [case.name for case in found] == ["a", "b", "c"]
    assert found[0].labels[0].values[Signal.INFLUENCE] is Influence.NONE


def test_only_files_with_labels_are_labelled_sets() -> None:
    assert is_labelled([{"case": "a"}, [case_data("b", ROW)]])
    assert not is_labelled([{"case": "a"}, 3, None])


def test_a_field_that_nobody_knows_is_passed_over() -> None:
    (found,) = labelled_cases([case_data("a", ROW, remarks="made by hand")], "set.yaml")
    assert len(found.labels) == 1
