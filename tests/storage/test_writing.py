"""What is written is whole, whoever writes at the same time and whatever was left behind."""

import multiprocessing
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_memuse.storage import write_whole, writing
from tests.storage.faults import kill_at

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by forking it first")

LINES = 300


def _content(word: bytes) -> bytes:
    return word * LINES


def _write_often(path: Path, word: bytes, times: int) -> None:
    for _ in range(times):
        write_whole(path, (word for _ in range(LINES)))


def test_of_processes_that_write_one_file_at_once_the_last_one_stands_whole(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    words = [f"this is what writer {n} has to say\n".encode() for n in range(3)]
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write_often, args=(path, word, 30)) for word in words]
    for writer in writers:
        writer.start()
    whole = {_content(word) for word in words}
    seen = set()
    while any(writer.is_alive() for writer in writers):
        if path.exists():
            seen.add(path.read_bytes())
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert seen | {path.read_bytes()} <= whole
    assert os.listdir(tmp_path) == ["arc.jsonl"]


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    # mkdir, listdir, open, write: the fourth call is in the middle of the file.
    kill_at(tmp_path, 4, lambda: write_whole(tmp_path / "arc.jsonl", [b"x" * 100]))
    (left,) = os.listdir(tmp_path)
    assert left.startswith(".arc.jsonl.")
    assert left.endswith(".part")
    write_whole(tmp_path / "other.jsonl", [b"y"])
    assert os.listdir(tmp_path) == ["other.jsonl"]


def test_a_file_that_is_being_written_is_no_leftover(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"begun, "
        write_whole(tmp_path / "second.jsonl", [b"in between"])
        yield b"done"

    write_whole(tmp_path / "first.jsonl", pieces())
    assert (tmp_path / "first.jsonl").read_bytes() == b"begun, done"
    assert sorted(os.listdir(tmp_path)) == ["first.jsonl", "second.jsonl"]


def test_a_file_that_only_looks_like_a_leftover_to_a_person_stays(tmp_path: Path) -> None:
    (tmp_path / "notes.part").write_text("mine")
    (tmp_path / ".hidden.part").write_text("mine")
    write_whole(tmp_path / "arc.jsonl", [b"x"])
    assert sorted(os.listdir(tmp_path)) == [".hidden.part", "arc.jsonl", "notes.part"]


def test_a_link_is_replaced_and_what_it_leads_to_is_untouched(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("untouched")
    folder = tmp_path / "cassettes"
    folder.mkdir()
    (folder / "arc.jsonl").symlink_to(outside)
    write_whole(folder / "arc.jsonl", [b"new"])
    assert outside.read_text() == "untouched"
    assert not (folder / "arc.jsonl").is_symlink()


def test_a_check_that_fails_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    write_whole(path, [b"old"])

    def check(fresh: Path) -> None:
        assert fresh.read_bytes() == b"new"
        raise ValueError("no good")

    with pytest.raises(ValueError, match="no good"):
        write_whole(path, [b"new"], check)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["arc.jsonl"]


def test_an_interrupt_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "arc.jsonl"
    write_whole(path, [b"old"])

    def pieces() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, pieces())
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["arc.jsonl"]


def test_a_system_that_writes_less_than_it_is_given_is_given_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: real(descriptor, bytes(content)[:7]))
    write_whole(tmp_path / "arc.jsonl", [b"twenty-six letters, and so on"])
    assert (tmp_path / "arc.jsonl").read_bytes() == b"twenty-six letters, and so on"


def test_pieces_are_written_as_they_come_and_not_gathered_to_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PIECE", 100)
    sizes = []
    real = os.write

    def write(descriptor: int, content: bytes) -> int:
        sizes.append(len(content))
        return real(descriptor, content)

    monkeypatch.setattr(os, "write", write)
    write_whole(tmp_path / "arc.jsonl", (b"x" * 40 for _ in range(50)))
    assert max(sizes) == 120
    assert sum(sizes) == 2_000


def test_where_there_are_no_locks_files_are_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_fcntl", None)
    write_whole(tmp_path / "arc.jsonl", [b"x"])
    assert (tmp_path / "arc.jsonl").read_bytes() == b"x"
    assert os.listdir(tmp_path) == ["arc.jsonl"]
