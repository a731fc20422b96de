"""Letting observers look at a recording whenever its event log is derived.

An observer sees what the recording holds anyway: requests and store captures. So the recording keeps its name and its
settings, never its findings, and a mended observer mends what old recordings say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from pytest_memuse.model import Actor, MemuseError
from pytest_memuse.model.errors import nearest
from pytest_memuse.recording.captures import ItemText, StoreTimeline
from pytest_memuse.recording.dialects import ReadCall
from pytest_memuse.recording.observers.blocks import BlockObserver
from pytest_memuse.recording.observers.tool_results import ToolResultObserver
from pytest_memuse.recording.observers.types import Observer, SeenCall, SeenEpisode, SeenMessage
from pytest_memuse.recording.recording import DeliveryNote, Event, Exchange, MemoryOperation, ObserverNote, StoreCapture

KNOWN_OBSERVERS: Mapping[str, type[BlockObserver] | type[ToolResultObserver]] = {
    "block": BlockObserver,
    "tool-result": ToolResultObserver,
}
_NAMES = {kind: name for name, kind in KNOWN_OBSERVERS.items()}


def observer_note(observer: BlockObserver | ToolResultObserver) -> ObserverNote:
    """Return the annotation under which a recording remembers an observer."""
    settings = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(observer).items()}
    return ObserverNote(_NAMES[type(observer)], settings)


def observer_of(note: ObserverNote) -> Observer:
    """Return the observer that a recording names. Raises `MemuseError` for one that this release does not know."""
    kind = KNOWN_OBSERVERS.get(note.observer)
    if kind is None:
        told = f"the recording names an observer {note.observer!r} that this release does not know"
        raise MemuseError(told + nearest(note.observer, KNOWN_OBSERVERS), reason="observer")
    known = {field.name for field in fields(kind)}
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in note.settings.items()}
    unknown = next((name for name in settings if name not in known), None)
    if unknown is not None:
        told = f"the recording gives the observer {note.observer!r} a setting {unknown!r} that it does not have"
        raise MemuseError(told + nearest(unknown, known), reason="observer")
    return _checked(kind, settings)


def stored_versions(events: Sequence[Event]) -> Mapping[int, tuple[ItemText, ...]]:
    """Return, for each agent exchange, the versions of items that its request may show.

    A text that is shown was rendered from the store as it stood then; a capture taken afterwards may be the first that
    tells what it held.
    """
    timeline = StoreTimeline()
    found: dict[int, tuple[ItemText, ...]] = {}
    waiting: list[int] = []
    for event in events:
        timeline.take(event)
        if isinstance(event, Exchange) and event.actor is Actor.AGENT:
            found[event.number] = timeline.versions()
            waiting.append(event.number)
        elif isinstance(event, StoreCapture):
            after = timeline.versions()
            for number in waiting:
                found[number] = tuple(dict.fromkeys((*found[number], *after)))
            waiting.clear()
    return found


def seen_episode(
    calls: Sequence[tuple[Exchange, ReadCall]], scope: str, stored: Mapping[int, tuple[ItemText, ...]]
) -> SeenEpisode:
    """Return an episode's answered agent calls as observers see them."""
    seen: list[SeenCall] = []
    before: set[str] = set()
    for exchange, read in calls:
        if read.response is None:
            continue
        messages = tuple(
            SeenMessage(pointer, message, message.digest not in before)
            for pointer, message in zip(read.pointers, read.messages, strict=True)
        )
        seen.append(SeenCall(exchange, read, messages, stored.get(exchange.number, ())))
        before = {message.digest for message in read.messages}
    return SeenEpisode(scope, tuple(seen))


def with_observed(
    events: Sequence[Event], episode: SeenEpisode, observers: Sequence[Observer], *, after: int
) -> list[Event]:
    """Return an episode's events with what the observers found, each finding before the exchange that carried it.

    Searches are numbered on from ``after``. What a bridge annotated is not found again: a place that it proved is its.
    """
    proven = {(e.exchange, e.pointer, e.text) for e in events if isinstance(e, DeliveryNote) and e.exchange}
    found: dict[int, list[Event]] = {}
    for number, (note, search) in enumerate(_findings(episode, observers), after + 1):
        if (note.exchange, note.pointer, note.text) in proven or note.exchange is None:
            continue
        here = found.setdefault(note.exchange, [])
        if search is not None:
            here.append(replace(search, number=number))
            note = replace(note, operation=number)
        here.append(note)
    out: list[Event] = []
    for event in events:
        if isinstance(event, Exchange):
            out.extend(found.pop(event.number, ()))
        out.append(event)
    return out


def _findings(
    episode: SeenEpisode, observers: Sequence[Observer]
) -> Iterator[tuple[DeliveryNote, MemoryOperation | None]]:
    for observer in observers:
        for observed in observer.observe(episode):
            yield observed.note, observed.search


def _checked(kind: type[BlockObserver] | type[ToolResultObserver], settings: Mapping[str, Any]) -> Observer:
    try:
        return kind(**settings)
    except TypeError as error:
        raise MemuseError(f"the recording's settings of an observer are damaged: {error}", reason="observer") from None
