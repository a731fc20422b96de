"""From a recording to its event log, each time that it is read: a fix here reaches old recordings.

Agent calls become steps, tool messages of the next request become the results of a step, operations and deliveries are
linked to the calls that they cost and that carried them (MemUse 3.2, A.1.1).
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    Outcome,
    ReferenceFact,
    Step,
    Task,
    ToolResult,
)
from pytest_memuse.model.log import EventLog
from pytest_memuse.recording.annotations import Carrier, delivery_of, operations_of
from pytest_memuse.recording.captures import ItemText, StoreTimeline
from pytest_memuse.recording.dialects import CallReader, ReadCall
from pytest_memuse.recording.item_names import with_first_names
from pytest_memuse.recording.observers.observing import observer_of, seen_episode, stored_versions, with_observed
from pytest_memuse.recording.observers.types import Observer
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    MemoryOperation,
    ObserverNote,
    OutcomeNote,
    Recording,
)


def derive_log(recording: Recording, observers: Iterable[Observer] = ()) -> EventLog:
    """Return the event log of a recording: one episode for each start that it holds, in order.

    ``observers`` look at it besides those that it names itself. A delivery that was announced before the first episode,
    or between the outcome of one and the start of the next, is outside of all; anything else there belongs to the
    episode before it.
    """
    arc = _Arc(recording, observers)
    groups: list[tuple[EpisodeStart, list[Event]]] = []
    outside: list[DeliveryNote] = []
    within = False
    for event in arc.events:
        if isinstance(event, EpisodeStart):
            groups.append((event, []))
            within = True
        elif isinstance(event, DeliveryNote):
            deliveries, place = (groups[-1][1], groups[-1][0].id) if within else (outside, "outside")
            deliveries.append(event)
            arc.announce(event, place)
        elif groups:
            groups[-1][1].append(event)
            within = within and not isinstance(event, OutcomeNote)
        else:
            arc.timeline.take(event)
    episodes = tuple(_EpisodeBuilder(arc, start).build(events) for start, events in groups)
    unread = tuple(arc.delivery(note, arc.names[id(note)], None, "") for note in outside)
    return EventLog(episodes, recording.suite, recording.recorded_against, unread)


class _Arc:
    """What the episodes of a recording share: readers that go on from one to the next, and names across them."""

    def __init__(self, recording: Recording, observers: Iterable[Observer]) -> None:
        self.recording = recording
        self.events = with_first_names(recording.events)
        self.reader = CallReader()
        self.timeline = StoreTimeline()
        self.operations = {e.number: e for e in self.events if isinstance(e, MemoryOperation)}
        self.last_operation = max(self.operations, default=0)
        self.observers = [*(observer_of(e) for e in self.events if isinstance(e, ObserverNote)), *observers]
        self.stored: Mapping[int, tuple[ItemText, ...]] = stored_versions(self.events) if self.observers else {}
        self.names: dict[int, str] = {}
        """Names of the announced deliveries, by the identity of their notes."""
        self._announced: list[str] = []
        self._given: dict[int, tuple[Entry, ...]] = {}
        self._counts: Counter[str] = Counter()

    def announce(self, note: DeliveryNote, place: str) -> None:
        """Give a recorded delivery its name: the episode that it was announced in, and its number there."""
        self._counts[place] += 1
        self.names[id(note)] = f"{place}-d{self._counts[place]}"
        self._announced.append(self.names[id(note)])

    def delivery(self, note: DeliveryNote, name: str, carrier: Carrier | None, scope: str) -> Delivery:
        """Return the delivery that a note tells of, with the operations and deliveries that it names."""
        return delivery_of(
            note if carrier is not None else replace(note, exchange=None),
            name,
            [self.operations[number] for number in note.operations if number in self.operations],
            carrier,
            scope=scope,
            selected_from=[self._announced[n - 1] for n in note.follows if 0 < n <= len(self._announced)],
            given=self._given,
        )


class _EpisodeBuilder:
    def __init__(self, arc: _Arc, start: EpisodeStart) -> None:
        self._arc = arc
        self._recording = arc.recording
        self._start = start
        self._reader = arc.reader
        self._exchanges: dict[int, Exchange] = {}
        self._reads: dict[int, ReadCall] = {}
        self._messages: dict[str, Message] = {}

    def build(self, events: Sequence[Event]) -> Episode:
        self._exchanges = {e.number: e for e in events if isinstance(e, Exchange)}
        self._reads = {number: self._reader.read(e) for number, e in self._exchanges.items()}
        agent = [(e, self._reads[e.number]) for e in self._exchanges.values() if e.actor is Actor.AGENT]
        calls = [self._call(exchange, read) for exchange, read in agent]
        done = [(call, read) for call, (_, read) in zip(calls, agent, strict=True) if call.completed]
        steps = tuple(
            Step(number, call, self._results(read, done[number][1] if number < len(done) else None))
            for number, (call, read) in enumerate(done, 1)
        )
        events = self._observed(events, agent)
        notes = [e for e in events if isinstance(e, DeliveryNote)]
        outcome = next((e for e in reversed(events) if isinstance(e, OutcomeNote)), None)
        return Episode(
            id=f"{self._recording.arc}/{self._start.id}",
            steps=steps,
            deliveries=tuple(self._delivery(number, note) for number, note in enumerate(notes, 1)),
            messages=self._messages,
            task=_task(self._start.task),
            arc=self._recording.arc,
            suite=self._recording.suite,
            scope=self._start.scope,
            position=self._start.position,
            operations=tuple(operations_of(events, self._arc.timeline, self._steps(done))),
            memory_calls=tuple(
                self._call(e, self._reads[e.number]) for e in self._exchanges.values() if e.actor in _NOT_AGENT
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
            cost=read.cost,
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
        return tuple(
            ToolResult(str(call_id), message.digest, following.failures.get(str(call_id)))
            for call_id, message in found.items()
        )

    def _observed(self, events: Sequence[Event], agent: Sequence[tuple[Exchange, ReadCall]]) -> Sequence[Event]:
        arc = self._arc
        if not arc.observers:
            return events
        seen = seen_episode(agent, self._start.scope, arc.stored)
        out = with_observed(events, seen, arc.observers, after=arc.last_operation)
        arc.operations |= {e.number: e for e in out if isinstance(e, MemoryOperation)}
        arc.last_operation = max(arc.operations, default=0)
        return out

    def _steps(self, done: Sequence[tuple[Call, ReadCall]]) -> dict[int, int]:
        """Return the number of the step that an exchange completed, by the number of the exchange."""
        completed = {call.id: number for number, (call, _) in enumerate(done, 1)}
        return {number: completed[f"call-{number}"] for number in self._exchanges if f"call-{number}" in completed}

    def _delivery(self, number: int, note: DeliveryNote) -> Delivery:
        # What observers found is counted apart, so that they change no name of what was announced.
        name = self._arc.names.get(id(note)) or f"{self._start.id}-o{number}"
        exchange = None if note.exchange is None else self._exchanges.get(note.exchange)
        carrier = None if exchange is None else Carrier(exchange, self._reads[exchange.number])
        return self._arc.delivery(note, name, carrier, self._start.scope)


_NOT_AGENT = (Actor.MEMORY, Actor.EMBEDDING)


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
    """Find where an input does not go on from the one before it: messages were removed, or put in their place.

    Where the recording does not hold an input whole, nothing is said of what left it.
    """
    out: list[HistoryChange] = []
    for (_, before), (call, after) in itertools.pairwise(done):
        if not (before.readable and after.readable):
            continue
        old, new = [m.digest for m in before.messages], [m.digest for m in after.messages]
        kept = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        if kept == len(old):
            continue
        kind = HistoryKind.RETRACTION if kept == len(new) else HistoryKind.REWRITE
        out.append(HistoryChange(kind, call.id, kept, tuple(old[kept:]), tuple(new[kept:])))
    return out
