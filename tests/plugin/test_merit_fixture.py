"""Real pytest runs of tests that assert on MERIT's figures: of a recorded suite, and of generated arcs."""

from tests.arcs.test_files import FILE
from tests.plugin.project import Project

_SUITE = """
import pytest


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_memory_is_held(memuse_merit):
    merit = memuse_merit.suite()
    assert merit.holding == 1.0
    assert merit.holding.counts.denominator == 12


@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_memory_is_not_ignored(memuse_merit):
    assert memuse_merit.suite().ignore_rate < 0.2
"""

_OWN = """
import pytest

from pytest_memuse.memory.conditions import condition


@pytest.fixture(scope="session")
def memuse_memory():
    return lambda folder: condition("facts")


@pytest.fixture
def merit(memuse_merit):
    return memuse_merit.grid(
        domains=["retail"], tiers=["hard"], arcs=3, conditions=["own"], corruptions=["contradiction"], rates=[1.0]
    )


def test_memory_pays(merit):
    assert merit.gain > 0.5
    assert merit.ignore_rate < 0.2
    assert merit.stale_held < 0.1


def test_contradiction_is_harmless(merit):
    assert merit.stale_harm("contradiction", 1.0) < 0.15


def test_no_harm_is_proven(merit):
    assert merit.stale_harm("contradiction", 1.0).upper < 0.15


def test_stale_memory(merit):
    assert merit.stale_harm("stale", 0.3).upper < 0.15


def test_arcs_of_ones_own(memuse_merit):
    assert memuse_merit.grid(file="lockers.yaml", conditions=["facts"]).gain == 1.0


def test_a_domain_that_is_none(memuse_merit):
    memuse_merit.grid(domains=["retial"])
"""


def test_assertions_on_merit_pass_or_say_why_not(project: Project) -> None:
    (project.folder / "test_suite.py").write_text(_SUITE)
    (project.folder / "test_own.py").write_text(_OWN)
    (project.folder / "lockers.yaml").write_text(FILE)
    ran = project.run("test_suite.py", "test_own.py", "-q")
    failures = {name.rpartition(".")[2]: text for name, text in ran.failures.items()}

    assert "3 passed" in ran.out, ran.out
    assert set(failures) == {
        "test_memory_is_not_ignored",
        "test_contradiction_is_harmless",
        "test_no_harm_is_proven",
        "test_stale_memory",
        "test_a_domain_that_is_none",
    }
    # This agent makes its calls and none of them holds the value; it writes the file itself.
    assert "12 not acted on / 12 episodes that held every gold value" in failures["test_memory_is_not_ignored"]
    assert "stale_harm('contradiction', 1) 1.00 < 0.15" in failures["test_contradiction_is_harmless"]
    assert "6 solved clean and failed corrupted" in failures["test_contradiction_is_harmless"]
    assert "own, contradiction at 1" in failures["test_contradiction_is_harmless"]
    assert "stale_harm('contradiction', 1).upper 1.00 < 0.15" in failures["test_no_harm_is_proven"]
    assert "no probe was run with stale memory at 0.3; there are contradiction at 1" in failures["test_stale_memory"]
    assert "did you mean 'retail'" in failures["test_a_domain_that_is_none"]
