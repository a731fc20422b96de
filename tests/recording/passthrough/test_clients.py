"""The official clients say and hear the same with the recorder between, and again from its recording alone."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.execution.quiet_imports import quiet_import
from pytest_memuse.model import Actor
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import read_lines, write_lines
from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.recording import EpisodeStart, Exchange, OutcomeNote, Recording
from pytest_memuse.recording.session import ArcRecorder
from tests.recording.servers import json_server

Calls = Callable[[str, str], list[Any]]
"""From the base URLs of the model and of the embedder to what a client made of their answers, as plain data."""

_TASK = "Read `a.md` first."
_PARAMETERS = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
_FUNCTION = {"name": "bash", "description": "Run a command.", "parameters": _PARAMETERS}
_CHAT = [{"role": "user", "content": _TASK}]


def _openai(model: str, embedder: str) -> list[Any]:
    openai = pytest.importorskip("openai", reason="the client is not installed")
    tools = [{"type": "function", "function": _FUNCTION}]
    chat: dict[str, Any] = {"model": "m", "messages": _CHAT, "tools": tools}
    streamed = {**chat, "stream": True, "stream_options": {"include_usage": True}}
    responses: dict[str, Any] = {"model": "m", "input": _TASK, "tools": [{"type": "function", **_FUNCTION}]}
    out: list[Any] = []
    with openai.OpenAI(base_url=model, api_key="k", max_retries=0, http_client=httpx.Client(verify=False)) as client:
        out.append(client.chat.completions.create(**chat))
        out += client.chat.completions.create(**streamed)
        out.append(client.responses.create(**responses))
        out += client.responses.create(**responses, stream=True)
        out.append(client.with_options(base_url=embedder).embeddings.create(model="e", input="x"))

    async def asynchronously() -> None:
        async with openai.AsyncOpenAI(
            base_url=model, api_key="k", max_retries=0, http_client=httpx.AsyncClient(verify=False)
        ) as client:
            out.append(await client.chat.completions.create(**chat))
            out.extend([part async for part in await client.chat.completions.create(**streamed)])
            out.append(await client.responses.create(**responses))
            out.extend([part async for part in await client.responses.create(**responses, stream=True)])

    asyncio.run(asynchronously())
    return [part.model_dump() for part in out]


def _anthropic(model: str, embedder: str) -> list[Any]:
    anthropic = pytest.importorskip("anthropic", reason="the client is not installed")
    tool = {"name": "bash", "description": "Run a command.", "input_schema": _PARAMETERS}
    asked: dict[str, Any] = {"model": "m", "max_tokens": 100, "messages": _CHAT, "tools": [tool]}
    base, out = model.removesuffix("/v1"), []
    with anthropic.Anthropic(base_url=base, api_key="k", max_retries=0) as client:
        out.append(client.messages.create(**asked))
        with client.messages.stream(**asked) as events:
            out += [*events, events.get_final_message()]

    async def asynchronously() -> None:
        async with anthropic.AsyncAnthropic(base_url=base, api_key="k", max_retries=0) as client:
            out.append(await client.messages.create(**asked))
            out.extend([part async for part in await client.messages.create(**asked, stream=True)])

    asyncio.run(asynchronously())
    return [part.model_dump() for part in out]


def _litellm(model: str, embedder: str) -> list[Any]:
    litellm = quiet_import("litellm", extra="llm")
    tools = [{"type": "function", "function": _FUNCTION}]
    asked: dict[str, Any] = {"model": "openai/m", "messages": _CHAT, "tools": tools}
    asked |= {"api_base": model, "api_key": "k", "max_retries": 0}
    streamed = {**asked, "stream": True, "stream_options": {"include_usage": True}}
    out = [litellm.completion(**asked)]
    out += litellm.completion(**streamed)

    async def asynchronously() -> None:
        out.append(await litellm.acompletion(**asked))
        out.extend([part async for part in await litellm.acompletion(**streamed)])

    asyncio.run(asynchronously())
    # LiteLLM stamps its own time and ids on what it hands out.
    return [{k: v for k, v in part.model_dump().items() if k in ("choices", "usage", "model")} for part in out]


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[str, str]]:
    vector = {"object": "list", "model": "e", "data": [{"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}]}
    embeddings = json_server(lambda path, body: {**vector, "usage": {"prompt_tokens": 1, "total_tokens": 1}})
    with ScriptedModel() as model, embeddings as (embedder, _):
        yield model.base_url, embedder


def _recorded(calls: Calls, through: Callable[[ArcRecorder], PassThrough]) -> tuple[list[Any], Recording]:
    recorder = ArcRecorder()
    recorder.start_episode(EpisodeStart("e", 0, "", {"id": "e", "text": _TASK}))
    with through(recorder) as endpoint:
        heard = calls(endpoint.url("model"), endpoint.url("embedder"))
        made_with = {"upstreams": dict(endpoint.upstreams)}
    recorder.end_episode(OutcomeNote(None))
    recording = Recording("s", "a", tuple(recorder.events), made_with)
    return heard, read_lines((line.encode() for line in write_lines(recording)), "test")


@pytest.mark.parametrize(
    ("calls", "steps", "embeddings"),
    [pytest.param(_openai, 8, 1, id="openai"), pytest.param(_anthropic, 4, 0, id="anthropic"),
     pytest.param(_litellm, 4, 0, id="litellm", marks=pytest.mark.slow)],
)  # fmt: skip
def test_a_client_hears_the_same_without_and_with_the_recorder_and_from_its_recording(
    calls: Calls, steps: int, embeddings: int, servers: tuple[str, str]
) -> None:
    plain = calls(*servers)
    upstreams = dict(zip(("model", "embedder"), servers, strict=True))
    heard, recording = _recorded(calls, lambda recorder: PassThrough(upstreams, recorder))
    again, replayed = _recorded(calls, lambda recorder: PassThrough.playing(recording, recorder))
    assert heard == plain
    assert again == plain
    assert "cat a.md" in json.dumps(plain).replace("\\", "")
    actors = [event.actor for event in recording.events if isinstance(event, Exchange)]
    assert (actors.count(Actor.AGENT), actors.count(Actor.EMBEDDING)) == (steps, embeddings)
    log = derive_log(recording)
    assert log == derive_log(replayed)
    (episode,) = log.episodes
    assert len(episode.steps) == steps
    said = [episode.messages[step.call.response or ""] for step in episode.steps]
    assert [json.loads(message.tool_calls[0].arguments) for message in said] == [{"command": "cat a.md"}] * steps
    assert all(step.call.usage.output for step in episode.steps)
