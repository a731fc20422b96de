"""What git says of the repository around a folder: commits by name, and files as they stand at a commit.

Only git itself is run, with arguments that no name can turn into options; nothing is written, no hook and no file
monitor is started. A git that was asked by way of the environment (a hook of it sets ``GIT_DIR``) is not heeded: the
folder decides.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.model.errors import MemuseError, nearest, printable

_SECONDS = 30
_LISTED = 1_000
_ITS_OWN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE")
_QUIETLY = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")


class GitError(MemuseError):
    """Git cannot be run, or does not know what it is asked for."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository around ``folder``, which is there; paths are taken from ``folder``."""

    folder: Path

    @classmethod
    def around(cls, folder: Path) -> "Repository":
        """Return the repository around a folder, which need not be there itself. Raises `GitError` where none is."""
        there = next((one for one in (folder, *folder.absolute().parents) if one.is_dir()), Path("."))
        found = cls(there)
        done = found._run("rev-parse", "--is-inside-work-tree")
        if done.returncode:
            raise _no_repository(folder, done.stderr)
        return found

    @property
    def shallow(self) -> bool:
        """Whether commits are missing from the history, as in the checkout of most CI services."""
        return (self._text("rev-parse", "--is-shallow-repository") or "").strip() == "true"

    def commit(self, reference: str) -> str:
        """Return the commit that a branch, tag, digest or expression such as ``HEAD~1`` names. Raises `GitError`."""
        found = self.find_commit(reference)
        if found is None:
            raise self._no_commit(reference)
        return found

    def find_commit(self, reference: str) -> str | None:
        """Return the commit of a name, None where git knows none."""
        if not reference or "\0" in reference:
            return None
        text = self._text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
        return None if text is None else text.strip()

    def merge_base(self, commit: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, given by digest; None where the history here holds none."""
        text = self._text("merge-base", commit, other)
        return None if text is None else text.split()[0]

    def content(self, commit: str, path: Path, largest: int) -> bytes | None:
        """Return a file as it stands at a commit, None where no file is there. Raises `GitError` where it is too large.

        What a filter would make of it on checkout is not made: it is the content that was committed.
        """
        digest = self._text("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{self._from_here(path)}")
        if digest is None:
            return None
        kind = self._run("cat-file", "-t", digest.strip())
        if kind.returncode:
            # A partial clone knows what it does not hold, and fetches it where it can.
            raise GitError(
                f"{path} at {commit[:10]} is not in this clone{_detail(kind.stderr)}",
                reason="git",
                mend="fetch it, or clone without a filter",
            )
        if kind.stdout.strip() != b"blob":
            return None
        size = int(self._text("cat-file", "-s", digest.strip()) or 0)
        if size > largest:
            raise GitError(
                f"{path} at {commit[:10]} has {size:,} bytes and may have at most {largest:,}; it is not read",
                reason="too-large",
            )
        done = self._run("cat-file", "blob", digest.strip())
        if done.returncode:
            raise GitError(f"{path} at {commit[:10]} cannot be read{_detail(done.stderr)}", reason="git")
        return done.stdout

    def files(self, commit: str, folder: Path) -> tuple[str, ...]:
        """Return the files in a folder as it stands at a commit, named from that folder; at most a thousand."""
        place = self._from_here(folder).rstrip("/") + "/"
        text = self._text("ls-tree", "-r", "-z", "--name-only", "--end-of-options", commit, "--", place)
        start = place.removeprefix("./")
        return tuple(name.removeprefix(start) for name in (text or "").split("\0")[:_LISTED] if name)

    def commits_of(self, path: Path, most: int) -> tuple[str, ...]:
        """Return the commits that changed a file, the newest first and no more than ``most``.

        They are those of the history of what is checked out, as far as this clone holds it.
        """
        place = self._from_here(path)
        text = self._text(
            "--literal-pathspecs", "log", f"--max-count={most}", "--format=%H", "--end-of-options", "HEAD", "--", place
        )
        return tuple((text or "").split())

    def references(self) -> tuple[str, ...]:
        """Return the names of branches and tags, the remote ones included; at most a thousand."""
        text = self._text("for-each-ref", f"--count={_LISTED}", "--format=%(refname:short)")
        return tuple((text or "").split())

    def changed(self) -> bool:
        """Return whether files that git tracks differ from the commit that is checked out."""
        return bool((self._text("status", "--porcelain", "--untracked-files=no") or "").strip())

    def _from_here(self, path: Path) -> str:
        return "./" + os.path.relpath(path.absolute(), self.folder.absolute()).replace(os.sep, "/")

    def _no_commit(self, reference: str) -> GitError:
        known = self.references()
        listed = ", ".join(printable(name, 60) for name in known[:10]) or "no branch at all"
        why = "; this clone is shallow and holds only the newest commits" if self.shallow else ""
        return GitError(
            f"git knows no commit {printable(reference)!r} (branches and tags: {listed})"
            f"{nearest(reference, known)}{why}",
            reason="no-commit",
            mend="fetch it first (in CI with the whole history, `fetch-depth: 0`), or name another one",
        )

    def _text(self, *arguments: str) -> str | None:
        done = self._run(*arguments)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

    def _run(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        return _git(self.folder, arguments)


def _git(folder: Path, arguments: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
    environment = {name: value for name, value in os.environ.items() if name not in _ITS_OWN}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    environment["GIT_TERMINAL_PROMPT"] = "0"
    environment["LC_ALL"] = "C"
    try:
        return subprocess.run(
            ["git", *_QUIETLY, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise GitError(
            f"git could not be run ({printable(str(error), 200)})", reason="git", mend="install git, or name a file"
        ) from None


def _no_repository(folder: Path, said: bytes) -> GitError:
    if b"dubious ownership" in said:
        return GitError(
            f"git refuses the repository around {folder}, since another user owns it",
            reason="git",
            mend=f"`git config --global --add safe.directory {folder.absolute()}`, or the repository's own top folder",
        )
    return GitError(
        f"{folder} is not in a git repository", reason="no-repository", mend="name a baseline or a file instead"
    )


def _detail(said: bytes) -> str:
    text = printable(said.decode("utf-8", "replace").strip(), 200)
    return f": {text}" if text else ""
