"""mini-SWE-agent with the scripted model, run for real."""

import importlib.util
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pytest_memuse.agents.commands import command_environment
from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.agents.scripted import ScriptedModel, respond
from pytest_memuse.agents.scripted.server import _Handler
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.spans import recording_problems
from tests.agents.speaking import ToolMemory
from tests.episodes.small_world import DEAD
from tests.recording.servers import json_server

pytestmark = [
    # Not importorskip: the harness is to be imported by the adapter, which knows how to do that quietly.
    pytest.mark.skipif(importlib.util.find_spec("minisweagent") is None, reason="needs the extra mini-swe-agent"),
    pytest.mark.slow,  # LiteLLM takes seconds to import.
]

TOOL = {
    "name": "recall_box",
    "description": "Memories.",
    "parameters": {
        "type": "object",
        "properties": {"action": {"type": "string", "enum": ["search", "update"]}, "query": {"type": "string"}},
    },
}


class FakeMemory:
    """An episode's memory that recalls a fixed text and keeps the tool calls."""

    def __init__(self, recalled: str = "", found: str = "Nothing.", tool: Mapping[str, Any] | None = TOOL) -> None:
        self.recalled, self.found, self.schema = recalled, found, tool
        self.calls: list[tuple[dict[str, Any], str]] = []

    def recall(self) -> str:
        return self.recalled

    def tool(self) -> Mapping[str, Any] | None:
        return self.schema

    def call_tool(self, arguments: Mapping[str, Any], *, tool_call_id: str) -> str:
        self.calls.append((dict(arguments), tool_call_id))
        return self.found


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Return the list of request bodies that the scripted model gets from now on."""
    seen: list[dict[str, Any]] = []

    def watched(request: dict[str, Any], *how: Any) -> dict[str, Any]:
        seen.append(request)
        return respond(request, *how)

    monkeypatch.setitem(_Handler.do_POST.__globals__, "respond", watched)
    return seen


def episode(workspace: Path, task: str, memory: FakeMemory) -> EpisodeContext:
    return EpisodeContext("arc", "episode", task, "shop", workspace, memory, {})


def agent(base_url: str, **settings: Any) -> Any:
    from pytest_memuse.agents.mini_swe import MiniSweAgent

    return MiniSweAgent(base_url, **settings)


def test_recalled_memory_reaches_the_system_message_and_is_acted_on(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    memory = FakeMemory(recalled="- {{ no template }} `a.port` is `9091`.")
    (tmp_path / "a.ini").write_text("a.port = UNSET\n")
    agent(model.base_url)(episode(tmp_path, "Set `a.port` in `a.ini`.", memory))
    assert (tmp_path / "a.ini").read_text() == "a.port = 9091\n"
    first = requests[0]["messages"]
    assert [m["role"] for m in first] == ["system", "user"]
    assert first[0]["content"].endswith("\n\n" + memory.recalled)
    assert first[1]["content"] == "Set `a.port` in `a.ini`."
    assert [t["function"]["name"] for t in requests[0]["tools"]] == ["bash", "recall_box"]


def test_a_memory_call_is_carried_out_and_its_text_stands_alone_in_the_result(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    memory = FakeMemory(found="1 memory found:\n[id-1] `a.port` is `7`.")
    agent(model.base_url)(episode(tmp_path, "Set `a.port` in `a.ini`.", memory))
    ((arguments, call_id),) = memory.calls
    assert arguments == {"action": "search", "query": "a.port"}
    result = next(m for m in requests[-1]["messages"] if m.get("tool_call_id") == call_id)
    assert result["content"] == memory.found
    assert (tmp_path / "a.ini").read_text() == "a.port = 7\n"


def test_without_memory_nothing_is_said_of_it(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    agent(model.base_url)(episode(tmp_path, "Run `true it`.", FakeMemory(tool=None)))
    assert "memor" not in requests[0]["messages"][0]["content"].lower()
    assert [t["function"]["name"] for t in requests[0]["tools"]] == ["bash"]


def test_nothing_of_the_machine_reaches_the_prompts(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMUSE_TEST_SECRET", "s3cret")
    monkeypatch.setenv("output", "a lower-case name that templates use")
    agent(model.base_url)(episode(tmp_path, "Run `env | grep -c SECRET`.", FakeMemory()))
    sent = str(requests)
    assert "s3cret" not in sent
    assert str(tmp_path) not in sent
    assert os.uname().release not in sent
    assert "<returncode>1</returncode>\n<output>\n0\n</output>" in str(requests[-1]["messages"][-1]["content"])


def test_commands_see_the_variables_that_they_are_given(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    task = "Run `echo got $WANTED`."
    agent(model.base_url, environment={"WANTED": "this"})(episode(tmp_path, task, FakeMemory(tool=None)))
    assert "got this" in requests[1]["messages"][-1]["content"]


def test_a_command_that_does_not_end_is_stopped(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    agent(model.base_url, command_seconds=1)(episode(tmp_path, "Run `sleep 600`.", FakeMemory(tool=None)))
    assert "no end after 1 seconds" in requests[1]["messages"][-1]["content"]


def test_the_step_limit_ends_an_episode_without_an_error(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    agent(model.base_url, step_limit=2)(episode(tmp_path, "Set `a` in `b`.", FakeMemory()))
    assert len(requests) == 2


def test_a_refused_request_fails_in_seconds(tmp_path: Path) -> None:
    begun = time.monotonic()
    with pytest.raises(Exception, match="Connection error"):
        agent("http://127.0.0.1:9/v1")(episode(tmp_path, "Set `a` in `b`.", FakeMemory()))
    # The harness's own retries would take minutes; this bound is far from both.
    assert time.monotonic() - begun < 20


def test_arguments_that_are_no_object_are_told_to_the_model(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[dict[str, Any]] = []

    def first_wrong(request: dict[str, Any], *how: Any) -> dict[str, Any]:
        seen.append(request)
        answer = respond(request, *how)
        if len(seen) == 1:
            answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = "[1"
        return answer

    monkeypatch.setitem(_Handler.do_POST.__globals__, "respond", first_wrong)
    memory = FakeMemory()
    agent(model.base_url)(episode(tmp_path, "Set `a` in `b`.", memory))
    assert [arguments for arguments, _ in memory.calls] == [{"action": "search", "query": "a"}]
    assert "not a JSON object" in seen[1]["messages"][-1]["content"]


def test_the_identity_names_versions_model_and_settings_and_no_key() -> None:
    identity = agent("http://x/v1", api_key="sk-secret", model_kwargs={"temperature": 0}).identity()
    assert identity["mini-swe-agent"] == "2.4.6"
    assert identity["model"] == "openai/memuse-scripted-1"
    assert identity["model.temperature"] == "0"
    assert "sk-secret" not in str(identity)
    assert "http" not in str(identity)


def test_commands_see_the_python_of_the_tests_and_nothing_else_of_the_host(tmp_path: Path) -> None:
    environment = command_environment(tmp_path)
    assert environment["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert set(environment) == {"PATH", "HOME", "LANG", "LC_ALL", "PAGER", "PYTHONDONTWRITEBYTECODE"}


def test_importing_the_module_imports_no_harness_and_making_an_agent_writes_nothing_at_home(tmp_path: Path) -> None:
    script = """
        import os, sys
        import pytest_memuse.agents.mini_swe as module
        assert not {"litellm", "minisweagent"} & set(sys.modules)
        before = dict(os.environ)
        module.MiniSweAgent("http://127.0.0.1:9/v1")
        assert "minisweagent" in sys.modules
        assert dict(os.environ) == before
    """
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_responses_flavour_works_an_arc_through_and_its_deliveries_are_proven() -> None:
    def outcome(context: EpisodeContext) -> bool:
        return "8081" in (context.workspace / "a.ini").read_text()

    files = {"a.ini": "a.port = UNSET\n"}
    tasks = {"plant": "Remember this.\nnote: `a.port` is `8081`.", "probe": "Set `a.port` in `a.ini`."}
    arc = ArcSpec.model_validate(
        {"id": "port", "episodes": [{"id": n, "scope": "s", "task": t, "write": files} for n, t in tasks.items()]}
    )
    vector = {"data": [{"embedding": [0.5] * 8}]}
    with json_server(lambda path, body: vector) as (notes, _), ScriptedModel() as scripted:
        flavoured = agent(scripted.base_url, flavour="responses")
        runner = Runner(lambda store: ToolMemory(notes), flavoured, outcome, Path(), Redaction())
        recording = record_arc("shop", arc, runner)
    assert {urlsplit(e.uri).path for e in recording.exchanges} == {"/v1/responses", "/v1/embeddings"}
    assert replay_arc(arc, recording, lambda store: ToolMemory(DEAD), Redaction()).kind is DriftKind.SAME
    plant, probe = derive_log(recording).episodes
    assert [recording_problems(episode) for episode in (plant, probe)] == [(), ()]
    (delivery,) = probe.deliveries
    assert probe.step_of_call(delivery.call) == 1
    assert [entry.value for entry in delivery.entries] == ["`a.port` is `8081`."]
    assert probe.outcome is not None
    assert probe.outcome.success
    assert [m.role for m in probe.input_of(2)] == ["system", "user", "assistant", "tool"]
    assert flavoured.identity()["flavour"] == "responses"


def test_the_responses_flavour_hands_memory_calls_to_memory(
    model: ScriptedModel, requests: list[dict[str, Any]], tmp_path: Path
) -> None:
    memory = FakeMemory(found="1 memory found:\n[id-1] `a.port` is `7`.")
    agent(model.base_url, flavour="responses")(episode(tmp_path, "Set `a.port` in `a.ini`.", memory))
    ((arguments, call_id),) = memory.calls
    assert arguments == {"action": "search", "query": "a.port"}
    result = next(item for item in requests[-1]["input"] if item.get("type") == "function_call_output")
    assert (result["call_id"], result["output"]) == (call_id, memory.found)
    assert (tmp_path / "a.ini").read_text() == "a.port = 7\n"


def test_the_responses_flavour_is_told_of_arguments_that_are_no_object(
    model: ScriptedModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[dict[str, Any]] = []

    def first_wrong(request: dict[str, Any], *how: Any) -> dict[str, Any]:
        seen.append(request)
        answer = respond(request, *how)
        if len(seen) == 1:
            answer["output"][1]["arguments"] = "[1"
        return answer

    monkeypatch.setitem(_Handler.do_POST.__globals__, "respond", first_wrong)
    memory = FakeMemory()
    agent(model.base_url, flavour="responses", step_limit=2)(episode(tmp_path, "Set `a.port` in `a.ini`.", memory))
    told = seen[1]["input"][-1]
    assert told["content"] == [{"type": "input_text", "text": "The arguments of recall_box are not a JSON object."}]


def test_a_flavour_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="completions"):
        agent("http://x/v1", flavour="completions")
