"""The fields of events as they stand in a line: their types, their defaults, and what must hold inside them."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pytest_memuse.model import Actor, OperationKind, Route
from pytest_memuse.recording.recording import (
    DeliveryNote,
    EpisodeStart,
    Event,
    Exchange,
    ItemNames,
    LifecycleNote,
    MemoryOperation,
    ObserverNote,
    OutcomeNote,
    StoreCapture,
)


class WrongField(ValueError):
    """A line does not hold what an event of its kind holds; ``field`` says where."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field


def event_of(kind: type[Event], line: Mapping[str, Any]) -> Event:
    """Return the event of a kind that a line holds; fields that are left out have their defaults.

    Raises `WrongField` for the first field that is unknown, missing or of another shape.
    """
    known = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    for name, value in line.items():
        if name == "type":
            continue
        if name not in known:
            raise WrongField(name, "unknown field")
        values[name] = tuple(value) if isinstance(value, list) and name in _TUPLES else value
    for name, default in _DEFAULTS[kind].items():
        values.setdefault(name, default)
    missing = sorted(set(known) - set(values))
    if missing:
        raise WrongField(missing[0], "the field is missing")
    if "actor" in values and values["actor"] is not None:
        try:
            values["actor"] = Actor(values["actor"])
        except ValueError:
            raise WrongField("actor", f"unknown actor {values['actor']!r}") from None
    for name, types in _TYPES.items():
        if name in values and (not isinstance(values[name], types) or (types is int and values[name] is True)):
            raise WrongField(name, f"must not be {type(values[name]).__name__}")
    _check_inside(values)
    return kind(**values)


_TUPLES = frozenset({"entries", "changes", "exchanges", "also", "further", "follows", "gone"})
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
    "spelling": (dict, type(None)),
    "names": dict,
    "entries": (tuple, type(None)),
    "changes": tuple,
    "exchanges": tuple,
    "truth": (dict, type(None)),
    "also": tuple,
    "further": tuple,
    "follows": tuple,
    "put": dict,
    "gone": tuple,
    "whole": bool,
    "tool_call_id": (str, type(None)),
    "route": str,
    "form": str,
    "problem": str,
    "what": str,
    "within": (str, type(None)),
    "observer": str,
    "settings": dict,
    "success": (bool, type(None)),
}
_DEFAULTS: dict[type[Event], dict[str, Any]] = {
    Exchange: {"actor": None, "request": None, "response": None, "reason": "", "headers": {}, "spelling": None},
    EpisodeStart: {"scope": ""},
    MemoryOperation: {
        "scope": "",
        "text": "",
        "failed": False,
        "entries": (),
        "changes": (),
        "exchanges": (),
        "truth": None,
    },
    DeliveryNote: {
        "text": "",
        "exchange": None,
        "pointer": None,
        "text_digest": None,
        "problem": "",
        "also": (),
        "further": (),
        "entries": None,
        "tool_call_id": None,
        "route": "",
        "form": "",
        "follows": (),
    },
    StoreCapture: {"scope": "", "gone": (), "whole": False, "exchanges": ()},
    LifecycleNote: {"within": None, "detail": ""},
    ObserverNote: {"settings": {}},
    OutcomeNote: {"success": None, "detail": ""},
    ItemNames: {},
}


def _check_inside(values: Mapping[str, Any]) -> None:
    """Refuse what the derivation of the event log and the replay could not read."""
    for name in ("entries", "changes", "also"):
        for index, item in enumerate(values.get(name) or ()):
            if not isinstance(item, dict):
                raise WrongField(f"{name}.{index}", "must be an object")
            if name == "also" and not (isinstance(item.get("slot"), str) and isinstance(item.get("text"), str)):
                raise WrongField(f"{name}.{index}", "must hold slot and text")
    for name, kind in (("exchanges", int), ("further", int), ("follows", int), ("gone", str)):
        for index, item in enumerate(values.get(name, ())):
            if not isinstance(item, kind) or isinstance(item, bool):
                raise WrongField(f"{name}.{index}", f"must not be {type(item).__name__}")
    if values.get("route", "") not in ("", *Route):
        raise WrongField("route", f"unknown route {values['route']!r}")
    for text in values.get("put", {}).values():
        if not isinstance(text, str):
            raise WrongField("put", "must be a text")
    for index, change in enumerate(values.get("changes", ())):
        if not isinstance(change.get("kind"), str) or change["kind"] not in set(OperationKind):
            raise WrongField(f"changes.{index}.kind", f"unknown kind {change.get('kind')!r}")
    for name in values.get("names", {}).values():
        if not isinstance(name, str):
            raise WrongField("names", "must be a text")
    references = values.get("task", {}).get("references") or []
    for index, fact in enumerate(references if isinstance(references, list) else [None]):
        superseded = fact.get("superseded", []) if isinstance(fact, dict) else None
        if not isinstance(superseded, list) or not {"subject", "value"} <= set(fact):
            raise WrongField(f"task.references.{index}", "must hold subject, value and superseded")
