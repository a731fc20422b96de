"""Reading event logs: lines in, episodes out. A damaged line is a `FormatError` that names file, line and field."""

from collections.abc import Iterable

from pydantic import TypeAdapter, ValidationError

from pytest_memuse.model import lines as parts
from pytest_memuse.model.episodes import (
    Actor,
    Call,
    Episode,
    EventLog,
    HistoryChange,
    Outcome,
    ReferenceFact,
    Step,
    Task,
    ToolResult,
    Usage,
)
from pytest_memuse.model.errors import FormatError
from pytest_memuse.model.memory import Delivery, Entry, Operation, Placement, Proof
from pytest_memuse.model.messages import Message, ToolCall

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is refused before it is parsed."""

LINE: TypeAdapter[parts.Line] = TypeAdapter(parts.Line)


def read_log(raw_lines: Iterable[bytes | str], source: str) -> EventLog:
    """Return the log that the lines hold.

    ``source`` is the name that errors give. Raises `FormatError` for a damaged line (naming line and field), a version
    that this release does not read, a message whose digest is not its own, and a log that was cut off.
    """
    reader = _Reader(source)
    for number, raw in enumerate(raw_lines, 1):
        reader.take(raw, number)
    return reader.finish()


class _Reader:
    """Collects lines into episodes; one instance reads one log."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._number = 0
        self._header: parts.HeaderLine | None = None
        self._ended = False
        self._messages: dict[str, Message] = {}
        self._episodes: list[Episode] = []
        self._current: parts.EpisodeLine | None = None
        self._body: list[parts.Line] = []
        self._ids: set[str] = set()

    def take(self, raw: bytes | str, number: int) -> None:
        self._number = number
        if not raw.strip():
            raise self._error("the line is empty")
        if len(raw) > MAX_LINE_BYTES:
            raise self._error(f"the line is longer than {MAX_LINE_BYTES} bytes")
        if self._ended:
            raise self._error("a line stands behind the end of the log")
        try:
            line = LINE.validate_json(raw)
        except ValidationError as error:
            raise self._damaged(error) from None
        if self._header is None:
            self._take_header(line)
        elif isinstance(line, parts.HeaderLine):
            raise self._error("a second header", field="type")
        elif isinstance(line, parts.MessageLine):
            self._take_message(line)
        elif isinstance(line, parts.EpisodeLine):
            self._close_episode()
            if line.id in self._ids:
                raise self._error(f"episode {line.id!r} stands in the log twice", field="id")
            self._ids.add(line.id)
            self._current = line
        elif isinstance(line, parts.EndLine):
            if line.lines != number - 1:
                raise self._error(f"{number - 1} lines stand before the end, it says {line.lines}", field="lines")
            self._close_episode()
            self._ended = True
        elif self._current is None:
            raise self._error(f"a line of type {line.type!r} stands before the first episode", field="type")
        else:
            self._check_references(line)
            self._body.append(line)

    def finish(self) -> EventLog:
        if self._header is None:
            raise FormatError("the file is empty", source=self._source, mend="record the episodes again")
        if not self._ended:
            raise FormatError(
                "the log was cut off: its last line is not the end",
                source=self._source,
                line=self._number,
                reason="truncated",
                mend="restore the file from version control, or record the episodes again",
            )
        return EventLog(tuple(self._episodes), self._header.suite, self._header.recorded_against)

    def _take_header(self, line: parts.Line) -> None:
        if not isinstance(line, parts.HeaderLine):
            raise self._error("the first line is not the header of an event log", field="type")
        if line.version != parts.LOG_VERSION:
            raise self._error(
                f"version {line.version} of the event log is not one that this release reads "
                f"(it reads {parts.LOG_VERSION})",
                field="version",
                reason="version",
                mend="install a release of pytest-memuse that reads it, or record the episodes again",
            )
        self._header = line

    def _take_message(self, line: parts.MessageLine) -> None:
        calls = tuple(ToolCall(c.id, c.name, c.arguments) for c in line.tool_calls)
        message = Message(line.role, line.text, calls, line.tool_call_id)
        if message.digest != line.digest:
            raise self._error(f"the content's digest is {message.digest}, the line says {line.digest}", field="digest")
        self._messages[message.digest] = message

    def _check_references(self, line: parts.Line) -> None:
        """Every digest that a line names must have come before it."""
        if isinstance(line, parts.CallLine):
            named = {"input": line.input, "response": (line.response,) if line.response else ()}
        elif isinstance(line, parts.ResultLine):
            named = {"message": (line.message,)}
        else:
            return
        for field, digests in named.items():
            for digest in digests:
                if digest not in self._messages:
                    raise self._error(f"no message with digest {digest!r} stands before this line", field=field)

    def _close_episode(self) -> None:
        if self._current is not None:
            self._episodes.append(_episode(self._current, self._body, self._messages, self._header))
        self._current, self._body = None, []

    def _error(self, problem: str, *, field: str | None = None, reason: str = "damaged", mend: str = "") -> FormatError:
        return FormatError(
            problem,
            source=self._source,
            line=self._number,
            field=field,
            reason=reason,
            mend=mend or "restore the file from version control, or record the episodes again",
        )

    def _damaged(self, error: ValidationError) -> FormatError:
        first = error.errors(include_url=False, include_input=False)[0]
        path = [str(part) for part in first["loc"]]
        field = ".".join(path[1:] if len(path) > 1 else path)
        return self._error(first["msg"], field=field or None)


