"""OpenAI's Responses: items instead of messages, and conversations that the provider may keep."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pytest_memuse.model import Message, ToolCall, Usage
from pytest_memuse.recording.dialects.events import StreamEvent
from pytest_memuse.recording.dialects.fields import count, dollars, json_text, mapping, mappings, string, text_of
from pytest_memuse.recording.dialects.types import Folded, ReadAnswer, Readings, ReadRequest

_ELSEWHERE = ("conversation", "prompt")
"""Fields that name text which the provider keeps and the request does not hold."""

_SILENT = frozenset({"reasoning", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"})
"""Items without text of the conversation. What the model thought is not shown to it as a message."""

_CALL, _OUTPUT = "_call", "_call_output"


def read_request(body: Mapping[str, Any], readings: Readings) -> ReadRequest:
    """Read the items of a request. What one response gave (texts, tool calls) is one assistant message again.

    A request that goes on from an earlier response, by its identifier, holds only what is new.
    """
    reader = _Items(readings)
    instructions = body.get("instructions")
    if isinstance(instructions, str) and instructions:
        reader.add(Message("system", instructions), "/instructions")
    elif instructions:
        reader.whole = False
    before = len(reader.messages)
    given = body.get("input")
    if isinstance(given, str):
        reader.add(Message("user", given), "/input")
    elif isinstance(given, list):
        for position, item in enumerate(given):
            reader.take(item, f"/input/{position}")
        reader.close()
    else:
        reader.whole = False
    previous = body.get("previous_response_id")
    return ReadRequest(
        messages=tuple(reader.messages),
        pointers=tuple(reader.pointers),
        whole=reader.whole and not any(body.get(name) for name in _ELSEWHERE),
        previous=None if previous is None else str(previous),
        instructions=before,
    )


def read_answer(body: Mapping[str, Any]) -> ReadAnswer:
    """Read a response object; one that is cut short by a token limit is an answer, one that failed is none."""
    items = body.get("output")
    raw = mapping(body.get("usage"))
    answered = isinstance(items, list) and body.get("status", "completed") in ("completed", "incomplete", None)
    return ReadAnswer(
        message=_assistant(list(mappings(items))) if answered else None,
        id=string(body.get("id")),
        model=str(body.get("model") or ""),
        usage=Usage(
            input=count(raw.get("input_tokens")),
            output=count(raw.get("output_tokens")),
            cached=count(mapping(raw.get("input_tokens_details")).get("cached_tokens")),
            reasoning=count(mapping(raw.get("output_tokens_details")).get("reasoning_tokens")),
        ),
        cost=dollars(raw.get("cost")),
    )


def fold(events: Iterable[StreamEvent]) -> Folded:
    """Take the response object that closes a stream; some endpoints leave its items to the events before it."""
    body: Mapping[str, Any] = {}
    items: list[Any] = []
    ended = False
    for event in events:
        response = event.data.get("response")
        if isinstance(response, Mapping):
            body = response
        if event.kind == "response.output_item.done":
            items.append(event.data.get("item"))
        ended = ended or event.kind in ("response.completed", "response.incomplete")
        if event.kind in ("error", "response.failed"):
            return Folded(body, ended=False)
    if items and not body.get("output"):
        body = {**body, "output": items}
    return Folded(body, ended)


class _Items:
    """Reads items in order; what the assistant said and called between two others' items is gathered."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings
        self.messages: list[Message] = []
        self.pointers: list[str] = []
        self.whole = True
        self._gathered: list[Mapping[str, Any]] = []
        self._place = ""

    def add(self, message: Message, pointer: str) -> None:
        self.close()
        self.messages.append(message)
        self.pointers.append(pointer)

    def close(self) -> None:
        gathered, self._gathered = self._gathered, []
        if gathered:
            self.messages.append(_assistant(gathered))
            self.pointers.append(self._place)

    def take(self, item: Any, pointer: str) -> None:
        if not isinstance(item, Mapping):
            self.whole = False
            return
        kind, role = _kind(item), string(item.get("role"))
        if kind == "message" and role and role != "assistant":
            self.add(self._readings.message(item, partial(_spoken, item)), f"{pointer}/content")
        elif kind == "message" and role:
            self._gather(item, f"{pointer}/content")
        elif kind.endswith(_OUTPUT):
            self.add(self._readings.message(item, partial(_result, item)), f"{pointer}/output")
        elif kind.endswith(_CALL):
            self._gather(item, pointer)
            if item.get("output") is not None:  # Tools that the provider runs have call and result in one item.
                self.add(self._readings.message(item, partial(_result, item)), f"{pointer}/output")
        elif kind not in _SILENT:
            # A reference to what the provider keeps, a compacted conversation, or an item that is not known here.
            self.whole = False

    def _gather(self, item: Mapping[str, Any], pointer: str) -> None:
        if not any(_kind(other) == "message" for other in self._gathered):
            self._place = pointer if not self._gathered or _kind(item) == "message" else self._place
        self._gathered.append(item)


def _spoken(item: Mapping[str, Any]) -> Message:
    return Message(string(item.get("role")), text_of(item.get("content")))


def _result(item: Mapping[str, Any]) -> Message:
    output = item.get("output")
    text = text_of(output) if isinstance(output, str | list) else json_text(output)
    return Message("tool", text, tool_call_id=_call_id(item))


def _assistant(items: list[Mapping[str, Any]]) -> Message:
    texts = [text_of(item.get("content")) for item in items if _kind(item) == "message"]
    calls = tuple(_tool_call(item) for item in items if _kind(item).endswith(_CALL))
    return Message("assistant", "\n".join(texts), calls)


def _tool_call(item: Mapping[str, Any]) -> ToolCall:
    given: Any = next((item[name] for name in ("arguments", "input", "action") if item.get(name) is not None), {})
    return ToolCall(
        id=_call_id(item),
        name=str(item.get("name") or _kind(item).removesuffix(_CALL)),
        arguments=given if isinstance(given, str) else json_text(given),
    )


def _call_id(item: Mapping[str, Any]) -> str:
    return str(item.get("call_id") or item.get("id") or "")


def _kind(item: Mapping[str, Any]) -> str:
    """Return an item's type; a message may leave it out."""
    return string(item.get("type")) or ("message" if "role" in item else "")
