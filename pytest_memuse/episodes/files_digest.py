"""What stands in the folder that an episode's workspace is a copy of, as one digest."""

import hashlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from pytest_memuse.model.digests import DIGEST_LENGTH

MOST_FILES = 20_000
MOST_BYTES = 256 * 1024 * 1024
"""Bounds of what is read; a larger folder has no digest and is compared by its name alone."""

LEFT_OUT = frozenset({".git", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store"})
"""What tools write by themselves, and no task rests on."""


class FileDigests:
    """Digests of folders below ``base``, each worked out once."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._known: dict[str, str | None] = {}

    def of(self, files: str) -> str | None:
        """Return the digest of a folder's names and bytes; None where it is missing, unreadable or too large."""
        if files not in self._known:
            self._known[files] = folder_digest(self._base / files)
        return self._known[files]


def folder_digest(folder: Path) -> str | None:
    """Return the digest of a folder: each file's name and bytes, each link's name and target, in the names' order.

    Links are not followed, as the workspace copies them as links. None where the folder is missing, cannot be read, or
    is larger than the bounds.
    """
    whole = hashlib.sha256()
    files = size = 0
    if not folder.is_dir():
        return None
    try:
        for name, path in _tree(folder):
            files += 1
            if files > MOST_FILES:
                return None
            if path.is_symlink():
                kind, content = b"link", os.readlink(path).encode("utf-8", "surrogateescape")
            elif path.is_dir():
                kind, content = b"folder", b""
            elif path.is_file():
                size += path.stat().st_size
                if size > MOST_BYTES:
                    return None
                kind, content = b"file", path.read_bytes()
            else:
                continue  # a pipe or a socket would block the reader
            for part in (kind, name.encode("utf-8", "surrogateescape"), hashlib.sha256(content).digest()):
                whole.update(len(part).to_bytes(8, "big") + part)
    except OSError:
        return None
    return whole.hexdigest()[:DIGEST_LENGTH]


def _tree(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield everything below a folder with its relative name, in an order that no file system decides."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with os.scandir(here) as found:
            # One more than may be read is enough to see that there are too many.
            entries = sorted(itertools.islice(found, MOST_FILES + 1), key=lambda entry: entry.name)
        for entry in entries:
            if entry.name in LEFT_OUT:
                continue
            path = Path(entry.path)
            yield path.relative_to(folder).as_posix(), path
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
