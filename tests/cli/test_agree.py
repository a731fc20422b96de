"""`memuse agree`: judges on logs, stored runs, and what cannot be set against each other."""

import json
from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, SuiteBaseline
from pytest_memuse.gate.store import write_baseline
from pytest_memuse.profiles.rows import Run
from tests.cases.episodes import OWN_CASES
from tests.cli.test_annotate import log
from tests.profiles.test_agreement import MINE, THEIRS, run_of

SET = OWN_CASES / "labels.yaml"


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["agree", *map(str, arguments)]) == 2
    return capsys.readouterr().err


def data(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, dict[str, object]]:
    assert main(["agree", "--json", *map(str, arguments)]) == 0
    found: dict[str, dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def stored(folder: Path, name: str, *runs: Run, judge: str = "tracer") -> Path:
    identity = Identity(JudgedBy(judge, "1"))
    suites = {run.suite: SuiteBaseline(run, identity, {}, "2026-11-30") for run in runs}
    return write_baseline(folder, name, Baseline("1", suites))


def test_judges_judge_the_logs_that_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    form, source = tmp_path / "f.yaml", log(tmp_path / "a.jsonl")
    assert main(["annotate", str(source), "-o", str(form)]) == 0
    form.write_text(form.read_text(encoding="utf-8").replace("influence:\n", "influence: none\n"), encoding="utf-8")
    capsys.readouterr()
    assert main(["agree", "tracer", str(form), str(source)]) == 0
    told = capsys.readouterr().out
    assert "1 span judged by both, in 1 arc; 0 by A alone, 0 by B alone" in told
    assert "A acted on, B none (1 entry): acted_on_share −1" in told
    assert "novelty: annotations, version 1, labels=" in told
    assert "made step 1, S1 e1: A acted on, B none: “the port is 8443” (acted_on_share −1" in told


def test_labelled_sets_are_logs_too_and_stored_labels_agree_with_the_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    form = tmp_path / "f.yaml"
    assert main(["annotate", str(SET), "--from-labels", "-o", str(form)]) == 0
    capsys.readouterr()
    found = data(capsys, "tracer", f"annotations:{form}", SET)
    assert found["spans"] == {"both": 14, "only_first": 0, "only_second": 0}
    influence = found["signals"]["influence"]
    assert isinstance(influence, dict)
    assert influence["entries"] == 15
    assert influence["kappa"]["lower"] < influence["kappa"]["value"] <= 1


def test_stored_runs_are_compared_without_logs_and_one_judges_noise_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(tmp_path, "main", run_of(MINE))
    other = stored(tmp_path, "again", run_of(THEIRS))
    assert main(["agree", "main", str(other), "--baselines", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "A: tracer, version 1, in main" in told
    assert "The judge's own noise, over 2 judgings of the same spans" in told
    found = data(capsys, "main", other, "--baselines", tmp_path)
    assert found["noise"]["acted_on_share"]["judge"] == pytest.approx(0.125 / 4)  # type: ignore[index]
    stored(tmp_path, "person", run_of(THEIRS), judge="annotations")
    assert "noise" not in data(capsys, "main", "person", "--baselines", tmp_path)


def test_what_cannot_be_set_against_each_other_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = log(tmp_path / "a.jsonl")
    stored(tmp_path, "main", run_of(MINE))
    folder = ("--baselines", tmp_path)
    assert "tracer has nothing to judge" in refused(capsys, "main", "tracer", *folder)
    assert "both sides are stored runs" in refused(capsys, "main", "main", source, *folder)
    assert "different suites: 's' and 'shop'" in refused(capsys, "main", "tracer", source, *folder)
    assert "there is no judge 'tracer:x'" in refused(capsys, "tracer:x", "tracer", source)
    assert "there is no such file; did you mean 'a.jsonl'?" in refused(
        capsys, "tracer", f"annotations:{tmp_path / 'b.jsonl'}", source
    )
    assert "did you mean" in refused(capsys, "mian", "main", *folder)
    stored(tmp_path, "other", run_of(MINE, text="other"))
    assert "no span was judged on both sides (A: 4, B: 4)" in refused(capsys, "main", "other", *folder)
    two = Run("second", run_of(MINE).episodes)
    stored(tmp_path, "two", run_of(MINE), two)
    assert "two holds 2 suites: s, second" in refused(capsys, "two", "main", *folder)
    assert "holds no suite 'secnd'; did you mean 'second'?" in refused(
        capsys, "two", "two", "--suite", "secnd", *folder
    )
    assert main(["agree", "two", "two", "--suite", "second", "--baselines", str(tmp_path)]) == 0
