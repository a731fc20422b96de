"""From a recording to its event log, each time that it is read: a fix here reaches old recordings.

Agent calls become steps, tool messages of the next request become the results of a step, operations and deliveries are
linked to the calls that they cost and that carried them (MemUse 3.2, A.1.1).
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    HistoryChange,
    HistoryKind,
    Message,
    Operation,
    OperationKind,
    Outcome,
    Placement,
    PlacementKind,
    Proof,
    ReferenceFact,
    Route,
    Step,
    Task,
    ToolResult,
)
from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.log import EventLog
from pytest_memuse.recording.dialects import ReadCall, read_call
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    MemoryOperation,
    OutcomeNote,
    Recording,
)

_FORMS = {"recall": "task recall", "tool": "search result"}


def derive_log(recording: Recording) -> EventLog:
    """Return the event log of a recording: one episode for each start that it holds, in order."""
    groups: list[tuple[EpisodeStart, list[Event]]] = []
    for event in recording.events:
        if isinstance(event, EpisodeStart):
            groups.append((event, []))
        elif groups:
            groups[-1][1].append(event)
    episodes = tuple(_EpisodeBuilder(recording, start).build(events) for start, events in groups)
    return EventLog(episodes, recording.suite, recording.recorded_against)


class _EpisodeBuilder:
    def __init__(self, recording: Recording, start: EpisodeStart) -> None:
        self._recording = recording
        self._start = start
        self._messages: dict[str, Message] = {}

    def build(self, events: Sequence[Event]) -> Episode:
        agent = [(e, read_call(e)) for e in events if isinstance(e, Exchange) and e.actor is Actor.AGENT]
        calls = [self._call(exchange, read) for exchange, read in agent]
        done = [(call, read) for call, (_, read) in zip(calls, agent, strict=True) if call.completed]
        steps = tuple(
            Step(number, call, self._results(read, done[number][1] if number < len(done) else None))
            for number, (call, read) in enumerate(done, 1)
        )
        operations = {e.number: e for e in events if isinstance(e, MemoryOperation)}
        notes = [e for e in events if isinstance(e, DeliveryNote)]
        outcome = next((e for e in reversed(events) if isinstance(e, OutcomeNote)), None)
        return Episode(
            id=f"{self._recording.arc}/{self._start.id}",
            steps=steps,
            deliveries=tuple(self._delivery(n, note, operations[note.operation]) for n, note in enumerate(notes, 1)),
            messages=self._messages,
            task=_task(self._start.task),
            arc=self._recording.arc,
            suite=self._recording.suite,
            scope=self._start.scope,
            position=self._start.position,
            operations=tuple(self._operations(events)),
            memory_calls=tuple(
                self._call(e, read_call(e)) for e in events if isinstance(e, Exchange) and e.actor in _NOT_AGENT
            ),
            failed_calls=tuple(call for call in calls if not call.completed),
            history=tuple(_history(done)),
            outcome=None if outcome is None else Outcome(outcome.success, outcome.detail),
        )

    def _call(self, exchange: Exchange, read: ReadCall) -> Call:
        actor = exchange.actor or Actor.AGENT
        ours = actor is Actor.AGENT
        response = read.response
        completed = response is not None if ours else 200 <= exchange.status < 300
        call = Call(
            id=f"call-{exchange.number}",
            actor=actor,
            input=tuple(m.digest for m in read.messages) if ours else (),
            response=response.digest if response is not None and ours else None,
            completed=completed,
            gap=ours and not read.readable,
            model=read.model,
            usage=read.usage,
        )
        if ours:
            for message in (*read.messages, *((response,) if response is not None else ())):
                self._messages.setdefault(message.digest, message)
        return call

    def _results(self, read: ReadCall, following: ReadCall | None) -> tuple[ToolResult, ...]:
        """Results are in the next request: its tool messages that answer this response's tool calls."""
        if read.response is None or following is None:
            return ()
        asked = {call.id for call in read.response.tool_calls}
        found = {m.tool_call_id: m for m in following.messages if m.is_tool_result and m.tool_call_id in asked}
        return tuple(ToolResult(str(call_id), message.digest) for call_id, message in found.items())

    def _delivery(self, number: int, note: DeliveryNote, operation: MemoryOperation) -> Delivery:
        kind = PlacementKind.MESSAGE if operation.kind == "recall" else PlacementKind.TOOL_RESULT
        proofs = (Proof(note.slot, note.text_digest or "", pointer=note.pointer),) if note.exchange is not None else ()
        return Delivery(
            id=f"{self._start.id}-d{number}",
            entries=tuple(_entry(entry, operation.scope) for entry in operation.entries),
            placements=(Placement(note.slot, note.text, kind, proofs),),
            call=None if note.exchange is None else f"call-{note.exchange}",
            route=Route.HOST if operation.kind == "recall" else Route.AGENT,
            form=_FORMS.get(operation.kind, operation.kind),
            operations=(f"operation-{operation.number}",),
        )

    def _operations(self, events: Sequence[Event]) -> list[Operation]:
        out: list[Operation] = []
        step = 0
        for event in events:
            if isinstance(event, Exchange) and event.actor is Actor.AGENT and read_call(event).response is not None:
                step += 1
            if isinstance(event, MemoryOperation):
                asked_by = step if event.kind == "tool" and step else None
                out.extend(replace(operation, step=asked_by) for operation in _operations_of(event))
        return out


