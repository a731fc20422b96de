"""A stored run that only the judge changed: told from every other change, and not counted as another attempt."""

from dataclasses import replace

import pytest

from pytest_memuse.gate import Baseline, Identity, JudgedBy, SuiteBaseline, promote
from pytest_memuse.gate.promotion import REJUDGED, attempts_behind, judged_again
from tests.gate.rows import entry, episode, span, suite

IDENTITY = Identity(JudgedBy("llm", "1", "m"), "mem0 2.2.1", "mini-swe-agent 2.4.6", "scripted")
RECORDINGS = {f"arc-{number}": f"recording-{number}" for number in range(4)}

BEFORE = SuiteBaseline(suite(4), IDENTITY, RECORDINGS, "2026-03-01", 5)
AFTER = replace(
    BEFORE,
    run=suite(4, lambda arc, number: [episode(arc, span(entry(relevance=False)))]),
    identity=replace(IDENTITY, judge=JudgedBy("llm", "2", "m")),
    created="2026-04-01",
    attempts=0,
)


def test_other_judgments_of_the_same_run_are_the_run_judged_again() -> None:
    assert BEFORE.run != AFTER.run
    assert judged_again(BEFORE, AFTER)
    assert judged_again(AFTER, BEFORE)


_FIRST, *_REST = AFTER.run.episodes


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(AFTER, recordings={**RECORDINGS, "arc-0": "x"}), id="recordings"),
        pytest.param(replace(AFTER, identity=replace(AFTER.identity, memory="x")), id="memory system"),
        pytest.param(replace(AFTER, identity=replace(AFTER.identity, agent="x")), id="agent"),
        pytest.param(replace(AFTER, identity=IDENTITY), id="no other judge"),
        pytest.param(
            replace(AFTER, run=replace(AFTER.run, episodes=(replace(_FIRST, success=not _FIRST.success), *_REST))),
            id="outcome",
        ),
        pytest.param(
            replace(AFTER, run=suite(4, lambda arc, number: [episode(arc, span(entry(relevance=False), entry()))])),
            id="deliveries",
        ),
        pytest.param(replace(AFTER, run=replace(AFTER.run, episodes=tuple(_REST))), id="episodes"),
    ],
)
def test_a_run_in_which_anything_else_changed_is_not(other: SuiteBaseline) -> None:
    assert not judged_again(BEFORE, other)


def test_judging_again_does_not_hide_how_often_a_baseline_was_recorded() -> None:
    baseline = promote(Baseline("0.1.0"), BEFORE, how="--memuse-update", product="0.1.0")
    baseline = promote(baseline, AFTER, how=f"{REJUDGED}=main", product="0.1.0")
    assert attempts_behind(baseline.suites["billing"]) == 5
