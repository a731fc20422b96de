"""Storing a run as a baseline: when it is refused, what it keeps, and what it adds."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.gate import SuiteBaseline, TaskKey, read_baseline
from pytest_memuse.gate.matching import episodes_by_task
from pytest_memuse.plugin.state import SuiteResult
from pytest_memuse.plugin.updating import update
from pytest_memuse.profiles.rows import Run
from tests.gate.rows import entry, episode, span, suite
from tests.plugin.project import Project
from tests.plugin.sessions import ended, result_of

GOOD = suite(12)
WORSE = suite(12, lambda arc, number: [episode(arc, span(entry()), success=number % 2 == 0)])


def _update(root: Path, *results: SuiteResult, partial: str = "", **settings: Any) -> tuple[str, bool]:
    session, state = ended(root, *results, **{"update": "main", **settings})
    return update(session, state, partial)


def _stored(root: Path, name: str = "billing") -> SuiteBaseline:
    return read_baseline(root / "baselines", "main").suites[name]


@pytest.mark.parametrize("forced", [False, True])
def test_a_part_of_a_run_is_stored_only_when_forced(tmp_path: Path, forced: bool) -> None:
    told, done = _update(tmp_path, result_of(GOOD), partial="-k selected some of the tests", force=forced)
    assert done is forced
    assert (tmp_path / "baselines" / "main.json").exists() is forced
    if forced:
        assert _stored(tmp_path).promotions[0].how == "--memuse-update --memuse-force"
    else:
        assert told == (
            "baseline main: not updated (-k selected some of the tests); --memuse-force updates it all the same"
        )


def test_a_run_that_failed_is_not_stored(tmp_path: Path) -> None:
    told, done = _update(tmp_path, result_of(GOOD), failed=1)
    assert (told.partition(";")[0], done) == ("baseline main: not updated (the run failed)", False)


def test_where_one_suite_is_a_part_none_is_stored(tmp_path: Path) -> None:
    session, state = ended(tmp_path, result_of(GOOD), update="main")
    state.partial["search"] = "the suite could not be evaluated"
    told, done = update(session, state, "")
    assert "not updated (search: the suite could not be evaluated)" in told
    assert not done


def test_a_run_of_nothing_is_not_stored_even_when_forced(tmp_path: Path) -> None:
    assert _update(tmp_path, force=True) == ("baseline main: not updated (no suite was evaluated)", False)
    assert not (tmp_path / "baselines").exists()


def test_a_baseline_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "baselines" / "main.json"
    path.parent.mkdir()
    path.write_text("{}")
    told, done = _update(tmp_path, result_of(GOOD), force=True)
    assert "is no baseline of a known format" in told
    assert (done, path.read_text()) == (False, "{}")


def test_a_promotion_says_what_was_worse_and_why_it_was_accepted(tmp_path: Path) -> None:
    _update(tmp_path, result_of(GOOD))
    told, done = _update(tmp_path, result_of(WORSE, recording="s", attempts=2))
    assert done
    assert told.splitlines() == [
        "baseline main: stored billing in baselines/main.json",
        "  billing replaces better figures: outcome_rate",
        "  say why with `--memuse-reason=TEXT`, which is kept in the baseline",
    ]
    newest = _stored(tmp_path).promotions[-1]
    assert (newest.how, newest.regressed, newest.attempts) == ("--memuse-update", ("outcome_rate",), 1)


def test_the_reason_is_kept(tmp_path: Path) -> None:
    assert _update(tmp_path, result_of(GOOD), reason="the new store")[1]
    assert _stored(tmp_path).promotions[0].reason == "the new store"


def test_what_is_stored_already_is_left_byte_for_byte(tmp_path: Path) -> None:
    _update(tmp_path, result_of(GOOD))
    before = (tmp_path / "baselines" / "main.json").read_bytes()
    told, done = _update(tmp_path, result_of(GOOD))
    assert (told, done) == ("baseline main: left as it is\n  billing is what was stored", True)
    assert (tmp_path / "baselines" / "main.json").read_bytes() == before


def test_only_the_suites_that_changed_are_promoted(tmp_path: Path) -> None:
    search = result_of(suite(3, name="search"))
    _update(tmp_path, result_of(GOOD), search)
    told, _ = _update(tmp_path, result_of(WORSE, recording="s"), search)
    assert "stored billing in" in told
    assert (len(_stored(tmp_path).promotions), len(_stored(tmp_path, "search").promotions)) == (2, 1)


def test_many_attempts_are_told(tmp_path: Path) -> None:
    told, _ = _update(tmp_path, result_of(GOOD, attempts=4))
    assert "  billing was recorded 4 times before this: figures picked by trying are optimistic" in told


@pytest.mark.parametrize(
    ("now", "why"),
    [
        (result_of(GOOD, judge="2"), "Baseline 'main' of suite 'billing' was judged by tracer, version 1"),
        (result_of(suite(3), recording="s"), "Only 3 of the baseline's 12 tasks are in this run unchanged"),
    ],
    ids=["another judge", "other tasks"],
)
def test_a_promotion_that_compares_with_nothing_says_so(tmp_path: Path, now: SuiteResult, why: str) -> None:
    _update(tmp_path, result_of(GOOD))
    told, done = _update(tmp_path, now)
    assert done
    assert f"billing was not compared with what it replaces: {why}" in told
    newest = _stored(tmp_path).promotions[-1]
    assert newest.not_compared.startswith(why)
    assert newest.regressed == ()


class TestNewOnly:
    def test_a_suite_that_is_not_stored_is_added_and_the_others_stay(self, tmp_path: Path) -> None:
        _update(tmp_path, result_of(GOOD))
        before = _stored(tmp_path)
        told, done = _update(
            tmp_path, result_of(WORSE, recording="s"), result_of(suite(3, name="search")), new_only=True
        )
        assert done
        assert "stored search in" in told
        assert _stored(tmp_path) == before
        assert _stored(tmp_path, "search").promotions[0].how == "--memuse-update-new-only"

    def test_a_new_task_of_a_stored_suite_is_added_with_a_promotion_of_its_own(self, tmp_path: Path) -> None:
        _update(tmp_path, result_of(GOOD))
        told, done = _update(tmp_path, result_of(suite(14), attempts=2), new_only=True)
        assert (told.splitlines()[1:], done) == (["  billing: 2 tasks added, the others as they were"], True)
        found = _stored(tmp_path)
        assert found.run == suite(14)
        assert (found.promotions[-1].added, found.promotions[-1].how) == (2, "--memuse-update-new-only")

    def test_where_nothing_is_new_the_file_is_left_byte_for_byte(self, tmp_path: Path) -> None:
        _update(tmp_path, result_of(GOOD))
        path = tmp_path / "baselines" / "main.json"
        before = path.read_bytes()
        told, done = _update(tmp_path, result_of(WORSE, recording="s"), new_only=True)
        assert (told, done) == ("baseline main: left as it is\n  billing holds nothing new that can be added", True)
        assert path.read_bytes() == before

    def test_tasks_of_arcs_that_read_differently_are_left_out_by_name(self, tmp_path: Path) -> None:
        _update(tmp_path, result_of(GOOD))
        grown = Run("billing", (*WORSE.episodes, episode("arc-01", task="late"), episode("new")))
        told, _ = _update(tmp_path, result_of(grown, recording="s"), new_only=True)
        assert "1 task left out, since stored tasks of their arcs read differently now: arc-01/late" in told
        assert TaskKey("arc-01", "late") not in episodes_by_task(_stored(tmp_path).run)
        assert TaskKey("new", "probe") in episodes_by_task(_stored(tmp_path).run)

    def test_tasks_that_another_memory_has_done_are_not_put_beside_those_of_the_stored_one(
        self, tmp_path: Path
    ) -> None:
        _update(tmp_path, result_of(GOOD))
        now = result_of(suite(14), memory="2")
        told, done = _update(tmp_path, now, new_only=True)
        assert not done
        assert "(memory: version=1 then, version=2 now), and tasks that only the new one has done" in told
        assert _update(tmp_path, now, new_only=True, force=True)[1]

    def test_tasks_that_another_judge_has_judged_are_refused_even_when_forced(self, tmp_path: Path) -> None:
        _update(tmp_path, result_of(GOOD))
        told, done = _update(tmp_path, result_of(suite(14), judge="2"), new_only=True, force=True)
        assert not done
        assert "figures of different judges are not compared" in told


@pytest.mark.long  # a real run each
@pytest.mark.parametrize(
    ("arguments", "broken", "reason"),
    [
        (["-k", "test_tasks_are_solved"], [], "-k selected some of the tests"),
        (["test_shop.py::test_tasks_are_solved"], [], "single tests were named"),
        (["--deselect", "test_shop.py::test_little_is_delivered"], [], "some of its tests were deselected"),
        (["-k", "nothing_is_called_this"], [], "no suite was evaluated: -k selected some of the tests"),
        ([], ["forgets"], "no suite was evaluated: shop: the suite could not be evaluated"),
        (["-x"], ["forgets"], "no suite was evaluated: "),
        (["--memuse-baseline=main", "--memuse-record-mode=new_episodes"], ["forgets"], "the run failed"),
    ],
    ids=["-k", "one test", "--deselect", "zero tests", "stale", "-x", "failed gate"],
)
def test_a_partial_or_failing_run_leaves_the_baseline_and_fails(
    project: Project, arguments: list[str], broken: list[str], reason: str
) -> None:
    path = project.folder / "baselines" / "main.json"
    before = path.read_bytes()
    ran = project.run("--memuse-update=main", *arguments, broken=broken)
    assert ran.code == 1, ran.out
    assert "baseline main: not updated (" in ran.out
    assert reason in ran.out
    assert path.read_bytes() == before


@pytest.mark.long  # a real run
def test_a_crashed_worker_leaves_the_baseline(project: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    path = project.folder / "baselines" / "main.json"
    before = path.read_bytes()
    (project.folder / "test_crash.py").write_text("def test_crash():\n    import os\n    os._exit(3)\n")
    ran = project.run("--memuse-update=main", "-n2")
    assert ran.code == 1
    assert "baseline main: not updated (" in ran.out
    assert path.read_bytes() == before


@pytest.mark.long  # four real runs
def test_an_arc_that_is_added_to_a_project_is_added_to_its_baseline(project: Project) -> None:
    path = project.folder / "baselines" / "main.json"
    before = json.loads(path.read_text())["suites"]["shop"]["run"]["episodes"]
    arcs = project.folder / "arcs.yaml"
    lines = arcs.read_text()
    arcs.write_text(lines + lines.partition("arcs:\n")[2].split("  - id: arc-1")[0].replace("arc-0", "arc-new"))
    ran = project.run("--memuse-record-mode=once", "--memuse-update-new-only=main")
    assert ran.code == 0, ran.out
    assert "shop: 3 tasks added, the others as they were" in ran.out
    after = json.loads(path.read_text())["suites"]["shop"]["run"]["episodes"]
    assert after[: len(before)] == before
    assert {episode["arc"] for episode in after[len(before) :]} == {"arc-new"}
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert "nothing has changed: every arc is the same recording on both sides" in ran.out
