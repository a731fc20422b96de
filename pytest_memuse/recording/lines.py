"""A recording as lines of JSON, and back: an object a line, in its stored form (`compaction`); the last seals them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from pytest_memuse.model.digests import DIGEST_LENGTH, canonical_json, json_digest
from pytest_memuse.model.errors import FormatError, MemuseError
from pytest_memuse.model.json_text import json_line, parse_json
from pytest_memuse.recording.compaction import Compactor
from pytest_memuse.recording.event_fields import WrongField, event_of
from pytest_memuse.recording.recording import (
    RECORDING_VERSION,
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    ItemNames,
    LifecycleNote,
    MemoryOperation,
    ObserverNote,
    OutcomeNote,
    Recording,
    StoreCapture,
)
from pytest_memuse.recording.restoring import DamagedForm, Restorer

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is neither written nor parsed."""

MAX_BYTES = 1024 * 1024 * 1024
"""Of all lines of a recording together."""

_KINDS: dict[str, type[Event]] = {
    "exchange": Exchange,
    "episode": EpisodeStart,
    "operation": MemoryOperation,
    "delivery": DeliveryNote,
    "capture": StoreCapture,
    "lifecycle": LifecycleNote,
    "observer": ObserverNote,
    "outcome": OutcomeNote,
    "names": ItemNames,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_MEND = "restore the file from version control, or record the arc again with --memuse-record-mode=all"


def event_to_line(event: Event) -> dict[str, Any]:
    """Return an event as plain data; a field that is empty is left out."""
    out: dict[str, Any] = {"type": _NAMES[type(event)]}
    for field in fields(event):
        value = getattr(event, field.name)
        # Where a field may be None, that is another thing than an empty one: no entries, or none of its own.
        empty = value is None or value is False or (value in ((), "") and field.default is not None)
        if field.name != "success" and empty:
            continue
        out[field.name] = list(value) if isinstance(value, tuple) else value
    return out


def recording_digest(recording: Recording) -> str:
    """Return the digest of a recording's events, `json_digest` of their lines; its fingerprint is left out.

    A request repeats what the one before it holds, and what is read from a file shares it in memory: each element of
    a list is written as JSON once.
    """
    # What lies in the events' lists lives as long as the recording, so that no two of them are ever at one place.
    known: dict[int, bytes] = {}
    seal = hashlib.sha256()
    before = b"["
    for event in recording.events:
        seal.update(before)
        seal.update(_canonical(event_to_line(event), known))
        before = b","
    seal.update(b"]" if recording.events else b"[]")
    return seal.hexdigest()[:DIGEST_LENGTH]


def _canonical(value: Any, known: dict[int, bytes]) -> bytes:
    """Return a value's canonical JSON; ``known`` are elements of lists by where they are in memory."""
    if isinstance(value, dict) and any(isinstance(inner, (dict, list)) for inner in value.values()):
        return b"{%b}" % b",".join([_bytes(name) + b":" + _canonical(value[name], known) for name in sorted(value)])
    if not isinstance(value, list):
        return _bytes(value)
    parts = []
    for item in value:
        if not isinstance(item, dict):
            parts.append(_bytes(item))
        elif (written := known.get(id(item))) is not None:
            parts.append(written)
        else:
            known[id(item)] = written = _bytes(item)
            parts.append(written)
    return b"[%b]" % b",".join(parts)


def _bytes(value: Any) -> bytes:
    return canonical_json(value).encode("utf-8", "surrogatepass")


def write_lines(recording: Recording) -> Iterator[str]:
    """Yield the lines of a recording, each with its line break; ASCII apart from what is plain to read.

    Raises `MemuseError` for an event that would make a line longer than `MAX_LINE_BYTES`.
    """
    count, seal = 1, hashlib.sha256()
    header = json_line(
        {
            "type": "memuse-recording",
            "version": RECORDING_VERSION,
            "suite": recording.suite,
            "arc": recording.arc,
            "made_with": recording.made_with,
        }
    )
    seal.update(header.encode())
    yield header
    compactor = Compactor()
    for event in recording.events:
        line = event_to_line(event)
        try:
            text = json_line(compactor.stored(line), sort_keys=False)
        except ValueError:
            # A body with a number like 1e999, which JSON can say and not hold, is kept as text.
            line |= {name: json.dumps(line[name]) for name in ("request", "response", "asked") if name in line}
            text = json_line(compactor.stored(line), sort_keys=False)
        _check_length(text, event)
        compactor.keep()
        count += 1
        seal.update(text.encode())
        yield text
    yield json_line({"type": "end", "lines": count, "digest": seal.hexdigest()})


def read_lines(raw_lines: Iterable[bytes], source: str) -> Recording:
    """Return the recording that the lines hold.

    Raises `FormatError`, naming file, line and field, for a damaged line, an unknown version, a shared value whose
    digest is not its own, and a recording that was cut off.
    """
    header: Mapping[str, Any] | None = None
    restorer = Restorer()
    events: list[Event] = []
    operations: set[int] = set()
    ended = False
    number, size, seal = 0, 0, hashlib.sha256()
    for number, raw in enumerate(raw_lines, 1):
        size += len(raw)
        if size > MAX_BYTES:
            raise _error(f"the recording is longer than {MAX_BYTES:,} bytes", source, number)
        line = _parsed(raw, source, number)
        kind = line.get("type")
        if not isinstance(kind, str):
            raise _error("must be a text", source, number, "type")
        if ended:
            raise _error("a line stands behind the end of the recording", source, number)
        if header is None:
            header = _header(line, source, number)
        elif kind == "shared":
            _take_shared(line, restorer, source, number)
        elif kind == "end":
            if line.get("lines") != number - 1:
                raise _error(
                    f"{number - 1} lines stand before the end, it says {line.get('lines')}", source, number, "lines"
                )
            if line.get("digest", seal.hexdigest()) != seal.hexdigest():
                raise _error("the lines' digest is not the one that the end gives: the file was edited", source, number)
            ended = True
        elif kind in _KINDS:
            event = _event(_KINDS[kind], _restored(line, restorer, source, number), source, number)
            if isinstance(event, MemoryOperation):
                operations.add(event.number)
            elif isinstance(event, DeliveryNote) and not operations.issuperset(event.operations):
                raise _error("no such operation stands before this line", source, number, "operation")
            events.append(event)
        else:
            raise _error(f"unknown type {kind!r}; known are {', '.join(_KINDS)}", source, number, "type")
        # Version control may write line breaks as another system does.
        seal.update(raw.rstrip(b"\r\n") + b"\n")
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
        line = parse_json(raw, unique_keys=True)
    except ValueError as error:
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


def _take_shared(line: Mapping[str, Any], restorer: Restorer, source: str, number: int) -> None:
    digest, value = line.get("digest"), line.get("value")
    if json_digest(value) != digest:
        raise _error(
            "the value's digest is not the one that the line gives: the file was edited", source, number, "digest"
        )
    restorer.add(str(digest), value)


def _restored(line: Mapping[str, Any], restorer: Restorer, source: str, number: int) -> dict[str, Any]:
    try:
        return restorer.restored(line)
    except DamagedForm as error:
        raise _error(str(error), source, number, error.field) from None


def _event(kind: type[Event], line: Mapping[str, Any], source: str, number: int) -> Event:
    try:
        return event_of(kind, line)
    except WrongField as error:
        raise _error(str(error), source, number, error.field) from None


def _check_length(line: str, event: Event) -> None:
    # Characters take at most four bytes; only what might be too long is encoded to find out.
    if len(line) * 4 > MAX_LINE_BYTES and len(line.encode()) > MAX_LINE_BYTES:
        number = getattr(event, "number", "")
        raise MemuseError(
            f"{_NAMES[type(event)]} {number} is longer than a recording holds ({MAX_LINE_BYTES:,} bytes)",
            reason="too-large",
            mend="have the agent send and read less at once, a file by its name for instance",
        )


def _error(problem: str, source: str, line: int, field: str | None = None) -> FormatError:
    return FormatError(problem, source=source, line=line, field=field, mend=_MEND)
