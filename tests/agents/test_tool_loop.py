"""The plain tool loop and LiteLLM itself with the scripted model, run for real."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.agents.commands import MOST_OUTPUT, command_environment, run_command
from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.agents.tool_loop import ToolLoopAgent
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.spans import build_spans, recording_problems
from tests.agents.speaking import ToolMemory
from tests.recording.servers import json_server

pytestmark = [
    # LiteLLM's own use of pydantic.
    pytest.mark.filterwarnings("ignore:Accessing the 'model_"),
    pytest.mark.filterwarnings("ignore:Item '.*' on TypedDict class"),
]

needs_litellm = pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="needs the extra llm")


def _arc() -> ArcSpec:
    tasks = {
        "plant": "Remember this.\nnote: `a.port` is `8081`.",
        "update": "Set `a.port` in `a.ini`. `a.port` is `9091`.",
        "probe": "Set `a.port` in `a.ini`. Check with `grep -q 9091 a.ini`.",
    }
    files = {"a.ini": "a.port = UNSET\n"}
    rows = [{"id": name, "scope": "shop", "task": task, "write": files} for name, task in tasks.items()]
    return ArcSpec.model_validate({"id": "port", "episodes": rows})


def _recorded(model: str, folder: Path, **settings: Any) -> Recording:
    with (
        json_server(lambda path, body: {"data": [{"embedding": [0.5] * 8}]}) as (notes, _),
        ScriptedModel() as scripted,
    ):

        def outcome(episode: EpisodeContext) -> bool:
            return "9091" in (episode.workspace / "a.ini").read_text()

        agent = ToolLoopAgent(model, scripted.base_url, **settings)
        runner = Runner(lambda store: ToolMemory(notes), agent, outcome, folder, Redaction())
        return record_arc("shop", _arc(), runner)


@needs_litellm
@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("model", ["openai/memuse-scripted-1", "anthropic/memuse-scripted-1"])
def test_an_arc_is_worked_through_and_its_deliveries_are_proven(model: str, stream: bool, tmp_path: Path) -> None:
    recording = _recorded(model, tmp_path, stream=stream)
    replayed = replay_arc(_arc(), recording, lambda store: ToolMemory("http://127.0.0.1:9/v1"), Redaction())
    assert replayed.kind is DriftKind.SAME
    log = derive_log(recording)
    plant, update, probe = log.episodes
    assert log.recorded_against == "memuse-scripted-1"
    assert plant.deliveries == ()
    assert [delivery.form for delivery in update.deliveries] == ["task recall", "search result"]
    assert [entry.value for delivery in probe.deliveries for entry in delivery.entries] == ["`a.port` is `9091`."]
    for episode in log.episodes:
        assert recording_problems(episode) == ()
        assert all(delivery.call is not None for delivery in episode.deliveries)
        assert {entry.exposure.kind.value for span in build_spans(episode) for entry in span.entries} <= {"full"}
    assert probe.outcome is not None
    assert probe.outcome.success
    commands = [json.loads(c.arguments).get("command", "") for m in probe.messages.values() for c in m.tool_calls]
    assert sum("9091" in command and "sed" in command for command in commands) == 1


@needs_litellm
@pytest.mark.slow
def test_litellm_is_served_in_every_api() -> None:
    from pytest_memuse.execution.quiet_imports import quiet_import

    litellm = quiet_import(extra="llm")
    schema = {"type": "object", "properties": {"command": {"type": "string"}}}
    tools = [{"type": "function", "function": {"name": "bash", "parameters": schema}}]
    with ScriptedModel() as model:
        to: dict[str, Any] = {"api_base": model.base_url, "api_key": "none"}
        asked = {"messages": [{"role": "user", "content": "Read `a.md` first."}], "tools": tools, **to}
        for name in ("openai/memuse-scripted-1", "anthropic/memuse-scripted-1"):
            chunks = litellm.completion(model=name, stream=True, stream_options={"include_usage": True}, **asked)
            built = litellm.stream_chunk_builder(list(chunks))
            for answer in (litellm.completion(model=name, **asked), built):
                (call,) = answer.choices[0].message.tool_calls
                assert json.loads(call.function.arguments) == {"command": "cat a.md"}
                assert answer.usage.completion_tokens > 0
        answer = litellm.responses(
            model="openai/memuse-scripted-1",
            input="Read `a.md` first.",
            tools=[{"type": "function", "name": "bash", "parameters": schema}],
            **to,
        )
        assert json.loads(answer.output[1].arguments) == {"command": "cat a.md"}


def test_an_agent_says_what_shapes_its_work_and_no_key_or_address() -> None:
    agent = ToolLoopAgent("openai/m", "http://secret-host", api_key="sk-secret", model_kwargs={"temperature": 0})
    identity = dict(agent.identity())
    assert identity.pop("litellm")
    assert identity == {"name": "tool-loop", "model": "openai/m", "step_limit": "30", "model.temperature": "0"}


class _NoMemory:
    """An episode's memory that has nothing and offers nothing."""

    def recall(self) -> str:
        return ""

    def tool(self) -> None:
        return None

    def call_tool(self, arguments: Any, *, tool_call_id: str) -> str:
        raise AssertionError("no tool was offered")


def _call(name: str, arguments: str) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {
        "choices": [{"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "finish_reason": "stop"}]
    }


@needs_litellm
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("bash", "[1", "The arguments of bash are not a JSON object."),
        ("weather", "{}", "There is no tool 'weather'."),
        ("bash", '{"command": "echo $HOME; exit 3"}', "<returncode>3</returncode>\n<output>\n{workspace}\n</output>"),
    ],
)
def test_what_comes_of_a_call_is_told_and_the_step_limit_ends_the_episode(
    name: str, arguments: str, told: str, tmp_path: Path
) -> None:
    with json_server(lambda path, body: _call(name, arguments)) as (base, received):
        agent = ToolLoopAgent("openai/m", base, step_limit=2)
        agent(EpisodeContext("arc", "episode", "Do it.", "shop", tmp_path, _NoMemory(), {}))
    assert len(received) == 2
    assert received[1]["messages"][-1]["content"] == told.format(workspace=tmp_path)
    assert [tool["function"]["name"] for tool in received[0]["tools"]] == ["bash"]
    assert "memor" not in str(received[0]["messages"])


def test_a_command_that_does_not_end_is_stopped_with_all_that_it_started(tmp_path: Path) -> None:
    command = "(sleep 600; touch late) & echo begun; sleep 600"
    done = run_command(command, tmp_path, command_environment(tmp_path), 0.5)
    assert (done.output, done.returncode, done.problem) == ("begun\n", -1, "no end after 0.5 seconds")


def test_what_a_command_left_running_does_not_hold_it_up(tmp_path: Path) -> None:
    done = run_command("sleep 600 & echo done", tmp_path, command_environment(tmp_path), 60)
    assert (done.output, done.returncode) == ("done\n", 0)


def test_output_without_end_is_cut(tmp_path: Path) -> None:
    done = run_command(f"head -c {MOST_OUTPUT * 3} /dev/zero", tmp_path, command_environment(tmp_path), 60)
    assert (len(done.output), done.returncode) == (MOST_OUTPUT, 0)


def test_a_command_that_cannot_be_run_is_a_problem_and_no_error(tmp_path: Path) -> None:
    assert "cannot be run" in run_command("echo \0", tmp_path, {}, 5).problem
    assert "cannot be run" in run_command("true", tmp_path / "gone", {}, 5).problem
