"""Versions of the scripted model that vary: seeded, and without any variation unless it is asked for."""

import http.client
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.agents.scripted import ScriptedModel, respond
from pytest_memuse.agents.scripted.variation import Choices, Variation
from pytest_memuse.model import MemuseError
from pytest_memuse.recording.dialects import Api
from tests.agents.driving import BASH, memory_tool, request, shell_result

TASK = "Set `a.port` in `a.ini`. Set `b.port` in `b.ini`. Read `x.md` first. Read `y.md` first. Read `z.md` first."
MEMORY = "- `a.port` is `8081`.\n- `a.port` is `9091`.\n- `b.port` is `7`.\n"


def _episode(variation: Variation, task: str = TASK) -> list[dict[str, Any]]:
    """Return what the model says and does in an episode whose commands all succeed."""
    body = request(task, memory=MEMORY, tools=(BASH, memory_tool("search")))
    messages = []
    for _ in range(40):
        message = respond(body, Api.CHAT, variation)["choices"][0]["message"]
        messages.append(message)
        if "COMPLETE_TASK" in json.dumps(message):
            return messages
        result = {"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": shell_result(0)}
        body = {**body, "messages": [*body["messages"], message, result]}
    raise AssertionError("no submission")


def _commands(messages: list[Mapping[str, Any]]) -> list[str]:
    return [json.loads(m["tool_calls"][0]["function"]["arguments"]).get("command", "search") for m in messages]


def test_at_rate_zero_the_seed_changes_nothing() -> None:
    assert _episode(Variation(0.0, seed=5)) == _episode(Variation())


def test_the_same_seed_does_the_same_and_another_seed_something_else() -> None:
    tasks = [f"{TASK} Nr. {n}." for n in range(6)]
    first, again, other = ([_episode(Variation(0.7, seed), task) for task in tasks] for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_order_wording_and_now_and_then_a_hint_vary() -> None:
    usual = _episode(Variation())
    varied = [_episode(Variation(1.0, seed)) for seed in range(40)]
    reads = {tuple(c for c in _commands(run) if c.startswith("cat ") and c.endswith(".md")) for run in varied}
    assert len(reads) > 1
    assert {frozenset(order) for order in reads} == {frozenset({"cat x.md", "cat y.md", "cat z.md"})}
    assert all(run[0]["content"] != usual[0]["content"] for run in varied)
    followed = [next(c for c in _commands(run) if "a.port = " in c) for run in varied]
    missed = sum("9091" in command for command in followed)
    assert 0 < missed < len(varied) / 2
    assert all("8081" in c or "9091" in c for c in followed)


def test_what_it_says_still_repeats_no_value() -> None:
    for seed in range(20):
        said = " ".join(message["content"] for message in _episode(Variation(1.0, seed)))
        assert not {"8081", "9091"} & set(said.replace("`", " ").split())


def test_a_varying_model_is_told_by_its_fingerprint_and_still_named_a_stand_in() -> None:
    answer = respond(request(TASK), Api.CHAT, Variation(0.25, 3))
    assert answer["model"] == "memuse-scripted-1"
    assert answer["system_fingerprint"] == "memuse-scripted-1-variation-0.25-seed-3"


def test_an_extraction_does_not_vary() -> None:
    prompt = "## Existing Memories\n[]\n\n## New Messages\nuser: `a` is `1`.\n\n## Observation Date\n2026-01-01\n"
    body = {"messages": [{"role": "user", "content": prompt}]}
    varied = respond(body, Api.CHAT, Variation(1.0, 3))["choices"][0]["message"]
    assert varied == respond(body)["choices"][0]["message"]
    assert "`a` is `1`." in varied["content"]


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_that_is_none_is_refused(rate: float) -> None:
    with pytest.raises(MemuseError, match="from 0"):
        ScriptedModel(variation=rate)


def test_the_environment_names_a_version() -> None:
    assert Variation.from_environment({}) == Variation()
    named = {"MEMUSE_SCRIPTED_VARIATION": "0.5", "MEMUSE_SCRIPTED_SEED": "7"}
    assert Variation.from_environment(named) == Variation(0.5, 7)
    with pytest.raises(MemuseError, match=r"MEMUSE_SCRIPTED_SEED='x'.*needs numbers"):
        Variation.from_environment({"MEMUSE_SCRIPTED_SEED": "x"})


@given(values=st.lists(st.integers(), max_size=8), rate=st.floats(0, 1), seed=st.integers())
def test_no_order_loses_or_adds_a_value(values: list[int], rate: float, seed: int) -> None:
    ordered = Variation(rate, seed).choices("c").order(values)
    assert sorted(ordered) == sorted(values)
    assert Choices().order(values) == values


def test_the_server_serves_the_version_that_it_was_made_with() -> None:

    body = request(TASK, memory=MEMORY)
    with ScriptedModel(variation=1.0, seed=4) as model:
        connection = http.client.HTTPConnection(model.base_url.removeprefix("http://").removesuffix("/v1"), timeout=10)
        connection.request("POST", "/v1/chat/completions", body=json.dumps(body))
        answer = json.loads(connection.getresponse().read())
        connection.close()
    assert answer == respond(body, Api.CHAT, Variation(1.0, 4))
    assert answer != respond(body)
