"""``--memuse-rejudge`` in its three forms, in real pytest runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.gate.baseline import Baseline
from pytest_memuse.gate.promotion import attempts_behind, judged_again
from pytest_memuse.gate.store import read_baseline
from pytest_memuse.model.digests import json_digest
from pytest_memuse.plugin.judging_options import JudgingSettings, Rejudging
from pytest_memuse.plugin.updating import update
from tests.gate.repositories import commit, git
from tests.gate.rows import entry, episode, span, suite
from tests.plugin.judged import (
    answer_files,
    change_answer,
    drop_answer,
    judged,
    make_judged,
    record_files,
    unasked,
)
from tests.plugin.project import Project
from tests.plugin.sessions import ended, result_of


@pytest.fixture(scope="session")
def kept_project(quick_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The recorded project, judged once by a model and stored as the baseline ``main``, under git."""
    project = make_judged(quick_project.copy(tmp_path_factory.mktemp("rejudged") / "project"))
    ran, asked = judged(project, "--memuse-update=main")
    assert (ran.code, asked) == (0, 2 * 18), ran.out
    (project.folder / ".gitignore").write_text("junit.xml\n__pycache__\n.memuse\n.asked\n.printed\n")
    git(project.folder, "init", "-q", "-b", "trunk")
    commit(project.folder, "judged")
    return project


@pytest.fixture
def project(kept_project: Project, tmp_path: Path) -> Project:
    return kept_project.copy(tmp_path / "project")


def _command(out: str) -> list[str]:
    """Return the arguments of the pytest command that a refusal names."""
    line = next(line for line in out.splitlines() if "`pytest --memuse-rejudge" in line)
    return line.partition("`pytest ")[2].partition("`")[0].split()


@pytest.mark.long
def test_every_recorded_conversation_comes_to_its_record_without_a_model(project: Project) -> None:
    before = record_files(project)
    ran = unasked(project, "--memuse-rejudge", CI="true")
    assert ran.code == 0, ran.out
    told = "suite 'shop': 18 recorded conversations of llm openai/scripted replayed, each of which comes to its record"
    assert told in ran.out
    assert "IMPORTED False OPENED []" in ran.out
    assert record_files(project) == before


@pytest.mark.long
def test_a_record_that_its_conversation_does_not_come_to_fails_with_arc_span_and_what_differs(project: Project) -> None:
    whose = change_answer(answer_files(project)[2], relevance=False)
    before = record_files(project)
    ran = unasked(project, "--memuse-rejudge")
    assert ran.code == 1
    assert (
        "18 recorded conversations of llm openai/scripted replayed, and 1 of them does not come to the record"
        in ran.out
    )
    assert f"  arc arc-2, {whose}: " in ran.out
    assert "e1 relevance: false then, true now" in ran.out
    assert (
        "restore the records from version control, or ask the model anew with `pytest --memuse-judge-mode=all`"
        in ran.out
    )
    assert record_files(project) == before


@pytest.mark.long
def test_a_conversation_that_was_changed_fails_and_says_so(project: Project) -> None:
    (path,) = project.folder.glob("cassettes/shop/judgments/*/arc-1.conversation.jsonl")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    ran = unasked(project, "--memuse-rejudge")
    assert ran.code == 1
    assert "of them does not come to the record" in ran.out
    assert "arc arc-1, episode " in ran.out


@pytest.mark.long
def test_spans_without_a_record_are_told_and_neither_asked_about_nor_failed(project: Project) -> None:
    drop_answer(answer_files(project)[0])
    ran, asked = judged(project, "--memuse-rejudge")
    assert (ran.code, asked) == (0, 0), ran.out
    assert "17 recorded conversations" in ran.out
    assert "1 spans are left unjudged: nobody is asked while judgments are judged again" in ran.out


