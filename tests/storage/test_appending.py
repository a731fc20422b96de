"""Lines that were appended are there whole, whoever appends at the same time and whatever fails or is killed."""

import json
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model.errors import FormatError
from pytest_memuse.storage import appending, write_whole, writing
from pytest_memuse.storage.appending import file_state, growing, grown_lines, held, line_at
from tests.storage.faults import APPENDING, calls_of, fail_at, kill_at

LONGEST = 10_000
LARGEST = 1_000_000

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is killed by forking it first")


def line(number: int, size: int = 40) -> bytes:
    return json.dumps({"n": number, "x": "y" * size}).encode() + b"\n"


def append(path: Path, *lines: bytes) -> None:
    with growing(path, LONGEST) as file:
        for each in lines:
            file.append(each)


def contents(path: Path) -> list[bytes]:
    return [each.content for each in grown_lines(path, LONGEST, LARGEST)]


def test_lines_are_read_back_with_their_numbers_and_places(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.jsonl"
    append(path, line(1), line(2) + line(3))
    append(path, line(4))
    found = list(grown_lines(path, LONGEST, LARGEST))
    assert [each.content + b"\n" for each in found] == [line(1), line(2), line(3), line(4)]
    assert [each.number for each in found] == [1, 2, 3, 4]
    assert [line_at(path, each.offset, LONGEST) for each in found] == contents(path)


def test_an_append_says_where_its_first_line_begins(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line(1).rstrip())
    with growing(path, LONGEST) as file:
        assert not file.is_empty
        offset = file.append(line(2) + line(3))
        assert file.state == file_state(path)
    assert line_at(path, offset, LONGEST) + b"\n" == line(2)


def test_a_file_that_is_not_there_has_no_lines_and_no_state(tmp_path: Path) -> None:
    assert contents(tmp_path / "none.jsonl") == []
    assert contents(tmp_path / "none" / "none.jsonl") == []
    assert file_state(tmp_path / "none.jsonl") is None


def test_a_torn_last_line_is_passed_over_by_readers_and_cut_off_by_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line(1) + line(2)[:-10])
    assert contents(path) == [line(1).rstrip()]
    append(path, line(3))
    assert path.read_bytes() == line(1) + line(3)


def test_a_torn_line_that_is_all_there_is_leaves_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line(1)[:-10])
    with growing(path, LONGEST) as file:
        assert file.is_empty
    assert path.read_bytes() == b""


def test_a_whole_last_line_without_its_break_stays_and_the_next_one_stands_below_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(line(1) + line(2).rstrip())
    assert contents(path) == [line(1).rstrip(), line(2).rstrip()]
    append(path, line(3), line(4))
    assert path.read_bytes() == line(1) + line(2) + line(3) + line(4)


def test_the_end_is_found_behind_lines_longer_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "_BLOCK", 16)
    path = tmp_path / "a.jsonl"
    for torn in (line(2, 100)[:-3], line(2, 100)[:16], line(2, 100)[:31]):
        path.write_bytes(line(1, 90) + torn)
        append(path, line(3))
        assert path.read_bytes() == line(1, 90) + line(3)


@given(
    lines=st.lists(st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=20), max_size=3), max_size=4),
    tail=st.binary(max_size=40).filter(lambda tail: b"\n" not in tail),
)
@settings(max_examples=50, deadline=None)
def test_whatever_a_file_ends_in_its_whole_lines_stay_and_the_next_one_is_added(
    lines: list[dict[str, object]], tail: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.jsonl"
    path.write_bytes(b"".join(json.dumps(each).encode() + b"\n" for each in lines) + tail)
    before = contents(path)
    append(path, line(1))
    assert contents(path) == [*before, line(1).rstrip()]


def test_a_line_that_is_too_long_is_refused_and_nothing_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    for content in (b"x" * (LONGEST + 70_000), line(1) + b"x" * (LONGEST + 70_000)):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=r"a\.jsonl.*longer than 10,000 bytes"):
            append(path, line(2))
        assert path.read_bytes() == content
    with pytest.raises(FormatError, match=r"a\.jsonl:2.*longer than 10,000 bytes"):
        contents(path)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    append(tmp_path / "a.jsonl", *map(line, range(10)))
    with pytest.raises(FormatError, match="more than 100 bytes"):
        list(grown_lines(tmp_path / "a.jsonl", LONGEST, 100))


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_what_is_no_plain_file_is_neither_read_nor_written(tmp_path: Path, kind: str) -> None:
    path, outside = tmp_path / "a.jsonl", tmp_path / "outside.jsonl"
    outside.write_bytes(line(1))
    if kind == "link":
        path.symlink_to(outside)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises((FormatError, OSError)):
        append(path, line(2))
    with pytest.raises(FormatError, match="plain files"):
        contents(path)
    assert outside.read_bytes() == line(1)


