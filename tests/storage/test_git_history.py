"""Which commits changed a file, in real git repositories."""

from pathlib import Path

import pytest

from pytest_memuse.storage.git import Repository
from tests.gate.repositories import commit, git


@pytest.fixture
def top(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "trunk")
    return tmp_path


def test_the_commits_that_changed_a_file_come_newest_first(top: Path) -> None:
    (top / "runs").mkdir()
    path = top / "runs" / "arc [1].jsonl"
    made = []
    for text in ("one", "two", "three"):
        path.write_text(text)
        made.append(commit(top, text))
        (top / "other.txt").write_text(text)
        commit(top, f"not this one: {text}")
    repository = Repository.around(top / "runs")
    assert repository.commits_of(path, 10) == tuple(reversed(made))
    assert repository.commits_of(path, 2) == (made[2], made[1])
    assert repository.content(made[0], path, 100) == b"one"


def test_a_name_is_no_pattern_and_no_option(top: Path) -> None:
    (top / "a.txt").write_text("x")
    commit(top, "a")
    repository = Repository.around(top)
    for name in ("*.txt", "?.txt", "--all", ":(top)a.txt"):
        assert repository.commits_of(top / name, 10) == ()


def test_a_file_that_was_deleted_since_has_its_history(top: Path) -> None:
    path = top / "a.txt"
    path.write_text("x")
    first = commit(top, "a")
    path.unlink()
    gone = commit(top, "gone")
    assert Repository.around(top).commits_of(path, 10) == (gone, first)


def test_without_a_commit_there_is_no_history(top: Path) -> None:
    assert Repository.around(top).commits_of(top / "a.txt", 10) == ()
