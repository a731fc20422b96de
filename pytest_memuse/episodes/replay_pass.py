"""One pass over a recording's memory operations, against a memory system whose HTTP the recording answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_memuse.episodes.drift import Drift, DriftKind, EntryDifference, Preview, entry_differences
from pytest_memuse.episodes.host import offer_text
from pytest_memuse.episodes.places import operation_places
from pytest_memuse.episodes.previewing import PreviewTally
from pytest_memuse.episodes.stores import BothStores
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model.errors import printable
from pytest_memuse.recording.cassette import Playback
from pytest_memuse.recording.item_names import created_items
from pytest_memuse.recording.matching import MatchingRule, normal_text
from pytest_memuse.recording.recording import REPORTED, EpisodeStart, ItemNames, MemoryOperation, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Rendered


class ReplayPass:
    """Carries out a recording's operations one after the other; lives for one replay."""

    def __init__(self, recording: Recording, memory: MemorySystem, playback: Playback, redaction: Redaction) -> None:
        self._recording = recording
        self._memory = memory
        self._playback = playback
        self._missed = 0
        self._redaction = redaction
        self._places = operation_places(recording.events)
        self._tally = PreviewTally()
        self._store: Drift | None = None
        self._offer: Drift | None = None
        self.since = ""
        """First episode in which anything differed, store and offered tool included; empty where nothing did."""
        self.stores = BothStores(created_items(recording.events), redaction)
        self._rest: Iterator[MemoryOperation] = iter(())

    def to_first_divergence(self, progress: Callable[[str], None] = lambda _: None) -> Drift:
        """Carry out operations until one delivers differently or cannot be replayed; return what it came to.

        A store that changes otherwise than it did is remembered: it matters once it shows in what is delivered, once it
        leads to requests that the recording cannot answer, or where the agent would have read a refusal. So is another
        offer of the memory tool, which matters if nothing else shows first.
        """
        self._rest = self._operations(progress)
        for operation in self._rest:
            drift = self._divergence(operation)
            if drift is not None:
                return replace(drift, since=self.since or drift.episode)
        late = self._store if self._store is not None and self._store.reason else self._offer
        return Drift(DriftKind.SAME, self._recording.arc) if late is None else replace(late, since=self.since)

    def preview(self) -> Preview:
        """Go on behind the first divergence to the arc's end, and tell what is delivered otherwise than recorded.

        An operation that asks what was not recorded, or raises, is left out with what it wrote, and so is one that
        names an item that was written so.
        """
        for operation in self._rest:
            if operation.kind == "offer":
                continue
            astray = self.stores.names_lost(operation.asked.get("arguments") or {})
            given = None if astray else self._carried_out(operation)[0]
            if given is None:
                self.stores.leave_out(operation)
                self._tally.leave_out()
            else:
                self.stores.follow(operation, given.changes)
                self._compare(operation, given)
        return self._tally.preview()

    @property
    def held(self) -> bool:
        """Whether nothing at all has differed so far, the store and the offered tool included."""
        return self._store is None and self._offer is None

    def _operations(self, progress: Callable[[str], None]) -> Iterator[MemoryOperation]:
        for event in self._recording.events:
            if isinstance(event, EpisodeStart):
                progress(event.id)
            elif isinstance(event, ItemNames):
                self.stores.rename(event)
            elif isinstance(event, MemoryOperation) and event.kind not in REPORTED:
                yield event

    def _divergence(self, recorded: MemoryOperation) -> Drift | None:
        place = self._places[recorded.number]
        arc = self._recording.arc
        here = Drift(DriftKind.DIFFERENT, arc, place.episode, recorded.number, recorded.kind, place.step)
        if recorded.kind == "offer":
            self._compare_offer(here, recorded)
            return None
        given, failure = self._carried_out(recorded)
        if given is None:
            self.stores.leave_out(recorded)
            self._tally.leave_out()
            return self._unreplayable(here, recorded, failure)
        self.stores.follow(recorded, given.changes)
        differences = self._compare(recorded, given)
        if differences:
            return replace(here, differences=differences, reason=self._store.reason if self._store else "")
        if recorded.kind == "recall" or given.query is not None:
            told = self._other_text(recorded, given)
            if told:
                return replace(here, reason=f"the text around the entries has changed: {told}")
        if self._store is None:
            self._store = self._store_drift(here, recorded, given)
            if self._store is not None:
                self.since = self.since or place.episode
        return None

    def _compare_offer(self, here: Drift, recorded: MemoryOperation) -> None:
        try:
            offered = self._redaction.text(offer_text(self._memory.tool()))
        except Exception as error:
            told = f"it raises {type(error).__name__}: {printable(self._redaction.text(str(error)), 200)}"
        else:
            told = _parting(recorded.text, offered) if offered != recorded.text else ""
        if told and self._offer is None:
            self._offer = replace(here, reason=f"the memory tool that is offered has changed: {told}")
            self.since = self.since or here.episode

    def _carried_out(self, recorded: MemoryOperation) -> tuple[Rendered | None, str]:
        """Carry out an operation; return what it gave, or None and why it could not be followed."""
        # What the memory system asked when it was made, before any operation, counts as the first one's.
        missed = self._missed
        try:
            given = self._asked(recorded)
        except Exception as error:
            # A memory system may raise on a refused request; the refusal itself is what is reported.
            if len(self._playback.misses) == missed:
                return None, f"raised {type(error).__name__}: {printable(self._redaction.text(str(error)), 200)}"
            given = Rendered("")
        self._missed = len(self._playback.misses)
        if self._missed > missed:
            return None, f"asks what was not recorded: {self._playback.misses[missed].nearest}"
        return given, ""

    def _asked(self, recorded: MemoryOperation) -> Rendered:
        scope = recorded.scope
        if recorded.kind == "recall":
            return self._memory.recall(str(recorded.asked.get("query", "")), scope=scope)
        if recorded.kind == "tool":
            return self._memory.call_tool(self.stores.translated(recorded.asked.get("arguments") or {}), scope=scope)
        changes = self._memory.extract(list(recorded.asked.get("messages") or ()), scope=scope)
        return Rendered("", changes=tuple(changes))

    def _unreplayable(self, here: Drift, recorded: MemoryOperation, failure: str) -> Drift:
        missed = failure.startswith("asks")
        first = self._store if self._store is not None and missed else here
        earlier = f"{self._store.reason}; then " if self._store is not None and self._store.reason else ""
        return replace(
            first,
            kind=DriftKind.UNREPLAYABLE,
            operation=recorded.number,
            operation_kind=recorded.kind,
            reason=f"{earlier}operation {recorded.number} ({recorded.kind}) {failure}",
            in_store=self._store is not None and missed,
        )

    def _compare(self, recorded: MemoryOperation, given: Rendered) -> tuple[EntryDifference, ...]:
        """Compare the entries of an operation, and count what it delivers on both sides."""
        stores = self.stores
        before = [(_name(stores.before, e), str(e.get("value", ""))) for e in recorded.entries]
        now = [(_name(stores.now, {"item": e.item}), self._redaction.text(e.value)) for e in given.entries]
        differences = entry_differences(before, now)
        delivers = recorded.kind == "recall" or given.query is not None
        told = tuple(d for d in differences if d.item not in stores.lost)
        self._tally.add(
            recorded,
            self._places[recorded.number],
            told,
            self._redaction.text(given.text) if delivers else "",
            other=bool(told) or (delivers and not differences and bool(self._other_text(recorded, given))),
        )
        return differences

    def _other_text(self, recorded: MemoryOperation, given: Rendered) -> str:
        """Return where the delivered texts part, apart from what differs from run to run; empty where they do not."""
        then = _shown(recorded.text, recorded.entries, self.stores.before, self._playback.rules)
        # An identifier may hold a secret, and is recorded without it like the text that shows it.
        clean = self._redaction.text
        shown = [{"item": clean(e.item), "key": clean(e.key or "")} for e in given.entries]
        names = {clean(item): name for item, name in self.stores.now.items()}
        now = _shown(clean(given.text), shown, names, self._playback.rules)
        return _parting(then, now) if then != now else ""

    def _store_drift(self, here: Drift, recorded: MemoryOperation, given: Rendered) -> Drift | None:
        differences = self.stores.differences()
        reason = ""
        if given.failed != recorded.failed:
            refusal = f"is refused: {self._redaction.text(given.text)}"
            told = refusal if given.failed else "succeeds now and was refused then"
            reason = f"operation {recorded.number} ({recorded.kind}) {told}"
        if not differences and not reason:
            return None
        return replace(here, differences=differences, reason=reason, in_store=True)


def _name(names: Mapping[str, str], entry: Mapping[str, Any]) -> str:
    item = str(entry.get("item", ""))
    return names.get(item, item)


def _shown(
    text: str, entries: Sequence[Mapping[str, Any]], names: Mapping[str, str], rules: Sequence[MatchingRule]
) -> str:
    """Return delivered text with what differs from run to run made equal: identifiers and their display keys, dates."""
    for entry in entries:
        item = str(entry.get("item", ""))
        for shown in (item, str(entry.get("key") or "")):
            if shown:
                text = text.replace(shown, f"<{names.get(item, item)}>")
    return normal_text(text, rules)


def _parting(before: str, now: str) -> str:
    """Return where two texts part, a little of each."""
    shared = next((i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), min(len(before), len(now)))
    start = max(0, shared - 20)
    return f"“…{before[start : start + 60]}…” was recorded, it is “…{now[start : start + 60]}…” now"
