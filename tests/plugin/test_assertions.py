"""Assertions on figures in real pytest runs: what failing ones say, and what passing ones are noted for."""

import re

import pytest

from tests.plugin.project import Project

HEAD = """
import threading

import pytest

pytestmark = pytest.mark.memuse(suite="shop", arcs="arcs.yaml")

"""

NOTED = """
def test_first(memuse):
    profile = memuse.profile()
    assert profile.restatement_share < 0.005
    assert 0.005 > profile.restatement_share
    assert not profile.restatement_share > 0.005


def test_second(memuse):
    for _ in range(3):
        assert memuse.profile().restatement_share < 0.005


def test_in_threads(memuse):
    profile = memuse.profile()
    threads = [threading.Thread(target=lambda: profile.restatement_share < 0.01) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_fails_after_all(memuse):
    assert memuse.profile().restatement_share < 0.007
    assert memuse.profile().outcome_rate < 0.5


def test_is_supported(memuse):
    assert memuse.profile().restatement_share.upper < 0.9
    assert sorted([memuse.profile().restatement_share, memuse.profile().outcome_rate])
"""

FAILING = """
def test_less(memuse):
    assert memuse.profile().restatement_share > 0.1


def test_approx(memuse):
    assert memuse.profile().outcome_rate == pytest.approx(0.25)


def test_bound(memuse):
    assert memuse.profile().restatement_share.upper < 0.001


def test_truth(memuse):
    assert memuse.profile().restatement_share


def test_both(memuse):
    assert memuse.profile().outcome_rate > 0.1 and memuse.profile().relevance_share / 2 < 0.01


def test_negated(memuse):
    assert not memuse.profile().acted_on_share > 0.01


def test_open(memuse):
    assert memuse.profile().harm_share < 0.005
"""


@pytest.fixture
def asserting(project: Project) -> Project:
    (project.folder / "test_shop.py").unlink()
    return project


def test_what_passes_on_little_is_noted_once_and_fails_nothing(asserting: Project) -> None:
    (asserting.folder / "test_noted.py").write_text(HEAD + NOTED)
    ran = asserting.run()
    assert ran.out.count("passed on little:") == 1
    assert noted(ran.out) == [
        ("test_noted.py::test_first and 1 other test", "restatement_share < 0.005"),
        ("test_noted.py::test_in_threads", "restatement_share < 0.010"),
    ]
    bound = re.search(r"0 restatements / 18 deliveries in 6 arcs support no more than “at most (0\.\d+)”", ran.out)
    assert bound is not None
    better = re.search(r"to assert on that: assert profile\.restatement_share\.upper < (0\.\d+)", ran.out)
    assert better is not None
    assert float(bound[1]) < float(better[1]) < float(bound[1]) + 0.02
    assert "1 failed, 4 passed" in ran.out


@pytest.mark.long
def test_workers_hand_their_notes_to_the_controller(asserting: Project) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    (asserting.folder / "test_noted.py").write_text(HEAD + NOTED)
    spread = asserting.run("-n2")
    assert spread.out.count("passed on little:") == 1
    assert [what for _, what in noted(spread.out)] == ["restatement_share < 0.005", "restatement_share < 0.010"]


def noted(out: str) -> list[tuple[str, str]]:
    """Return the tests that are noted with what passed, each once; the same notes are shown with the first test."""
    found, test = [], ""
    for line in out.splitlines():
        if match := re.match(r"  (test_noted\.py::\w+(?: and \d+ other tests?)?)$", line):
            test = match[1]
        elif match := re.match(r"    (.+) passes, but ", line):
            found.append((test, match[1]))
    return found


def test_a_failing_assertion_explains_itself_whichever_way_it_is_written(asserting: Project) -> None:
    (asserting.folder / "test_failing.py").write_text(HEAD + FAILING)
    ran = asserting.run()
    failures = {name.rpartition(".")[2]: text for name, text in ran.failures.items()}
    assert "restatement_share 0 > 0.1" in failures["test_less"]
    assert "counts: 0 restatements / 18 deliveries; 95 % interval over arcs: 0 to " in failures["test_less"]
    assert "outcome_rate 1.00 == 0.25 ± " in failures["test_approx"]
    assert "restatement_share.upper 0." in failures["test_bound"]
    assert "the upper bound of 0, 95 % interval over arcs" in failures["test_bound"]
    assert "<restatement_share 0: 0 restatements / 18 deliveries, 95 % interval 0 to " in failures["test_truth"]
    assert "(relevance_share / 2) 0.500 < 0.01" in failures["test_both"]
    assert "not acted_on_share 0.333 > 0.01" in failures["test_negated"]
    assert re.search(r"arc-0/update, step \d+: .+ “port is 8081”, unclear", failures["test_negated"])
    for text in failures.values():
        assert "Full output truncated" not in text
    assert "none of the 6 acted-on entries has a determined effect" in failures["test_open"]
    assert "passed on little" not in ran.out
