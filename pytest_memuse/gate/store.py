"""The folder of baselines: the one module of the gate that touches files."""

from contextlib import suppress
from pathlib import Path

from pytest_memuse.gate import errors
from pytest_memuse.gate.baseline import Baseline, baseline_text, parse_baseline
from pytest_memuse.model.errors import FormatError
from pytest_memuse.storage import inside, read_plain, write_whole

LARGEST = 64 * 1024 * 1024
"""Bytes of the largest file that is read or written."""

_SUFFIX = ".json"
_LISTED = 1_000


def baseline_path(folder: Path, name: str) -> Path:
    """Return the file of a baseline. A ``name`` that ends in ``.json`` is a path; any other names a file of ``folder``.

    Such a name may hold ``/`` for a folder within the folder; nothing that it says, no link included, leads outside.
    """
    if not name or not name.isprintable():
        raise errors.bad_name(name, "it is empty" if not name else "it holds a character that cannot be printed")
    if name.endswith(_SUFFIX):
        return Path(name)
    parts = name.split("/")
    if "\\" in name or ":" in name or any(part in {"", ".", ".."} or part != part.strip() for part in parts):
        raise errors.bad_name(name, "a name stays inside the baseline folder and is not a path")
    path = folder.joinpath(*parts[:-1], parts[-1] + _SUFFIX)
    try:
        return inside(folder, path)
    except FormatError:
        raise errors.bad_name(name, "it leads outside the baseline folder") from None


def known_baselines(folder: Path) -> tuple[str, ...]:
    """Return the names stored in a folder, sorted; at most a thousand."""
    names: list[str] = []
    with suppress(OSError):
        for path in folder.rglob("*" + _SUFFIX):
            names.append(path.relative_to(folder).as_posix().removesuffix(_SUFFIX))
            if len(names) == _LISTED:
                break
    return tuple(sorted(names))


def read_baseline(folder: Path, name: str) -> Baseline:
    """Return the stored baseline of a name or path."""
    path = baseline_path(folder, name)
    try:
        return _read(path, str(path))
    except FileNotFoundError:
        raise errors.no_baseline(name, str(path), known_baselines(folder)) from None


def write_baseline(folder: Path, name: str, baseline: Baseline) -> Path:
    """Store a baseline whole or not at all, and return its file.

    The text goes to a new file beside the old one, reaches the disk, is read back, and only then takes the old one's
    name.
    """
    path = baseline_path(folder, name)
    try:
        lines = (line.encode("ascii") for line in baseline_text(baseline).splitlines(keepends=True))
        write_whole(path, lines, lambda part: _read(part, str(path)))
    except OSError as error:
        raise errors.not_written(str(path), error.strerror or str(error)) from error
    except FormatError as error:
        raise errors.not_written(str(path), f"it could not be read again ({error.problem})") from error
    return path


def _read(path: Path, source: str) -> Baseline:
    try:
        content = read_plain(path, LARGEST)
    except FormatError as error:
        raise errors.refused(error, source) from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise errors.damaged(source, "not UTF-8 text", line=line) from error
    return parse_baseline(text, source)
