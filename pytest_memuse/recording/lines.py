"""A recording as lines of JSON, and back: one object a line, shared values before their first use, the end counted."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from pytest_memuse.model import Actor, OperationKind
from pytest_memuse.model.digests import canonical_json, json_digest
from pytest_memuse.model.errors import FormatError
from pytest_memuse.recording.compaction import compact, expand
from pytest_memuse.recording.recording import (
    RECORDING_VERSION,
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    MemoryOperation,
    OutcomeNote,
    Recording,
)

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is refused before it is parsed."""

_KINDS: dict[str, type[Event]] = {
    "exchange": Exchange,
    "episode": EpisodeStart,
    "operation": MemoryOperation,
    "delivery": DeliveryNote,
    "outcome": OutcomeNote,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_MEND = "restore the file from version control, or record the arc again with --memuse-record-mode=all"


def event_to_line(event: Event) -> dict[str, Any]:
    """Return an event as plain data; a field that is empty is left out."""
    out: dict[str, Any] = {"type": _NAMES[type(event)]}
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name != "success" and (value is None or value == () or value == "" or value is False):
            continue
        out[field.name] = list(value) if isinstance(value, tuple) else value
    return out


def recording_digest(recording: Recording) -> str:
    """Return the digest of a recording's events; its fingerprint is left out."""
    return json_digest([event_to_line(event) for event in recording.events])


def write_lines(recording: Recording) -> Iterator[str]:
    """Yield the lines of a recording, each with its line break."""
    count = 1
    yield (
        canonical_json(
            {
                "type": "memuse-recording",
                "version": RECORDING_VERSION,
                "suite": recording.suite,
                "arc": recording.arc,
                "made_with": recording.made_with,
            }
        )
        + "\n"
    )
    known: set[str] = set()
    for event in recording.events:
        fresh: dict[str, Any] = {}

        def share(digest: str, value: Any, fresh: dict[str, Any] = fresh) -> None:
            if digest not in known:
                known.add(digest)
                fresh[digest] = value

        line = event_to_line(event)
        for name in ("request", "response", "asked"):
            if name in line:
                line[name] = compact(line[name], share)
        for digest, value in fresh.items():
            count += 1
            yield canonical_json({"type": "shared", "digest": digest, "value": value}) + "\n"
        count += 1
        yield canonical_json(line) + "\n"
    yield canonical_json({"type": "end", "lines": count}) + "\n"


def read_lines(raw_lines: Iterable[bytes], source: str) -> Recording:
    """Return the recording that the lines hold.

    Raises `FormatError`, naming file, line and field, for a damaged line, an unknown version, a shared value whose
    digest is not its own, and a recording that was cut off.
    """
    header: Mapping[str, Any] | None = None
    shared: dict[str, Any] = {}
    events: list[Event] = []
    operations: set[int] = set()
    ended = False
    number = 0
    for number, raw in enumerate(raw_lines, 1):
        line = _parsed(raw, source, number)
        kind = line.get("type")
        if not isinstance(kind, str):
            raise _error("must be a text", source, number, "type")
        if ended:
            raise _error("a line stands behind the end of the recording", source, number)
        if header is None:
            header = _header(line, source, number)
        elif kind == "shared":
            _take_shared(line, shared, source, number)
        elif kind == "end":
            if line.get("lines") != number - 1:
                raise _error(
                    f"{number - 1} lines stand before the end, it says {line.get('lines')}", source, number, "lines"
                )
            ended = True
        elif kind in _KINDS:
            event = _event(_KINDS[kind], line, shared, source, number)
            if isinstance(event, MemoryOperation):
                operations.add(event.number)
            elif isinstance(event, DeliveryNote) and event.operation not in operations:
                raise _error("no such operation stands before this line", source, number, "operation")
            events.append(event)
        else:
            raise _error(f"unknown type {kind!r}; known are {', '.join(_KINDS)}", source, number, "type")
    if header is None:
        raise FormatError("the recording is empty", source=source, reason="truncated", mend=_MEND)
    if not ended:
        raise FormatError(
            "the recording was cut off: its last line is not the end",
            source=source,
            line=number,
            reason="truncated",
            mend=_MEND,
        )
    return Recording(str(header["suite"]), str(header["arc"]), tuple(events), header.get("made_with") or {})


def _parsed(raw: bytes, source: str, number: int) -> dict[str, Any]:
    if len(raw) > MAX_LINE_BYTES:
        raise _error(f"the line is longer than {MAX_LINE_BYTES} bytes", source, number)
    try:
        line = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _error(f"the line is not JSON ({error})", source, number) from None
    if not isinstance(line, dict):
        raise _error("the line is not a JSON object", source, number)
    return line


def _header(line: Mapping[str, Any], source: str, number: int) -> Mapping[str, Any]:
    if line.get("type") != "memuse-recording":
        raise _error("the first line is not the header of a recording", source, number, "type")
    if line.get("version") != RECORDING_VERSION:
        raise FormatError(
            f"version {line.get('version')} of the recording is not one that this release reads "
            f"(it reads {RECORDING_VERSION})",
            source=source,
            line=number,
            field="version",
            reason="version",
            mend="install a release of pytest-memuse that reads it, or record the arc again",
        )
    for name in ("suite", "arc"):
        if not isinstance(line.get(name), str):
            raise _error("must be a text", source, number, name)
    made_with = line.get("made_with", {})
    if not isinstance(made_with, dict):
        raise _error("must be an object", source, number, "made_with")
    for name, kinds in (("memory", dict), ("agent", dict), ("attempt", int)):
        if name in made_with and not isinstance(made_with[name], kinds):
            raise _error(f"must not be {type(made_with[name]).__name__}", source, number, f"made_with.{name}")
    return line


def _take_shared(line: Mapping[str, Any], shared: dict[str, Any], source: str, number: int) -> None:
    digest, value = line.get("digest"), line.get("value")
    if json_digest(value) != digest:
        raise _error(
            "the value's digest is not the one that the line gives: the file was edited", source, number, "digest"
        )
    shared[str(digest)] = value


def _event(kind: type[Event], line: Mapping[str, Any], shared: Mapping[str, Any], source: str, number: int) -> Event:
    known = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    for name, value in line.items():
        if name == "type":
            continue
        if name not in known:
            raise _error("unknown field", source, number, name)
        if name in ("request", "response", "asked"):
            try:
                value = expand(value, shared)
            except KeyError as error:
                raise _error(
                    f"names a shared value {error} that does not stand before it", source, number, name
                ) from None
            except ValueError as error:
                raise _error(str(error), source, number, name) from None
            except (TypeError, AttributeError, RecursionError):
                raise _error("the stored form of the value is damaged", source, number, name) from None
        values[name] = tuple(value) if isinstance(value, list) and name in _TUPLES else value
    for name, default in _DEFAULTS[kind].items():
        values.setdefault(name, default)
    missing = sorted(set(known) - set(values))
    if missing:
        raise _error("the field is missing", source, number, missing[0])
    if "actor" in values and values["actor"] is not None:
        try:
            values["actor"] = Actor(values["actor"])
        except ValueError:
            raise _error(f"unknown actor {values['actor']!r}", source, number, "actor") from None
    for name, types in _TYPES.items():
        if name in values and (not isinstance(values[name], types) or (types is int and values[name] is True)):
            raise _error(f"must not be {type(values[name]).__name__}", source, number, name)
    _check_inside(values, source, number)
    return kind(**values)


_TUPLES = frozenset({"entries", "changes", "exchanges"})
_TYPES: dict[str, type | tuple[type, ...]] = {
    "number": int,
    "position": int,
    "status": int,
    "operation": int,
    "exchange": (int, type(None)),
    "method": str,
    "uri": str,
    "id": str,
    "kind": str,
    "scope": str,
    "slot": str,
    "pointer": (str, type(None)),
    "text_digest": (str, type(None)),
    "text": str,
    "task": dict,
    "asked": dict,
    "headers": dict,
    "entries": tuple,
    "changes": tuple,
    "exchanges": tuple,
    "success": (bool, type(None)),
}
_DEFAULTS: dict[type[Event], dict[str, Any]] = {
    Exchange: {"actor": None, "request": None, "response": None, "reason": "", "headers": {}},
    EpisodeStart: {"scope": ""},
    MemoryOperation: {"scope": "", "text": "", "failed": False, "entries": (), "changes": (), "exchanges": ()},
    DeliveryNote: {"text": "", "exchange": None, "pointer": None, "text_digest": None},
    OutcomeNote: {"success": None, "detail": ""},
}


def _check_inside(values: Mapping[str, Any], source: str, number: int) -> None:
    """Refuse what the derivation of the event log and the replay could not read."""
    for name in ("entries", "changes"):
        for index, item in enumerate(values.get(name, ())):
            if not isinstance(item, dict):
                raise _error("must be an object", source, number, f"{name}.{index}")
    for index, change in enumerate(values.get("changes", ())):
        if not isinstance(change.get("kind"), str) or change["kind"] not in set(OperationKind):
            raise _error(f"unknown kind {change.get('kind')!r}", source, number, f"changes.{index}.kind")
    references = values.get("task", {}).get("references") or []
    for index, fact in enumerate(references if isinstance(references, list) else [None]):
        superseded = fact.get("superseded", []) if isinstance(fact, dict) else None
        if not isinstance(superseded, list) or not {"subject", "value"} <= set(fact):
            raise _error("must hold subject, value and superseded", source, number, f"task.references.{index}")


def _error(problem: str, source: str, line: int, field: str | None = None) -> FormatError:
    return FormatError(problem, source=source, line=line, field=field, mend=_MEND)
