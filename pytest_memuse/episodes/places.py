"""Where a recording's memory operations stand: episode, step, and the model call that read what they delivered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pytest_memuse.model import Actor
from pytest_memuse.recording.recording import DeliveryNote, EpisodeStart, Event, Exchange, MemoryOperation


@dataclass(frozen=True, slots=True)
class Place:
    """Place of one operation.

    ``step`` is the step that consumed what it delivered, or would have, else the step that asked for it; None after the
    last one. ``reader`` is the call of that step where one followed. ``delivered`` is the text that the host put
    into an input, empty where the operation delivered nothing.
    """

    episode: str
    step: int | None = None
    reader: Exchange | None = None
    delivered: str = ""


def operation_places(events: Sequence[Event]) -> dict[int, Place]:
    """Return the place of every operation by its number, in one pass over the events."""
    places: dict[int, Place] = {}
    operations: dict[int, MemoryOperation] = {}
    carried: dict[int, int] = {}
    waiting: list[int] = []
    episode, step = "", 0
    for event in events:
        if isinstance(event, EpisodeStart):
            episode, step, waiting = event.id, 0, []
        elif isinstance(event, MemoryOperation):
            operations[event.number] = event
            places[event.number] = Place(episode, step + 1 if event.kind == "recall" else step)
            waiting.append(event.number)
        elif isinstance(event, DeliveryNote):
            for number in set(event.operations) & set(operations):
                places[number] = replace(places[number], delivered=operations[number].text or event.text)
                if event.exchange is not None:
                    carried[number] = event.exchange
        elif isinstance(event, Exchange) and event.actor is Actor.AGENT and 200 <= event.status < 300:
            step += 1
            for number in [n for n in waiting if carried.get(n, event.number) == event.number]:
                waiting.remove(number)
                consumed = step if number in carried else places[number].step
                places[number] = replace(places[number], step=consumed, reader=event)
    for number, operation in operations.items():
        if operation.kind not in ("recall", "tool") and number not in carried:
            places[number] = replace(places[number], step=None)
    return places
