"""What a session leaves beside the project, and the look back at a saved run, which fails nothing."""

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.gate import Baseline, read_baseline
from pytest_memuse.gate.saved_runs import WORK_FOLDER, find_run, last_path, read_run, save_run
from pytest_memuse.plugin import history
from pytest_memuse.plugin.history import find_earlier, leave_behind
from pytest_memuse.plugin.state import SessionState, SuiteResult
from tests.gate.repositories import commit, git
from tests.gate.rows import entry, episode, span, suite
from tests.plugin.project import Project
from tests.plugin.sessions import ended, result_of

GOOD = suite(12)
WORSE = suite(12, lambda arc, number: [episode(arc, span(entry()), success=number % 2 == 0)])
OTHER = suite(3, name="search")


def _left(root: Path, *results: SuiteResult, **settings: Any) -> SessionState:
    """Return the state of a session of these results, which left behind what it leaves."""
    session, state = ended(root, *results, **settings)
    find_earlier(state, root)
    leave_behind(session, state)
    return state


def _last(root: Path) -> Baseline:
    return read_baseline(root, str(last_path(root)))


def test_an_evaluated_run_is_kept_as_the_last_one_and_nothing_is_said(tmp_path: Path) -> None:
    state = _left(tmp_path, result_of(GOOD), result_of(OTHER))
    assert state.reports == []
    assert {name: stored.run for name, stored in _last(tmp_path).suites.items()} == {"billing": GOOD, "search": OTHER}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", _last(tmp_path).suites["billing"].created)
    _left(tmp_path, result_of(WORSE))
    assert _last(tmp_path).suites["billing"].run == WORSE


def test_a_session_without_suites_leaves_nothing(tmp_path: Path) -> None:
    assert _left(tmp_path).reports == []
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_evaluated_is_not_the_last_run(tmp_path: Path) -> None:
    session, state = ended(tmp_path, result_of(GOOD), result_of(OTHER))
    state.partial["billing"] = "some of its tests were deselected"
    leave_behind(session, state)
    assert set(_last(tmp_path).suites) == {"search"}
    session, state = ended(tmp_path, result_of(WORSE))
    state.incomplete = "-k selected some of the tests"
    leave_behind(session, state)
    assert set(_last(tmp_path).suites) == {"search"}


@pytest.mark.parametrize("variable", ["MEMUSE_FAULT", "MEMUSE_TURNS"])
def test_a_process_that_records_for_another_session_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "x")
    _left(tmp_path, result_of(GOOD), save="")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)
    state = _left(tmp_path, result_of(GOOD), save="a")
    assert state.reports == [
        "",
        "the run was not kept as the last one: Permission denied",
        "",
        "the run was not saved: Permission denied",
    ]


def test_a_defect_is_a_note_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "save_last", lambda *arguments: 1 / 0)
    state = _left(tmp_path, result_of(GOOD))
    assert state.reports == ["", "the run's history broke, which is a defect: ZeroDivisionError('division by zero')"]


