"""Runs that are kept beside the project: numbered, found again, written whole or not at all."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.gate import Baseline, BaselineError, read_baseline
from pytest_memuse.gate.saved_runs import (
    WORK_FOLDER,
    find_run,
    last_path,
    read_run,
    save_last,
    save_run,
    saved_runs,
    work_folder,
)
from pytest_memuse.model.errors import FormatError
from tests.gate.test_baseline import made, stored
from tests.storage.faults import calls_of, fail_at, kill_at

RUN = Baseline(
    "0.1.0", {"billing": replace(stored(), created="2026-03-01T10:00:00Z", commit="0123456789 with changes")}
)


def test_a_run_is_saved_under_the_next_number_and_its_name(tmp_path: Path) -> None:
    paths = [save_run(tmp_path, name, RUN) for name in ("before", "", "before")]
    assert [path.name for path in paths] == ["0001_before.json", "0002_run.json", "0003_before.json"]
    assert [(run.number, run.name) for run in saved_runs(tmp_path)] == [(1, "before"), (2, "run"), (3, "before")]
    assert read_run(find_run(tmp_path, "1")) == RUN


def test_numbers_go_on_past_four_digits_and_where_runs_were_deleted(tmp_path: Path) -> None:
    save_run(tmp_path, "a", RUN).rename(tmp_path / WORK_FOLDER / "runs" / "9999_a.json")
    assert save_run(tmp_path, "b", RUN).name == "10000_b.json"
    assert [run.number for run in saved_runs(tmp_path)] == [9999, 10000]
    assert find_run(tmp_path, "").name == "b"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("", "0003_before"),
        ("2", "0002_run"),
        ("0002", "0002_run"),
        ("before", "0003_before"),
        ("0001_before", "0001_before"),
    ],
)
def test_a_run_is_found_by_number_or_name_and_the_newest_without(tmp_path: Path, wanted: str, found: str) -> None:
    for name in ("before", "", "before"):
        save_run(tmp_path, name, RUN)
    assert str(find_run(tmp_path, wanted)) == found


def test_a_run_that_is_not_saved_is_named_with_its_nearest(tmp_path: Path) -> None:
    with pytest.raises(BaselineError, match=r"There is no saved run in \.memuse/runs \(none is saved") as caught:
        find_run(tmp_path, "")
    assert (caught.value.reason, caught.value.mend) == ("no-run", "save one with `pytest --memuse-save=NAME`")
    save_run(tmp_path, "before", RUN)
    with pytest.raises(BaselineError, match=r"saved: 0001_before\); did you mean 'before'"):
        find_run(tmp_path, "befor")


def test_other_files_among_the_runs_are_none(tmp_path: Path) -> None:
    folder = work_folder(tmp_path, "runs")
    for name in ("notes.txt", "1_x.json", "0001_x.json.part", "0001_.json", "0001_a b.json", ".0001_x.json"):
        (folder / name).write_text("x")
    assert saved_runs(tmp_path) == ()


def test_a_damaged_run_says_so(tmp_path: Path) -> None:
    save_run(tmp_path, "a", RUN).write_text("{")
    with pytest.raises(BaselineError, match="the baseline is damaged"):
        read_run(find_run(tmp_path, "a"))


def test_git_is_told_to_ignore_what_is_kept(tmp_path: Path) -> None:
    save_last(tmp_path, RUN)
    assert (tmp_path / WORK_FOLDER / ".gitignore").read_text() == "*\n"


def test_the_last_run_is_read_like_a_baseline(tmp_path: Path) -> None:
    path = save_last(tmp_path, RUN)
    assert path == last_path(tmp_path)
    assert read_baseline(tmp_path / "nowhere", str(path)) == RUN
    assert json.loads(path.read_text())["suites"]["billing"]["commit"] == "0123456789 with changes"


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    outside.mkdir()
    root.mkdir()
    (root / WORK_FOLDER).symlink_to(outside)
    for save in (lambda: save_last(root, RUN), lambda: save_run(root, "a", RUN)):
        with pytest.raises(FormatError, match="leads out of"):
            save()
    assert list(outside.iterdir()) == []


def test_where_a_file_stands_in_the_folders_place_the_system_says_so(tmp_path: Path) -> None:
    (tmp_path / WORK_FOLDER).write_text("")
    with pytest.raises(OSError, match="exists"):
        save_last(tmp_path, RUN)


class TestFaults:
    """Every call to the system fails, or kills, in turn."""

    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        save_last(tmp_path, made())
        return tmp_path

    @pytest.mark.parametrize("for_good", [False, True])
    def test_a_write_that_fails_at_any_call_leaves_the_old_run_or_the_new_one(self, root: Path, for_good: bool) -> None:
        calls = calls_of(root, lambda: save_last(root, made()))
        assert {"open", "write", "fsync", "replace"} <= set(calls)
        for number in range(1, len(calls) + 1):
            save_last(root, made())
            try:
                fail_at(root, number, lambda: save_last(root, RUN), for_good=for_good)
                left = RUN
            except (BaselineError, OSError):
                left = made()
            assert read_baseline(root, str(last_path(root))) == left

    def test_a_process_killed_at_any_call_leaves_the_old_run_or_the_new_one(self, root: Path) -> None:
        calls = calls_of(root, lambda: save_last(root, made()))
        for number in range(1, len(calls) + 1):
            save_last(root, made())
            kill_at(root, number, lambda: save_last(root, RUN))
            assert read_baseline(root, str(last_path(root))) in (RUN, made())
        save_last(root, RUN)
        assert sorted(path.name for path in (root / WORK_FOLDER).iterdir()) == [".gitignore", "last.json"]

    def test_a_first_run_killed_at_any_call_leaves_nothing_that_git_would_take(self, tmp_path: Path) -> None:
        counted = tmp_path / "counted"
        counted.mkdir()
        calls = calls_of(counted, lambda: save_run(counted, "a", RUN))
        for number in range(1, len(calls) + 1):
            root = tmp_path / str(number)
            root.mkdir()
            kill_at(root, number, lambda root=root: save_run(root, "a", RUN))  # type: ignore[misc]
            kept = [path.name for path in root.rglob("*.json")]
            assert kept in ([], ["0001_a.json"])
            if kept:
                assert (root / WORK_FOLDER / ".gitignore").read_text() == "*\n"
                assert read_run(find_run(root, "")) == RUN
            assert save_run(root, "b", RUN).name == f"{len(kept) + 1:04}_b.json"
            assert (root / WORK_FOLDER / ".gitignore").read_text() == "*\n"
