"""The official clients, the scripted model and what a recording between them says."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.model.log import EventLog
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.checks import recording_problems
from tests.agents.driving import BASH
from tests.agents.speaking import (
    ARC,
    SHELL,
    Speaker,
    anthropic_speaker,
    chat_speaker,
    responses_speaker,
    speaking_runner,
)

openai = pytest.importorskip("openai", reason="comes with the extras mem0 and llm")
anthropic = pytest.importorskip("anthropic", reason="comes with the extra dev")

MESSAGES: list[Any] = [{"role": "user", "content": "Read `a.md` first."}]
SAYS = "I'll read `a.md` first, as asked."
DOES = {"command": "cat a.md"}
FUNCTION: dict[str, Any] = {"type": "function", "name": "bash", "parameters": SHELL, "strict": False}
TOOL: dict[str, Any] = {"name": "bash", "input_schema": SHELL}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as running:
        yield running


def _openai(model: ScriptedModel) -> Any:
    return openai.OpenAI(base_url=model.base_url, api_key="none", max_retries=0)


def _anthropic(model: ScriptedModel) -> Any:
    return anthropic.Anthropic(base_url=model.base_url.removesuffix("/v1"), api_key="none", max_retries=0)


def test_chat_completions_stream_with_their_usage(model: ScriptedModel) -> None:
    asked: dict[str, Any] = {"model": "m", "messages": MESSAGES, "tools": [BASH]}
    with _openai(model) as client:
        whole = client.chat.completions.create(**asked)
        with client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as events:
            deltas = [event.delta for event in events if event.type == "content.delta"]
            final = events.get_final_completion()
    assert len(deltas) > 1
    assert final.choices[0].message.content == "".join(deltas) == whole.choices[0].message.content == SAYS
    (call,) = final.choices[0].message.tool_calls
    assert (call.function.name, json.loads(call.function.arguments)) == ("bash", DOES)
    assert final.choices[0].finish_reason == "tool_calls"
    assert final.usage.completion_tokens == whole.usage.completion_tokens > 0


def test_a_chat_stream_tells_no_usage_unless_it_is_asked(model: ScriptedModel) -> None:
    with _openai(model) as client:
        chunks = list(client.chat.completions.create(model="m", messages=MESSAGES, stream=True))
    assert all(chunk.usage is None and chunk.choices for chunk in chunks)


def test_responses_are_served_whole_and_as_a_stream(model: ScriptedModel) -> None:
    asked: dict[str, Any] = {"model": "m", "input": MESSAGES, "tools": [FUNCTION]}
    with _openai(model) as client:
        whole = client.responses.create(**asked)
        with client.responses.stream(**asked) as events:
            kinds = [event.type for event in events]
            final = events.get_final_response()
    assert kinds.count("response.output_text.delta") > 1
    assert [kinds[0], kinds[-1]] == ["response.created", "response.completed"]
    for answer in (whole, final):
        said, called = answer.output
        assert (answer.output_text, called.name, json.loads(called.arguments)) == (SAYS, "bash", DOES)
        assert (answer.status, answer.model, said.role) == ("completed", "memuse-scripted-1", "assistant")
        assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens > 0


def test_a_response_by_identifier_is_refused_since_nothing_is_kept(model: ScriptedModel) -> None:
    with _openai(model) as client, pytest.raises(openai.BadRequestError, match="keeps no responses"):
        client.responses.create(model="m", input="x", previous_response_id="resp_1")


def test_messages_are_served_whole_and_as_a_stream(model: ScriptedModel) -> None:
    asked: dict[str, Any] = {"model": "m", "max_tokens": 99, "messages": MESSAGES, "tools": [TOOL]}
    with _anthropic(model) as client:
        whole = client.messages.create(**asked)
        with client.messages.stream(**asked) as events:
            texts = list(events.text_stream)
            final = events.get_final_message()
    assert len(texts) > 1
    for answer in (whole, final):
        said, called = answer.content
        assert (said.text, called.name, called.input) == (SAYS, "bash", DOES)
        assert (answer.stop_reason, answer.model) == ("tool_use", "memuse-scripted-1")
        assert answer.usage.input_tokens > answer.usage.output_tokens > 0


def test_a_bad_request_gets_an_error_of_anthropics_shape(model: ScriptedModel) -> None:
    with _anthropic(model) as client, pytest.raises(anthropic.BadRequestError, match="at least one message") as caught:
        client.messages.create(model="m", max_tokens=9, messages=[])
    assert caught.value.body["type"] == "error"


def test_tool_choice_is_respected_in_every_api(model: ScriptedModel) -> None:
    with _openai(model) as client:
        none = client.responses.create(model="m", input=MESSAGES, tools=[FUNCTION], tool_choice="none")
    with _anthropic(model) as client:
        choice = {"type": "none"}
        silent = client.messages.create(model="m", max_tokens=9, messages=MESSAGES, tools=[TOOL], tool_choice=choice)
    assert [item.type for item in none.output] == ["message"]
    assert [block.type for block in silent.content] == ["text"]


def test_asynchronous_clients_are_served(model: ScriptedModel) -> None:
    async def ask() -> tuple[Any, str, Any]:
        async with (
            openai.AsyncOpenAI(base_url=model.base_url, api_key="none", max_retries=0) as first,
            # What counts of an address is its end: this one gives /v1/v1/messages.
            anthropic.AsyncAnthropic(base_url=model.base_url, api_key="none", max_retries=0) as second,
        ):
            response = await first.responses.create(model="m", input=MESSAGES, tools=[FUNCTION])
            stream = await first.chat.completions.create(model="m", messages=MESSAGES, tools=[BASH], stream=True)
            text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
            async with second.messages.stream(model="m", max_tokens=99, messages=MESSAGES, tools=[TOOL]) as events:
                return response, text, await events.get_final_message()

    response, text, message = asyncio.run(ask())
    assert response.output_text == text == message.content[0].text == SAYS
    assert message.content[1].input == DOES


def _log(speaker: Speaker, stream: bool) -> EventLog:
    with speaking_runner(speaker, stream) as runner:
        return derive_log(record_arc("shop", ARC, runner))


def _said(log: EventLog) -> list[Any]:
    """Return every input and answer of a log, but for the identifiers that each API makes in its own way."""
    return [
        [(m.role, m.text, [(c.name, c.arguments) for c in m.tool_calls]) for m in (*input_, answer)]
        for episode in log.episodes
        for step in episode.steps
        for input_, answer in [(episode.input_of(step.number), episode.messages[str(step.call.response)])]
    ]


@pytest.fixture(scope="module")
def usual() -> EventLog:
    return _log(chat_speaker, stream=False)


@pytest.mark.parametrize(
    ("speaker", "stream"),
    [
        (chat_speaker, True),
        (responses_speaker, False),
        (responses_speaker, True),
        (anthropic_speaker, False),
        (anthropic_speaker, True),
    ],
)
def test_the_same_arc_has_the_same_log_whichever_api_carried_it(
    speaker: Speaker, stream: bool, usual: EventLog
) -> None:
    log = _log(speaker, stream)
    assert _said(log) == _said(usual)
    assert log.recorded_against == "memuse-scripted-1"
    assert [len(e.steps) for e in log.episodes] == [1, 5, 3]
    for episode in log.episodes:
        assert not any(step.call.gap for step in episode.steps)
        assert recording_problems(episode) == ()
        assert all(delivery.call is not None for delivery in episode.deliveries)
    _, search, probe = log.episodes
    assert [len(search.deliveries), len(probe.deliveries)] == [2, 1]
    spans = [span for episode in (search, probe) for span in build_spans(episode)]
    assert [entry.exposure.kind.value for span in spans for entry in span.entries] == ["full"] * 3
    assert all((step.call.usage.input or 0) > 0 for step in search.steps)