def _episode(
    start: parts.EpisodeLine,
    body: list[parts.Line],
    messages: dict[str, Message],
    header: parts.HeaderLine | None,
) -> Episode:
    calls = [_call(line) for line in body if isinstance(line, parts.CallLine)]
    results: dict[str, list[ToolResult]] = {}
    for line in body:
        if isinstance(line, parts.ResultLine):
            results.setdefault(line.call, []).append(ToolResult(line.tool_call_id, line.message, line.failed))
    agent = [call for call in calls if call.actor is Actor.AGENT]
    completed = [call for call in agent if call.completed]
    steps = tuple(Step(n, call, tuple(results.get(call.id, ()))) for n, call in enumerate(completed, 1))
    named = {digest for call in calls for digest in (*call.input, *((call.response,) if call.response else ()))}
    named |= {result.message for step in steps for result in step.results}
    outcome = next((line for line in reversed(body) if isinstance(line, parts.OutcomeLine)), None)
    return Episode(
        id=start.id,
        steps=steps,
        deliveries=tuple(_delivery(line) for line in body if isinstance(line, parts.DeliveryLine)),
        messages={digest: messages[digest] for digest in messages if digest in named},
        task=None if start.task is None else _task(start.task),
        arc=start.arc,
        suite=header.suite if header else "",
        scope=start.scope,
        position=start.position,
        operations=tuple(_operation(line) for line in body if isinstance(line, parts.OperationLine)),
        memory_calls=tuple(call for call in calls if call.actor is not Actor.AGENT),
        failed_calls=tuple(call for call in agent if not call.completed),
        history=tuple(
            HistoryChange(line.kind, line.before, line.kept, line.removed, line.messages)
            for line in body
            if isinstance(line, parts.HistoryLine)
        ),
        outcome=None if outcome is None else Outcome(outcome.success, outcome.detail),
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
        line.id, line.kind, line.namespace, line.item, line.value, line.query, line.results, line.calls, line.step
    )


def _delivery(line: parts.DeliveryLine) -> Delivery:
    return Delivery(
        id=line.id,
        entries=tuple(Entry(**part.model_dump()) for part in line.entries),
        placements=tuple(
            Placement(
                p.slot,
                p.text,
                p.kind,
                tuple(Proof(q.slot, q.text_digest, q.pointer, q.message) for q in p.proofs),
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
