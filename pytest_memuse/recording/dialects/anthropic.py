"""Anthropic's Messages: content blocks, among which are tool calls and their results."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pytest_memuse.model import Message, ToolCall, Usage
from pytest_memuse.recording.dialects.events import StreamEvent
from pytest_memuse.recording.dialects.fields import (
    count,
    dollars,
    json_text,
    mapping,
    mappings,
    parsed,
    string,
    text_of,
)
from pytest_memuse.recording.dialects.types import Folded, ReadAnswer, Readings, ReadRequest

_USE, _RESULT = "tool_use", "tool_result"


def read_request(body: Mapping[str, Any], readings: Readings) -> ReadRequest:
    """Read system text and messages. A tool result becomes a message of its own, as in the other APIs.

    A message that holds tool results beside other blocks becomes one message for each block, in their order.
    """
    reader = _Blocks(readings)
    system = body.get("system")
    if text_of(system):
        reader.add(Message("system", text_of(system)), "/system")
    raw = body.get("messages")
    if not isinstance(raw, list):
        return ReadRequest(whole=False)
    for position, message in enumerate(raw):
        if isinstance(message, Mapping):
            reader.take(message, f"/messages/{position}/content")
        else:
            reader.whole = False
    return ReadRequest(tuple(reader.messages), tuple(reader.pointers), reader.whole, failures=reader.failures)


def read_answer(body: Mapping[str, Any]) -> ReadAnswer:
    """Read a response body. Tokens read from and written to the cache are part of the input, as in the other APIs."""
    blocks = body.get("content")
    raw = mapping(body.get("usage"))
    fresh, read = count(raw.get("input_tokens")), count(raw.get("cache_read_input_tokens"))
    written = count(raw.get("cache_creation_input_tokens"))
    return ReadAnswer(
        message=_said("assistant", list(mappings(blocks))) if isinstance(blocks, list) else None,
        id=string(body.get("id")),
        model=str(body.get("model") or ""),
        usage=Usage(
            input=None if fresh is None else fresh + (read or 0) + (written or 0),
            output=count(raw.get("output_tokens")),
            cached=read,
        ),
        cost=dollars(raw.get("cost")),
        edited=bool(mapping(body.get("context_management")).get("applied_edits")),
    )


def fold(events: Iterable[StreamEvent]) -> Folded:
    """Put a stream's deltas together; it has ended with a stop reason."""
    body: dict[str, Any] = {}
    usage: dict[str, Any] = {}
    blocks: dict[Any, _GrowingBlock] = {}
    ended = False
    for event in events:
        data, index = event.data, event.data.get("index")
        place = index if isinstance(index, int) else None
        if event.kind == "error":
            return Folded(body, ended=False)
        if event.kind == "message_start":
            body |= mapping(data.get("message"))
            usage |= mapping(body.get("usage"))
        elif event.kind == "content_block_start":
            blocks[place] = _GrowingBlock(mapping(data.get("content_block")))
        elif event.kind == "content_block_delta" and place in blocks:
            blocks[place].take(mapping(data.get("delta")))
        elif event.kind == "message_delta":
            # Counts of the last event are those of the whole call; what it leaves out stands as it was.
            usage |= {name: value for name, value in mapping(data.get("usage")).items() if value is not None}
            body |= {name: data[name] for name in ("context_management",) if data.get(name)}
            ended = ended or mapping(data.get("delta")).get("stop_reason") is not None
        elif event.kind == "message_stop":
            ended = True
    if body:
        body |= {"content": [block.whole() for block in blocks.values()], "usage": usage}
    return Folded(body, ended)


class _GrowingBlock:
    """A content block whose deltas are still coming in."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self._start = start
        self._texts = [string(start.get("text"))]
        self._json: list[str] = []

    def take(self, delta: Mapping[str, Any]) -> None:
        self._texts.append(string(delta.get("text")))
        self._json.append(string(delta.get("partial_json")))

    def whole(self) -> dict[str, Any]:
        kind = string(self._start.get("type"))
        if kind == "text":
            return {**self._start, "text": "".join(self._texts)}
        sent = "".join(self._json)
        if not kind.endswith(_USE) or not sent:
            return dict(self._start)
        given = parsed(sent)
        return {**self._start, "input": sent if given is None else given}


class _Blocks:
    """Reads messages in order, each to one message or, where it holds tool results, to several."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings
        self.messages: list[Message] = []
        self.pointers: list[str] = []
        self.whole = True
        self.failures: dict[str, bool] = {}

    def add(self, message: Message, pointer: str) -> None:
        self.messages.append(message)
        self.pointers.append(pointer)

    def take(self, raw: Mapping[str, Any], pointer: str) -> None:
        role, content = string(raw.get("role")), raw.get("content")
        if not isinstance(content, str | list):
            self.whole = False
            return
        if isinstance(content, str):
            self.add(self._readings.message(raw, partial(Message, role, content)), pointer)
            return
        blocks = [(position, block) for position, block in enumerate(content) if isinstance(block, Mapping)]
        self.whole = self.whole and len(blocks) == len(content)
        if not any(_kind(block).endswith(_RESULT) for _, block in blocks):
            said = partial(_said, role, [block for _, block in blocks])
            self.add(self._readings.message(raw, said), pointer)
            return
        for position, block in blocks:
            if _kind(block).endswith(_RESULT):
                if isinstance(block.get("is_error"), bool):
                    self.failures[_call_id(block)] = block["is_error"]
                result = self._readings.message(block, partial(_result, block))
                self.add(result, f"{pointer}/{position}/content")
            else:
                self.add(_said(role, [block]), f"{pointer}/{position}")


def _result(block: Mapping[str, Any]) -> Message:
    content = block.get("content")
    text = json_text(content) if isinstance(content, Mapping) else _text(content)
    return Message("tool", text, tool_call_id=_call_id(block))


def _call_id(block: Mapping[str, Any]) -> str:
    return str(block.get("tool_use_id") or "")


def _said(role: str, blocks: list[Mapping[str, Any]]) -> Message:
    calls = (block for block in blocks if _kind(block).endswith(_USE))
    return Message(
        role=role,
        text=_text(blocks),
        tool_calls=tuple(
            ToolCall(str(call.get("id") or ""), str(call.get("name") or ""), _arguments(call.get("input")))
            for call in calls
        ),
    )


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json_text({} if given is None else given)


def _text(content: Any) -> str:
    """Return the text that the model reads in blocks: their own, and that of documents and search results."""
    if isinstance(content, str):
        return content
    return "\n".join(text for block in mappings(content) for text in _texts(block))


def _texts(block: Mapping[str, Any]) -> list[str]:
    if isinstance(block.get("text"), str):
        return [block["text"]]
    if _kind(block) == "search_result":
        return [text_of(block.get("content"))]
    source = mapping(block.get("source"))
    if _kind(block) == "document" and source.get("type") == "text":
        return [string(source.get("data"))]
    if _kind(block) == "document" and source.get("type") == "content":
        return [text_of(source.get("content"))]
    return []


def _kind(block: Mapping[str, Any]) -> str:
    return string(block.get("type"))
