"""The recorder of one arc: collects exchanges and annotations in order, and binds deliveries to what carried them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlsplit

from pytest_memuse.model import Actor
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.dialects import text_of
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    MemoryOperation,
    OutcomeNote,
)
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change, Rendered

_MODEL_PATHS = ("/chat/completions", "/responses", "/messages")


class ArcRecorder:
    """Collects what happens in one arc. One instance records one arc, in one thread of control.

    The cassette hands every exchange to `exchange`; the memory bridge brackets memory work with `memory_work`, so that
    the memory system's own calls stay out of the agent's steps, and announces deliveries with `deliver`.
    """

    def __init__(self, redaction: Redaction | None = None) -> None:
        self._redaction = redaction or Redaction()
        self.events: list[Event] = []
        self._exchanges = 0
        self._operations = 0
        self._in_memory = False
        self._spent: list[int] = []
        self._pending: list[tuple[int, DeliveryNote, str | None]] = []

    def start_episode(self, start: EpisodeStart) -> None:
        """Begin an episode; deliveries of the one before that no call carried stay unbound."""
        self._pending.clear()
        self.events.append(replace(start, task=self._redaction.value(start.task)))

    def end_episode(self, outcome: OutcomeNote) -> None:
        """Note the outcome of the current episode."""
        self._pending.clear()
        self.events.append(outcome)

    @contextmanager
    def memory_work(self) -> Iterator[None]:
        """Attribute every exchange inside the block to the memory system."""
        self._in_memory, self._spent = True, []
        try:
            yield
        finally:
            self._in_memory = False

    def operation(self, kind: str, scope: str, asked: Mapping[str, Any], given: Rendered | Sequence[Change]) -> int:
        """Note a memory operation that `memory_work` has just bracketed; return its number."""
        self._operations += 1
        rendered = given if isinstance(given, Rendered) else Rendered("", changes=tuple(given))
        self.events.append(
            MemoryOperation(
                number=self._operations,
                kind=kind,
                scope=scope,
                asked=self._redaction.value(asked),
                text=self._redaction.text(rendered.text),
                failed=rendered.failed,
                entries=tuple(self._redaction.value(_plain(entry)) for entry in rendered.entries),
                changes=tuple(self._redaction.value(_plain(change)) for change in rendered.changes),
                exchanges=tuple(self._spent),
            )
        )
        return self._operations

    def deliver(self, operation: int, slot: str, text: str, *, tool_call_id: str | None = None) -> None:
        """Announce text for the next model input; the next agent call that carries it becomes its consuming call."""
        # What carries it is recorded without secrets, and is searched for it.
        note = DeliveryNote(operation=operation, slot=slot, text=self._redaction.text(text))
        self._pending.append((len(self.events), note, tool_call_id))
        self.events.append(note)

    def exchange(
        self, method: str, uri: str, request: Any, status: int, reason: str, response: Any, headers: Any
    ) -> None:
        """Note one exchange, whole."""
        self._exchanges += 1
        actor = self._actor(uri)
        found = Exchange(self._exchanges, actor, method, uri, request, status, reason, dict(headers), response)
        self.events.append(found)
        if self._in_memory:
            self._spent.append(found.number)
        if actor is Actor.AGENT and 200 <= status < 300:
            self._bind(found)

    def _actor(self, uri: str) -> Actor | None:
        path = urlsplit(uri).path
        if path.endswith("/embeddings"):
            return Actor.EMBEDDING
        if self._in_memory:
            return Actor.MEMORY
        return Actor.AGENT if path.endswith(_MODEL_PATHS) else None

    def _bind(self, carrier: Exchange) -> None:
        waiting = []
        for position, note, tool_call_id in self._pending:
            place = placement_in(carrier.request, note.text, tool_call_id)
            if place is None:
                waiting.append((position, note, tool_call_id))
                continue
            pointer, shown, whole = place
            self.events[position] = replace(
                note, text=shown, exchange=carrier.number, pointer=pointer, text_digest=text_digest(whole)
            )
        self._pending = waiting


def placement_in(request: Any, text: str, tool_call_id: str | None) -> tuple[str, str, str] | None:
    """Find memory text in a chat request.

    Returns the JSON pointer of the content that holds it (parts are read as one text, as `dialects.text_of` does), the
    text as it stands there (verbatim, or as a JSON string where the harness wrapped it in JSON) and the whole holding
    text; None where no message carries it. With a ``tool_call_id`` only that call's result is searched, without one
    only messages that are no tool results.
    """
    messages = request.get("messages") if isinstance(request, dict) else None
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if not isinstance(message, dict):
            continue
        if (message.get("tool_call_id") if message.get("role") == "tool" else None) != tool_call_id:
            continue
        whole = text_of(message.get("content"))
        for shown in (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
            if shown and shown in whole:
                return f"/messages/{index}/content", shown, whole
    return None


def _plain(value: Any) -> dict[str, Any]:
    return {key: item for key, item in asdict(value).items() if item is not None and item != ""}
