"""Reading of plain files only, no more of them at once than the caller allows."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pytest_memuse.model.errors import FormatError

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    # A link is not followed, and a pipe without a writer is not waited for.
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_plain(path: Path) -> BinaryIO:
    """Open a plain file for reading.

    Raises `FileNotFoundError` where there is none, and `FormatError` where a link, a folder, a pipe or a device stands
    in its place or the system does not give it.
    """
    try:
        if path.is_symlink():
            raise _not_plain(path, "a symbolic link")
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise
    except NotADirectoryError as error:
        raise FileNotFoundError(error.errno, error.strerror, str(path)) from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise _not_plain(path, next((name for is_kind, name in _KINDS if is_kind(mode)), "something else"))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def plain_lines(path: Path, longest: int) -> Iterator[bytes]:
    """Yield the lines of a plain file, each with its line break.

    No more than ``longest`` bytes and one come at once: a longer piece tells its reader that the line is too long, and
    the reader is to stop there. Raises what `open_plain` raises, when the first line is asked for.
    """
    with open_plain(path) as file:
        while line := _read(path, file, longest, whole_file=False):
            yield line


def read_plain(path: Path, largest: int) -> bytes:
    """Return the content of a plain file. Raises what `open_plain` raises, and `FormatError` where it is too large."""
    with open_plain(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = b"" if size > largest else _read(path, file, largest, whole_file=True)
    if max(size, len(content)) > largest:
        raise FormatError(
            f"the file has {max(size, len(content)):,} bytes and may have at most {largest:,}; it is not read",
            source=str(path),
            reason="too-large",
            mend="name another file, or restore it from version control",
        )
    return content


def unreadable(path: Path, error: Exception) -> FormatError:
    """Return the error of a file that the system does not give."""
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FormatError(
        f"the file cannot be read: {why}", source=str(path), reason="unreadable", mend="see to its name and permissions"
    )


def _read(path: Path, file: BinaryIO, most: int, *, whole_file: bool) -> bytes:
    try:
        return file.read(most + 1) if whole_file else file.readline(most + 1)
    except OSError as error:
        raise unreadable(path, error) from None


def _not_plain(path: Path, found: str) -> FormatError:
    return FormatError(
        f"it is {found}; only plain files are read",
        source=str(path),
        reason="not-a-file",
        mend="put the file itself in its place",
    )
