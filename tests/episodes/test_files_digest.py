"""The digest of the folder that a task's workspace is a copy of."""

import os
from pathlib import Path

import pytest

from pytest_memuse.episodes import files_digest
from pytest_memuse.episodes.files_digest import folder_digest


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.py").write_text("a = 1\n")
    (folder / "b.txt").write_text("b")
    (folder / "link").symlink_to("b.txt")
    return folder


def test_every_edit_of_names_bytes_and_links_changes_it(repo: Path) -> None:
    seen = [folder_digest(repo)]
    (repo / "b.txt").write_text("c")
    seen.append(folder_digest(repo))
    (repo / "b.txt").rename(repo / "c.txt")
    seen.append(folder_digest(repo))
    (repo / "link").unlink()
    (repo / "link").symlink_to("c.txt")
    seen.append(folder_digest(repo))
    (repo / "empty").mkdir()
    seen.append(folder_digest(repo))
    (repo / "src" / "a.py").rename(repo / "a.py")
    seen.append(folder_digest(repo))
    assert None not in seen
    assert len(set(seen)) == len(seen)


def test_what_tools_write_by_themselves_does_not(repo: Path) -> None:
    before = folder_digest(repo)
    for name in (".git/index", "src/__pycache__/a.cpython-311.pyc"):
        (repo / name).parent.mkdir(exist_ok=True)
        (repo / name).write_text("x")
    os.utime(repo / "b.txt", (1, 1))
    assert folder_digest(repo) == before


def test_content_that_moves_between_files_is_told_apart(repo: Path) -> None:
    (repo / "b.txt").write_text("bb")
    (repo / "c.txt").write_text("")
    one = folder_digest(repo)
    (repo / "b.txt").write_text("b")
    (repo / "c.txt").write_text("b")
    assert folder_digest(repo) != one


def test_a_link_is_not_followed_and_a_pipe_does_not_block(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (repo / "out").symlink_to(tmp_path / "outside")
    os.mkfifo(repo / "pipe")
    before = folder_digest(repo)
    (tmp_path / "outside" / "x").write_text("x")
    assert folder_digest(repo) == before


def test_what_is_missing_or_too_large_has_none(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder_digest(repo / "nowhere") is None
    monkeypatch.setattr(files_digest, "MOST_BYTES", 5)
    assert folder_digest(repo) is None
    monkeypatch.setattr(files_digest, "MOST_BYTES", 500)
    monkeypatch.setattr(files_digest, "MOST_FILES", 2)
    assert folder_digest(repo) is None
