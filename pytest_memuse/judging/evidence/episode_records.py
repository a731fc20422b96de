"""The records that all spans of an episode share: task, steps, deliveries, messages (MemUse A.2.1)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_memuse.judging.evidence.memory_text import DeliveryNames, Hosted, Mark, outside_memory, whole_text
from pytest_memuse.judging.evidence.messages import MessageBook
from pytest_memuse.judging.evidence.rendering import message_fields, ranges, rendered_line, rendered_lines
from pytest_memuse.judging.evidence.types import DELIVERIES, MESSAGE, REFERENCE, TASK, EpisodeEvidence, step_name
from pytest_memuse.model import Delivery, Episode, Route, Step
from pytest_memuse.model.digests import json_digest, text_digest
from pytest_memuse.spans import Span

OPENING = 2_000
"""Characters of the task that the prompt shows; the whole is a mandatory read."""


def shared_evidence(
    episode: Episode,
    spans: Sequence[Span],
    book: MessageBook,
    marks: Mapping[str, tuple[Mark, ...]],
    hosted: Mapping[str, tuple[Hosted, ...]],
    names: DeliveryNames,
    *,
    reference: bool,
) -> EpisodeEvidence:
    """Return the shared records. Nothing of the outcome is read, nor any name that a recorder or a person gave.

    Identifiers of episodes, arcs, deliveries and items are annotations that the agent never saw, and they may tell what
    somebody expects of the case.
    """
    task = episode.task.text if episode.task else ""
    records = {TASK: rendered_line({"task": task})}
    facts = episode.task.references if episode.task and reference else ()
    if facts:
        records[REFERENCE] = rendered_lines(
            {"subject": fact.subject, "value": fact.value, "superseded": list(fact.superseded)} for fact in facts
        )
    records[DELIVERIES] = rendered_lines(
        delivery_line(span, names, hosted) for span in spans if span.id in names.of_span
    )
    for span in spans:
        if span.id in names.of_span:
            records[names.of_span[span.id]] = rendered_lines(placement_lines(span.deliveries[0]))
    for step in episode.steps:
        records[step_name(step.number)] = rendered_lines(_step_lines(episode, step, book, marks))
    for digest, known in book.known.items():
        message = episode.messages[digest]
        fields = message_fields(message, whole_text(message.text, marks.get(digest, ())))
        records[known.name] = rendered_line({"message": f"m{known.number}", "made_by": _maker(known.made_by), **fields})
    digest = json_digest([[name, text_digest(text)] for name, text in records.items()])
    return EpisodeEvidence(records, _overview(episode, task, records, book), episode.last_step, digest)


def _maker(step: int | None) -> str | None:
    return None if step is None else step_name(step)


def _overview(episode: Episode, task: str, records: Mapping[str, str], book: MessageBook) -> str:
    """Return what opens the prompt of every span of the episode, in lines; it grows with the number of steps only."""
    numbers = [step.number for step in episode.steps]
    lines: list[dict[str, Any]] = [
        {"task opens with": task[:OPENING], "characters": len(task), "whole": TASK},
        {"steps": ranges(numbers, "step "), "characters": [len(records[step_name(n)]) for n in numbers]},
        {"messages": ranges(range(1, len(book.known) + 1), MESSAGE)},
        {"all deliveries of memory": DELIVERIES, "characters": len(records[DELIVERIES])},
    ]
    if REFERENCE in records:
        lines.append({"reference solution": REFERENCE, "characters": len(records[REFERENCE])})
    return rendered_lines(lines)


def delivery_line(span: Span, names: DeliveryNames, hosted: Mapping[str, tuple[Hosted, ...]]) -> dict[str, Any]:
    """Return a delivery as the index shows it: when it was read, how it came, how large it is."""
    delivery = span.deliveries[0]
    line: dict[str, Any] = {
        "delivery": names.of_span[span.id],
        "consumed at": ranges(sorted({row.step for row in hosted[span.id]}), "step "),
        "asked for by": "the agent" if delivery.route is Route.AGENT else "the host",
        "entries": len(delivery.entries),
        "characters": [placement.size for placement in delivery.placements],
    }
    followed = [names.of_delivery[each] for each in delivery.selected_from if each in names.of_delivery]
    if followed:
        line["reached through"] = list(dict.fromkeys(followed))
    return line


def placement_lines(delivery: Delivery) -> Iterator[dict[str, Any]]:
    """Yield a delivery's placements verbatim; a withheld text is a marker. No record is empty, this one neither."""
    if not delivery.placements:
        yield {"placements": "none were recorded"}
    for number, placement in enumerate(delivery.placements, start=1):
        line: dict[str, Any] = {"placement": number, "in": placement.kind.value}
        if placement.text is None:
            yield {**line, "withheld": "the recording does not hold this text", "characters": placement.size}
        else:
            yield {**line, "text": placement.text}


def _step_lines(
    episode: Episode, step: Step, book: MessageBook, marks: Mapping[str, tuple[Mark, ...]]
) -> Iterator[dict[str, Any]]:
    """Yield a step: what is new in its input, its response, its results.

    Messages that arrived from outside after the first step are told here; everything else that is in the input is in
    the record of the step that made it, or in the prior context.
    """
    change = book.inputs[step.number - 1]
    line: dict[str, Any] = {
        "step": step.number,
        "messages in its input": change.size,
        "new": ranges(book.numbers(change.new), MESSAGE),
        "no longer there": ranges(book.numbers(change.gone), MESSAGE),
    }
    if step.call.gap or not step.call.input:
        line["input"] = "the recording lost a part of it" if step.call.gap else "not recorded"
    yield line
    for digest in change.new if step.number > 1 else ():
        known = book.known.get(digest)
        if known is not None and known.made_by is None and known.arrived == step.number:
            message = episode.messages[digest]
            fields = message_fields(message, outside_memory(message.text, marks.get(digest, ())))
            yield {"arrived": known.name, **fields}
    response = episode.messages.get(step.call.response or "")
    if response is None:
        yield {"response": None, "why": "not recorded"}
    else:
        fields = message_fields(response, {"text": response.text})
        yield {"response": book.known[response.digest].name, **fields}
    for result in step.results:
        found = episode.messages.get(result.message)
        line = {} if result.failed is None else {"failed": result.failed}
        if found is None:
            yield {"result": None, "result_of": result.tool_call_id, **line, "why": "not recorded"}
        else:
            fields = message_fields(found, outside_memory(found.text, marks.get(found.digest, ())))
            yield {"result": book.known[found.digest].name, **line, **fields}
