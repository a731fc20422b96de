"""A test that asserts on its judge's own noise, in a real pytest run."""

from pathlib import Path

import pytest

from tests.judging.llm.endpoint import served
from tests.judging.llm.needs import need_litellm
from tests.judging.llm.wavering import Wavering
from tests.plugin.project import Project, Ran

need_litellm()

_TESTS = """
import os

import pytest

pytestmark = pytest.mark.memuse(suite="shop", arcs="arcs.yaml")


def test_a_judge_that_wavers(memuse_agreement):
    noise = memuse_agreement.noise(f"llm:openai/scripted@{os.environ['JUDGE']}", times=3)
    assert noise.judgings == 3
    print("SHARE", noise["relevance_share"].value, noise["relevance_share"].judge_share)
    assert noise["relevance_share"].judge_deviation == 0


def test_the_suites_own(memuse_agreement):
    assert memuse_agreement.noise()["acted_on_share"].judge == 0


def test_what_has_none(memuse_agreement):
    memuse_agreement.noise()["relevance_shar"]


def test_a_stored_run(memuse_agreement):
    memuse_agreement.noise("main")
"""


@pytest.mark.long
def test_each_judging_is_asked_anew_and_kept_by_itself_so_that_the_next_session_asks_nobody(
    quick_project: Project, tmp_path: Path
) -> None:
    project = quick_project.copy(tmp_path / "project")
    (project.folder / "test_judge.py").write_text(_TESTS)
    script = Wavering(alike=6)
    with served(script) as endpoint:
        never = project.run("test_judge.py", "--memuse-judge-mode=none", JUDGE=endpoint.url)
        assert endpoint.requests == []
        (told,) = [told for name, told in never.failures.items() if name.endswith("wavers")]
        assert "spans unjudged, so that it is not of the same spans as the others" in told
        assert "--memuse-judge-mode=new" in told
        first = project.run("test_judge.py", "-s", JUDGE=endpoint.url)
        _check(first)
        asked = len(endpoint.requests)
        again = project.run("test_judge.py", "-s", JUDGE=endpoint.url)
        assert len(endpoint.requests) == asked
    assert set(script.answers.values()) == {3 * 6}
    assert [line for line in again.out.splitlines() if "SHARE" in line] == [
        line for line in first.out.splitlines() if "SHARE" in line
    ]
    assert "SHARE 0.66" in first.out
    _check(again)


def _check(ran: Ran) -> None:
    failed = {name.rpartition(".")[2]: told for name, told in ran.failures.items()}
    assert set(failed) == {"test_a_judge_that_wavers", "test_what_has_none", "test_a_stored_run"}
    assert "judge_deviation == 0" in failed["test_a_judge_that_wavers"]
    none = failed["test_what_has_none"]
    assert "relevance_shar is undefined: it rests on no signal, or does not exist; did you mean" in none
    assert "main is a stored run, which judges nothing again" in failed["test_a_stored_run"]
