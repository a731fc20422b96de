"""The baseline as it stands where a change branched off, so that no change is compared with its own update."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TARGETS = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "CHANGE_TARGET",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
)
"""Variables in which CI services name the branch that a change is to be merged into."""

_SECONDS = 30


@dataclass(frozen=True, slots=True)
class BaseCopy:
    """A file as it stands at the merge base. ``text`` is None where it is not there."""

    commit: str
    branch: str
    text: str | None


def copy_at_merge_base(path: Path, environment: Mapping[str, str] = os.environ) -> BaseCopy | None:
    """Return the file as it stands at the merge base with the target branch, None where git or CI does not know it.

    Only git is run, with arguments that no branch name can turn into options.
    """
    target = next((environment[name] for name in TARGETS if environment.get(name)), "").removeprefix("refs/heads/")
    if not target or target.startswith("-"):
        return None
    folder = path.parent
    for branch in (f"refs/remotes/origin/{target}", f"refs/heads/{target}"):
        commit = _git(folder, "merge-base", "HEAD", branch)
        if commit is not None:
            return BaseCopy(commit.strip(), target, _git(folder, "show", f"{commit.strip()}:./{path.name}"))
    return None


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, timeout=_SECONDS, check=False, encoding="utf-8"
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout if done.returncode == 0 else None