class TestSaving:
    def test_a_run_is_saved_with_its_time_and_told_with_the_command_that_shows_it(self, tmp_path: Path) -> None:
        state = _left(tmp_path, result_of(GOOD), save="before")
        assert state.reports == [
            "",
            "run saved as .memuse/runs/0001_before.json; `pytest --memuse-compare=0001` shows one beside it",
        ]
        found = read_run(find_run(tmp_path, "before")).suites["billing"]
        assert (found.run, found.commit) == (GOOD, "")

    def test_its_commit_is_kept_where_git_knows_one(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q")
        (tmp_path / "file").write_text("1")
        head = commit(tmp_path, "one")
        _left(tmp_path, result_of(GOOD), save="clean")
        (tmp_path / "file").write_text("2")
        _left(tmp_path, result_of(GOOD), save="edited")
        told = [read_run(find_run(tmp_path, name)).suites["billing"].commit for name in ("clean", "edited")]
        assert told == [head[:10], f"{head[:10]} with changes"]
        assert git(tmp_path, "status", "--porcelain").split() == ["M", "file"]

    def test_a_run_that_failed_is_saved_and_said_to_have_failed(self, tmp_path: Path) -> None:
        assert "(2 of its tests failed)" in _left(tmp_path, result_of(GOOD), save="", failed=2).reports[1]

    def test_a_run_of_nothing_is_not_saved(self, tmp_path: Path) -> None:
        assert _left(tmp_path, save="a").reports == ["", "the run was not saved: no suite was evaluated"]

    def test_what_workers_do_not_agree_on_is_not_saved(self, tmp_path: Path) -> None:
        session, state = ended(tmp_path, result_of(GOOD), result_of(OTHER), save="a")
        state.unsettled.add("billing")
        leave_behind(session, state)
        assert set(read_run(find_run(tmp_path, "")).suites) == {"search"}


class TestLookingBack:
    def test_the_newest_saved_run_is_shown_beside_this_one_which_is_not_it(self, tmp_path: Path) -> None:
        for run in (OTHER, GOOD):
            _left(tmp_path, result_of(run), save="")
        state = _left(tmp_path, result_of(WORSE, recording="s"), save="", compare="")
        told = "\n".join(state.reports)
        assert re.search(r"suite billing beside run 0002_run of \S+Z, 12 arcs \(a look, which fails nothing\)", told)
        assert re.search(r"^tasks solved +1\.00 +0\.500 ", told, re.MULTILINE)
        assert "regressed" in told
        assert "FAILED" not in told
        assert "saved as .memuse/runs/0003_run.json" in told

    def test_a_number_or_a_name_shows_that_one(self, tmp_path: Path) -> None:
        for name in ("before", "after"):
            _left(tmp_path, result_of(GOOD), save=name)
        for wanted in ("1", "before", "0001_before"):
            told = "\n".join(_left(tmp_path, result_of(GOOD), compare=wanted).reports)
            assert "beside run 0001_before" in told

    def test_one_that_is_not_saved_is_a_usage_error(self, tmp_path: Path) -> None:
        _left(tmp_path, result_of(GOOD), save="before")
        _, state = ended(tmp_path, compare="befor")
        with pytest.raises(pytest.UsageError, match=r"--memuse-compare: There is no saved run 'befor'.*'before'"):
            find_earlier(state, tmp_path)

    def test_where_none_is_saved_the_newest_is_a_note(self, tmp_path: Path) -> None:
        state = _left(tmp_path, result_of(GOOD), compare="")
        assert state.reports == [
            "",
            "--memuse-compare: There is no saved run in .memuse/runs (none is saved); "
            "save one with `pytest --memuse-save=NAME`",
        ]

    @pytest.mark.parametrize(
        ("now", "told"),
        [
            (result_of(OTHER), "suite search beside 0001_a: not compared (Baseline '0001_a' holds no suite 'search'"),
            (result_of(GOOD, judge="2"), "suite billing beside 0001_a: not compared (Baseline '0001_a' of suite"),
            (result_of(suite(2)), "suite billing beside 0001_a: not compared"),
        ],
        ids=["another suite", "another judge", "other tasks"],
    )
    def test_what_cannot_be_compared_is_told_and_fails_nothing(
        self, tmp_path: Path, now: SuiteResult, told: str
    ) -> None:
        _left(tmp_path, result_of(GOOD), save="a")
        assert any(line.startswith(told) for line in _left(tmp_path, now, compare="").reports)

    def test_a_damaged_run_is_a_usage_error(self, tmp_path: Path) -> None:
        save_run(tmp_path, "a", Baseline("1")).write_text("{")
        _, state = ended(tmp_path, compare="")
        with pytest.raises(pytest.UsageError, match="the baseline is damaged"):
            find_earlier(state, tmp_path)

    def test_what_changed_beside_the_rows_is_told(self, tmp_path: Path) -> None:
        _left(tmp_path, result_of(GOOD), save="a")
        reports = _left(tmp_path, result_of(GOOD, memory="2"), compare="").reports
        assert "changed since 0001_a: memory: version=1 then, version=2 now" in reports


def test_a_saved_run_is_a_baseline_by_its_path(tmp_path: Path) -> None:
    _left(tmp_path, result_of(GOOD), save="a")
    path = tmp_path / WORK_FOLDER / "runs" / "0001_a.json"
    assert replace(read_baseline(tmp_path, str(path)).suites["billing"], created="").run == GOOD


@pytest.mark.long  # two real runs over two workers each
def test_two_runs_of_a_project_end_to_end(project: Project) -> None:
    again = ("--memuse-record-mode=new_episodes", "-W", "error", "-n2")
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    assert project.run("--memuse-save=before", *again[1:]).code == 0
    ran = project.run("--memuse-compare", *again, broken=["forgets"])
    assert ran.code == 0, ran.out
    assert ran.out.count("suite shop beside run 0001_before of ") == 1
    assert re.search(r"^tasks solved +1\.00 +0\.667 .*regressed", ran.out, re.MULTILINE)
    last = _last(project.folder).suites["shop"]
    assert sum(episode.success is True for episode in last.run.episodes) == 12
    assert sorted(path.name for path in (project.folder / WORK_FOLDER).iterdir()) == [".gitignore", "last.json", "runs"]
