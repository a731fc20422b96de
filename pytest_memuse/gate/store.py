"""The folder of baselines: the one module of the gate that touches files."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from pytest_memuse.gate import errors
from pytest_memuse.gate.baseline import Baseline, baseline_text, parse_baseline

LARGEST = 256 * 1024 * 1024
"""Bytes of the largest file that is read."""

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
    if not path.resolve().is_relative_to(folder.resolve()):
        raise errors.bad_name(name, "it leads outside the baseline folder")
    return path


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
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
            if len(content) > LARGEST:
                raise errors.too_large(str(path), os.fstat(file.fileno()).st_size, LARGEST)
        text = content.decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise errors.no_baseline(name, str(path), known_baselines(folder)) from None
    except OSError as error:
        raise errors.unreadable(str(path), error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise errors.damaged(str(path), "not UTF-8 text", line=line) from error
    return parse_baseline(text, str(path))


def write_baseline(folder: Path, name: str, baseline: Baseline) -> Path:
    """Store a baseline whole or not at all, and return its file.

    The text goes to a new file beside the old one, reaches the disk, and only then takes the old one's name.
    """
    path = baseline_path(folder, name)
    content = baseline_text(baseline).encode("ascii")
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with fresh.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, path)
        except BaseException:
            with suppress(OSError):
                fresh.unlink()
            raise
    except OSError as error:
        raise errors.not_written(str(path), error.strerror or str(error)) from error
    _sync_folder(path.parent)
    return path


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the file system can; the file itself is whole either way."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
