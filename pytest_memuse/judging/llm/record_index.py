"""What the lines of a file of records are found by, remembered as long as the file is the same."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pytest_memuse.judging.llm.kept import FileKind, Header
from pytest_memuse.judging.llm.record_lines import LONGEST_LINE, digest_at, header_line, read_header
from pytest_memuse.model.errors import FormatError
from pytest_memuse.storage.appending import FileState, GrowingFile, GrownLine, file_state, grown_lines

LARGEST_FILE = 1024 * 1024 * 1024
"""Bytes of one file: hundreds of thousands of answers."""

_NAMES = {FileKind.JUDGMENTS: "evidence", FileKind.CONVERSATION: "digest"}


class LineIndex:
    """The lines of one file by their digests, in the order in which they stand.

    The content of a line is remembered for answers, and looked up by its offset for messages, which may be many times
    as long. Raises `FormatError` where the file is damaged, or is of another judge or arc than it should be.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self._header = header
        self._lines: dict[str, list[GrownLine]] = {}
        self._number = 0
        self._state: FileState | None = None

    def lines(self, state: FileState | None = None) -> Mapping[str, Sequence[GrownLine]]:
        """Return the lines as they stand; ``state`` is that of the file where it is known."""
        state = state or file_state(self.path)
        if state is None or state != self._state:
            # What grows while it is read has another state afterwards, and is read again.
            self._state = None
            self._read()
            self._state = state
        return self._lines

    def append(self, file: GrowingFile, lines: Iterable[tuple[str, bytes]]) -> None:
        """Append lines, given with their digests, to the open file, whose `lines` were read; raises `OSError`."""
        pieces = list(lines)
        header = header_line(self._header) if file.is_empty else b""
        self._state = None
        offset = file.append(b"".join((header, *(raw for _, raw in pieces)))) + len(header)
        self._number += bool(header)
        for digest, raw in pieces:
            self._number += 1
            self._remember(digest, GrownLine(self._number, offset, raw.rstrip()))
            offset += len(raw)
        self._state = file.state

    def _read(self) -> None:
        self._lines, self._number = {}, 0
        source, first = str(self.path), b""
        for line in grown_lines(self.path, LONGEST_LINE, LARGEST_FILE):
            self._number = line.number
            if not first:
                first = line.content
                self._check(read_header(first, source, line.number), line.number)
            elif line.content != first:
                # A merge of two branches may leave the header twice.
                name = _NAMES[self._header.kind]
                self._remember(digest_at(line.content, name, source, line.number), line)

    def _remember(self, digest: str, line: GrownLine) -> None:
        kept = line if self._header.kind is FileKind.JUDGMENTS else line._replace(content=b"")
        self._lines.setdefault(digest, []).append(kept)

    def _check(self, found: Header, line: int) -> None:
        for name, is_there, is_due in (
            ("kind", found.kind, self._header.kind),
            ("arc", found.arc, self._header.arc),
            ("judge", found.judge, self._header.judge),
        ):
            if is_there != is_due:
                raise FormatError(
                    f"the records of {is_there} stand where those of {is_due} should",
                    source=str(self.path),
                    line=line,
                    field=name,
                    mend="put the file back where it came from, or delete it: its spans are asked about again",
                )