@pytest.mark.long
def test_the_tracer_has_nothing_to_replay(quick_project: Project, tmp_path: Path) -> None:
    ran = quick_project.copy(tmp_path / "project").run("--memuse-rejudge")
    assert ran.code == 0
    assert "suite 'shop': nothing is judged again, since the judge keeps no records" in ran.out


@pytest.mark.long
def test_asking_again_agrees_where_the_model_says_the_same(project: Project) -> None:
    before = record_files(project)
    ran, asked = judged(project, "--memuse-rejudge=again")
    assert (ran.code, asked) == (0, 2 * 18), ran.out
    assert "18 spans with a record judged again by llm openai/scripted: 90 of 90 signals agree (100 %)" in ran.out
    assert record_files(project) == before


@pytest.mark.long
def test_asking_again_fails_where_signals_differ_and_leaves_the_records(project: Project) -> None:
    before = record_files(project)
    ran, _ = judged(project, "--memuse-rejudge=again", answers={"relevance": False, "accuracy": "contradicted"})
    assert ran.code == 1
    assert "18 spans with a record judged again by llm openai/scripted: 54 of 90 signals agree (60.0 %)" in ran.out
    rows = [line.split() for line in ran.out.splitlines() if "arc-0/update" in line]
    assert ["arc-0/update", "S1", "e1", "relevance", "true", "false"] in rows
    assert ["arc-0/update", "S1", "e1", "accuracy", "uncontradicted", "contradicted"] in rows
    assert "  and 16 more" in ran.out
    assert record_files(project) == before


@pytest.mark.long
def test_asking_again_tells_errors_and_what_a_limit_leaves(project: Project) -> None:
    failed, asked = judged(project, "--memuse-rejudge=again", answers={"fails": True})
    assert (failed.code, asked) == (1, 18)
    assert "no signal could be compared" in failed.out
    assert "18 spans came to no accepted answer this time:" in failed.out
    assert "request: the model is not at home" in failed.out
    limited, asked = judged(project, "--memuse-rejudge=again", SPANS="4")
    assert (limited.code, asked) == (0, 2 * 4)
    assert "14 spans with a record could not be asked about: the limit of 4 spans is reached" in limited.out


@pytest.mark.long
def test_another_rubric_is_refused_with_the_command_that_makes_the_comparison_possible(project: Project) -> None:
    refused, asked = judged(project, "--memuse-baseline=main", RUBRIC="2")
    assert (refused.code, asked) == (1, 2 * 18)
    assert "was judged by llm, version 1, model openai/scripted" in refused.out
    command = _command(refused.out)
    assert command == ["--memuse-rejudge=main"]

    before = read_baseline(project.folder / "baselines", "main").suites["shop"]
    done, asked = judged(project, *command, RUBRIC="2")
    assert (done.code, asked) == (0, 0), done.out
    assert "baseline main: stored shop in baselines/main.json" in done.out

    stored = read_baseline(project.folder / "baselines", "main").suites["shop"]
    assert (stored.identity.judge.version, stored.recordings) == ("2", before.recordings)
    newest = stored.promotions[-1]
    assert newest.how == "--memuse-rejudge"
    assert "judged by llm, version 1, model openai/scripted" in newest.reason
    assert "by llm, version 2, model openai/scripted" in newest.reason

    compared = unasked(project, "--memuse-baseline=main", RUBRIC="2")
    assert compared.code == 0, compared.out
    assert "gate shop against main (6 arcs): passed" in compared.out


@pytest.mark.long
def test_a_baseline_named_by_the_ini_file_does_not_keep_itself_from_being_judged_again(project: Project) -> None:
    (project.folder / "pytest.ini").write_text("[pytest]\nmemuse_baseline = main\nmemuse_unevaluated = fail\n")
    refused, _ = judged(project, RUBRIC="2")
    done, _ = judged(project, *_command(refused.out), RUBRIC="2")
    assert done.code == 0, done.out
    compared = unasked(project, RUBRIC="2")
    assert compared.code == 0, compared.out
    assert "gate shop against main (6 arcs): passed" in compared.out


