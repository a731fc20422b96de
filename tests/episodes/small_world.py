"""A small world over real HTTP: a model that answers by rule, a dictionary for a memory, a plain agent."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.episodes.running import Runner
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.model import OperationKind
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change, Rendered, RenderedEntry
from tests.recording.servers import json_server

DEAD = "http://127.0.0.1:9/v1"
"""An address that nothing answers at."""


@dataclass
class NoteMemory:
    """A store of notes: recall returns the notes of a scope, the tool adds, replaces and searches, nothing is clever.

    Identifiers are made by ``new_id``, so that tests can make them differ between recording and replay. Every recall
    asks the model endpoint once, as a memory system that ranks with a model does.
    """

    base_url: str
    prefix: str = "n"
    refuses_update: bool = False
    forgets: bool = False
    asks_differently: bool = False
    offers_nothing: bool = False
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)
    closed: bool = False

    def identity(self) -> Mapping[str, str]:
        return {"name": "notes", "version": "1"}

    def recall(self, query: str, *, scope: str) -> Rendered:
        _post(f"{self.base_url}/embeddings", {"input": query + ("?" if self.asks_differently else "")})
        return self._rendered(scope, "Notes:\n", with_keys=False)

    def tool(self) -> Mapping[str, Any] | None:
        if self.offers_nothing:
            return None
        return {"name": "notes", "description": "notes", "parameters": {"type": "object", "properties": {}}}

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        if arguments["action"] == "search":
            found = self._rendered(scope, "", with_keys=True)
            return Rendered(found.text or "no notes", found.entries, query="all")
        if self.refuses_update:
            return Rendered("update is not known here", failed=True)
        self.notes[arguments["id"]] = (scope, arguments["text"])
        return Rendered("ok", changes=(Change(OperationKind.UPDATE, arguments["id"], arguments["text"], scope),))

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        facts = [line[6:] for m in messages for line in m["content"].splitlines() if line.startswith("note: ")]
        made = []
        for fact in facts:
            item = f"{self.prefix}-{len(self.notes) + 1}"
            self.notes[item] = (scope, fact)
            made.append(Change(OperationKind.CREATE, item, fact, scope))
        return made

    def close(self) -> None:
        self.closed = True

    def _rendered(self, scope: str, head: str, *, with_keys: bool) -> Rendered:
        if self.forgets:
            return Rendered("")
        text, entries = head, []
        for item, (where, note) in self.notes.items():
            if where != scope:
                continue
            text += f"[{item}] " if with_keys else "- "
            entries.append(
                RenderedEntry(item, note, len(text), len(text) + len(note), item if with_keys else None, None, scope)
            )
            text += note + "\n"
        return Rendered(text if entries else "", tuple(entries))


def _post(url: str, body: Any) -> httpx.Response:
    # Reading the certificates of the world takes longer than everything else here, and nothing here is encrypted.
    return httpx.post(url, json=body, verify=False)


def chat_agent(base_url: str) -> Any:
    """An agent: asks the model, carries out its tool calls, asks again, until the model calls no tool."""

    def run(episode: EpisodeContext) -> None:
        episode.memory.tool()
        system = "You are an agent.\n" + episode.memory.recall()
        (episode.workspace / "known.txt").write_text(system)
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": system},
            {"role": "user", "content": episode.task},
        ]
        while True:
            answer = _post(f"{base_url}/chat/completions", {"model": "m", "messages": messages}).json()
            said = answer["choices"][0]["message"]
            messages.append(said)
            if not said.get("tool_calls"):
                return
            for call in said["tool_calls"]:
                arguments = json.loads(call["function"]["arguments"])
                result = episode.memory.call_tool(arguments, tool_call_id=call["id"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    return run


def rule_model(path: str, body: Any) -> Any:
    """Search first where the task says so, then replace what the first note says where the task says so, then stop."""
    if path.endswith("/embeddings"):
        return {"data": [{"embedding": [0.5] * 8}]}
    task, turn = body["messages"][1]["content"], sum(m["role"] == "assistant" for m in body["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": "Done."}
    if "search" in task and turn == 0:
        message = _call({"action": "search"})
    elif "replace" in task and turn == 1:
        seen = body["messages"][-1]["content"]
        message = _call({"action": "update", "id": seen.split("]")[0][1:], "text": "port is 9091"})
    usage = {"prompt_tokens": 10 + turn, "completion_tokens": 3}
    return {"model": "rule-model", "choices": [{"message": message}], "usage": usage}


def _call(arguments: dict[str, str]) -> dict[str, Any]:
    function = {"name": "notes", "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


ARC = ArcSpec.model_validate(
    {
        "id": "port",
        "episodes": [
            {"id": "plant", "scope": "shop", "task": "Remember this.\nnote: port is 8081"},
            {"id": "update", "scope": "shop", "task": "search, then replace the note."},
            {"id": "probe", "scope": "shop", "task": "Use the port."},
        ],
    }
)


@contextmanager
def live_runner(**memory: Any) -> Iterator[Runner]:
    """Yield a runner whose model answers over real HTTP on loopback."""
    with json_server(rule_model) as (base, _):
        yield Runner(
            lambda folder: NoteMemory(base, **memory), chat_agent(base), lambda episode: True, Path("."), Redaction()
        )
