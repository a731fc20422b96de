"""Plain agents that speak one API each through its official client, streamed or not, and a memory for them."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.episodes.running import Runner
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Rendered
from tests.episodes.small_world import NoteMemory
from tests.recording.servers import json_server

Speaker = Callable[[str, bool], Callable[[EpisodeContext], None]]

PARAMETERS = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["search", "update"]},
        "query": {"type": "string"},
        "memory_id": {"type": "string"},
        "text": {"type": "string"},
    },
    "required": ["action"],
}
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}

ARC = ArcSpec.model_validate(
    {
        "id": "port",
        "episodes": [
            {"id": "plant", "scope": "shop", "task": "Remember this.\nnote: `a.port` is `8081`."},
            {"id": "search", "scope": "shop", "task": "Set `a.port` in `a.ini`. `a.port` is `9091`."},
            {"id": "probe", "scope": "shop", "task": "Set `a.port` in `a.ini`."},
        ],
    }
)
"""The second episode states another value than the one remembered, so that the model corrects its memory."""


class ToolMemory(NoteMemory):
    """Notes with a tool that the scripted model knows how to use."""

    def tool(self) -> Mapping[str, Any] | None:
        return {"name": "notes", "description": "Notes.", "parameters": PARAMETERS}

    def call_tool(self, arguments: Mapping[str, Any], *, scope: str) -> Rendered:
        renamed = {"id": arguments.get("memory_id"), **arguments}
        return super().call_tool(renamed, scope=scope)


def carried_out(episode: EpisodeContext, name: str, arguments: Mapping[str, Any], call_id: str) -> str:
    """Return the result of a tool call; commands are not run, only noted and said to have worked."""
    if name == "notes":
        return episode.memory.call_tool(arguments, tool_call_id=call_id)
    return "<returncode>0</returncode>\n<output>\na.port = UNSET\n</output>"


def chat_speaker(base_url: str, stream: bool) -> Callable[[EpisodeContext], None]:
    import openai

    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)

    def run(episode: EpisodeContext) -> None:
        tools = [_function("bash", SHELL), _function("notes", PARAMETERS)] if episode.memory.tool() else []
        messages: list[Any] = [
            {"role": "system", "content": "You are an agent.\n" + episode.memory.recall()},
            {"role": "user", "content": episode.task},
        ]
        while True:
            asked: dict[str, Any] = {"model": "m", "messages": messages, "tools": tools}
            if stream:
                with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as events:
                    said = events.get_final_completion().choices[0].message
            else:
                said = client.chat.completions.create(**asked).choices[0].message
            calls = [
                {
                    "id": c.id,
                    "type": "function",
                    "function": {"name": c.function.name, "arguments": c.function.arguments},
                }
                for c in said.tool_calls or ()
            ]
            messages.append({"role": "assistant", "content": said.content, **({"tool_calls": calls} if calls else {})})
            for call in calls:
                name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
                text = carried_out(episode, name, arguments, call["id"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
            if not calls:
                return

    return run


def responses_speaker(base_url: str, stream: bool) -> Callable[[EpisodeContext], None]:
    import openai

    client = openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)

    def run(episode: EpisodeContext) -> None:
        offered = {"bash": SHELL, "notes": PARAMETERS} if episode.memory.tool() else {}
        tools = [{"type": "function", "name": n, "parameters": p, "strict": False} for n, p in offered.items()]
        system = "You are an agent.\n" + episode.memory.recall()
        items: list[Any] = [{"role": "user", "content": episode.task}]
        while True:
            asked: dict[str, Any] = {"model": "m", "instructions": system, "input": items, "tools": tools}
            if stream:
                with client.responses.stream(**asked) as events:
                    answer: Any = events.get_final_response()
            else:
                answer = client.responses.create(**asked)
            items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
            calls = [item for item in answer.output if item.type == "function_call"]
            for call in calls:
                text = carried_out(episode, call.name, json.loads(call.arguments), call.call_id)
                items.append({"type": "function_call_output", "call_id": call.call_id, "output": text})
            if not calls:
                return

    return run


def anthropic_speaker(base_url: str, stream: bool) -> Callable[[EpisodeContext], None]:
    import anthropic

    client = anthropic.Anthropic(base_url=base_url.removesuffix("/v1"), api_key="none", max_retries=0)

    def run(episode: EpisodeContext) -> None:
        offered = {"bash": SHELL, "notes": PARAMETERS} if episode.memory.tool() else {}
        tools = [{"name": name, "input_schema": schema} for name, schema in offered.items()]
        system = [{"type": "text", "text": "You are an agent.\n" + episode.memory.recall()}]
        messages: list[Any] = [{"role": "user", "content": episode.task}]
        while True:
            asked: dict[str, Any] = {
                "model": "m", "max_tokens": 500, "system": system, "messages": messages, "tools": tools
            }  # fmt: skip
            if stream:
                with client.messages.stream(**asked) as events:
                    answer: Any = events.get_final_message()
            else:
                answer = client.messages.create(**asked)
            blocks = [b.model_dump(include={"type", "text", "id", "name", "input"}) for b in answer.content]
            messages.append({"role": "assistant", "content": blocks})
            results = [
                {"type": "tool_result", "tool_use_id": b.id, "content": carried_out(episode, b.name, b.input, b.id)}
                for b in answer.content
                if b.type == "tool_use"
            ]
            if not results:
                return
            messages.append({"role": "user", "content": results})

    return run


@contextmanager
def speaking_runner(speaker: Speaker, stream: bool = False) -> Iterator[Runner]:
    """Yield a runner of an agent on the scripted model, both over real HTTP."""
    with (
        json_server(lambda path, body: {"data": [{"embedding": [0.5] * 8}]}) as (embeddings, _),
        ScriptedModel() as model,
    ):

        def memory(folder: Path) -> MemorySystem:
            return ToolMemory(embeddings)

        yield Runner(memory, speaker(model.base_url, stream), lambda episode: True, Path("."), Redaction())


def _function(name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}
