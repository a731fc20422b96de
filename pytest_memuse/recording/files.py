"""Where recordings are on disk: safe names, reading line by line, and writing that never loses the old file."""

import os
import re
import secrets
from pathlib import Path

from pytest_memuse.model.digests import text_digest
from pytest_memuse.model.errors import FormatError
from pytest_memuse.recording.lines import MAX_LINE_BYTES, read_lines, write_lines
from pytest_memuse.recording.recording import Recording

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def safe_name(name: str) -> str:
    """Return a file name for any name: itself where it is short and plain, else a readable part and its digest.

    Two names never share a file, on file systems that ignore case neither.
    """
    if _SAFE.fullmatch(name) and name == name.lower():
        return name
    readable = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "name"
    return f"{readable}-{text_digest(name)[:12]}"


def recording_path(folder: Path, suite: str, arc: str) -> Path:
    """Return the file of an arc's recording."""
    return folder / safe_name(suite) / f"{safe_name(arc)}.jsonl"


def load_recording(path: Path) -> Recording:
    """Read a recording. Raises `FormatError` where the file is damaged, `FileNotFoundError` where there is none."""
    if path.is_symlink():
        raise FormatError("the file is a symbolic link; recordings are read from plain files only", source=path.name)
    with path.open("rb") as file:
        # Reading by a limited length keeps a file of one endless line out of memory.
        return read_lines(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), str(path))


def save_recording(path: Path, recording: Recording) -> None:
    """Write a recording. The old file stays as it is until the new one is whole and on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, "".join(write_lines(recording)))


def write_atomically(path: Path, text: str) -> None:
    """Write a text file in one step: a new file beside it, flushed to disk, then renamed over it."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}.part")
    try:
        with fresh.open("x", encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
