"""Recording and replaying through the clients that people use: they see the same with the server and without it."""

import asyncio
import gzip
import importlib
import json
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import anthropic
import brotli
import openai
import pytest

from tests.recording.servers import Reply, Sent
from tests.recording.talking import CLIENTS, JSON, SSE, Talk, both, clients


@clients
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_a_compressed_body_is_kept_decoded_and_played_as_the_client_saw_it(
    client: Callable[[bool], Talk], coding: str
) -> None:
    text = json.dumps({"text": "żółw " * 50}).encode()
    encode = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[coding]
    headers = (*JSON, ("content-encoding", coding))
    recorded, played, (event,) = both(lambda _: Reply(encode(text), headers=headers), client(False))
    assert json.loads(event.response["text"].join('""')) == "żółw " * 50
    assert event.headers == {"content-type": "application/json"}
    # urllib decodes nothing by itself.
    assert played == (200, text, "application/json")
    if client is not CLIENTS["urllib"]:
        assert recorded[1] == played[1]


@pytest.mark.skipif(find_spec("zstandard") is None, reason="httpx reads zstd where zstandard is installed only")
@pytest.mark.parametrize("client", ["httpx", "httpx async"])  # httpx2 reads it with another package
def test_a_body_in_zstd_is_kept_decoded_where_the_client_reads_it(client: str) -> None:
    body = json.dumps({"text": "long " * 50}).encode()
    packed = importlib.import_module("zstandard").compress(body)
    headers = (*JSON, ("content-encoding", "zstd"))
    recorded, played, (event,) = both(lambda _: Reply(packed, headers=headers), CLIENTS[client](False))
    assert (event.response, event.headers) == ({"text": "long " * 50}, {"content-type": "application/json"})
    assert recorded[1] == played[1] == body


@clients
def test_a_stream_is_kept_as_text_and_played_line_by_line(client: Callable[[bool], Talk]) -> None:
    pieces = [b'data: {"n": 1}\n\n', b'data: {"n": ', b'"\xc5', b'\xbc"}\n\n', b"data: [DONE]\n\n"]
    recorded, played, (event,) = both(lambda _: Reply(pieces, headers=SSE), client(True))
    assert recorded == played
    assert event.response == b"".join(pieces).decode()
    assert event.headers["content-type"].startswith("text/event-stream")


def _chunk(**fields: Any) -> bytes:
    shared = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"data: " + json.dumps({**shared, **fields}).encode() + b"\n\n"


_CHAT_STREAM = [
    *(
        _chunk(choices=[{"index": 0, "delta": {"content": word}, "finish_reason": None}])
        for word in ("The ", "port ", "is ", "8081")
    ),
    _chunk(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}]),
    b"data: [DONE]\n\n",
]
_CHAT = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "8081"}}],
}
_MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "8081"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
_MESSAGE_EVENTS = [
    {"type": "message_start", "message": {**_MESSAGE, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "80"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "81"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 2},
    },
    {"type": "message_stop"},
]
_ASKED: Any = [{"role": "user", "content": "Which port?"}]


def _model(sent: Sent) -> Reply:
    if sent.path == "/v1/embeddings":
        data = [{"object": "embedding", "index": 0, "embedding": "AACAPwAAAEA="}]
        return Reply(json.dumps({"object": "list", "data": data, "model": "e", "usage": {}}).encode())
    streamed = json.loads(sent.body).get("stream")
    if sent.path == "/v1/messages":
        events = [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in _MESSAGE_EVENTS]
        return Reply(events, headers=SSE) if streamed else Reply(json.dumps(_MESSAGE).encode())
    return (
        Reply(_CHAT_STREAM, headers=SSE)
        if streamed
        else Reply(gzip.compress(json.dumps(_CHAT).encode()), headers=(*JSON, ("content-encoding", "gzip")))
    )


def _openai(origin: str) -> Any:
    web = openai.DefaultHttpxClient(verify=False)
    with openai.OpenAI(base_url=f"{origin}/v1", api_key="k", max_retries=0, http_client=web) as client:
        whole = client.chat.completions.create(model="m", messages=_ASKED)
        with client.chat.completions.create(model="m", messages=_ASKED, stream=True) as stream:
            chunks = [chunk.model_dump() for chunk in stream]
        vector = client.embeddings.create(model="e", input="x").data[0].embedding
    return whole.model_dump(), chunks, vector


async def _async_openai(origin: str) -> Any:
    async with openai.AsyncOpenAI(base_url=f"{origin}/v1", api_key="k", max_retries=0) as client:
        whole = await client.chat.completions.create(model="m", messages=_ASKED)
        stream = await client.chat.completions.create(model="m", messages=_ASKED, stream=True)
        chunks = [chunk.model_dump() async for chunk in stream]
        vector = (await client.embeddings.create(model="e", input="x")).data[0].embedding
    return whole.model_dump(), chunks, vector


def _anthropic(origin: str) -> Any:
    web = anthropic.DefaultHttpxClient(verify=False)
    with anthropic.Anthropic(base_url=origin, api_key="k", max_retries=0, http_client=web) as client:
        whole = client.messages.create(model="m", max_tokens=9, messages=_ASKED)
        with client.messages.stream(model="m", max_tokens=9, messages=_ASKED) as stream:
            events = [event.type for event in stream]
            return whole.model_dump(), events, stream.get_final_message().model_dump()


async def _async_anthropic(origin: str) -> Any:
    async with anthropic.AsyncAnthropic(base_url=origin, api_key="k", max_retries=0) as client:
        whole = await client.messages.create(model="m", max_tokens=9, messages=_ASKED)
        async with client.messages.stream(model="m", max_tokens=9, messages=_ASKED) as stream:
            events = [event.type async for event in stream]
            return whole.model_dump(), events, (await stream.get_final_message()).model_dump()


@pytest.mark.parametrize(
    "talk",
    [
        _openai,
        lambda origin: asyncio.run(_async_openai(origin)),
        _anthropic,
        lambda origin: asyncio.run(_async_anthropic(origin)),
    ],
    ids=["openai", "openai async", "anthropic", "anthropic async"],
)
def test_the_official_clients_give_the_same_objects_and_events_without_the_server(talk: Talk) -> None:
    recorded, played, events = both(_model, talk)
    assert recorded == played
    assert "8081" in repr(played)
    assert [event.status for event in events] == [200] * len(events)
