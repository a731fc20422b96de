"""What is kept of faults that were tried, so that a run that was stopped goes on: a line of JSON for each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_memuse.arcs.mutation import Control, FaultResult, Move, Touched
from pytest_memuse.memory.faults import Way
from pytest_memuse.model import FormatError
from pytest_memuse.model.json_text import json_line, parse_json
from pytest_memuse.reports.data import plain
from pytest_memuse.storage import read_plain

_LARGEST = 16 * 1024 * 1024


def append(path: Path, key: str, result: FaultResult | Control) -> None:
    """Keep what was found under a key, behind what was kept before."""
    with path.open("ab") as file:
        file.write(json_line({"key": key, "kind": type(result).__name__, **plain(result)}).encode())


def known(path: Path) -> dict[str, FaultResult | Control]:
    """Return what was kept, by its key. A line that cannot be read, a half-written one for instance, is passed over."""
    try:
        content = read_plain(path, _LARGEST)
    except (OSError, FormatError):
        return {}
    found: dict[str, FaultResult | Control] = {}
    for line in content.split(b"\n"):
        try:
            data = parse_json(line)
            found[data["key"]] = _control(data) if data["kind"] == "Control" else _result(data)
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _control(data: Mapping[str, Any]) -> Control:
    return Control(_texts(data["failed"]), _texts(data["regressed"]), float(data["seconds"]))


def _result(data: Mapping[str, Any]) -> FaultResult:
    return FaultResult(
        fault=str(data["fault"]),
        title=str(data["title"]),
        visible=bool(data["visible"]),
        touched=Touched(**{name: int(value) for name, value in data["touched"].items()}),
        moves=tuple(_move(move) for move in data["moves"]),
        failed=_texts(data["failed"]),
        regressed=_texts(data["regressed"]),
        refused=str(data["refused"]),
        seconds=float(data["seconds"]),
    )


def _move(data: Mapping[str, Any]) -> Move:
    without, with_fault, needed = data["without"], data["with_fault"], data["arcs_needed"]
    return Move(
        str(data["figure"]),
        Way(data["way"]),
        None if without is None else float(without),
        None if with_fault is None else float(with_fault),
        None if needed is None else int(needed),
    )


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in values)
