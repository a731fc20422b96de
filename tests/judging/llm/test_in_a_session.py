"""A user's `memuse_judge` fixture that returns an `LlmJudge`, in a real pytest run."""

from pathlib import Path

import pytest

from tests.judging.llm.endpoint import modest, served
from tests.judging.llm.needs import need_litellm
from tests.plugin.project import Project

need_litellm()

_FIXTURE = """

@pytest.fixture(scope="session")
def memuse_judge():
    from pytest_memuse.judging.llm import LlmJudge, RunLimits

    return LlmJudge("openai/scripted", api_base=os.environ["JUDGE"], run=RunLimits(spans=int(os.environ["SPANS"])))
"""

_TESTS = """
import sys

import pytest


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_what_was_judged(memuse):
    counts = memuse.profile().triage_counts
    print("COUNTS", {name: count for name, count in counts.items() if count}, "litellm" in sys.modules)
"""


@pytest.mark.long
def test_a_suite_is_judged_by_a_model_up_to_the_limit_and_litellm_is_imported_only_then(tmp_path: Path) -> None:
    project = Project.make(tmp_path / "project", arcs=2)
    (project.folder / "test_shop.py").write_text(_TESTS)
    recorded = project.run("--memuse-record-mode=once", "-q")
    assert recorded.code == 0, recorded.out
    conftest = project.folder / "conftest.py"
    conftest.write_text(conftest.read_text() + _FIXTURE)
    with served(modest) as endpoint:
        ran = project.run("-s", JUDGE=endpoint.url, SPANS="1")
        assert ran.code == 0, ran.out
        asked = len(endpoint.requests)
        none = project.run("-s", JUDGE=endpoint.url, SPANS="0")
        assert len(endpoint.requests) == asked
    assert "'unjudged': " in ran.out
    assert asked == 2
    assert "warning" not in ran.out.splitlines()[-1]
    assert "the limit of 1 spans is reached" in ran.out
    (counts,) = [line for line in none.out.splitlines() if "COUNTS" in line]
    assert counts.endswith("False")
