"""Real pytest runs of tests that assert on how far a judge can be trusted."""

from pathlib import Path

import pytest

from pytest_memuse.cli import main
from pytest_memuse.gate.baseline import (
    Baseline,
    Identity,
    JudgedBy,
    SuiteBaseline,
    baseline_text,
    check_judge,
    parse_baseline,
)
from pytest_memuse.gate.errors import BaselineError
from pytest_memuse.judging import Signal, Tracer
from pytest_memuse.judging.combined import Combined
from pytest_memuse.profiles.rows import Run
from tests.judging.scripted_judge import ScriptedJudge
from tests.plugin.project import Project

_TESTS = """
import pytest

from pytest_memuse.judging import Tracer
from pytest_memuse.judging.combined import Combined

pytestmark = pytest.mark.memuse(suite="shop", arcs="arcs.yaml")


def test_the_judge_agrees_with_itself_and_with_what_it_said(memuse_agreement):
    for other in ("tracer", Tracer(), Combined((Tracer(),)), "main", "baselines/main.json"):
        agreement = memuse_agreement(other)
        assert agreement.influence.raw == 1.0
        assert agreement.moves() == ()


def test_labels(memuse_agreement):
    agreement = memuse_agreement("labels/shop.yaml")
    assert agreement.influence.paired.pairs
    assert agreement.influence.kappa.lower > 0.6


def test_two_judges(memuse_agreement):
    assert memuse_agreement("annotations:labels/shop.yaml", "tracer").influence.kappa.value < 0.5


def test_what_nobody_labelled(memuse_agreement):
    assert memuse_agreement("labels/shop.yaml").novelty.kappa.value > 0.5


def test_stale(memuse_agreement):
    memuse_agreement("labels/stale.yaml")


def test_missing(memuse_agreement):
    memuse_agreement("labels/shp.yaml")
"""


def test_a_baseline_keeps_the_identity_of_every_judge_that_was_combined() -> None:
    judges = Combined((ScriptedJudge({}), Tracer()), {Signal.NOVELTY: 1})
    stored = SuiteBaseline(Run("s", ()), Identity(JudgedBy(**judges.identity.to_data())), {}, "")
    read = parse_baseline(baseline_text(Baseline("1", {"s": stored})), "main.json").suites["s"]
    assert read.identity.judge.settings == {"1": "scripted, version 1", "2": "tracer, version 2", "novelty": "from 2"}
    check_judge(read, stored.identity.judge, "main")
    other = JudgedBy(**Combined(judges.judges[::-1]).identity.to_data())
    with pytest.raises(BaselineError):
        check_judge(read, other, "main")


@pytest.fixture
def project(quick_project: Project, tmp_path: Path) -> Project:
    made = quick_project.copy(tmp_path / "project")
    form = made.folder / "labels" / "shop.yaml"
    recordings = sorted(map(str, made.folder.glob("cassettes/shop/*.jsonl")))
    assert main(["annotate", *recordings, "-o", str(form)]) == 0
    blank = form.read_text(encoding="utf-8")
    # Somebody who calls one entry in two acted on, whatever it was.
    parts = blank.split("  influence:\n")
    said = ("  influence: none\n", "  influence: acted_on\n")
    filled = "".join(part + said[number % 2] for number, part in enumerate(parts[:-1])) + parts[-1]
    form.write_text(filled, encoding="utf-8")
    stale = filled.replace('evidence: "', 'evidence: "0')
    (made.folder / "labels" / "stale.yaml").write_text(stale, encoding="utf-8")
    (made.folder / "test_judge.py").write_text(_TESTS)
    return made


def test_a_test_asserts_on_kappa_and_is_told_why_where_it_cannot(project: Project) -> None:
    ran = project.run("test_judge.py")
    assert ran.code == 1
    assert "4 failed, 2 passed" in ran.out
    failed = {name.rpartition(".")[2]: told for name, told in ran.failures.items()}
    assert set(failed) == {"test_labels", "test_what_nobody_labelled", "test_stale", "test_missing"}
    assert "<kappa of influence: value " in failed["test_labels"]
    assert "entries in 6 arcs>.lower" in failed["test_labels"]
    assert "novelty.kappa.value is undefined: annotations, version 1, labels=" in failed["test_what_nobody_labelled"]
    assert "does not determine novelty" in failed["test_what_nobody_labelled"]
    assert "were given for other evidence than there is now" in failed["test_stale"]
    assert "did you mean 'shop.yaml'?" in failed["test_missing"]
    # The plugin's own source would tell the test's author nothing.
    assert "agreeing.py" not in failed["test_stale"]
