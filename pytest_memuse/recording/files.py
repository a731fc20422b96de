"""Where recordings are on disk: one file an arc, read line by line, and written so that the old one is never lost."""

from collections.abc import Iterator
from pathlib import Path

from pytest_memuse.model.errors import FormatError, MemuseError, inert
from pytest_memuse.recording.lines import MAX_LINE_BYTES, read_lines, write_lines
from pytest_memuse.recording.recording import Recording
from pytest_memuse.storage import inside, plain_lines, safe_name, write_whole

__all__ = ["load_recording", "recording_path", "safe_name", "save_recording"]


def recording_path(folder: Path, suite: str, arc: str) -> Path:
    """Return the file of an arc's recording. Raises `FormatError` where a link leads out of ``folder``."""
    return inside(folder, folder / safe_name(suite) / f"{safe_name(arc)}.jsonl")


def load_recording(path: Path) -> Recording:
    """Read a recording.

    Raises `FormatError` where the file is damaged or no plain file, `FileNotFoundError` where there is none.
    """
    return read_lines(plain_lines(path, MAX_LINE_BYTES), str(path))


def save_recording(path: Path, recording: Recording) -> None:
    """Write a recording. The old file stays as it is until the new one is whole, on disk, and reads back.

    Raises `MemuseError` where it cannot be written, and where what was recorded could not be read again.
    """
    try:
        write_whole(path, _encoded(recording), load_recording)
    except OSError as error:
        why, mend = error.strerror or str(error), "see to the folder's permissions and free space, and run it again"
        raise _not_written(path, why, mend) from error
    except FormatError as error:
        why = f"it could not be read again (line {error.line}: {error.field or 'line'}: {error.problem})"
        raise _not_written(path, why, "see what the memory system's adapter hands over") from error


def _not_written(path: Path, why: str, mend: str) -> MemuseError:
    return MemuseError(
        f"{inert(str(path))} was not written: {inert(why)}. What was there before is untouched.",
        reason="not-written",
        mend=mend,
    )


def _encoded(recording: Recording) -> Iterator[bytes]:
    return (line.encode("utf-8") for line in write_lines(recording))
