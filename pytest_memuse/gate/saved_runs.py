"""Runs that are kept beside the project, in the format of baselines: the last one, and those that were saved.

They lie in `WORK_FOLDER`, which git ignores: ``last.json``, and ``runs/0001_NAME.json``.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.gate import errors
from pytest_memuse.gate.baseline import Baseline
from pytest_memuse.gate.store import read_baseline, write_baseline
from pytest_memuse.storage import inside, write_whole

WORK_FOLDER = ".memuse"
"""What a run leaves for later looks, beside the project's files; git is told to ignore it."""

LAST = "last"
UNNAMED = "run"
"""The name of a run that was saved without one."""

_RUNS = "runs"
_FILE = re.compile(r"(?P<number>[0-9]{4,9})_(?P<name>[A-Za-z0-9_][A-Za-z0-9._-]{0,59})\.json")
_LISTED = 100_000


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A saved run, by number and name."""

    number: int
    name: str
    path: Path

    def __str__(self) -> str:
        return self.path.stem


def last_path(root: Path) -> Path:
    """Return where a project's last evaluated run is."""
    return root / WORK_FOLDER / f"{LAST}.json"


def saved_runs(root: Path) -> tuple[SavedRun, ...]:
    """Return the runs that were saved in a project, the oldest first; other files in their folder are none."""
    return tuple(sorted(_found(root / WORK_FOLDER / _RUNS), key=lambda run: (run.number, run.name)))


def find_run(root: Path, wanted: str) -> SavedRun:
    """Return the saved run of a number, the newest one of a name, or the newest of all where nothing is wanted.

    Raises `BaselineError` where there is none.
    """
    runs = saved_runs(root)
    matching = [run for run in runs if not wanted or wanted in (run.name, str(run)) or _number(wanted) == run.number]
    if not matching:
        raise errors.no_run(wanted, [str(run) for run in runs])
    return matching[-1]


def read_run(run: SavedRun) -> Baseline:
    """Return what a saved run holds. Raises `BaselineError`."""
    return read_baseline(run.path.parent, str(run.path))


def save_last(root: Path, run: Baseline) -> Path:
    """Store the last evaluated run. Raises `BaselineError`, OSError or `FormatError`: the old one stays then."""
    return write_baseline(work_folder(root), LAST, run, for_review=False)


def save_run(root: Path, name: str, run: Baseline) -> Path:
    """Store a run under the next number. Raises what `save_last` raises; nothing is stored then."""
    folder = work_folder(root, _RUNS)
    number = max((saved.number for saved in saved_runs(root)), default=0) + 1
    return write_baseline(folder, f"{number:04}_{name or UNNAMED}", run, for_review=False)


def work_folder(root: Path, *parts: str) -> Path:
    """Return a folder for what a run leaves behind, made where it is missing and ignored by git.

    Raises OSError where it cannot be made, and `FormatError` where a link leads out of the project.
    """
    top = root / WORK_FOLDER
    folder = inside(root, top.joinpath(*parts, LAST)).parent
    folder.mkdir(parents=True, exist_ok=True)
    ignore = top / ".gitignore"
    if not ignore.exists():
        write_whole(ignore, [b"*\n"])
    return folder


def _number(wanted: str) -> int | None:
    return int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) <= 9 else None


def _found(folder: Path) -> Iterator[SavedRun]:
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_LISTED), entries, strict=False):
                match = _FILE.fullmatch(entry.name)
                if match is not None:
                    yield SavedRun(int(match["number"]), match["name"], Path(entry.path))
    except OSError:
        return
