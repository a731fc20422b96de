"""Reading whatever the user names: an event log, a recording or a vcrpy cassette, told apart by the first line."""

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.judging.answers import Judge
from pytest_memuse.judging.run import JudgedSpans, Lines, judge_episodes
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.model import Episode
from pytest_memuse.model.errors import MemuseError, printable
from pytest_memuse.model.json_text import parse_json
from pytest_memuse.model.log import MAX_LINE_BYTES, EventLog, read_log
from pytest_memuse.profiles.assembling import creation_ordinals, episode_row, outside_rows
from pytest_memuse.profiles.judged_episode import JudgedEpisode
from pytest_memuse.profiles.rows import Run, SpanRow
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording
from pytest_memuse.recording.vcr_files import is_vcr_cassette, recording_from_vcr
from pytest_memuse.storage import plain_lines

_LONGEST_HEADER = 1024 * 1024


def read_any(path: Path) -> EventLog:
    """Return the event log that a file is, or that is derived from the recording or the vcrpy cassette that it is.

    Raises `FormatError` where it is neither, and `OSError` where it cannot be read.
    """
    lines = plain_lines(path, MAX_LINE_BYTES)
    first = next(lines, None)
    if first is None:
        return read_log((), str(path))
    if _kind(first) == "memuse-recording":
        return derive_log(load_recording(path))
    if is_vcr_cassette(first):
        return derive_log(recording_from_vcr(path))
    return read_log(itertools.chain((first,), lines), str(path))


@dataclass(frozen=True, slots=True)
class JudgedLog:
    """One file, judged: its episodes in order, each with spans and verdicts, and what lies outside every episode."""

    suite: str
    recorded_against: str
    episodes: tuple[JudgedEpisode, ...]
    outside: tuple[SpanRow, ...] = ()


def judged_log(path: Path, judge: Judge | None = None) -> JudgedLog:
    """Read a file and judge its episodes, with the tracer unless told otherwise. Raises what `read_any` raises."""
    (log,) = judged_logs([read_any(path)], judge)
    return log


def judged_logs(logs: Sequence[EventLog], judge: Judge | None = None, lines: Lines | None = None) -> list[JudgedLog]:
    """Judge the episodes of logs, all together: a judge that asks a model has one limit and one progress for them."""
    found = judge_episodes(judge or Tracer(), (episode for log in logs for episode in log.episodes), lines=lines)
    each = assembled_logs(logs, found)
    deque(found, maxlen=0)  # What ends the run of a judge comes after its last episode.
    return each


def assembled_logs(logs: Sequence[EventLog], judgments: Iterator[tuple[Episode, JudgedSpans]]) -> list[JudgedLog]:
    """Return logs with the judgments of their episodes, which come in the same order."""
    return [
        JudgedLog(log.suite, log.recorded_against, _assembled(log.episodes, judgments), outside_rows(log.outside))
        for log in logs
    ]


def judged(episodes: Sequence[Episode], judge: Judge | None = None) -> tuple[JudgedEpisode, ...]:
    """Judge episodes in the order given, with the tracer unless told otherwise."""
    return _assembled(episodes, judge_episodes(judge or Tracer(), episodes))


def _assembled(
    episodes: Sequence[Episode], judgments: Iterator[tuple[Episode, JudgedSpans]]
) -> tuple[JudgedEpisode, ...]:
    """Return so many episodes with their verdicts, taking no more judgments than there are."""
    arcs: dict[str, list[Episode]] = {}
    for episode in episodes:
        arcs.setdefault(episode.arc, []).append(episode)
    ordinals = {arc: creation_ordinals(of) for arc, of in arcs.items()}
    return tuple(
        JudgedEpisode(
            episode,
            found.spans,
            episode_row(episode, found.spans, found.judgments, ordinals=ordinals[episode.arc], reasons=found.reasons),
        )
        for episode, found in itertools.islice(judgments, len(episodes))
    )


def run_of(logs: Iterable[JudgedLog]) -> Run:
    """Return the run that the files are together. Raises `MemuseError` where they are of several suites."""
    found = list(logs)
    suites = list(dict.fromkeys(log.suite for log in found))
    if len(suites) > 1:
        raise MemuseError(
            f"the files are of {len(suites)} suites: {', '.join(printable(repr(suite)) for suite in suites)}",
            reason="several-suites",
            mend="name files of one suite; each suite has a profile of its own",
        )
    return Run(
        suites[0],
        tuple(one.row for log in found for one in log.episodes),
        tuple(span for log in found for span in log.outside),
    )


def _kind(line: bytes) -> str:
    if len(line) > _LONGEST_HEADER:
        return ""
    try:
        head = parse_json(line)
    except ValueError:
        return ""
    return str(head.get("type", "")) if isinstance(head, dict) else ""
