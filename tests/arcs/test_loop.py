"""The tool loop: what the model is sent, and what becomes of what it answers."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from pytest_memuse.arcs.loop import Session, run_session
from pytest_memuse.arcs.types import Action, Kind, Parameter, Tool, WorldEpisode
from pytest_memuse.arcs.users import ScriptedUser
from pytest_memuse.arcs.worlds import World
from pytest_memuse.model.errors import MemuseError

TOOLS = (
    Tool("look", "", Action.READ, "things", (Parameter("name", "name", key=True),)),
    Tool("paint", "", Action.UPDATE, "things", (Parameter("name", "name", key=True), Parameter("colour", "colour"))),
)


@pytest.fixture
def world() -> Iterator[World]:
    with World.of({"things": ({"name": "door", "colour": "red"},)}, TOOLS) as made:
        yield made


def call(name: str, arguments: str) -> Mapping[str, Any]:
    return {"id": f"{name}-1", "function": {"name": name, "arguments": arguments}}


def answering(*messages: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], Any]:
    """Return a model that gives these messages in order, and the list of what it is asked."""
    asked: list[Mapping[str, Any]] = []

    def model(request: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(request)
        return {"choices": [{"message": messages[len(asked) - 1]}]}

    return asked, model


def run(world: World, model: Any, *turns: str, step_limit: int = 9) -> Session:
    user = ScriptedUser(WorldEpisode("e", Kind.PROBE, turns or ("Go.",)))
    return run_session(model, "m", world, user, "A memory.", noted=lambda *_: None, step_limit=step_limit)


def test_tool_calls_are_carried_out_and_their_results_are_sent_back(world: World) -> None:
    paint = {"content": None, "tool_calls": [call("paint", '{"name": "door", "colour": "blue"}')]}
    asked, model = answering(paint, {"content": "Done."}, {"content": "Bye."})
    session = run(world, model, "Go.", "Thanks.")
    assert [(e.name, e.arguments, e.failed, e.changes) for e in session.executed] == [
        ("paint", {"name": "door", "colour": "blue"}, False, True)
    ]
    assert [m["role"] for m in asked[-1]["messages"]] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert asked[-1]["messages"][3]["tool_call_id"] == "paint-1"
    assert [len(request["messages"]) for request in asked] == [2, 4, 6]
    assert asked[0]["temperature"] == 0
    assert [tool["function"]["name"] for tool in asked[0]["tools"]] == ["look", "paint"]
    assert not session.limited


@pytest.mark.parametrize("arguments", ["", "{", "[1]", "[" * 100_000, '{"name": {"$ne": 1}, "colour": "blue"}'])
def test_arguments_that_are_none_are_told_to_the_model_and_change_nothing(world: World, arguments: str) -> None:
    asked, model = answering({"content": "", "tool_calls": [call("paint", arguments)]}, {"content": "Sorry."})
    (executed,) = run(world, model).executed
    assert (executed.failed, executed.changes) == (True, False)
    assert '"error"' in asked[1]["messages"][-1]["content"]
    assert world.values("things", "colour") == ("red",)


def test_the_step_limit_ends_the_session(world: World) -> None:
    looks = [{"content": "", "tool_calls": [call("look", '{"name": "door"}')]}] * 5
    asked, model = answering(*looks)
    assert run(world, model, step_limit=3).limited
    assert len(asked) == 3


@pytest.mark.parametrize(
    "response", [{}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": {"tool_calls": [{"id": "x"}]}}]}]
)
def test_a_response_of_another_form_is_an_error_that_says_so(world: World, response: Mapping[str, Any]) -> None:
    with pytest.raises(MemuseError, match="none of the Chat Completions API"):
        run(world, lambda _: response)
