"""The recorder of one arc: collects exchanges and annotations in order, and binds deliveries to what carried them."""

import itertools
import threading
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.recording.attribution import Attribution
from pytest_memuse.recording.binding import Pending, UnprovenPlacement, bound
from pytest_memuse.recording.dialects import completes
from pytest_memuse.recording.meter import Meter
from pytest_memuse.recording.placements import hosts_of
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    LifecycleNote,
    MemoryOperation,
    ObserverNote,
    OutcomeNote,
    Recording,
    StoreCapture,
)
from pytest_memuse.recording.redacted_events import redacted_events
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import TRUTH, Change, Found, Rendered, RenderedEntry
from pytest_memuse.recording.roles import actor_of
from pytest_memuse.recording.spelling import Spelling


class ArcRecorder:
    """Collects what happens in one arc. One instance records one arc; several threads may hand it what happens.

    The cassette hands every exchange to `exchange`; the memory bridge brackets memory work with `memory_work`, so that
    the memory system's own calls stay out of the agent's steps, and announces deliveries with `deliver`. Where no
    exchange is handed over, ``binds`` is to be False: then no delivery waits for one.
    """

    def __init__(self, redaction: Redaction | None = None, *, binds: bool = True) -> None:
        self._binds = binds
        self.replaced: Counter[str] = Counter()
        """What was replaced in what is recorded, by kind."""
        self.redaction = (redaction or Redaction()).counting(self.replaced)
        self._known_before = self.redaction.known
        self._older = False
        self.events: list[Event] = []
        self._exchanges = 0
        self._operations = 0
        self._deliveries = 0
        self._attribution = Attribution()
        self._pending: list[Pending] = []
        self._carrier: Exchange | None = None
        self._captures: dict[str, Mapping[str, str]] = {}
        self.meter: Meter | None = None
        """Counts every exchange, and is asked before each."""
        # The pass-through recorder hands over exchanges from its own thread.
        self._lock = threading.RLock()

    def go_on_from(self, events: Sequence[Event]) -> None:
        """Begin with events kept from an earlier recording; exchanges and operations are numbered on from theirs."""
        with self._lock:
            # Observers are this recorder's, not those of the recording that it goes on from.
            observers = [event for event in self.events if isinstance(event, ObserverNote)]
            self.events = [*observers, *itertools.dropwhile(lambda event: isinstance(event, ObserverNote), events)]
            self._older = True
            self._exchanges = max((e.number for e in events if isinstance(e, Exchange)), default=0)
            self._operations = max((e.number for e in events if isinstance(e, MemoryOperation)), default=0)
            self._deliveries = sum(isinstance(e, DeliveryNote) for e in events)
            # The first captures of the rebuilt store are whole: its items may have other names.
            self._captures = {}

    def recording(self, suite: str, arc: str, made_with: Mapping[str, Any]) -> Recording:
        """Return the recording of what happened so far, without any secret that has been seen by now.

        Its fingerprint is ``made_with`` and, under ``redactions``, how much was replaced, by kind.
        """
        with self._lock:
            # What an earlier recording holds was redacted by what was known then.
            again = self._older or self.redaction.known > self._known_before
            self.events = redacted_events(self.events, self.redaction, bodies=again)
            clean = self.redaction.value(made_with)
            counts = dict(sorted(self.replaced.items()))
            return Recording(suite, arc, tuple(self.events), {**clean, "redactions": counts} if counts else clean)

    def start_episode(self, start: EpisodeStart) -> None:
        """Begin an episode; deliveries of the one before that no call carried stay unbound."""
        with self._lock:
            self._pending.clear()
            self._carrier = None
            self._attribution.settle()
            self.events.append(replace(start, task=self.redaction.value(start.task)))

    def end_episode(self, outcome: OutcomeNote) -> None:
        """Note the outcome of the current episode."""
        with self._lock:
            for waiting in self._pending:
                self._warn(waiting.number, "no agent call of the episode carried it")
            self._pending.clear()
            self.events.append(outcome)

    def memory_work(self) -> AbstractContextManager[object]:
        """Attribute every exchange inside the block to the memory system (`attribution`)."""
        return self._attribution.work(Actor.MEMORY)

    def agent_work(self) -> AbstractContextManager[object]:
        """Attribute every model call inside the block to the agent, where it runs beside memory work."""
        return self._attribution.work(Actor.AGENT)

    def operation(
        self,
        kind: str,
        scope: str,
        asked: Mapping[str, Any],
        given: Rendered | Sequence[Change],
        found: Sequence[Found] = (),
    ) -> int:
        """Note a memory operation that `memory_work` brackets, or has just bracketed; return its number.

        It takes the exchanges of the bracket that none has taken before it for its cost. ``found`` are entries without
        a place in the given text. What a planted fault says that it did (`rendered.TRUTH`) is noted as it is.
        """
        rendered = given if isinstance(given, Rendered) else Rendered("", changes=tuple(given))
        entries: tuple[RenderedEntry | Found, ...] = (*rendered.entries, *found)
        truth = rendered.extra.get(TRUTH)
        with self._lock:
            self._operations += 1
            self.events.append(
                MemoryOperation(
                    number=self._operations,
                    kind=kind,
                    scope=scope,
                    asked=self.redaction.value(asked),
                    text=self.redaction.text(rendered.text),
                    failed=rendered.failed,
                    entries=tuple(self.redaction.value(plain_data(entry)) for entry in entries),
                    changes=tuple(self.redaction.value(plain_data(change)) for change in rendered.changes),
                    exchanges=self._attribution.claim(),
                    truth=self.redaction.value(truth) if isinstance(truth, Mapping) else None,
                )
            )
            return self._operations

    def deliver(self, operation: int, slot: str, text: str, *, tool_call_id: str | None = None) -> int:
        """Announce text that an operation gave for the next model input; `announce` says what becomes of it."""
        return self.announce(DeliveryNote(operation=operation, slot=slot, text=text, tool_call_id=tool_call_id))

    def announce(self, note: DeliveryNote) -> int:
        """Announce a delivery; the next agent call that carries its text becomes its consuming call.

        Returns its number, counted in the recording from 1. One that no call of the episode carries stays unbound.
        """
        clean = self.redaction.value
        # What carries it is recorded without secrets, and is searched for it.
        note = replace(
            note,
            text=self.redaction.text(note.text),
            also=tuple(clean(note.also)),
            entries=None if note.entries is None else tuple(clean(note.entries)),
        )
        with self._lock:
            self._deliveries += 1
            if self._binds:
                self._pending.append(Pending(self._deliveries, len(self.events), note))
            self.events.append(note)
            return self._deliveries

    def claim(self, delivery: int, slot: str, place: int | str) -> None:
        """Say where the host puts a waiting delivery's text in the next agent call.

        Raises LookupError where the delivery is not waiting (any more), or has no such slot.
        """
        with self._lock:
            if not self._binds:
                return
            waiting = next((w for w in self._pending if w.number == delivery), None)
            if waiting is None:
                raise LookupError("the delivery is not waiting for a call")
            slots = [waiting.note.slot, *(str(placed["slot"]) for placed in waiting.note.also)]
            if slot not in slots:
                raise LookupError(f"the delivery has no slot {slot!r}; it has {', '.join(map(repr, slots))}")
            waiting.claims[slot] = place

    def capture(self, store: Mapping[str, str], scope: str) -> None:
        """Note what a scope's whole store holds: the text of each item."""
        now = {self.redaction.text(item): self.redaction.text(text) for item, text in store.items()}
        with self._lock:
            before, whole = self._captures.get(scope, {}), scope not in self._captures
            put = {item: text for item, text in now.items() if before.get(item) != text}
            gone = tuple(item for item in before if item not in now)
            self._captures[scope] = now
            self.events.append(StoreCapture(scope, put, gone, whole, self._attribution.claim()))

    def note(self, event: LifecycleNote | ObserverNote) -> None:
        """Add an annotation as it is, without secrets."""
        if isinstance(event, LifecycleNote):
            event = replace(event, detail=self.redaction.text(event.detail))
        with self._lock:
            self.events.append(event)

    def exchange(
        self,
        method: str,
        uri: str,
        request: Any,
        status: int,
        reason: str,
        response: Any,
        headers: Any,
        *,
        role: Actor | None = None,
        paid: bool = True,
        spelling: Spelling | None = None,
    ) -> None:
        """Note one exchange, whole. ``role`` is who made it where that was said; else it is seen from what goes on.

        ``paid`` is False where an earlier recording answered it. ``spelling`` is how a response of JSON was written.
        """
        with self._lock:
            self._exchanges += 1
            work = self._attribution.current()
            in_memory = work is not None and work.actor is Actor.MEMORY
            actor = actor_of(method, uri, role=role, in_memory=in_memory)
            found = Exchange(
                self._exchanges, actor, method, uri, request, status, reason, dict(headers), response, spelling
            )
            self.events.append(found)
            if work is not None and in_memory and actor is not Actor.AGENT:
                work.unclaimed.append(found.number)
            if actor is Actor.AGENT and completes(found):
                self._bind(found)
            if not paid:
                self._older = True
            elif self.meter is not None:
                self.meter.count(found)

    def about_to_call(self) -> None:
        """Say that a call is about to go out; raises where the recording is to end before it."""
        if self.meter is not None:
            self.meter.allow()

    def _bind(self, carrier: Exchange) -> None:
        before, self._carrier = self._carrier, carrier
        if not self._pending:
            return
        hosts = hosts_of(carrier.request, uri=carrier.uri)
        known = hosts_of(before.request, uri=before.uri) if before is not None else ()
        waiting = []
        for pending in self._pending:
            note = bound(pending, carrier.number, hosts, known)
            if note is None:
                waiting.append(pending)
                continue
            self.events[pending.position] = note
            for problem in (note.problem, *(str(placed.get("problem", "")) for placed in note.also)):
                if problem:
                    self._warn(pending.number, f"{problem} in exchange {carrier.number}")
        self._pending = waiting

    @staticmethod
    def _warn(delivery: int, problem: str) -> None:
        told = f"delivery {delivery} is not proven: {problem}; what it shows cannot be judged"
        warnings.warn(told, UnprovenPlacement, stacklevel=2)


def plain_data(value: Found | RenderedEntry | Change) -> dict[str, Any]:
    """Return an entry or a change as it is recorded; fields that are empty are left out."""
    return {key: item for key, item in asdict(value).items() if item is not None and item != ""}