@pytest.mark.long
def test_recordings_that_have_changed_since_are_taken_out_of_the_history(project: Project) -> None:
    old = read_baseline(project.folder / "baselines", "main").suites["shop"]
    ran, _ = judged(project, "--memuse-record-mode=new_episodes", broken=["refuses_update"])
    assert "refreshed 6 of 6 recordings" in ran.out
    commit(project.folder, "refreshed")
    now = {path.name: path.read_bytes() for path in project.folder.glob("cassettes/shop/*.jsonl")}

    done, asked = judged(project, "--memuse-rejudge=main", broken=["refuses_update"], RUBRIC="2")
    assert done.code == 0, done.out
    assert asked == 2 * 18
    stored = read_baseline(project.folder / "baselines", "main").suites["shop"]
    assert stored.recordings == old.recordings
    assert [e.id for e in stored.run.episodes] == [e.id for e in old.run.episodes]
    assert {path.name: path.read_bytes() for path in project.folder.glob("cassettes/shop/*.jsonl")} == now
    # What was judged was not the project as it stands.
    last = project.folder / ".memuse" / "last.json"
    assert json.loads(last.read_text())["suites"]["shop"]["identity"]["judge"]["version"] == "1"


@pytest.mark.long
def test_a_recording_that_is_nowhere_is_named_and_nothing_is_written(project: Project) -> None:
    judged(project, "--memuse-record-mode=new_episodes", broken=["refuses_update"])
    for path in project.folder.glob(".git"):
        path.rename(project.folder / ".not-git")
    before = project.recordings()
    ran, asked = judged(project, "--memuse-rejudge=main", broken=["refuses_update"], RUBRIC="2")
    assert (ran.code, asked) == (1, 0)
    assert (
        "6 of the 6 recordings that baseline main was made from can be found neither in the working tree nor" in ran.out
    )
    assert "arc-0 (cassettes/shop/arc-0.jsonl), arc-1 (" in ran.out
    assert "baseline main: not updated" in ran.out
    assert project.recordings() == before


@pytest.mark.long
def test_a_failed_or_partial_run_stores_no_baseline(project: Project) -> None:
    before = project.recordings()["main.json"]
    failed, _ = judged(project, "--memuse-rejudge=main", answers={"relevance": False}, RUBRIC="2")
    assert failed.code == 1
    assert "baseline main: not updated (the run failed)" in failed.out
    partial, _ = judged(project, "--memuse-rejudge=main", "-k", "what_was", RUBRIC="2")
    assert "baseline main: not updated (-k selected some of the tests)" in partial.out
    limited, _ = judged(project, "--memuse-rejudge=main", SPANS="3", RUBRIC="3")
    assert "15 of 18 spans are left unjudged: the limit of 3 spans is reached" in limited.out
    assert project.recordings()["main.json"] == before
    rest, asked = judged(project, "--memuse-rejudge=main", RUBRIC="3")
    assert (rest.code, asked) == (0, 2 * 15), rest.out


@pytest.mark.long
def test_suites_that_the_baseline_does_not_hold_are_skipped(project: Project) -> None:
    other = (project.folder / "test_shop.py").read_text().replace('suite="shop"', 'suite="other"')
    (project.folder / "test_other.py").write_text(other)
    ran, _ = judged(project, "--memuse-rejudge=main", "-rs", RUBRIC="2")
    assert ran.code == 0, ran.out
    assert "baseline main holds no suite 'other'" in ran.out
    assert "baseline main: stored shop" in ran.out


@pytest.mark.long
def test_a_baseline_that_is_not_there_is_a_usage_error(project: Project) -> None:
    ran = unasked(project, "--memuse-rejudge=mian")
    assert ran.code == 4
    assert "There is no baseline 'mian'" in ran.out
    assert "did you mean 'main'?" in ran.out


