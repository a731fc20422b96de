"""Judged episodes of an arc, for what is read from operations and deliveries."""

from typing import Any

from pytest_memuse.judging.answers import Accuracy, Assessment, Effect, Influence, Judgment, Novelty
from pytest_memuse.model import Delivery, Entry, Episode, Operation, OperationKind, Outcome, ReferenceFact, Task
from pytest_memuse.profiles import JudgedEpisode, episode_row
from pytest_memuse.spans import Exposure, ExposureKind, Span, SpanEntry, SpanOutcome, Window

CREATE, UPDATE, DELETE = OperationKind.CREATE, OperationKind.UPDATE, OperationKind.DELETE


def assessed(effect: str | None = None, acted_on: bool = True) -> Assessment:
    return Assessment(
        True,
        Accuracy.CORROBORATED,
        Novelty.NOVEL,
        Influence.ACTED_ON if acted_on else Influence.NONE,
        Effect(effect) if effect else None,
        (2,) if acted_on else (),
    )


HELPED, HARMED, UNSURE, IDLE = assessed("improved"), assessed("harmed"), assessed(), assessed(acted_on=False)


def change(kind: OperationKind, item: str, value: str | None = None, **more: Any) -> Operation:
    return Operation(more.pop("id", f"{kind}-{item}"), kind, item=item, value=value, **more)


def search(*results: str, **more: Any) -> Operation:
    return Operation(more.pop("id", "search"), OperationKind.SEARCH, results=results, **more)


def span(*entries: tuple[str, str | None, Assessment], name: str = "S1", **more: Any) -> tuple[Span, Judgment]:
    """Return a span of entries (item, exposed text, assessment) with its judgment, first read at step 1."""
    stored = tuple(Entry(item, text) for item, text, _ in entries)
    delivery = Delivery(f"d-{name}", stored, (), "call", operations=more.pop("operations", ()))
    exposed = tuple(
        Exposure(ExposureKind.UNKNOWN if entry.value is None else ExposureKind.FULL, entry.value) for entry in stored
    )
    found = Span(
        id=name,
        deliveries=(delivery,),
        entries=tuple(SpanEntry(e, x, Window(1, 9)) for e, x in zip(stored, exposed, strict=True)),
        first=more.pop("first", 1),
        last=1,
        outcome=SpanOutcome.ELIGIBLE,
        characters=sum(len(entry.value or "") for entry in stored),
        **more,
    )
    return found, Judgment(name, tuple(a for _, _, a in entries))


def told(
    position: int,
    *operations: Operation,
    spans: tuple[tuple[Span, Judgment], ...] = (),
    success: bool | None = True,
    answers: dict[str, str] | None = None,
    **more: Any,
) -> JudgedEpisode:
    """Return the episode ``E0``, ``E1``, ... at a position of the arc ``arc``."""
    facts = tuple(ReferenceFact(subject, value) for subject, value in (answers or {}).items())
    task = Task(more.pop("task", f"T{position}"), more.pop("text", "do it"), facts)
    episode = Episode(
        id=more.pop("id", f"E{position}"),
        steps=more.pop("steps", ()),
        deliveries=tuple(s.deliveries[0] for s, _ in spans),
        messages={},
        task=task,
        arc=more.pop("arc", "arc"),
        position=position,
        operations=operations,
        outcome=Outcome(success),
        **more,
    )
    found = tuple(s for s, _ in spans)
    return JudgedEpisode.of(episode, episode_row(episode, found, {j.span: j for _, j in spans}), found)
