"""Writing that is whole or nothing: a new file beside the old one, on disk, and only then under the old one's name.

A run that is killed leaves the old file, or the new one, and perhaps a hidden ``.part`` file. Nothing reads such a
file, and the next write into the folder removes it. A writer holds a lock on its own, so that one which is in use is
never taken for a leftover; where the platform has no such locks, leftovers stay.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

_fcntl: ModuleType | None
try:
    import fcntl as _fcntl
except ImportError:  # Windows
    _fcntl = None

HAS_LOCKS = _fcntl is not None
"""Whether the platform has locks that end with the process which holds them."""

PIECE = 1024 * 1024
"""Bytes that are gathered before they are written."""

_PART = re.compile(r"\..*\.[0-9a-f]{16}\.part")
_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOFOLLOW", 0)
)


def write_whole(path: Path, pieces: Iterable[bytes], check: Callable[[Path], object] | None = None) -> None:
    """Write a file in one step; its folder is made where it is missing.

    ``pieces`` are taken one at a time. ``check`` is called with the new file before it takes the old one's place, and
    keeps the old one by raising. Raises `OSError` where a step fails, and whatever ``pieces`` and ``check`` raise: what
    stood there before then still does. Of several processes that write one file at once, the last one's stands, whole.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_leftovers(path.parent)
    fresh, descriptor = _new_part(path)
    try:
        try:
            _write(descriptor, pieces)
            os.fsync(descriptor)
            if check is not None:
                check(fresh)
        except BaseException:
            release(descriptor)
            raise
        if _fcntl is None:
            # Windows renames no open file.
            os.close(descriptor)
            os.replace(fresh, path)
        else:
            # Elsewhere the lock is held until then, so that nobody takes the file for a leftover.
            try:
                os.replace(fresh, path)
            finally:
                release(descriptor)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    sync_folder(path.parent)


def release(descriptor: int) -> None:
    """Close a file whose content is on disk or given up: what closing says has no bearing on either."""
    with suppress(OSError):
        os.close(descriptor)


def _new_part(path: Path) -> tuple[Path, int]:
    """Make the file that is written, under a name of its own, and lock it."""
    while True:
        # The name is cut: file systems allow 255 bytes.
        fresh = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
        descriptor = os.open(fresh, _FLAGS, 0o666)
        try:
            if locked(descriptor, wait=True) and os.fstat(descriptor).st_nlink == 0:
                # Another process took it for a leftover in the moment before it was locked.
                os.close(descriptor)
                continue
        except BaseException:
            os.close(descriptor)
            with suppress(OSError):
                fresh.unlink()
            raise
        return fresh, descriptor


def _write(descriptor: int, pieces: Iterable[bytes]) -> None:
    gathered = bytearray()
    for piece in pieces:
        gathered += piece
        if len(gathered) >= PIECE:
            write_all(descriptor, gathered)
            gathered.clear()
    write_all(descriptor, gathered)


def write_all(descriptor: int, content: bytearray) -> None:
    done = 0
    while done < len(content):
        done += os.write(descriptor, bytes(content[done:]) if done else content)


def locked(descriptor: int, *, wait: bool) -> bool:
    """Lock a file for this process; return False where another one holds it, or where the platform cannot tell."""
    if _fcntl is None:
        return False
    try:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | (0 if wait else _fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed runs left in a folder; a file that a living process writes is locked, and stays."""
    if _fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(folder):
            if _PART.fullmatch(name):
                _remove_leftover(folder / name)


def _remove_leftover(part: Path) -> None:
    with suppress(OSError):
        descriptor = os.open(part, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            if locked(descriptor, wait=False):
                part.unlink()
        finally:
            os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the file system can; the file itself is whole either way."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
