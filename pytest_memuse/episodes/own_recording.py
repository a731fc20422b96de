"""The recording of a test that runs its agent itself: its HTTP, and what it says through the bridge.

The first run records, later ones are answered from the file. A replay runs the test's code again, so what it says of
its memory is compared with what it said when it was recorded.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pytest_memuse import __version__
from pytest_memuse.model import FormatError, MemuseError
from pytest_memuse.model.digests import canonical_json
from pytest_memuse.model.errors import printable
from pytest_memuse.model.log import EventLog
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.cassette import Playback, playing_http, recording_http
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.lines import event_to_line, read_lines, write_lines
from pytest_memuse.recording.matching import DEFAULT_RULES, MatchingRule
from pytest_memuse.recording.meter import Meter
from pytest_memuse.recording.recording import DeliveryNote, EpisodeStart, Event, Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder

SUITE = "tests"
"""Suite, and so folder, of recordings that are a single test's."""

_MEND = "record it with `pytest --memuse-record-mode={}`"


class OwnRecording:
    """Records or replays the episodes of one test, by record mode, under the name of the test.

    *none* and *once* answer from the file at ``path``; *once* records where there is none. *new_episodes* asks live
    what the file does not answer, and records all of it. *all* and *rewrite* record anew. Nothing is written before
    `finish`, and nothing of a test that broke off inside an episode.
    """

    def __init__(
        self,
        path: Path,
        name: str,
        mode: str,
        redaction: Redaction,
        *,
        meter: Meter | None = None,
        rules: Sequence[MatchingRule] = DEFAULT_RULES,
    ) -> None:
        self._path = path
        self._name = name
        self._mode = mode
        self._redaction = redaction
        self._rules = rules
        self._old = _loaded(path, name, anew=mode in ("all", "rewrite")) if path.exists() or path.is_symlink() else None
        self._plays = mode == "none" or (mode == "once" and self._old is not None)
        self._recorder = ArcRecorder(redaction, binds=not self._plays)
        self._recorder.meter = meter
        self._broken = False
        self.bridge = Bridge(self._recorder)

    @contextmanager
    def episode(
        self, task: str, *, scope: str = "", id: str = "", references: Sequence[Mapping[str, Any]] = ()
    ) -> Iterator[Bridge]:
        """Run one episode: HTTP inside the block is recorded, or answered from the recording.

        Raises `MemuseError` where there is nothing to answer from, for a request that the recording does not hold, and
        where the test says other things of its memory than when it was recorded.
        """
        number = len(self._starts())
        begun = len(self._recorder.events)
        playback: Playback | None = None
        try:
            with (
                self._http(number) as playback,
                self.bridge.episode(task, scope=scope, id=id, references=references),
            ):
                yield self.bridge
        except BaseException as error:
            self._broken = True
            if playback is not None and playback.misses and isinstance(error, Exception):
                raise self._missed(playback) from error
            raise
        if playback is not None and playback.misses:
            raise self._missed(playback)
        if self._plays:
            self._compare(number, self._recorder.events[begun:])

    def recording(self) -> Recording:
        """Return what is recorded of the episodes so far, as the file holds it."""
        if self._plays:
            old = self._recorded()
            return replace(old, events=tuple(_upto(old.events, len(self._starts()))))
        made = self._recorder.recording(SUITE, self._name, self._made_with())
        return read_lines((line.encode("utf-8", "surrogatepass") for line in write_lines(made)), str(self._path))

    def log(self) -> EventLog:
        """Return the event log of the episodes so far."""
        return derive_log(self.recording())

    def finish(self) -> None:
        """Write what was recorded; a test that broke off or had no episode leaves the old file as it is."""
        if not self._plays and not self._broken and self._starts():
            save_recording(self._path, self._recorder.recording(SUITE, self._name, self._made_with()))

    def _http(self, number: int) -> AbstractContextManager[Playback | None]:
        known = [] if self._old is None else [e for e in _of_episode(self._old, number) if isinstance(e, Exchange)]
        if not self._plays:
            known = known if self._mode == "new_episodes" else []
            return _none(recording_http(self._recorder, self._redaction, known, self._rules))
        old = self._recorded()
        if number >= len(old.episodes):
            raise self._stale(f"it ran {len(old.episodes)} episodes when it was recorded, and now begins another one")
        return playing_http(replace(old, events=tuple(known)), self._redaction, self._rules)

    def _starts(self) -> list[EpisodeStart]:
        return [event for event in self._recorder.events if isinstance(event, EpisodeStart)]

    def _recorded(self) -> Recording:
        if self._old is None:
            raise MemuseError(
                f"{self._name}: the test has no recording: {self._path} does not exist",
                reason="not-recorded",
                mend=_MEND.format("once"),
            )
        return self._old

    def _compare(self, number: int, events: Sequence[Event]) -> None:
        before = [line for e in _of_episode(self._recorded(), number, with_start=True) if (line := _said(e))]
        now = [line for e in events if (line := _said(e))]
        for count, (then, here) in enumerate(zip(before, now, strict=False), 1):
            if then != here:
                differing = [key for key in {**then, **here} if then.get(key) != here.get(key)]
                name = "type" if "type" in differing else differing[0]
                old, new = (printable(str(line.get(name))) for line in (then, here))
                raise self._stale(
                    f"episode {number + 1}, {then['type']} (annotation {count}): {name} was {old!r} when it was "
                    f"recorded, and is {new!r} now"
                )
        if len(now) != len(before):
            told = f"{len(before)} annotations when it was recorded, and {len(now)} now"
            raise self._stale(f"episode {number + 1}: the test made {told}")

    def _missed(self, playback: Playback) -> MemuseError:
        miss = playback.misses[0]
        return self._stale(f"{miss.method} {printable(miss.uri)} is not in the recording: {miss.nearest}")

    def _stale(self, problem: str) -> MemuseError:
        self._broken = True
        return MemuseError(
            f"{self._name}: {problem}\n  recording: {self._path}", reason="stale", mend=_MEND.format("new_episodes")
        )

    def _made_with(self) -> dict[str, Any]:
        attempt = 0 if self._old is None else int(self._old.made_with.get("attempt", 1))
        return {"product": __version__, "recorded": datetime.now(UTC).date().isoformat(), "attempt": attempt + 1}


