"""From a recording's annotations to the event log's deliveries and operations (MemUse 3.2, A.1.1)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_memuse.model import Delivery, Entry, Operation, OperationKind, Placement, PlacementKind, Proof, Route
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.captures import StoreTimeline
from pytest_memuse.recording.dialects import ReadCall
from pytest_memuse.recording.placements import log_proof
from pytest_memuse.recording.recording import DeliveryNote, Event, Exchange, MemoryOperation

_FORMS = {"recall": "task recall", "tool": "search result", "search": "search result"}


@dataclass(frozen=True, slots=True)
class Carrier:
    """The exchange that carried a delivery, and what it says."""

    exchange: Exchange
    read: ReadCall


def delivery_of(
    note: DeliveryNote,
    name: str,
    operations: Sequence[MemoryOperation],
    carrier: Carrier | None,
    *,
    scope: str,
    selected_from: Sequence[str] = (),
    given: dict[int, tuple[Entry, ...]] | None = None,
) -> Delivery:
    """Return the delivery that a note tells of; ``operations`` are those that it names, ``scope`` is its episode's.

    ``given`` remembers the entries of each operation of the recording, which restated deliveries share.
    """
    by_tool = note.tool_call_id is not None or any(operation.kind == "tool" for operation in operations)
    kind = PlacementKind.TOOL_RESULT if by_tool else PlacementKind.MESSAGE
    first = operations[0] if operations else None
    placed: list[Mapping[str, Any]] = [
        {
            "slot": note.slot,
            "text": note.text,
            "pointer": note.pointer,
            "text_digest": note.text_digest,
            "problem": note.problem,
        },
        *note.also,
    ]
    return Delivery(
        id=name,
        entries=tuple(_entries(note, operations, scope, {} if given is None else given)),
        placements=tuple(
            Placement(str(raw["slot"]), str(raw["text"]), kind, () if carrier is None else (_proof(raw, carrier),))
            for raw in placed
        ),
        call=None if note.exchange is None else f"call-{note.exchange}",
        route=Route(note.route) if note.route else Route.AGENT if by_tool else Route.HOST,
        form=note.form or ("" if first is None else _FORMS.get(first.kind, first.kind)),
        selected_from=tuple(selected_from),
        operations=tuple(f"operation-{operation.number}" for operation in operations),
    )


def operations_of(events: Sequence[Event], timeline: StoreTimeline, steps: Mapping[int, int]) -> Iterator[Operation]:
    """Yield the operations of an episode's events, in order.

    ``timeline`` has followed the recording up to them and follows them on. ``steps`` gives, by exchange, the number of
    the step that it completed.
    """
    step = 0
    for event in events:
        if isinstance(event, Exchange):
            step = steps.get(event.number, step)
        changes = timeline.take(event)
        if isinstance(event, MemoryOperation):
            by_agent = event.kind == "tool" or event.asked.get("tool_call_id") is not None
            for operation in _reported(event):
                yield replace(operation, step=step if by_agent and step else None)
        for number, change in enumerate(changes, 1):
            yield Operation(
                id=f"capture-{timeline.captures}.{number}",
                kind=change.kind,
                namespace=change.namespace,
                item=change.item,
                value=change.value,
                net=change.net,
            )


def _reported(event: MemoryOperation) -> list[Operation]:
    calls = tuple(f"call-{number}" for number in event.exchanges)
    name = f"operation-{event.number}"
    query = event.asked.get("query")
    searches = event.kind in ("recall", "search") or event.entries or query is not None
    if searches and not event.changes:
        results = tuple(str(entry.get("item", "")) for entry in event.entries)
        found = None if query is None else str(query)
        return [Operation(name, OperationKind.SEARCH, event.scope, query=found, results=results, calls=calls)]
    if event.kind == "offer":
        return []
    if not event.changes:
        # What it cost is the cost of writing memories, although nothing came of it.
        generated = event.kind == "write" or calls
        return [Operation(name, OperationKind.GENERATION, event.scope, calls=calls)] if generated else []
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


def _proof(raw: Mapping[str, Any], carrier: Carrier) -> Proof:
    pointer, digest = str(raw.get("pointer") or ""), str(raw.get("text_digest") or "")
    proof = log_proof(carrier.read, carrier.exchange.request, str(raw["slot"]), pointer, digest)
    return replace(proof, problem=str(raw.get("problem") or ""))


def _entries(
    note: DeliveryNote, operations: Sequence[MemoryOperation], scope: str, given: dict[int, tuple[Entry, ...]]
) -> Iterator[Entry]:
    if note.entries is not None:
        scope = operations[0].scope if operations else scope
        yield from (_entry(entry, scope) for entry in note.entries)
        return
    for operation in operations:
        if operation.number not in given:
            given[operation.number] = tuple(_entry(entry, operation.scope) for entry in operation.entries)
        yield from given[operation.number]


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