@pytest.mark.long
def test_under_xdist_the_controller_stores_what_a_worker_judged(project: Project) -> None:
    ran, _ = judged(project, "--memuse-rejudge=main", "-n2", RUBRIC="2")
    assert ran.code == 0, ran.out
    assert read_baseline(project.folder / "baselines", "main").suites["shop"].identity.judge.version == "2"


@pytest.mark.long
def test_a_change_of_the_judge_that_brings_its_judged_baseline_passes_in_ci(project: Project) -> None:
    git(project.folder, "checkout", "-q", "-b", "change")
    done, _ = judged(project, "--memuse-rejudge=main", RUBRIC="2")
    assert done.code == 0, done.out
    commit(project.folder, "the second rubric")
    in_ci = {"CI": "true", "GITHUB_BASE_REF": "trunk", "RUBRIC": "2"}
    ran = unasked(project, "--memuse-baseline=main", **in_ci)
    assert ran.code == 0, ran.out
    told = "gate shop: this change has another judge (version 1 then, 2 now) and holds the same baseline judged by it"
    assert told in ran.out
    assert "gate shop against main (6 arcs): passed" in ran.out

    # Who changes anything else with it is compared with what was there before, and refused.
    path = project.folder / "baselines" / "main.json"
    stored = json.loads(path.read_text())
    stored["suites"]["shop"]["run"]["episodes"][0]["success"] = False
    del stored["seal"]
    path.write_text(json.dumps({**stored, "seal": json_digest(stored)}))
    refused = unasked(project, "--memuse-baseline=main", **in_ci)
    assert refused.code == 1
    assert "figures of different judges are not compared" in refused.out


def _stored(root: Path, judge: str) -> Baseline:
    session, state = ended(root, result_of(suite(12), judge=judge), update="main")
    told, done = update(session, state, "")
    assert done, told
    return read_baseline(root / "baselines", "main")


def _rejudge(root: Path, judge: str, **options: Any) -> tuple[str, bool]:
    judging = JudgingSettings(rejudging=Rejudging.BASELINE, baseline="main")
    run = suite(12, lambda arc, number: [episode(arc, span(entry(relevance=False)))])
    result = result_of(run, judge=judge, memory="another", recording="others", attempts=0)
    session, state = ended(root, result, update="main", judging=judging, **options)
    return update(session, state, "")


def test_a_baseline_judged_again_keeps_everything_but_its_judgments(tmp_path: Path) -> None:
    before = _stored(tmp_path, "1").suites["billing"]
    told, done = _rejudge(tmp_path, "2", reason="the second rubric")
    assert done, told
    after = read_baseline(tmp_path / "baselines", "main").suites["billing"]
    assert after.identity == replace(before.identity, judge=replace(before.identity.judge, version="2"))
    assert (after.recordings, after.attempts) == (before.recordings, before.attempts)
    assert judged_again(before, after)
    newest = after.promotions[-1]
    assert newest.how == "--memuse-rejudge"
    assert newest.reason == (
        "the second rubric; judged by tracer, version 1 before, by tracer, version 2 now (version 1 then, 2 now)"
    )
    assert "figures of different judges are not compared" in newest.not_compared


def test_judging_again_does_not_hide_how_often_a_baseline_was_recorded(tmp_path: Path) -> None:
    session, state = ended(tmp_path, result_of(suite(12), attempts=5), update="main")
    assert update(session, state, "")[1]
    _rejudge(tmp_path, "2")
    stored = read_baseline(tmp_path / "baselines", "main").suites["billing"]
    assert attempts_behind(stored) == 5


def test_what_the_judge_says_again_changes_nothing(tmp_path: Path) -> None:
    _stored(tmp_path, "1")
    _rejudge(tmp_path, "2")
    content = (tmp_path / "baselines" / "main.json").read_bytes()
    told, done = _rejudge(tmp_path, "2")
    assert (told, done) == ("baseline main: left as it is\n  billing is what was stored", True)
    assert (tmp_path / "baselines" / "main.json").read_bytes() == content
