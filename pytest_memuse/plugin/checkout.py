"""A commit of the user's project in a temporary folder, complete enough to run its tests in."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable

_SECONDS = 300
_PREFIX = "git:"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A commit, checked out. ``root`` stands for the folder that was asked for, ``search`` for its import paths."""

    commit: str
    root: Path
    search: tuple[Path, ...]


@contextmanager
def checked_out(root: Path, reference: str) -> Iterator[Checkout]:
    """Yield the project around ``root`` as it stands at ``git:REF``; the folder is gone afterwards.

    It is a clone that borrows the repository's objects, so that neither the repository nor its worktree is touched.
    Import paths inside the repository are mapped into the clone, which an editable installation of the project itself
    would otherwise lead past. Raises `MemuseError` where git does not know the commit, or the folder at it.
    """
    if not reference.startswith(_PREFIX) or reference == _PREFIX:
        raise MemuseError(
            f"{printable(reference)!r} does not name a commit",
            reason="reference",
            mend="write git:REF, for instance git:main or git:HEAD~1",
        )
    name = reference.removeprefix(_PREFIX)
    top = Path(_git(root, "rev-parse", "--show-toplevel", told=f"{root} is not in a git repository").strip())
    commit = _git(
        root,
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        f"{name}^{{commit}}",
        told=f"git knows no commit {name!r}",
    ).strip()
    with tempfile.TemporaryDirectory(prefix="memuse-then-", ignore_cleanup_errors=True) as made:
        clone = Path(made) / top.name
        _git(
            root, "clone", "--quiet", "--shared", "--no-checkout", "--", str(top), str(clone), told="no clone was made"
        )
        _git(clone, "checkout", "--quiet", "--detach", commit, told=f"{name} could not be checked out")
        there = clone / root.resolve().relative_to(top.resolve())
        if not there.is_dir():
            raise MemuseError(f"{name} ({commit[:10]}) holds no folder {there.name!r}", reason="reference")
        yield Checkout(commit, there, tuple(_mapped(sys.path, top.resolve(), clone)))


def _mapped(paths: Sequence[str], top: Path, clone: Path) -> Iterator[Path]:
    for path in paths:
        here = Path(path or ".").resolve()
        if here.is_relative_to(top):
            there = clone / here.relative_to(top)
            # What git does not hold, a virtual environment above all, is the same on both sides.
            if there.is_dir():
                yield there


def _git(folder: Path, *arguments: str, told: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=folder,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise MemuseError(f"{told}: git could not be run ({error})", reason="git") from None
    if done.returncode:
        detail = printable(done.stderr.strip(), 300)
        raise MemuseError(
            told + (f": {detail}" if detail else ""), reason="git", mend="look at it with `git log --oneline`"
        )
    return done.stdout
