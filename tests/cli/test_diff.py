"""`memuse diff`: what it compares, what it says, and how a reviewed change gets into the baseline."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.cli.reading import judged_log, run_of
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, SuiteBaseline
from pytest_memuse.gate.saved_runs import save_last
from pytest_memuse.gate.store import read_baseline, write_baseline
from pytest_memuse.judging.llm import LlmJudge
from pytest_memuse.judging.llm.records import JudgmentRecords
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.lines import recording_digest
from tests.episodes.small_world import ARC, live_runner
from tests.gate.repositories import commit, git
from tests.judging.llm.scripted_client import Client
from tests.reports.golden import check_golden

TRACER = JudgedBy("tracer", Tracer().identity.version)


@dataclass(frozen=True)
class Recorded:
    """Recordings of one arc with a memory that works and with one that refuses updates."""

    well: Path
    broken: Path

    def side(self, path: Path, created: str = "2026-11-01") -> SuiteBaseline:
        recording = load_recording(path)
        return SuiteBaseline(
            run=run_of([judged_log(path)]),
            identity=Identity(TRACER, memory=f"name=notes, updates={'on' if path == self.well else 'off'}"),
            recordings={recording.arc: recording_digest(recording)},
            created=created,
        )


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("recorded")
    made = Recorded(folder / "well.jsonl", folder / "broken.jsonl")
    for path, settings in ((made.well, {}), (made.broken, {"refuses_update": True})):
        with live_runner(**settings) as runner:
            save_recording(path, record_arc("shop", ARC, runner))
    return made


@pytest.fixture
def folder(recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose memory was broken after the baseline was stored; pytest has run since."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    write_baseline(tmp_path / "baselines", "main", Baseline("1", {"shop": recorded.side(recorded.well)}))
    save_last(tmp_path, Baseline("1", {"shop": recorded.side(recorded.broken, "2026-11-02")}))
    (tmp_path / "cassettes" / "shop").mkdir(parents=True)
    shutil.copy(recorded.broken, tmp_path / "cassettes" / "shop" / "port.jsonl")
    return tmp_path


def out(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["diff", *arguments]) == code
    captured = capsys.readouterr()
    return captured.out if code != 2 else captured.err


def test_the_last_pytest_run_is_set_against_the_baseline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_golden("cli-diff", out(capsys, "main").splitlines())


def test_recordings_can_be_judged_here_and_now(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last, recordings = out(capsys, "main"), out(capsys, "main", "--recordings")
    assert recordings.startswith(
        "suite shop: then baseline main (baselines/main.json), of 2026-11-01; now the recordings in cassettes\n"
    )
    assert last.split("\n\n")[1:-1] == recordings.split("\n\n")[1:-1]
    assert "--accept" in recordings.splitlines()[-1]


def test_recordings_are_judged_by_the_kept_answers_of_the_baselines_own_judge(
    folder: Path, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = LlmJudge("openai/scripted", client=Client())
    who = JudgedBy("llm", judge.identity.version, judge.identity.model, dict(judge.identity.settings))
    side = recorded.side(recorded.well)
    by_model = replace(side, run=run_of([judged_log(recorded.well, judge)]), identity=Identity(who))
    write_baseline(folder / "baselines", "main", Baseline("1", {"shop": by_model}))
    assert "judgments of different judges are not compared" in out(capsys, "main", "--recordings")
    kept = JudgmentRecords(folder / "cassettes" / "shop" / "judgments", judge.identity)
    judged_log(recorded.broken, judge.with_records(kept))
    assert "different judges" not in out(capsys, "main", "--recordings")


def test_without_a_last_run_the_recordings_are_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".memuse" / "last.json").unlink()
    assert "now the recordings in cassettes" in out(capsys, "main").splitlines()[0]


def test_any_two_stored_runs_can_be_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = out(capsys, ".memuse/last.json", "main")
    assert told.startswith("suite shop: then baseline .memuse/last.json, of 2026-11-02; now baseline main")
    assert "note: 1 of 1 recordings are not those of this run any more" in told


def test_a_run_that_is_older_than_the_recordings_is_told(
    folder: Path, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "not those of this run" not in out(capsys, "main")
    shutil.copy(recorded.well, folder / "cassettes" / "shop" / "port.jsonl")
    assert "note: 1 of 1 recordings are not those of this run any more" in out(capsys, "main")


@pytest.mark.parametrize(("arguments", "code"), [((), 0), (("--exit-code",), 1)])
def test_a_change_is_an_exit_code_where_it_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int
) -> None:
    out(capsys, "main", *arguments, code=code)


def test_equal_runs_leave_no_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = out(capsys, "main", "main", "--exit-code")
    assert "3 tasks compared, nothing changed" in told
    assert "next:" not in told


def test_one_task_is_shown_with_everything_that_was_delivered_to_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = out(capsys, "main", "--task", "port/probe")
    assert "task port/probe" in told
    assert "port/update" not in told


def test_programs_get_the_same_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [data] = json.loads(out(capsys, "main", "--json"))["suites"]
    assert data["run"] == "the last pytest run (.memuse/last.json), of 2026-11-02"
    assert data["notes"] == ["made differently: memory: updates=on then, off now"]
    changed = [task["task"] for task in data["tasks"] if task["changed"]]
    assert "probe" in changed


def test_an_order_by_one_figure_shows_that_figure_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [data] = json.loads(out(capsys, "main", "--json", "--figure", "steps"))["suites"]
    assert list(data["figures"]) == ["steps"]


@pytest.mark.parametrize(
    ("arguments", "problem", "mend"),
    [
        (("mian",), "no baseline 'mian'", "did you mean 'main'?"),
        (("main", "--suite", "shp"), "holds no suite 'shp', but shop", "did you mean 'shop'?"),
        (("main", "--task", "port/prob"), "task 'port/prob' is in neither run", "did you mean 'port/probe'?"),
        (("main", "--figure", "outcome_rat"), "no figure 'outcome_rat'", "did you mean 'outcome_rate'?"),
        (("main", "main", "--recordings"), "two answers", "give one of the two"),
        (("main", "--reason", "because"), "--reason is what --accept is given", "add --accept"),
        (("main", "--recordings", "--cassettes", "elsewhere"), "no recording of shop in elsewhere", "--cassettes"),
        (("git:main",), "baselines is not in a git repository", "name a baseline or a file"),
    ],
)
def test_what_cannot_be_compared_is_told_with_what_to_do(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], problem: str, mend: str
) -> None:
    told = out(capsys, *arguments, code=2)
    assert problem in told
    assert mend in told


def test_judgments_of_another_judge_are_left_out_unless_forced(
    folder: Path, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    other = replace(recorded.side(recorded.well), identity=Identity(JudgedBy("person", "1")))
    write_baseline(folder / "baselines", "labelled", Baseline("1", {"shop": other}))
    told = out(capsys, "labelled")
    assert "judged by person, version 1 then, by tracer, version 2 now: judgments of different judges" in told
    assert "only what was delivered is compared" in told
    assert "(not judged)" in told
    assert "only what was delivered" not in out(capsys, "labelled", "--force")
    assert "rests on judgments" in out(capsys, "labelled", "--figure", "harm_yield", code=2)
    assert "was judged by" in out(capsys, "labelled", "--accept", "--reason", "x", code=2)
    assert read_baseline(folder / "baselines", "labelled").suites["shop"] == other


def test_a_reviewed_change_is_stored_with_its_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = out(capsys, "main", "--accept", "--reason", " updates are gone for good ").splitlines()
    assert told[-3:] == [
        "accepted: shop is stored in baselines/main.json, because: updates are gone for good",
        "  shop replaces the run of 2026-11-01; no gated figure had regressed",
        "next: git add baselines/main.json && git commit, together with the recordings of the change",
    ]
    stored = read_baseline(folder / "baselines", "main").suites["shop"]
    [promotion] = stored.promotions
    assert (promotion.how, promotion.reason) == ("memuse diff --accept", "updates are gone for good")
    assert promotion.replaced
    assert stored.run == read_baseline(folder, ".memuse/last.json").suites["shop"].run
    assert out(capsys, "main", "--accept", "--reason", "again").splitlines()[-1] == (
        "nothing to accept: what is stored is this run"
    )


def test_what_had_regressed_is_kept_with_the_change(
    folder: Path, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    side = recorded.side(recorded.well)
    arcs = [replace(e, arc=f"{e.arc}-{n}") for n in range(8) for e in side.run.episodes]
    many = replace(side, run=replace(side.run, episodes=tuple(arcs)), recordings={})
    failing = replace(many.run, episodes=tuple(replace(e, success=False) for e in arcs))
    write_baseline(folder / "baselines", "many", Baseline("1", {"shop": many}))
    save_last(folder, Baseline("1", {"shop": replace(many, run=failing)}))
    told = out(capsys, "many", "--accept", "--reason", "no longer asked for")
    assert "whose figures were better: outcome_rate" in told
    [promotion] = read_baseline(folder / "baselines", "many").suites["shop"].promotions
    assert promotion.regressed == ("outcome_rate",)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("main", "--accept"), "none is given"),
        (("main", "--accept", "--reason", "  "), "none is given"),
        (("main", "--accept", "--reason", "two\nlines"), "one line"),
        (("main", "--accept", "--reason", "x" * 501), "at most 500"),
        (("main", "--accept", "--reason", "x", "--recordings"), "only judged here"),
        (("main", "--accept", "--reason", "x", "--task", "port/probe"), "whole suites"),
        (("main", "--accept", "--reason", "x", "--json"), "whole suites"),
    ],
)
def test_nothing_is_accepted_without_a_reason_and_a_run_to_accept(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    before = (folder / "baselines" / "main.json").read_bytes()
    refused = out(capsys, *arguments, code=2)
    assert refused.startswith("memuse: nothing is accepted: ")
    assert told in refused
    assert (folder / "baselines" / "main.json").read_bytes() == before


def test_a_run_of_other_recordings_is_not_accepted(
    folder: Path, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(recorded.well, folder / "cassettes" / "shop" / "port.jsonl")
    told = out(capsys, "main", "--accept", "--reason", "x", "--force", code=2)
    assert "which differ in port" in told
    assert "run pytest on the recordings as they are" in told


def test_without_a_last_run_nothing_is_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".memuse" / "last.json").unlink()
    assert "there is no last run to accept" in out(capsys, "main", "--accept", "--reason", "x", code=2)


def test_in_ci_nothing_is_accepted_unless_forced(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    assert "CI is set" in out(capsys, "main", "--accept", "--reason", "x", code=2)
    assert "accepted: shop" in out(capsys, "main", "--accept", "--reason", "x", "--force")
    [promotion] = read_baseline(folder / "baselines", "main").suites["shop"].promotions
    assert promotion.how == "memuse diff --accept --force"


def test_a_baseline_at_a_commit_is_compared_and_never_written(
    folder: Path, recorded: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "one")
    write_baseline(folder / "baselines", "main", Baseline("1", {"shop": recorded.side(recorded.broken)}))
    told = out(capsys, "git:main")
    assert told.startswith("suite shop: then baseline git:main, of 2026-11-01; now the last pytest run")
    assert "changed;" in told
    assert "--accept" in told.splitlines()[-1]
    assert "which is not written" in out(capsys, "git:main", "--accept", "--reason", "x", code=2)
