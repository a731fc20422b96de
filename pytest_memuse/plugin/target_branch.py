"""The baseline as it stands where a change branched off, so that no change is compared with its own update."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_memuse.gate.store import content_at
from pytest_memuse.storage.git import GitError, Repository

TARGETS = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "CHANGE_TARGET",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "DRONE_TARGET_BRANCH",
    "CI_COMMIT_TARGET_BRANCH",
)
"""Variables in which CI services name the branch that a change is to be merged into."""

_NO_BRANCH = "false"
"""What a service says where there is none."""


@dataclass(frozen=True, slots=True)
class BaseCopy:
    """A file as it stands at the merge base. ``text`` is None where it is not there."""

    commit: str
    branch: str
    text: str | None


@dataclass(frozen=True, slots=True)
class NoBase:
    """Why the merge base is not known, and how that is mended."""

    why: str
    mend: str


def target_branch(given: str, environment: Mapping[str, str]) -> str:
    """Return the branch that a change is to be merged into: the one that was given, or what the CI service says."""
    told = (environment.get(name, "") for name in TARGETS)
    return given or next((name for name in told if name and name != _NO_BRANCH), "").removeprefix("refs/heads/")


def copy_at_merge_base(path: Path, target: str) -> BaseCopy | NoBase:
    """Return the file as it stands at the merge base of what is checked out with a branch.

    Raises `MemuseError` where the copy there is none that can be read.
    """
    try:
        repository = Repository.around(path.parent)
        head = repository.find_commit("HEAD")
        if head is None:
            return NoBase("the repository holds no commit", "commit first")
        tips = [tip for name in _names(target) if (tip := repository.find_commit(name)) is not None]
        if not tips:
            return _unfetched(repository, target)
        base = next((base for tip in tips if (base := repository.merge_base(head, tip)) is not None), None)
    except GitError as error:
        told = str(error).partition("\n")[0]
        return NoBase(told, error.mend)
    if base is None:
        return _unrelated(repository, target)
    return BaseCopy(base, target, content_at(repository, base, path))


def _names(target: str) -> Iterator[str]:
    yield f"refs/remotes/origin/{target.removeprefix('origin/')}"
    yield f"refs/heads/{target}"


def _unfetched(repository: Repository, target: str) -> NoBase:
    shallow = repository.shallow
    return NoBase(
        f"this clone is shallow and holds no branch {target}" if shallow else f"this clone holds no branch {target}",
        "check out the whole history (`fetch-depth: 0`), or "
        f"`git fetch {'--unshallow ' if shallow else ''}origin {target}:refs/remotes/origin/{target}`",
    )


def _unrelated(repository: Repository, target: str) -> NoBase:
    if repository.shallow:
        return NoBase(
            f"this clone is shallow and does not reach back to where the change left {target}",
            "check out the whole history (`fetch-depth: 0`), or `git fetch --unshallow`",
        )
    return NoBase(f"the change and {target} have no commit in common", "see to the branch that the change started from")
