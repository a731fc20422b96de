"""Runs as plain JSON data and back: what workers publish and baselines store.

Fields that are empty are left out. Reading checks every field and refuses what it does not know with a `FormatError`
that names the field by its path.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any, NoReturn, TypeVar

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.model.errors import FormatError, nearest
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.spans.types import ExposureKind

Row = TypeVar("Row", EntryRow, SpanRow, EpisodeRow, Run)
Reader = Callable[[Any, "_Place"], Any]


def run_to_dict(run: Run) -> dict[str, Any]:
    """Return a run as plain data: dicts, lists, strings, whole numbers and booleans."""
    return _to_dict(run)


def _to_dict(row: Run | EpisodeRow | SpanRow | EntryRow) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in fields(row):
        value = getattr(row, field.name)
        if field.default is MISSING or value != field.default:
            data[field.name] = _plain(value)
    return data


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Run | EpisodeRow | SpanRow | EntryRow):
        return _to_dict(value)
    return str(value) if isinstance(value, str) else value


def run_from_dict(data: Any, source: str = "run") -> Run:
    """Return the run that `run_to_dict` wrote. Raises `FormatError` naming ``source`` and the field at fault."""
    run: Run = _row(Run, _RUN)(data, _Place(source, ""))
    return run


class _Place:
    """Where in the data a reader is, for its error messages."""

    def __init__(self, source: str, path: str) -> None:
        self.source = source
        self.path = path

    def field(self, name: str) -> "_Place":
        return _Place(self.source, f"{self.path}.{name}" if self.path else name)

    def index(self, number: int) -> "_Place":
        return _Place(self.source, f"{self.path}[{number}]")

    def refuse(self, problem: str) -> NoReturn:
        raise FormatError(problem, source=self.source, field=self.path or None)


def _typed(kind: type, name: str) -> Reader:
    def read(value: Any, place: _Place) -> Any:
        if type(value) is not kind:
            place.refuse(f"expected {name}, found {_name(value)}")
        return value

    return read


def _name(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null", int: "a number"}
    return names.get(type(value), f"a {type(value).__name__}")


def _natural(value: Any, place: _Place) -> int:
    if type(value) is not int or value < 0:
        place.refuse(f"expected a whole number of at least 0, found {value!r}"[:200])
    return int(value)


def _word(words: Sequence[str], make: Callable[[str], Any] = str) -> Reader:
    def read(value: Any, place: _Place) -> Any:
        if not isinstance(value, str) or value not in words:
            hint = nearest(value, words) if isinstance(value, str) else ""
            place.refuse(f"expected one of {', '.join(words)}, found {value!r}"[:200] + hint)
        return make(value)

    return read


def _list(item: Reader) -> Reader:
    def read(value: Any, place: _Place) -> Any:
        if not isinstance(value, list):
            place.refuse(f"expected a list, found {_name(value)}")
        return tuple(item(part, place.index(number)) for number, part in enumerate(value))

    return read


def _optional(reader: Reader) -> Reader:
    return lambda value, place: None if value is None else reader(value, place)


def _window(value: Any, place: _Place) -> tuple[int, int]:
    steps = _list(_natural)(value, place)
    if len(steps) != 2 or steps[0] > steps[1]:
        place.refuse("expected the first and the last step of a window")
    return (steps[0], steps[1])


def _row(row: type[Row], readers: Mapping[str, Reader]) -> Reader:
    known = {field.name: field for field in fields(row)}

    def read(value: Any, place: _Place) -> Row:
        if not isinstance(value, dict):
            place.refuse(f"expected an object, found {_name(value)}")
        for name in value:
            if name not in readers:
                place.refuse(f"unknown field {name!r}{nearest(str(name), readers)}")
        for name, field in known.items():
            if field.default is MISSING and name not in value:
                place.refuse(f"the field {name!r} is missing")
        return row(**{name: readers[name](part, place.field(name)) for name, part in value.items()})

    return read


_text = _typed(str, "a text")
_boolean = _typed(bool, "a boolean")


def _words(*enum: str) -> Reader:
    return _optional(_word([str(word) for word in enum]))


_ENTRY: Mapping[str, Reader] = {
    "item": _text,
    "namespace": _text,
    "ordinal": _optional(_natural),
    "text": _text,
    "exposure": _word(["", *(kind.value for kind in ExposureKind)]),
    "window": _optional(_window),
    "relevance": _optional(_boolean),
    "accuracy": _words(*Accuracy),
    "novelty": _words(*Novelty),
    "influence": _words(*Influence),
    "effect": _words(*Effect),
    "anchors": _list(_natural),
    "usage": _optional(_word([usage.value for usage in Usage], Usage)),
    "exposed": _optional(_natural),
}
_SPAN: Mapping[str, Reader] = {
    "id": _text,
    "outcome": _word([outcome.value for outcome in RowOutcome], RowOutcome),
    "characters": _natural,
    "entries": _list(_row(EntryRow, _ENTRY)),
    "triage": _optional(_word([triage.value for triage in Triage], Triage)),
    "first": _optional(_natural),
    "last": _optional(_natural),
    "deliveries": _natural,
    "route": _text,
    "form": _text,
    "redacted": _boolean,
    "determines": _list(_word([signal.value for signal in Signal])),
    "problems": _list(_text),
    "corrected": _natural,
}
_EPISODE: Mapping[str, Reader] = {
    "id": _text,
    "arc": _text,
    "task": _text,
    "task_digest": _text,
    "position": _natural,
    "success": _optional(_boolean),
    "steps": _natural,
    "spans": _list(_row(SpanRow, _SPAN)),
}
_RUN: Mapping[str, Reader] = {
    "suite": _text,
    "episodes": _list(_row(EpisodeRow, _EPISODE)),
    "outside": _list(_row(SpanRow, _SPAN)),
}
