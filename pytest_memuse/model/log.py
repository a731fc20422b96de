"""Event logs as text: writing here, reading in `log_reading`. Pure: the caller opens files."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from typing import Any

from pytest_memuse.model import lines as parts
from pytest_memuse.model.episodes import Episode, EventLog
from pytest_memuse.model.json_text import json_line
from pytest_memuse.model.log_reading import LINE, MAX_LINE_BYTES, iter_episodes, read_log
from pytest_memuse.model.messages import message_to_dict

__all__ = ["MAX_LINE_BYTES", "EventLog", "iter_episodes", "log_schema", "read_log", "write_log"]


def write_log(log: EventLog) -> Iterator[str]:
    """Yield the lines of a log, each with its line break. Reading them gives back an equal log."""
    count = 0
    for line in _lines_of(log):
        count += 1
        yield json_line(line)
    yield json_line({"type": "end", "lines": count})


def log_schema() -> dict[str, Any]:
    """Return the JSON Schema of one line of a log."""
    return LINE.json_schema()


def _lines_of(log: EventLog) -> Iterator[dict[str, Any]]:
    header: dict[str, Any] = {"type": "memuse-log", "version": parts.LOG_VERSION}
    if log.suite:
        header["suite"] = log.suite
    if log.recorded_against:
        header["recorded_against"] = log.recorded_against
    yield header
    for delivery in log.outside:
        yield {"type": "outside"} | _plain(delivery)
    shared = Counter(digest for episode in log.episodes for digest in episode.messages)
    written: set[str] = set()
    for episode in log.episodes:
        for digest, message in episode.messages.items():
            if digest not in written:
                written.add(digest)
                once = {"local": True} if shared[digest] == 1 else {}
                yield {"type": "message", "digest": digest} | once | message_to_dict(message)
        yield from _episode_lines(episode)


def _episode_lines(episode: Episode) -> Iterator[dict[str, Any]]:
    yield {"type": "episode"} | _plain(episode, only=_EPISODE_FIELDS)
    for call in (*episode.memory_calls, *episode.failed_calls):
        yield {"type": "call"} | _plain(call)
    for step in episode.steps:
        yield {"type": "call"} | _plain(step.call)
        for result in step.results:
            yield {"type": "result", "call": step.call.id} | _plain(result)
    for change in episode.history:
        yield {"type": "history"} | _plain(change)
    for operation in episode.operations:
        yield {"type": "operation"} | _plain(operation)
    for delivery in episode.deliveries:
        yield {"type": "delivery"} | _plain(delivery)
    if episode.outcome is not None:
        yield {"type": "outcome"} | _plain(episode.outcome)


_EPISODE_FIELDS = frozenset({"id", "arc", "scope", "position", "task", "resolved"})


def _plain(value: Any, *, only: frozenset[str] | None = None) -> Any:
    """Return plain data of a frozen type; fields that hold their default are left out."""
    if is_dataclass(value):
        return {
            f.name: _plain(getattr(value, f.name))
            for f in fields(value)
            if (only is None or f.name in only) and getattr(value, f.name) != _default(f)
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default