_NOT_AGENT = (Actor.MEMORY, Actor.EMBEDDING)


def _operations_of(event: MemoryOperation) -> list[Operation]:
    calls = tuple(f"call-{number}" for number in event.exchanges)
    name = f"operation-{event.number}"
    if event.kind == "recall" or (event.entries and not event.changes):
        query = event.asked.get("query")
        results = tuple(str(entry.get("item", "")) for entry in event.entries)
        found = None if query is None else str(query)
        return [Operation(name, OperationKind.SEARCH, event.scope, query=found, results=results, calls=calls)]
    return [
        Operation(
            id=name if number == 1 else f"{name}.{number}",
            kind=OperationKind(change["kind"]),
            namespace=str(change.get("namespace", event.scope)),
            item=str(change.get("item", "")),
            value=change.get("value"),
            # What the operation cost is counted once, with its first change.
            calls=calls if number == 1 else (),
        )
        for number, change in enumerate(event.changes, 1)
    ]


def _entry(raw: Mapping[str, Any], scope: str) -> Entry:
    value = raw.get("value")
    return Entry(
        item=str(raw["item"]) if raw.get("item") is not None else None,
        value=value if isinstance(value, str) else None,
        namespace=str(raw.get("namespace") or scope),
        version=raw.get("version"),
        digest=text_digest(value) if isinstance(value, str) else None,
        key=raw.get("key"),
    )


def _task(raw: Mapping[str, Any]) -> Task | None:
    if not isinstance(raw.get("text"), str) or not isinstance(raw.get("id"), str):
        return None
    references = raw.get("references") or []
    return Task(
        id=raw["id"],
        text=raw["text"],
        references=tuple(
            ReferenceFact(str(fact["subject"]), str(fact["value"]), tuple(str(v) for v in fact.get("superseded", ())))
            for fact in references
        ),
        digest=str(raw.get("digest", "")),
    )


def _history(done: Sequence[tuple[Call, ReadCall]]) -> list[HistoryChange]:
    """Find where an input does not go on from the one before it: messages were removed, or put in their place."""
    out: list[HistoryChange] = []
    for (_, before), (call, after) in itertools.pairwise(done):
        old, new = [m.digest for m in before.messages], [m.digest for m in after.messages]
        kept = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        if kept == len(old):
            continue
        kind = HistoryKind.RETRACTION if kept == len(new) else HistoryKind.REWRITE
        out.append(HistoryChange(kind, call.id, kept, tuple(old[kept:]), tuple(new[kept:])))
    return out
