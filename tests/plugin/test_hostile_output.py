"""Hostile memory text through a recording, a gate and a failing assertion: stdout and JUnit hold text only."""

from xml.etree import ElementTree

import pytest

from tests.hostile_text import dangers
from tests.plugin.project import CONFTEST, Project, Ran

pytestmark = pytest.mark.long

ARC = "::error::owned ##[error]owned ##vso[task.x]"
"""What an arcs file can call an arc: it refuses what cannot be printed."""

MEMORY = """
from tests.episodes.hostile_memory import HostileMemory


@pytest.fixture(scope="session")
def memuse_memory(base_url):
    settings = {name: True for name in os.environ.get("BREAK", "").split()}
    return lambda folder: HostileMemory(base_url, **settings)
"""

FAILING = """

@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_that_fails(memuse):
    profile = memuse.profile()
    if os.environ.get("BREAK"):
        assert profile.outcome_rate > 2
    else:
        assert profile.relevance_share <= 1
"""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run whose gate and whose assertion fail, after one that stored the baseline: nothing is delivered any more."""
    project = Project.make(tmp_path_factory.mktemp("hostile") / "project", arcs=2)
    folder = project.folder
    (folder / "conftest.py").write_text(CONFTEST + MEMORY)
    tests = folder / "test_shop.py"
    tests.write_text("import os\n" + tests.read_text() + FAILING)
    arcs = folder / "arcs.yaml"
    arcs.write_text(
        arcs.read_text().replace("- id: arc-", f"- id: '{ARC}").replace("\n    episodes", "'\n    episodes")
    )
    stored = project.run("--memuse-record-mode=once", "--memuse-update=main")
    assert stored.code == 0, stored.out
    assert dangers(stored.out) == []
    return project.run("--memuse-baseline=main", "--memuse-record-mode=new_episodes", "-vv", broken=["forgets"])


def test_the_gate_and_the_assertion_fail_and_name_hostile_entries(hostile: Ran) -> None:
    assert hostile.code == 1, hostile.out
    assert "gate shop against main (2 arcs): FAILED" in hostile.out
    assert hostile.out.count("owned") > 20


def test_stdout_is_text_and_nothing_else(hostile: Ran) -> None:
    assert dangers(hostile.out) == []


def test_the_junit_file_is_well_formed_and_its_texts_are_inert(hostile: Ran) -> None:
    root = ElementTree.fromstring(hostile.junit.read_bytes())
    texts = [*root.itertext(), *(value for element in root.iter() for value in element.attrib.values())]
    assert any("owned" in text for text in texts)
    assert [danger for text in texts for danger in dangers(text)] == []
    assert len(list(root.iter("failure"))) >= 2