def test_a_system_that_writes_less_than_it_is_given_is_given_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, content: real(descriptor, bytes(content)[:7]))
    append(tmp_path / "a.jsonl", line(1), line(2))
    assert (tmp_path / "a.jsonl").read_bytes() == line(1) + line(2)


def _append_often(path: Path, writer: int, times: int) -> None:
    for number in range(times):
        append(path, line(1_000 * writer + number, 500))


@forks
def test_of_processes_that_append_at_once_no_line_is_lost_or_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_append_often, args=(path, writer, 40)) for writer in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    found = [json.loads(each)["n"] for each in contents(path)]
    assert sorted(found) == [1_000 * writer + number for writer in range(3) for number in range(40)]
    for writer_number in range(3):
        own = [number for number in found if number // 1_000 == writer_number]
        assert own == sorted(own)


@pytest.mark.skipif(not writing.HAS_LOCKS, reason="nobody waits where there are no locks")
def test_who_waits_for_a_file_that_is_replaced_meanwhile_appends_to_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    append(path, line(1))
    waiting = threading.Thread(target=append, args=(path, line(3)))
    with held(path, LONGEST):
        waiting.start()
        time.sleep(0.02)
        write_whole(path, [line(2)])
        assert waiting.is_alive()
    waiting.join()
    assert path.read_bytes() == line(2) + line(3)


def test_without_locks_lines_are_appended_and_files_replaced_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_fcntl", None)
    monkeypatch.setattr(appending, "HAS_LOCKS", False)
    path = tmp_path / "a.jsonl"
    append(path, line(1))
    with held(path, LONGEST):
        write_whole(path, [line(2)])
    append(path, line(3))
    assert path.read_bytes() == line(2) + line(3)


def _grow(path: Path) -> Callable[[], None]:
    return lambda: append(path, line(2))


def _calls(tmp_path: Path) -> int:
    (tmp_path / "counted").mkdir()
    (tmp_path / "counted" / "a.jsonl").write_bytes(line(1))
    return len(calls_of(tmp_path / "counted", _grow(tmp_path / "counted" / "a.jsonl"), APPENDING))


@pytest.mark.parametrize("for_good", [False, True], ids=["once", "for good"])
def test_an_append_that_fails_leaves_what_was_there_and_at_most_its_own_whole_line(
    tmp_path: Path, for_good: bool
) -> None:
    count = _calls(tmp_path)
    assert count >= 5
    failed = 0
    for number in range(1, count + 1):
        path = tmp_path / f"{number}" / "a.jsonl"
        path.parent.mkdir()
        path.write_bytes(line(1))
        try:
            fail_at(path.parent, number, _grow(path), for_good=for_good, names=APPENDING)
        except OSError:
            failed += 1
            # Where the line is whole and even cutting it off fails, it stays.
            left = [[line(1).rstrip()]] + [[line(1).rstrip(), line(2).rstrip()]] * for_good
            assert contents(path) in left
        else:
            assert contents(path) == [line(1).rstrip(), line(2).rstrip()]
        append(path, line(3))
        assert contents(path)[-1] == line(3).rstrip()
        assert path.read_bytes().startswith(line(1))
    # Locking and closing may fail: the line is there.
    assert failed >= 3


@forks
def test_an_append_that_is_killed_leaves_a_file_that_the_next_one_goes_on_with(tmp_path: Path) -> None:
    for number in range(1, _calls(tmp_path) + 1):
        path = tmp_path / f"{number}" / "a.jsonl"
        path.parent.mkdir()
        path.write_bytes(line(1))
        kill_at(path.parent, number, _grow(path), APPENDING)
        assert contents(path) in ([line(1).rstrip()], [line(1).rstrip(), line(2).rstrip()])
        before = contents(path)
        append(path, line(3))
        assert path.read_bytes() == b"".join(each + b"\n" for each in before) + line(3)
