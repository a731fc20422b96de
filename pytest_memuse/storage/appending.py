"""Files of JSON objects, one a line, that grow at their end: what an append returned for is on disk, whole.

The last line of a file that somebody was killed in the middle of writing is *torn*: it has no line break and is no JSON
object (the beginning of an object never is one). Readers pass it over, and the next writer cuts it off. A last line
that is an object counts as whole without its line break, be it that the break alone was lost or that an editor took it.

Writers hold a lock on the file, so that the lines of two processes never mix; where the platform or the file system has
no such locks, two processes must not write one file at once. Readers need no lock.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from pytest_memuse.model.errors import FormatError
from pytest_memuse.model.json_text import parse_object
from pytest_memuse.storage.reading import open_plain, plain_lines
from pytest_memuse.storage.writing import HAS_LOCKS, locked, release, sync_folder, write_all

_FLAGS = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_APPEND
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    # A link is not followed, and a pipe is not waited for.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_BLOCK = 64 * 1024


class FileState(NamedTuple):
    """Which file stands under a name, how far it has grown, and when: as long as it is the same, so is its content."""

    device: int
    number: int
    size: int
    changed: int


class GrownLine(NamedTuple):
    """A line without its break: ``number`` counts from 1, ``offset`` is where it begins, in bytes."""

    number: int
    offset: int
    content: bytes


class GrowingFile:
    """A file that is open and locked for appending; a torn last line is gone."""

    def __init__(self, descriptor: int, size: int, *, unbroken: bool) -> None:
        self._descriptor = descriptor
        self._size = size
        self._unbroken = unbroken

    @property
    def is_empty(self) -> bool:
        """Whether the file has no line yet."""
        return not self._size

    @property
    def state(self) -> FileState:
        """The file as it stands now."""
        return _state(os.fstat(self._descriptor))

    def append(self, lines: bytes) -> int:
        """Write whole lines, each with its line break, and return the offset of the first; they are on disk then.

        Raises `OSError` where that fails. The file is cut back to where it was then, as far as the system allows.
        """
        begins = self._size + self._unbroken
        try:
            write_all(self._descriptor, bytearray(b"\n" * self._unbroken + lines))
            os.fsync(self._descriptor)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            raise
        self._size, self._unbroken = begins + len(lines), False
        return begins


@contextmanager
def growing(path: Path, longest: int) -> Iterator[GrowingFile]:
    """Open a file for appending and hold its lock; file and folder are made where they are missing.

    ``longest`` is how many bytes a torn line may have. Raises `OSError` where a step fails, and `FormatError` where
    something else than a plain file stands there or the last line is longer; nothing is cut off then.
    """
    _make_folder(path.parent)
    descriptor = _opened(path)
    try:
        yield _ready(path, descriptor, longest)
    finally:
        release(descriptor)


@contextmanager
def held(path: Path, longest: int) -> Iterator[None]:
    """Hold the lock of a growing file while it is replaced (`writing.write_whole`); raises what `growing` raises.

    Where there are no locks the file is not open meanwhile: Windows replaces no open file.
    """
    if not HAS_LOCKS:
        yield
        return
    with growing(path, longest):
        yield


def grown_lines(path: Path, longest: int, largest: int) -> Iterator[GrownLine]:
    """Yield the whole lines of a file, blank ones left out; none where there is no file.

    Raises `FormatError` for a line of more than ``longest`` bytes, a file of more than ``largest``, and as `open_plain`
    does.
    """
    offset = 0
    try:
        for number, line in enumerate(plain_lines(path, longest), start=1):
            begins, offset = offset, offset + len(line)
            if len(line) > longest:
                raise _too_long(path, number, longest)
            if offset > largest:
                raise FormatError(
                    f"the file has more than {largest:,} bytes", source=str(path), reason="too-large", mend=_RESTORE
                )
            if line.strip() and (line.endswith(b"\n") or is_object(line)):
                yield GrownLine(number, begins, line.rstrip(b"\r\n"))
    except FileNotFoundError:
        return


def line_at(path: Path, offset: int, longest: int) -> bytes:
    """Return the line that begins at an offset, without its break; empty where the file ends before it.

    Raises what `open_plain` raises; of a longer line only ``longest`` bytes and one are returned.
    """
    with open_plain(path) as file:
        file.seek(offset)
        return file.readline(longest + 1).rstrip(b"\r\n")


def file_state(path: Path) -> FileState | None:
    """Return which file stands under a name; None where there is none or the system does not say."""
    try:
        return _state(os.stat(path, follow_symlinks=False))
    except (OSError, ValueError):
        return None


def is_object(line: bytes) -> bool:
    """Return whether a line is one whole JSON object."""
    try:
        parse_object(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return True


_RESTORE = "restore the file from version control, or delete it"


def _state(found: os.stat_result) -> FileState:
    return FileState(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _make_folder(folder: Path) -> None:
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        sync_folder(made.parent)


def _opened(path: Path) -> int:
    """Return a locked descriptor of the file that stands under the name."""
    while True:
        if path.is_symlink():
            raise _not_plain(path)
        descriptor = os.open(path, _FLAGS, 0o666)
        try:
            locked(descriptor, wait=True)
            own = os.fstat(descriptor)
            if not stat.S_ISREG(own.st_mode):
                raise _not_plain(path)
            # Whoever held the lock before may have put another file in this one's place.
            if _is_at(path, own):
                return descriptor
        except BaseException:
            release(descriptor)
            raise
        release(descriptor)


def _is_at(path: Path, own: os.stat_result) -> bool:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)


def _ready(path: Path, descriptor: int, longest: int) -> GrowingFile:
    """Return the file at the end of its last whole line."""
    size = os.fstat(descriptor).st_size
    if not size:
        # It may just have been made.
        sync_folder(path.parent)
        return GrowingFile(descriptor, 0, unbroken=False)
    tail = _last_line(path, descriptor, size, longest)
    if not tail:
        return GrowingFile(descriptor, size, unbroken=False)
    if is_object(tail):
        return GrowingFile(descriptor, size, unbroken=True)
    os.ftruncate(descriptor, size - len(tail))
    return GrowingFile(descriptor, size - len(tail), unbroken=False)


def _last_line(path: Path, descriptor: int, size: int, longest: int) -> bytes:
    """Return what stands behind the last line break."""
    blocks: list[bytes] = []
    begins = size
    while begins:
        ends, begins = begins, max(0, begins - _BLOCK)
        os.lseek(descriptor, begins, os.SEEK_SET)
        _, broken, after = os.read(descriptor, ends - begins).rpartition(b"\n")
        blocks.append(after)
        if broken:
            break
        if size - begins > longest:
            raise _too_long(path, None, longest)
    return b"".join(reversed(blocks))


def _too_long(path: Path, number: int | None, longest: int) -> FormatError:
    return FormatError(
        f"the line is longer than {longest:,} bytes", source=str(path), line=number, reason="too-large", mend=_RESTORE
    )


def _not_plain(path: Path) -> FormatError:
    return FormatError(
        "something else than a plain file stands here; nothing is written to it",
        source=str(path),
        reason="not-a-file",
        mend="remove it",
    )
