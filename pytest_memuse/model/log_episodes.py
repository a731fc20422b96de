"""One episode from the lines of an event log that stand between its start and the next."""

from pytest_memuse.model import lines as parts
from pytest_memuse.model.episodes import (
    Actor,
    Call,
    Episode,
    HistoryChange,
    Outcome,
    ReferenceFact,
    Step,
    Task,
    ToolResult,
    Usage,
)
from pytest_memuse.model.memory import Delivery, Entry, Operation, Placement, Proof
from pytest_memuse.model.messages import Message


class GrowingEpisode:
    """An episode whose lines are still coming in."""

    def __init__(self, start: parts.EpisodeLine) -> None:
        self._start = start
        self._calls: list[Call] = []
        self._results: dict[str, list[ToolResult]] = {}
        self._operations: list[Operation] = []
        self._deliveries: list[Delivery] = []
        self._history: list[HistoryChange] = []
        self._outcome: Outcome | None = None
        self._texts: dict[str, str] = {}

    def take(self, line: parts.Line) -> None:
        if isinstance(line, parts.DeliveryLine):
            self._deliveries.append(delivery_of(line, self._texts))
        elif isinstance(line, parts.CallLine):
            self._calls.append(_call(line))
        elif isinstance(line, parts.ResultLine):
            self._results.setdefault(line.call, []).append(ToolResult(line.tool_call_id, line.message, line.failed))
        elif isinstance(line, parts.OperationLine):
            self._operations.append(_operation(line))
        elif isinstance(line, parts.HistoryLine):
            self._history.append(HistoryChange(line.kind, line.before, line.kept, line.removed, line.messages))
        elif isinstance(line, parts.OutcomeLine):
            self._outcome = Outcome(line.success, line.detail)

    def named(self) -> set[str]:
        """Return the digests that the lines name, those included whose messages the log does not hold."""
        named = {digest for call in self._calls for digest in call.input}
        named.update(call.response for call in self._calls if call.response)
        named.update(result.message for call in self._steps() for result in self._results.get(call.id, ()))
        named.update(digest for change in self._history for digest in change.messages)
        return named

    def _steps(self) -> list[Call]:
        return [call for call in self._calls if call.actor is Actor.AGENT and call.completed]

    def episode(self, messages: dict[str, Message], suite: str) -> Episode:
        start = self._start
        steps = (Step(n, call, tuple(self._results.get(call.id, ()))) for n, call in enumerate(self._steps(), 1))
        return Episode(
            id=start.id,
            steps=tuple(steps),
            deliveries=tuple(self._deliveries),
            messages=messages,
            task=None if start.task is None else _task(start.task),
            arc=start.arc,
            suite=suite,
            scope=start.scope,
            position=start.position,
            operations=tuple(self._operations),
            memory_calls=tuple(call for call in self._calls if call.actor is not Actor.AGENT),
            failed_calls=tuple(c for c in self._calls if c.actor is Actor.AGENT and not c.completed),
            history=tuple(self._history),
            outcome=self._outcome,
            resolved=start.resolved,
        )


def _call(line: parts.CallLine) -> Call:
    usage = Usage(line.usage.input, line.usage.output, line.usage.cached, line.usage.reasoning)
    return Call(line.id, line.actor, line.input, line.response, line.completed, line.gap, line.model, usage, line.cost)


def _task(part: parts.TaskPart) -> Task:
    references = tuple(ReferenceFact(r.subject, r.value, r.superseded) for r in part.references)
    return Task(part.id, part.text, references, part.digest)


def _operation(line: parts.OperationLine) -> Operation:
    return Operation(
        line.id,
        line.kind,
        line.namespace,
        line.item,
        line.value,
        line.query,
        line.results,
        line.calls,
        line.step,
        line.net,
    )


def delivery_of(line: parts.DeliveryLine | parts.OutsideLine, texts: dict[str, str]) -> Delivery:
    """Return the delivery of a line; texts that ``texts`` knows, as a host restates them, are kept once."""

    def once(text: str | None) -> str | None:
        return None if text is None else texts.setdefault(text, text)

    return Delivery(
        id=line.id,
        entries=tuple(
            Entry(e.item, once(e.value), e.namespace, e.scheme, e.version, e.digest, e.key, e.local_version)
            for e in line.entries
        ),
        placements=tuple(
            Placement(
                p.slot,
                once(p.text),
                p.kind,
                tuple(Proof(q.slot, q.text_digest, q.pointer, q.message, q.problem) for q in p.proofs),
                p.text_digest,
                p.characters,
            )
            for p in line.placements
        ),
        call=line.call,
        route=line.route,
        form=line.form,
        selected_from=line.selected_from,
        operations=line.operations,
    )
