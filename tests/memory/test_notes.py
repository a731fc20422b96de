"""The smallest adapter is a whole memory system, and the page about adapters shows exactly it."""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.memory import notes
from pytest_memuse.memory.notes import NotesMemory
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import OperationKind, Route
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Rendered
from pytest_memuse.spans.checks import recording_problems
from tests.episodes.small_world import live_runner
from tests.recording.servers import json_server

_PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"


def test_the_page_about_adapters_shows_the_file_which_has_fewer_than_60_lines() -> None:
    source = inspect.getsource(notes)
    first = re.search(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert first is not None
    assert first[1] == source
    assert len(source.splitlines()) < 60


def test_every_example_of_the_page_is_python_whose_imports_are_there() -> None:
    examples = re.findall(r"```python\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 4
    for example in examples:
        tree = ast.parse(example)
        imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
        exec(compile(ast.Module(imports, []), "adapters.md", "exec"), {})


def _said(*lines: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "\n".join(lines)}]


def test_it_implements_the_protocol(tmp_path: Path) -> None:
    memory: MemorySystem = NotesMemory(tmp_path)
    assert isinstance(memory, MemorySystem)


def test_notes_are_kept_once_and_found_by_shared_words_in_their_scope(tmp_path: Path) -> None:
    memory = NotesMemory(tmp_path)
    changes = memory.extract(_said("note: the port is 8081", "nothing", "Note: the queue is q7"), scope="shop")
    assert [(c.kind, c.item, c.value) for c in changes] == [
        (OperationKind.CREATE, "note-1", "the port is 8081"),
        (OperationKind.CREATE, "note-2", "the queue is q7"),
    ]
    assert memory.extract(_said("note: the port is 8081"), scope="shop") == []
    again = NotesMemory(tmp_path)
    assert [e.item for e in again.recall("Which port is it?", scope="shop").entries] == ["note-1", "note-2"]
    assert [e.item for e in again.recall("queue", scope="shop").entries] == ["note-2"]
    assert again.recall("port", scope="elsewhere").text == ""
    assert again.recall("weather", scope="shop").text == ""


def test_entries_stand_where_the_rendered_text_says(tmp_path: Path) -> None:
    memory = NotesMemory(tmp_path)
    memory.extract(_said("note: the port is 8081", "note: the port of the test stage is 9"), scope="shop")
    found = memory.call_tool({"query": "port"}, scope="shop")
    assert [found.text[e.start : e.end] for e in found.entries] == [e.value for e in found.entries]
    assert found.query == "port"


_ARC = ArcSpec.model_validate(
    {
        "id": "port",
        "episodes": [
            {"id": "plant", "scope": "shop", "task": "Remember the port.\nnote: the port is 8081"},
            {"id": "probe", "scope": "shop", "task": "Search for the port and use it."},
        ],
    }
)


def _model(path: str, body: Any) -> Any:
    """Search once where the task says so, then stop."""
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if "Search" in body["messages"][1]["content"] and body["messages"][-1]["role"] != "tool":
        function = {"name": "search_notes", "arguments": json.dumps({"query": "port"})}
        message = {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        }
    return {"model": "rule-model", "choices": [{"message": message}]}


def _agent(base_url: str) -> Any:
    def run(episode: EpisodeContext) -> None:
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": "You work.\n" + episode.memory.recall()},
            {"role": "user", "content": episode.task},
        ]
        while True:
            answer = httpx.post(f"{base_url}/chat/completions", json={"model": "m", "messages": messages}).json()
            said = answer["choices"][0]["message"]
            messages.append(said)
            if "tool_calls" not in said:
                return
            (call,) = said["tool_calls"]
            result = episode.memory.call_tool(json.loads(call["function"]["arguments"]), tool_call_id=call["id"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    return run


@pytest.fixture(scope="module")
def recording() -> Iterator[Recording]:
    with json_server(_model) as (base, _), live_runner() as runner:
        yield record_arc("shop", _ARC, replace(runner, memory=NotesMemory, agent=_agent(base)))


def test_an_arc_with_it_is_recorded_with_proven_deliveries_by_both_routes(recording: Recording) -> None:
    plant, probe = derive_log(recording).episodes
    assert [(o.kind, o.item) for o in plant.operations] == [("search", None), ("create", "note-1")]
    assert [(d.route, [e.item for e in d.entries]) for d in probe.deliveries] == [
        (Route.HOST, ["note-1"]),
        (Route.AGENT, ["note-1"]),
    ]
    assert [recording_problems(episode) for episode in (plant, probe)] == [(), ()]
    assert recording.made_with["memory"] == {"name": "notes", "version": "1"}


def test_an_arc_with_it_is_replayed_without_any_server(recording: Recording) -> None:
    assert replay_arc(_ARC, recording, NotesMemory, Redaction()).kind is DriftKind.SAME


def test_a_change_of_it_is_noticed(recording: Recording) -> None:
    class Silent(NotesMemory):
        def recall(self, query: str, *, scope: str) -> Rendered:
            return Rendered("", query=query)

    drift = replay_arc(_ARC, recording, Silent, Redaction())
    assert (drift.kind, drift.episode, [d.before for d in drift.differences]) == (
        DriftKind.DIFFERENT,
        "probe",
        ["the port is 8081"],
    )
