"""Answers of a suite's judge are kept beside its recordings, in real pytest runs."""

import json
from pathlib import Path

import pytest

from pytest_memuse.judging import Signal, Tracer
from pytest_memuse.judging.combined import Combined
from pytest_memuse.judging.llm import LlmJudge
from pytest_memuse.plugin.judging_options import Rejudging
from pytest_memuse.plugin.judgment_records import recording_judges, records_folder, suite_judge
from pytest_memuse.plugin.options import Settings, settings_of
from tests.plugin.judged import answer_files, drop_answer, judged, make_judged, record_files, unasked
from tests.plugin.project import Project

pytest_plugins = "pytester"

UNDER = "cassettes/shop/judgments"


@pytest.fixture(scope="session")
def kept_project(quick_project: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The recorded project, judged once by a model; its records are kept."""
    project = make_judged(quick_project.copy(tmp_path_factory.mktemp("judged") / "project"))
    ran, asked = judged(project)
    assert ran.code == 0, ran.out
    assert asked == 2 * 18
    return project


@pytest.fixture
def project(kept_project: Project, tmp_path: Path) -> Project:
    return kept_project.copy(tmp_path / "project")


def _said(out: str, word: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith(word)]


def test_a_suite_is_profiled_from_its_records_without_model_key_or_litellm(project: Project) -> None:
    before = record_files(project)
    assert before
    for environment in ({}, {"CI": "true"}):
        ran = unasked(project, **environment)
        assert ran.code == 0, ran.out
        assert _said(ran.out, "COUNTS") == ["COUNTS {'neutral': 12, 'unresolved': 6}"]
        assert _said(ran.out, "IMPORTED") == ["IMPORTED False OPENED []"]
    assert record_files(project) == before


@pytest.mark.long
def test_records_of_a_suite_stand_beside_its_recordings_an_arc_a_file(project: Project) -> None:
    names = sorted(path.name for path in answer_files(project))
    assert names == [f"arc-{number}.jsonl" for number in range(6)]
    assert {path.parent.parent for path in answer_files(project)} == {project.folder / UNDER}


@pytest.mark.long
def test_in_ci_a_span_without_a_record_fails_its_suite_and_nobody_is_asked(project: Project) -> None:
    drop_answer(answer_files(project)[1])
    drop_answer(answer_files(project)[1])
    drop_answer(answer_files(project)[4])
    before = record_files(project)
    ran, asked = judged(project, CI="true")
    assert (ran.code, asked) == (1, 0)
    assert "3 of 18 spans have no record of the judge's answer, in arc-1 (2), arc-4 (1)" in ran.out
    assert "--memuse-judge-mode=none (the mode of CI) asks nobody" in ran.out
    assert f"commit the records that it keeps ({UNDER})" in ran.out
    assert record_files(project) == before

    mended, asked = judged(project, "--memuse-judge-mode=new")
    assert (mended.code, asked) == (0, 2 * 3)
    assert unasked(project, CI="true").code == 0


@pytest.mark.long
def test_in_ci_a_judge_is_asked_where_that_is_said(project: Project) -> None:
    drop_answer(answer_files(project)[0])
    ran, asked = judged(project, CI="true", MEMUSE_JUDGE_MODE="new")
    assert (ran.code, asked) == (0, 2)


@pytest.mark.long
def test_mode_none_without_ci_says_so_too(project: Project) -> None:
    drop_answer(answer_files(project)[0])
    ran, asked = judged(project, "--memuse-judge-mode=none")
    assert (ran.code, asked) == (1, 0)
    assert (
        "1 of 18 spans has no record of the judge's answer, in arc-0 (1), and --memuse-judge-mode=none asks" in ran.out
    )


@pytest.mark.long
def test_mode_all_asks_for_every_span_once_and_replaces_its_record(project: Project) -> None:
    ran, asked = judged(project, "--memuse-judge-mode=all", answers={"relevance": False})
    assert asked == 2 * 18
    assert "0 relevant entries / 18 entries" in ran.out
    assert "0 relevant entries / 18 entries" in unasked(project).out


@pytest.mark.long
def test_a_run_that_is_limited_goes_on_where_it_was_stopped(project: Project) -> None:
    for path in answer_files(project):
        path.unlink()
    first, asked = judged(project, SPANS="7")
    assert asked == 2 * 7
    assert "11 spans are left unjudged: the limit of 7 spans is reached" in first.out
    rest, asked = judged(project)
    assert (rest.code, asked) == (0, 2 * 11)


@pytest.mark.long
def test_a_span_without_an_accepted_answer_stays_an_error_where_nobody_is_asked(project: Project) -> None:
    drop_answer(answer_files(project)[2])
    ran, asked = judged(project, answers={"relevance": "perhaps"})
    assert ran.code == 0, ran.out
    assert asked == 1 + 5
    for arguments in (["--memuse-judge-mode=none"], ["--memuse-rejudge"]):
        known = unasked(project, *arguments)
        assert known.code == 0, known.out
        assert "1 error" in known.out
    assert "17 recorded conversations" in known.out
    mended, asked = judged(project)
    assert (mended.code, asked) == (0, 2)
    assert "error" not in unasked(project, CI="true").out


@pytest.mark.long
def test_an_error_is_no_record_and_is_asked_about_again(project: Project) -> None:
    drop_answer(answer_files(project)[2])
    before = record_files(project)
    _, asked = judged(project, answers={"fails": True})
    assert asked == 1
    assert record_files(project) == before
    assert judged(project)[1] == 2


@pytest.mark.long
def test_a_damaged_record_fails_the_suite_with_file_and_line_and_asks_nobody(project: Project) -> None:
    path = answer_files(project)[3]
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], "<<<<<<< ours\n", *lines[1:]]))
    ran, asked = judged(project)
    assert (ran.code, asked) == (1, 0)
    assert "arc-3.jsonl:2: " in ran.out


@pytest.mark.long
def test_under_xdist_a_suite_is_judged_once_and_its_records_are_kept(project: Project) -> None:
    for path in answer_files(project):
        path.unlink()
    ran, asked = judged(project, "-n2")
    assert (ran.code, asked) == (0, 2 * 18), ran.out
    ran = unasked(project, "-n2", CI="true")
    assert ran.code == 0, ran.out


@pytest.mark.long
def test_arcs_replayed_in_forked_processes_are_judged_once(project: Project) -> None:
    drop_answer(answer_files(project)[5])
    ran, asked = judged(project, "--memuse-jobs=3")
    assert (ran.code, asked) == (0, 2)


@pytest.mark.long
def test_refreshed_recordings_are_judged_anew_and_their_old_records_stay(project: Project) -> None:
    before = record_files(project)
    ran, asked = judged(project, "--memuse-record-mode=new_episodes", broken=["refuses_update"])
    assert "refreshed 6 of 6 recordings" in ran.out
    assert asked
    now = record_files(project)
    assert set(now) == set(before)
    assert all(now[name].startswith(content) for name, content in before.items())


@pytest.mark.long
def test_planted_faults_leave_the_suite_s_records_alone(project: Project) -> None:
    before = record_files(project)
    ran, asked = judged(project, "--memuse-mutate=cut", "--memuse-judge-mode=new")
    assert "planted fault" in ran.out
    # Nothing here is long enough to be cut: what was said of a span without the fault is taken for the one under it.
    assert asked == 2 * 18
    assert not list(project.folder.glob(".memuse/mutate/shop/*/cassettes/shop/judgments"))
    assert record_files(project) == before


def _settings(tmp_path: Path, pytester: pytest.Pytester, *flags: str, ci: bool = False) -> Settings:
    return settings_of(pytester.parseconfig(*flags), {"CI": "true"} if ci else {})


def _judge() -> LlmJudge:
    return LlmJudge("openai/one")


def test_each_judge_of_a_combination_keeps_its_own(tmp_path: Path, pytester: pytest.Pytester) -> None:
    settings = _settings(tmp_path, pytester)
    both = Combined((LlmJudge("openai/one"), Tracer(), LlmJudge("openai/two")), {Signal.NOVELTY: 1})
    judge = suite_judge(both, settings, "shop")
    assert judge.identity == both.identity
    folders = [found.records.answers.folder for found in recording_judges(judge)]  # type: ignore[union-attr]
    assert len(set(folders)) == 2
    assert {folder.parent for folder in folders} == {records_folder(settings.cassettes, "shop")}


def test_a_judge_with_records_of_its_own_keeps_them(tmp_path: Path, pytester: pytest.Pytester) -> None:
    from pytest_memuse.judging.llm.records import JudgmentRecords

    own = JudgmentRecords(tmp_path / "mine", _judge().identity)
    judge = suite_judge(_judge().with_records(own), _settings(tmp_path, pytester), "shop")
    assert [found.records for found in recording_judges(judge)] == [own]


def test_a_judge_that_asks_nobody_keeps_nothing(tmp_path: Path, pytester: pytest.Pytester) -> None:
    tracer = Tracer()
    assert suite_judge(tracer, _settings(tmp_path, pytester), "shop") is tracer
    assert not list(recording_judges(tracer))


@pytest.mark.parametrize(
    ("flags", "ci", "mode", "asks"),
    [
        ([], False, "new", True),
        ([], True, "none", False),
        (["--memuse-judge-mode=new"], True, "new", True),
        (["--memuse-judge-mode=all"], False, "all", True),
        (["--memuse-judge-mode=none"], False, "none", False),
        (["--memuse-rejudge"], False, "new", False),
        (["--memuse-rejudge=again", "--memuse-judge-mode=new"], False, "new", True),
        (["--memuse-rejudge"], True, "none", False),
    ],
)
def test_the_mode_says_whether_a_span_without_a_record_is_asked_about(
    tmp_path: Path, pytester: pytest.Pytester, flags: list[str], ci: bool, mode: str, asks: bool
) -> None:
    judging = _settings(tmp_path, pytester, *flags, ci=ci).judging
    assert (judging.mode, judging.asks) == (mode, asks)
    judge = suite_judge(_judge(), _settings(tmp_path, pytester, *flags, ci=ci), "shop")
    assert isinstance(judge, LlmJudge)
    assert bool(judge.stopped) is not asks


@pytest.mark.parametrize(
    ("written", "found", "baseline"),
    [
        ([], Rejudging.NOTHING, ""),
        (["--memuse-rejudge"], Rejudging.REPLAY, ""),
        (["--memuse-rejudge=again"], Rejudging.AGAIN, ""),
        (["--memuse-rejudge=main"], Rejudging.BASELINE, "main"),
        (["--memuse-rejudge=baselines/again.json"], Rejudging.BASELINE, "baselines/again.json"),
    ],
)
def test_the_three_forms_of_rejudging(
    pytester: pytest.Pytester, written: list[str], found: Rejudging, baseline: str
) -> None:
    settings = settings_of(pytester.parseconfig(*written, "--memuse-baseline=other"), {})
    assert (settings.judging.rejudging, settings.judging.baseline) == (found, baseline)
    assert settings.update == baseline
    assert settings.baseline == ("" if baseline else "other")


@pytest.mark.parametrize(
    "other",
    [
        "--memuse-record-mode=all",
        "--memuse-record-both=git:HEAD",
        "--memuse-update=main",
        "--memuse-update-new-only=main",
        "--memuse-save",
        "--memuse-compare=1",
        "--memuse-mutate",
    ],
)
@pytest.mark.parametrize("form", ["--memuse-rejudge", "--memuse-rejudge=again", "--memuse-rejudge=main"])
def test_rejudging_goes_without_what_makes_another_run(pytester: pytest.Pytester, form: str, other: str) -> None:
    with pytest.raises(pytest.UsageError, match=f"{form} judges what is recorded and goes without {other}: give one"):
        settings_of(pytester.parseconfig(form, other), {})


def test_rejudging_does_not_go_with_asking_for_every_span(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="compares with the records, which --memuse-judge-mode=all replaces"):
        settings_of(pytester.parseconfig("--memuse-rejudge", "--memuse-judge-mode=all"), {})
    assert settings_of(pytester.parseconfig("--memuse-rejudge=main", "--memuse-judge-mode=all"), {}).judging.asks


def test_a_baseline_is_not_judged_again_in_ci(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="--memuse-rejudge=main is refused because CI is set"):
        settings_of(pytester.parseconfig("--memuse-rejudge=main"), {"CI": "true"})
    forced = settings_of(pytester.parseconfig("--memuse-rejudge=main", "--memuse-force"), {"CI": "true"})
    assert forced.judging.baseline == "main"


def test_a_file_after_the_flag_is_not_taken_for_a_baseline(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_shop="")
    with pytest.raises(pytest.UsageError, match=r"--memuse-rejudge: 'test_shop\.py' was taken for its value"):
        settings_of(pytester.parseconfig("--memuse-rejudge", "test_shop.py"), {})


def test_the_answers_of_a_run_are_plain_lines_of_json(project: Project) -> None:
    for path in answer_files(project):
        assert all(isinstance(json.loads(line), dict) for line in path.read_text().splitlines())