def _loaded(path: Path, name: str, *, anew: bool) -> Recording | None:
    """Return the recording of a test; one that is to be made anew may be damaged."""
    try:
        found = load_recording(path)
    except FormatError:
        if anew:
            return None
        raise
    if found.arc != name:
        raise MemuseError(
            f"{path}: it is the recording of {found.arc!r}, not of {name!r}",
            reason="another-arc",
            mend="restore the file from version control, or delete it and record the test again",
        )
    return found


def _upto(events: Sequence[Event], episodes: int) -> Iterator[Event]:
    begun = 0
    for event in events:
        begun += isinstance(event, EpisodeStart)
        if begun > episodes:
            return
        yield event


def _of_episode(recording: Recording, number: int, *, with_start: bool = False) -> list[Event]:
    """Return the events of an episode, up to the next one's start."""
    found: list[Event] = []
    position = -1
    for event in recording.events:
        start = isinstance(event, EpisodeStart)
        position += start
        if position == number and (with_start or not start):
            found.append(event)
    return found


_BINDING = frozenset({"exchange", "exchanges", "pointer", "text_digest", "problem"})


def _said(event: Event) -> dict[str, Any]:
    """Return what a test said itself, as plain data without what the recorder made of it; empty for an exchange."""
    if isinstance(event, Exchange):
        return {}
    # What a delivery's text looks like in the request is the recorder's finding; if it changes, so does the request.
    left_out = _BINDING | ({"text", "also"} if isinstance(event, DeliveryNote) else frozenset())
    line = {name: value for name, value in event_to_line(event).items() if name not in left_out}
    said: dict[str, Any] = json.loads(canonical_json(line))
    return said


@contextmanager
def _none(manager: AbstractContextManager[None]) -> Iterator[None]:
    with manager:
        yield None
