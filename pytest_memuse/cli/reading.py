"""Reading whatever the user names: an event log or a recording, told apart by the first line."""

import json
from collections.abc import Iterable
from pathlib import Path

from pytest_memuse.judging.run import judge_episode
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.model import Episode
from pytest_memuse.model.log import MAX_LINE_BYTES, EventLog, read_log
from pytest_memuse.profiles.assembling import creation_ordinals, episode_row
from pytest_memuse.profiles.rows import EpisodeRow
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording
from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.types import Span


def read_any(path: Path) -> EventLog:
    """Return the event log that a file is, or that is derived from the recording that it is.

    Raises `FormatError` where it is neither, and `OSError` where it cannot be read.
    """
    with path.open("rb") as file:
        first = file.readline(MAX_LINE_BYTES)
        if _kind(first) == "memuse-recording":
            return derive_log(load_recording(path))
        file.seek(0)
        return read_log(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), str(path))


def judged(episodes: Iterable[Episode]) -> list[tuple[EpisodeRow, Episode, tuple[Span, ...]]]:
    """Judge episodes with the tracer; return each one's row, the episode and its spans."""
    tracer = Tracer()
    by_arc: dict[str, list[Episode]] = {}
    for episode in episodes:
        by_arc.setdefault(episode.arc, []).append(episode)
    out = []
    for arc in by_arc.values():
        ordinals = creation_ordinals(arc)
        for episode in arc:
            spans = build_spans(episode)
            judgments = judge_episode(tracer, episode, spans)
            out.append((episode_row(episode, spans, judgments, ordinals=ordinals), episode, spans))
    return out


def tracer_identity() -> dict[str, str]:
    """Return what a report says of the judge."""
    identity = Tracer().identity
    return {"kind": identity.kind, "version": identity.version}


def _kind(line: bytes) -> str:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return str(head.get("type", "")) if isinstance(head, dict) else ""
