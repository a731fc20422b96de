"""What a condition keeps: records in a store that changes as a whole or not at all, on disk where a folder is given."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from pytest_memuse.model import FormatError, OperationKind
from pytest_memuse.model.errors import nearest
from pytest_memuse.model.json_text import json_line, parse_json
from pytest_memuse.recording.rendered import Change
from pytest_memuse.storage import plain_lines, write_whole

_LONGEST_LINE = 4 * 1024 * 1024
_MOST_RECORDS = 100_000


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user or an assistant said, as it was said."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """One stored piece of memory.

    ``part`` is the memory that it belongs to (a hybrid has two), ``number`` counts the part's records from 1; a draft
    of a new record has 0. ``episode`` is that in which its text was written, counted in its scope from 1. Of a fact,
    ``subject`` is the key that tells it from others and ``value`` what its text says of the subject. ``vector`` is the
    embedding, where a part has one.
    """

    part: str
    scope: str
    episode: int
    text: str
    number: int = 0
    role: str = ""
    subject: str = ""
    value: str = ""
    vector: tuple[float, ...] = ()

    @property
    def item(self) -> str:
        """Identifier of the stored item; an item keeps it when its text is overwritten."""
        return f"{self.part}-{self.number}"


class Store:
    """Records of all scopes, each part's in the order in which they were first written."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._records: dict[str, Record] = {} if file is None else {r.item: r for r in _read(file)}

    def records(self, part: str, scope: str) -> list[Record]:
        """Return the records of a part in one scope."""
        return [record for record in self._records.values() if record.part == part and record.scope == scope]

    def next_episode(self, scope: str) -> int:
        """Return the number of the episode that is to be written next in a scope."""
        return 1 + max((record.episode for record in self._records.values() if record.scope == scope), default=0)

    def put(self, drafts: Sequence[Record]) -> tuple[Change, ...]:
        """Write records, all of them or, where the disk refuses, none; return what changed.

        A draft without a number becomes a new item; one with a number takes that item's place, and is no change where
        its text is the same.
        """
        after = dict(self._records)
        counts: dict[str, int] = {}
        for record in after.values():
            counts[record.part] = max(counts.get(record.part, 0), record.number)
        changes = []
        for draft in drafts:
            record, kind = draft, OperationKind.UPDATE
            if not record.number:
                counts[record.part] = counts.get(record.part, 0) + 1
                record, kind = replace(record, number=counts[record.part]), OperationKind.CREATE
            elif after[record.item].text == record.text:
                continue
            after[record.item] = record
            changes.append(Change(kind, record.item, record.text, record.scope))
        if changes and self._file is not None:
            write_whole(self._file, (json_line(asdict(record)).encode() for record in after.values()))
        self._records = after
        return tuple(changes)


def turns_of(messages: Iterable[Mapping[str, Any]]) -> tuple[Turn, ...]:
    """Return what user and assistant said; other roles, and messages without text, are left out."""
    return tuple(
        Turn(message["role"], message["content"])
        for message in messages
        if message.get("role") in ("user", "assistant")
        and isinstance(message.get("content"), str)
        and message["content"].strip()
    )


def _read(file: Path) -> Iterator[Record]:
    seen: set[str] = set()
    try:
        for number, line in enumerate(plain_lines(file, _LONGEST_LINE), 1):
            record = _record(line, str(file), number)
            if record.item in seen or number > _MOST_RECORDS:
                problem = (
                    f"the item {record.item!r} stands twice" if record.item in seen else "there are too many records"
                )
                raise FormatError(problem, source=str(file), line=number)
            seen.add(record.item)
            yield record
    except FileNotFoundError:
        return


def _record(line: bytes, source: str, number: int) -> Record:
    if len(line) > _LONGEST_LINE:
        raise FormatError("the line is too long", source=source, line=number, reason="too-large")
    try:
        data = parse_json(line, unique_keys=True)
    except ValueError as error:
        raise FormatError(f"no JSON: {error}", source=source, line=number) from None
    if not isinstance(data, dict):
        raise FormatError("no JSON object", source=source, line=number)
    names = [field.name for field in fields(Record)]
    for name in (*data, *names):
        if name not in names:
            raise FormatError(f"unknown{nearest(name, names)}", source=source, line=number, field=name)
        if name not in data or not _fits(name, data[name]):
            wrong = "missing" if name not in data else f"{type(data[name]).__name__} does not belong here"
            raise FormatError(wrong, source=source, line=number, field=name, mend="delete the file to begin anew")
    return Record(**{**data, "vector": tuple(float(value) for value in data["vector"])})


def _fits(name: str, value: Any) -> bool:
    if name in ("episode", "number"):
        return type(value) is int and 0 < value < 10**9
    if name == "vector":
        return isinstance(value, list) and all(type(part) in (int, float) and abs(part) < 1e30 for part in value)
    return isinstance(value, str)
