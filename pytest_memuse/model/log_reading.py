"""Reading event logs: lines in, episodes out. A damaged line is a `FormatError` that names file, line and field."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import TypeAdapter, ValidationError

from pytest_memuse.model import lines as parts
from pytest_memuse.model.episodes import LOST, Episode, EventLog
from pytest_memuse.model.errors import FormatError
from pytest_memuse.model.json_text import check_size
from pytest_memuse.model.log_episodes import GrowingEpisode, delivery_of
from pytest_memuse.model.memory import Delivery
from pytest_memuse.model.messages import Message, ToolCall

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is refused before it is parsed."""

MAX_VALUES = 100_000
"""So is a line that holds more objects and lists, or more values in them: each could be an error of its own."""

LINE: TypeAdapter[parts.Line] = TypeAdapter(parts.Line)


def read_log(raw_lines: Iterable[bytes | str], source: str) -> EventLog:
    """Return the log that the lines hold.

    ``source`` is the name that errors give. Raises `FormatError` for a damaged line (naming line and field), a version
    that this release does not read, a message whose digest is not its own, and a log that was cut off.
    """
    outside: list[Delivery] = []
    reader = _Reader(source, outside)
    episodes = tuple(reader.episodes(raw_lines))
    return EventLog(episodes, reader.header.suite, reader.header.recorded_against, tuple(outside))


def iter_episodes(raw_lines: Iterable[bytes | str], source: str) -> Iterator[Episode]:
    """Yield the episodes of a log one at a time, each as soon as its last line was read.

    What only one episode names is forgotten with it, so a log of any length is read in the memory of its longest
    episode and of the messages that episodes share. Raises what `read_log` raises, when it gets there: that a log was
    cut off shows at its end only. Deliveries outside every episode are passed over.
    """
    return _Reader(source).episodes(raw_lines)


