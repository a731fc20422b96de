"""Reading worked cases: a malformed one is an error that names file and case; another folder may lack files."""

from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.model import Route
from tests.cases.episodes import OWN_CASES, MalformedCase, episode_from_case, load_cases


def case(**changes: Any) -> dict[str, Any]:
    placement = {"slot": "host", "message": "m", "text": "use uv"}
    delivery = {"id": "d1", "step": 1, "entries": [], "placements": [placement | changes.pop("placement", {})]}
    return {
        "case": "broken",
        "messages": {"m": {"role": "user", "text": "use uv"}},
        "steps": [{"sees": ["m"]}],
        "deliveries": [delivery],
    } | changes


@pytest.mark.parametrize(
    "broken",
    [
        case(steps=[{"sees": ["nowhere"]}]),
        case(steps=None),
        case(messages={"m": {"role": "user"}}),
        case(placement={"proof": "perhaps"}),
        case(placement={"kind": "telepathy"}),
        case(placement={"message": "nowhere"}),
    ],
)
def test_a_malformed_case_is_named_with_its_file(broken: dict[str, Any]) -> None:
    with pytest.raises(MalformedCase, match=r"^labels.yaml: case 'broken': "):
        episode_from_case(broken, "labels.yaml")


def test_a_file_is_optional_in_another_folder_and_must_be_well_formed_where_it_is(tmp_path: Path) -> None:
    assert load_cases("spans.yaml", tmp_path) == []
    (tmp_path / "spans.yaml").write_text("- 3\n")
    with pytest.raises(MalformedCase, match=r"spans.yaml: case 1: expected a mapping, found int"):
        load_cases("spans.yaml", tmp_path)
    (tmp_path / "spans.yaml").write_text("{")
    with pytest.raises(MalformedCase, match=r"spans.yaml: not YAML"):
        load_cases("spans.yaml", tmp_path)


def test_what_the_agent_says_and_does_becomes_its_response_and_results() -> None:
    (found,) = [case for case in load_cases("labels.yaml", OWN_CASES) if case["case"] == "L-preview-selected"]
    episode = episode_from_case(found, "labels.yaml")
    step = episode.steps[1]
    assert step.call.response is not None
    (call,) = episode.messages[step.call.response].tool_calls
    (result,) = step.results

    assert (call.name, call.arguments) == ("bash", '{"command": "exp_read card-31"}')
    assert call.id == result.tool_call_id == episode.messages[result.message].tool_call_id
    assert episode.messages[result.message].text.startswith("card-31\n")
    assert episode.input_of(3)[-1].digest == result.message
    assert {delivery.route for delivery in episode.deliveries} == {Route.AGENT}
