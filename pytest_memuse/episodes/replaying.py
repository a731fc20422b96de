"""Replaying an arc's memory operations against the memory system as it stands, all HTTP answered by the recording."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_memuse.episodes.drift import Drift, DriftKind, entry_differences
from pytest_memuse.episodes.host import offer_text
from pytest_memuse.episodes.running import MemoryFactory
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import OperationKind
from pytest_memuse.model.errors import printable
from pytest_memuse.recording.cassette import Playback, playing_http
from pytest_memuse.recording.matching import DEFAULT_RULES
from pytest_memuse.recording.recording import DeliveryNote, EpisodeStart, Exchange, MemoryOperation, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Rendered


def replay_arc(arc: ArcSpec, recording: Recording, memory: MemoryFactory, redaction: Redaction) -> Drift:
    """Run an arc's recorded memory operations in order against a fresh memory system and compare what it delivers.

    Ends at the first divergence. Identifiers that the system makes at random are compared by their order of creation.
    Nothing reaches the network; a request that the recording does not hold makes the arc unreplayable there.
    """
    changed = _changed_task(arc, recording)
    if changed is not None:
        return changed
    store = tempfile.TemporaryDirectory(prefix="memuse-store-", ignore_cleanup_errors=True)
    with store as folder, playing_http(recording, redaction) as playback:
        system = memory(Path(folder))
        try:
            return _Replay(recording, system, playback, redaction).run()
        finally:
            system.close()


def _changed_task(arc: ArcSpec, recording: Recording) -> Drift | None:
    recorded = {episode.id: episode.task.get("digest") for episode in recording.episodes}
    wanted = {episode.id: episode.digest for episode in arc.episodes}
    if list(recorded) != list(wanted):
        return Drift(DriftKind.CHANGED_TASK, arc.id, reason="the arc's episodes are not those of the recording")
    for episode, digest in wanted.items():
        if recorded[episode] != digest:
            return Drift(DriftKind.CHANGED_TASK, arc.id, episode, reason="the task was edited after it was recorded")
    return None


class _Replay:
    """One pass over a recording. Items are named by the order in which they were created, on both sides."""

    def __init__(self, recording: Recording, memory: MemorySystem, playback: Playback, redaction: Redaction) -> None:
        self._redaction = redaction
        self._recording = recording
        self._memory = memory
        self._playback = playback
        self._before: dict[str, str] = {}
        self._now: dict[str, str] = {}
        self._now_by_name: dict[str, str] = {}
        self._store_before: dict[str, str] = {}
        self._store_now: dict[str, str] = {}
        self._store: Drift | None = None
        self._offer: Drift | None = None

    def run(self) -> Drift:
        episode = ""
        for event in self._recording.events:
            if isinstance(event, EpisodeStart):
                episode = event.id
            elif isinstance(event, MemoryOperation):
                drift = self._operation(episode, event)
                if drift is not None:
                    return drift
        if self._store is not None and self._store.reason:
            return self._store
        return self._offer or Drift(DriftKind.SAME, self._recording.arc)

    def _operation(self, episode: str, recorded: MemoryOperation) -> Drift | None:
        """Carry out one operation; return the drift where it delivers differently or cannot be replayed.

        A store that changes otherwise than it did is remembered: it matters once it shows in what is delivered, once it
        leads to requests that the recording cannot answer, or where the agent would have read a refusal. So is another
        offer of the memory tool, which matters if nothing else shows first.
        """
        here = Drift(
            DriftKind.DIFFERENT, self._recording.arc, episode, recorded.number, recorded.kind, self._step(recorded)
        )
        if recorded.kind == "offer":
            offered = offer_text(self._memory.tool())
            if offered != recorded.text and self._offer is None:
                told = _parting(recorded.text, offered)
                self._offer = replace(here, reason=f"the memory tool that is offered has changed: {told}")
            return None
        try:
            given = self._asked(recorded)
        except Exception as error:
            # A memory system may raise on a refused request; the refusal itself is what is reported.
            if not self._playback.misses:
                return self._raised(here, recorded, error)
            given = Rendered("")
        if self._playback.misses:
            miss = self._playback.misses[0]
            reason = f"operation {recorded.number} ({recorded.kind}) asks what was not recorded: {miss.nearest}"
            first = self._store or here
            earlier = f"{first.reason}; then " if first.reason else ""
            return replace(
                first,
                kind=DriftKind.UNREPLAYABLE,
                operation=recorded.number,
                reason=earlier + reason,
                operation_kind=recorded.kind,
                in_store=self._store is not None,
            )
        self._follow(recorded, given)
        before = [(self._name(self._before, e), str(e.get("value", ""))) for e in recorded.entries]
        now = [(self._name(self._now, {"item": e.item}), self._redaction.text(e.value)) for e in given.entries]
        differences = entry_differences(before, now)
        if differences:
            return replace(here, differences=differences, reason=self._store.reason if self._store else "")
        if recorded.kind == "recall" or given.query is not None:
            then = _shown(recorded.text, recorded.entries, self._before)
            shown = [{"item": e.item, "key": e.key} for e in given.entries]
            text = _shown(self._redaction.text(given.text), shown, self._now)
            if then != text:
                return replace(here, reason=f"the text around the entries has changed: {_parting(then, text)}")
        if self._store is None:
            self._store = self._store_drift(here, recorded, given)
        return None

    def _store_drift(self, here: Drift, recorded: MemoryOperation, given: Rendered) -> Drift | None:
        differences = entry_differences(tuple(self._store_before.items()), tuple(self._store_now.items()))
        reason = ""
        if given.failed != recorded.failed:
            told = f"is refused: {given.text}" if given.failed else "succeeds now and was refused then"
            reason = f"operation {recorded.number} ({recorded.kind}) {told}"
        if not differences and not reason:
            return None
        return replace(here, differences=differences, reason=reason, in_store=True)

    def _raised(self, here: Drift, recorded: MemoryOperation, error: Exception) -> Drift:
        told = f"{type(error).__name__}: {printable(str(error), 200)}"
        earlier = f"{self._store.reason}; then " if self._store is not None and self._store.reason else ""
        reason = f"{earlier}operation {recorded.number} ({recorded.kind}) raised {told}"
        return replace(here, kind=DriftKind.UNREPLAYABLE, reason=reason)

    def _asked(self, recorded: MemoryOperation) -> Rendered:
        scope = recorded.scope
        if recorded.kind == "recall":
            return self._memory.recall(str(recorded.asked.get("query", "")), scope=scope)
        if recorded.kind == "tool":
            return self._memory.call_tool(self._translated(recorded.asked.get("arguments") or {}), scope=scope)
        changes = self._memory.extract(list(recorded.asked.get("messages") or ()), scope=scope)
        return Rendered("", changes=tuple(changes))

    def _translated(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Put the identifiers of this run where the recorded arguments hold those of the recording."""
        return {
            key: self._now_by_name.get(self._before[value], value)
            if isinstance(value, str) and value in self._before
            else value
            for key, value in arguments.items()
        }

    def _follow(self, recorded: MemoryOperation, given: Rendered) -> None:
        """Name what was created, and carry the changes over to both sides' stores."""
        for change in recorded.changes:
            item, kind = str(change.get("item")), str(change.get("kind"))
            if kind == OperationKind.CREATE:
                self._before.setdefault(item, f"item {len(self._before) + 1}")
            _apply(self._store_before, self._before.get(item, item), kind, change.get("value"))
        for made in given.changes:
            if made.kind is OperationKind.CREATE and made.item not in self._now:
                name = f"item {len(self._now) + 1}"
                self._now[made.item] = name
                self._now_by_name[name] = made.item
            _apply(
                self._store_now, self._now.get(made.item, made.item), made.kind, self._redaction.text(made.value or "")
            )

    @staticmethod
    def _name(names: Mapping[str, str], entry: Mapping[str, Any]) -> str:
        item = str(entry.get("item", ""))
        return names.get(item, item)

    def _step(self, operation: MemoryOperation) -> int | None:
        """Return the step that consumed what the operation delivered, else that would have, else that asked for it."""
        events = self._recording.events
        carrier = next(
            (e.exchange for e in events if isinstance(e, DeliveryNote) and e.operation == operation.number), None
        )
        step, asked = 0, None
        for event in events:
            if isinstance(event, EpisodeStart):
                if asked is not None:
                    break
                step = 0
            elif isinstance(event, Exchange) and event.actor == "agent" and 200 <= event.status < 300:
                step += 1
                if event.number == carrier:
                    return step
            elif event is operation:
                asked = step
        if operation.kind == "recall" and asked is not None:
            return asked + 1
        return asked if operation.kind == "tool" else None


def _shown(text: str, entries: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """Return delivered text with what differs from run to run made equal: identifiers and their display keys, dates."""
    for entry in entries:
        item = str(entry.get("item", ""))
        for shown in (item, str(entry.get("key") or "")):
            if shown:
                text = text.replace(shown, f"<{names.get(item, item)}>")
    for rule in DEFAULT_RULES:
        text = rule.pattern.sub(rule.replacement, text)
    return text


def _parting(before: str, now: str) -> str:
    """Return where two texts part, a little of each."""
    shared = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), min(len(before), len(now)))
    start = max(0, shared - 20)
    return f"“…{before[start : start + 60]}…” was recorded, it is “…{now[start : start + 60]}…” now"


def _apply(store: dict[str, str], name: str, kind: str, value: Any) -> None:
    if kind == OperationKind.DELETE:
        store.pop(name, None)
    else:
        store[name] = str(value or "")
