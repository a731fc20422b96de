"""A commit in a folder of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_memuse.model import MemuseError
from pytest_memuse.plugin.checkout import checked_out


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose project stands in a folder of it, with two versions of one file."""
    top = tmp_path / "top"
    (top / "project" / "src").mkdir(parents=True)
    _git(tmp_path, "init", "-q", "-b", "main", "top")
    for version in ("1", "2"):
        (top / "project" / "src" / "memory.py").write_text(version)
        _git(top, "add", ".")
        _git(top, "commit", "-q", "-m", version)
    (top / "project" / "src" / "memory.py").write_text("not committed")
    return top


def test_a_commit_is_checked_out_and_the_repository_is_left_alone(repository: Path) -> None:
    before = _git(repository, "status", "--porcelain"), _git(repository, "worktree", "list")
    with checked_out(repository / "project", "git:HEAD~1") as then:
        assert then.root.name == "project"
        assert (then.root / "src" / "memory.py").read_text() == "1"
        assert then.commit == _git(repository, "rev-parse", "HEAD~1").strip()
        made = then.root
    assert not made.exists()
    assert (repository / "project" / "src" / "memory.py").read_text() == "not committed"
    assert (_git(repository, "status", "--porcelain"), _git(repository, "worktree", "list")) == before


def test_import_paths_inside_the_repository_lead_into_the_checkout(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = repository / ".venv"
    environment.mkdir()
    monkeypatch.setattr(sys, "path", [str(repository / "project" / "src"), str(environment), *sys.path])
    with checked_out(repository / "project", "git:main") as then:
        assert then.search == (then.root / "src",)


def test_hooks_of_the_repository_are_not_run(repository: Path, tmp_path: Path) -> None:
    hook = repository / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    with checked_out(repository / "project", "git:main"):
        pass
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        ("git:nosuch", "git knows no commit 'nosuch'"),
        ("git:--help", "git knows no commit '--help'"),
        ("main", "'main' does not name a commit"),
        ("git:", "'git:' does not name a commit"),
        ("git:\x1b[31m", "git knows no commit"),
    ],
)
def test_a_reference_that_names_no_commit_is_refused(repository: Path, reference: str, told: str) -> None:
    with pytest.raises(MemuseError) as refused, checked_out(repository / "project", reference):
        pass
    assert told in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_folder_that_the_commit_does_not_hold_is_told(repository: Path) -> None:
    (repository / "newer").mkdir()
    with pytest.raises(MemuseError, match="holds no folder 'newer'"), checked_out(repository / "newer", "git:main"):
        pass


def test_a_folder_without_git_is_told(tmp_path: Path) -> None:
    with pytest.raises(MemuseError, match="is not in a git repository"), checked_out(tmp_path, "git:main"):
        pass