class _Reader:
    """Collects lines into episodes; one instance reads one log, once.

    Deliveries outside every episode are put into ``outside`` where it is given.
    """

    def __init__(self, source: str, outside: list[Delivery] | None = None) -> None:
        self._source = source
        self._number = 0
        self._header: parts.HeaderLine | None = None
        self._ended = False
        self._messages: dict[str, _Stored] = {}
        self._current: GrowingEpisode | None = None
        self._ids: set[str] = set()
        self._outside = outside
        self._outside_texts: dict[str, str] = {}

    @property
    def header(self) -> parts.HeaderLine:
        """The header of the log, once its episodes have been read."""
        assert self._header is not None
        return self._header

    def episodes(self, raw_lines: Iterable[bytes | str]) -> Iterator[Episode]:
        for number, raw in enumerate(raw_lines, 1):
            self._number = number
            finished = self._take(self._parsed(raw))
            if finished is not None:
                yield finished
        if self._header is None:
            raise FormatError("the file is empty", source=self._source, mend="record the episodes again")
        if not self._ended:
            raise FormatError(
                "the log was cut off: its last line is not the end",
                source=self._source,
                line=self._number,
                reason="truncated",
                mend="restore the file from version control, or record the episodes again",
            )

    def _parsed(self, raw: bytes | str) -> parts.Line:
        if not raw.strip():
            raise self._error("the line is empty")
        if len(raw) > MAX_LINE_BYTES:
            raise self._error(f"the line is longer than {MAX_LINE_BYTES} bytes")
        if self._ended:
            raise self._error("a line stands behind the end of the log")
        if len(raw) > MAX_VALUES:
            try:
                check_size(raw if isinstance(raw, str) else raw.decode("utf-8", "replace"), MAX_VALUES, MAX_VALUES)
            except ValueError as error:
                raise self._error(f"the line is too large: {error}") from None
        try:
            return LINE.validate_json(raw)
        except ValidationError as error:
            raise self._damaged(error) from None

    def _take(self, line: parts.Line) -> Episode | None:
        """Take a line; return the episode that it ends."""
        if self._header is None:
            self._take_header(line)
        elif isinstance(line, parts.HeaderLine):
            raise self._error("a second header", field="type")
        elif isinstance(line, parts.MessageLine):
            self._take_message(line)
        elif isinstance(line, parts.OutsideLine):
            if self._outside is not None:
                self._outside.append(delivery_of(line, self._outside_texts))
        elif isinstance(line, parts.EpisodeLine):
            if line.id in self._ids:
                raise self._error(f"episode {line.id!r} stands in the log twice", field="id")
            self._ids.add(line.id)
            finished, self._current = self._close(), GrowingEpisode(line)
            return finished
        elif isinstance(line, parts.EndLine):
            if line.lines != self._number - 1:
                before = self._number - 1
                raise self._error(f"{before} lines stand before the end, it says {line.lines}", field="lines")
            self._ended = True
            finished, self._current = self._close(), None
            return finished
        elif self._current is None:
            raise self._error(f"a line of type {line.type!r} stands before the first episode", field="type")
        else:
            self._check_references(line)
            self._current.take(line)
        return None

    def _take_header(self, line: parts.Line) -> None:
        if not isinstance(line, parts.HeaderLine):
            raise self._error("the first line is not the header of an event log", field="type")
        if line.version != parts.LOG_VERSION:
            raise self._error(
                f"version {line.version} of the event log is not one that this release reads "
                f"(it reads {parts.LOG_VERSION})",
                field="version",
                reason="version",
                mend="install a release of pytest-memuse that reads it, or record the episodes again",
            )
        self._header = line

    def _take_message(self, line: parts.MessageLine) -> None:
        calls = tuple(ToolCall(c.id, c.name, c.arguments) for c in line.tool_calls)
        message = Message(line.role, line.text, calls, line.tool_call_id)
        if message.digest != line.digest:
            raise self._error(f"the content's digest is {message.digest}, the line says {line.digest}", field="digest")
        known = self._messages.get(message.digest)
        if known is None:
            self._messages[message.digest] = _Stored(self._number, message, line.local)
        elif known.local and not line.local:
            self._messages[message.digest] = known._replace(local=False)

    def _check_references(self, line: parts.Line) -> None:
        """Every digest that a call or a result names must have come before it; a gap may leave places empty."""
        if isinstance(line, parts.CallLine):
            for digest in line.input:
                if digest not in self._messages and not (line.gap and digest == LOST):
                    raise self._unknown(digest, "input")
            if line.response and line.response not in self._messages:
                raise self._unknown(line.response, "response")
        elif isinstance(line, parts.ResultLine) and line.message not in self._messages:
            raise self._unknown(line.message, "message")

    def _close(self) -> Episode | None:
        if self._current is None or self._header is None:
            return None
        named = sorted((self._messages[d] for d in self._current.named() if d in self._messages), key=_Stored.place)
        for stored in named:
            if stored.local:
                del self._messages[stored.message.digest]
        return self._current.episode({s.message.digest: s.message for s in named}, self._header.suite)

    def _unknown(self, digest: str, field: str) -> FormatError:
        return self._error(f"no message with digest {digest!r} stands before this line", field=field)

    def _error(self, problem: str, *, field: str | None = None, reason: str = "damaged", mend: str = "") -> FormatError:
        return FormatError(
            problem,
            source=self._source,
            line=self._number,
            field=field,
            reason=reason,
            mend=mend or "restore the file from version control, or record the episodes again",
        )

    def _damaged(self, error: ValidationError) -> FormatError:
        first = error.errors(include_url=False, include_input=False)[0]
        path = [str(part) for part in first["loc"]]
        field = ".".join(path[1:] if len(path) > 1 else path)
        return self._error(first["msg"], field=field or None)


class _Stored(NamedTuple):
    """A message with the number of the line that brought it. A local one is named by one episode only."""

    line: int
    message: Message
    local: bool

    def place(self) -> int:
        return self.line
