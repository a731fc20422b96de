"""Names stay in their folder and files are plain, or there is an error that says why not."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model.errors import FormatError
from pytest_memuse.storage import inside, open_plain, plain_lines, read_plain, safe_name

HOSTILE = ["..", ".", "", "/etc/passwd", "../x", "a/../b", "a\\b", "C:x", "a\0b", "CON", "nul.txt", "a.", "\ud800"]


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_has_a_file_in_its_folder(tmp_path: Path, name: str) -> None:
    path = tmp_path / safe_name(name)
    path.write_text("x")
    assert os.listdir(tmp_path) == [path.name]
    assert path.name.lower() not in ("con", "nul.txt")


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    assert (safe_name(one).lower() == safe_name(other).lower()) == (one == other)


@given(st.text(min_size=1, max_size=60))
def test_a_name_that_is_the_file_of_another_name_has_a_file_of_its_own(name: str) -> None:
    made = safe_name(name)
    assert made == name or safe_name(made) != made


def test_a_folder_that_links_out_is_refused(tmp_path: Path) -> None:
    folder, outside = tmp_path / "cassettes", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (folder / "suite").symlink_to(outside)
    with pytest.raises(FormatError, match="a symbolic link on the way leads out of") as caught:
        inside(folder, folder / "suite" / "arc.jsonl")
    assert caught.value.reason == "outside"


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite").symlink_to(tmp_path / "suite")
    with pytest.raises(FormatError, match="leads out of"):
        inside(tmp_path, tmp_path / "suite" / "arc.jsonl")


def test_a_folder_that_is_itself_reached_by_a_link_is_its_owners_choice(tmp_path: Path) -> None:
    (tmp_path / "real" / "suite").mkdir(parents=True)
    (tmp_path / "cassettes").symlink_to(tmp_path / "real")
    path = tmp_path / "cassettes" / "suite" / "arc.jsonl"
    assert inside(tmp_path / "cassettes", path) == path


@pytest.mark.parametrize("name", ["a\0b", "x" * 5_000])
def test_a_name_that_no_file_can_have_is_an_error_and_no_crash(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="the file cannot be read"):
        open_plain(tmp_path / name)


def test_a_missing_file_is_missing_also_where_a_file_stands_in_its_folders_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "none", tmp_path / "file" / "none"):
        with pytest.raises(FileNotFoundError):
            open_plain(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes here")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="it is a pipe; only plain files are read"):
        open_plain(tmp_path / "pipe")


def test_a_long_line_comes_in_a_piece_that_is_longer_than_allowed(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(b"short\n" + b"x" * 50)
    first, second, *_ = plain_lines(tmp_path / "lines", 10)
    assert (first, second) == (b"short\n", b"x" * 11)


def test_a_file_is_read_whole_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 10)
    assert read_plain(tmp_path / "file", 10) == b"x" * 10
    with pytest.raises(FormatError, match="has 10 bytes and may have at most 9; it is not read"):
        read_plain(tmp_path / "file", 9)
