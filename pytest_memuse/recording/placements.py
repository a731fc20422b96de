"""Where memory text can stand in a request, of whichever API, and what a pointer into it names (MemUse A.1.1).

The event log knows a request as its messages; a pointer into the request as it was sent is turned into one into these.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model import Proof
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.dialects import ReadCall, read_request

_INDEX = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)
_DEEPEST = 16


@dataclass(frozen=True, slots=True)
class Host:
    """A message of a request that can hold memory text: the pointer to its text, the text, and who says it.

    ``tool_call_id`` names the call whose result it is; None for a message that is no tool result.
    """

    pointer: str
    text: str
    role: str
    tool_call_id: str | None = None


def hosts_of(request: Any, *, uri: str = "") -> tuple[Host, ...]:
    """Return the messages of a request, in order; none where it cannot be read.

    Without its address, the request's shape tells which API it speaks.
    """
    read = read_request(request, uri)
    return tuple(
        Host(pointer, message.text, message.role, message.tool_call_id if message.is_tool_result else None)
        for message, pointer in zip(read.messages, read.pointers, strict=True)
    )


def log_proof(call: ReadCall, request: Any, slot: str, pointer: str, digest: str) -> Proof:
    """Return the proof by which the event log finds the message that a recorded pointer leads to.

    ``pointer`` leads into the request as it was sent, ``digest`` is that of the text there. Where it names a part of a
    message whose digest is right, the proof is one of the whole message. A pointer that leads to no message stays as it
    is, and no placement resolves by it.
    """
    index = _index_of(call.pointers, pointer)
    if index is None:
        return Proof(slot, digest, pointer=pointer)
    if pointer not in _names_of(call.pointers[index]):
        part = _resolved(request, pointer)
        if isinstance(part, str) and text_digest(part) == digest and part in call.messages[index].text:
            digest = text_digest(call.messages[index].text)
    return Proof(slot, digest, pointer=f"/messages/{index}/content")


def _index_of(pointers: tuple[str, ...], pointer: str) -> int | None:
    """Return the position of the message that a pointer names, or a part of; the nearest where one encloses another."""
    best: tuple[int, int] | None = None
    for index, own in enumerate(pointers):
        if not own:
            continue
        if pointer in _names_of(own):
            return index
        if pointer.startswith(own + "/") and (best is None or len(own) > best[0]):
            best = (len(own), index)
    return None if best is None else best[1]


def _names_of(pointer: str) -> tuple[str, ...]:
    """Return the pointers that name a whole message's text: the one to its content, and the one to itself."""
    return (pointer, pointer.removesuffix("/content"))


def _resolved(value: Any, pointer: str) -> Any:
    """Return the value that a JSON pointer (RFC 6901) leads to, None where it leads nowhere."""
    parts = pointer.split("/")
    if parts[0] or len(parts) > _DEEPEST:
        return None
    for part in parts[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping):
            value = value.get(name)
        elif isinstance(value, list) and _INDEX.fullmatch(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return None
    return value
