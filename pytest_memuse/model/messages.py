"""Messages of a model input, addressed by their content."""

from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.model.digests import json_digest


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that a model response asks for. ``arguments`` is the JSON text as it was sent."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message: who speaks, what the model reads, and the tool calls that it carries.

    ``text`` is the text that the model reads (the parts of a multi-part message joined by a line break).
    ``digest`` names the message by its whole content; equal messages have equal digests.
    """

    role: str
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    digest: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", json_digest(message_to_dict(self)))

    @property
    def is_tool_result(self) -> bool:
        """Whether the message carries the result of a tool call."""
        return self.role == "tool"


def message_to_dict(message: Message) -> dict[str, Any]:
    """Return the message as plain data; fields that are empty are left out."""
    out: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.tool_calls:
        out["tool_calls"] = [{"id": c.id, "name": c.name, "arguments": c.arguments} for c in message.tool_calls]
    if message.tool_call_id is not None:
        out["tool_call_id"] = message.tool_call_id
    return out
