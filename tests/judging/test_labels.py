"""The tracer against labels that a construction forces. ``MEMUSE_CASES`` names another folder with a labels.yaml."""

import os

import pytest

from pytest_memuse.judging import Influence, Signal, Tracer
from tests.judging.labelled import OWN_LABELS, Judged, agreement_of, judged_cases

FILES = {"labels.yaml": None, "tracer.yaml": OWN_LABELS}


@pytest.fixture(params=FILES, scope="module")
def judged(request: pytest.FixtureRequest) -> list[Judged]:
    found = list(judged_cases(Tracer(), request.param, FILES[request.param]))
    if not found and FILES[request.param] is None and os.environ.get("MEMUSE_CASES"):
        pytest.skip("the folder of MEMUSE_CASES holds no labels.yaml")
    return found


def ours(judged: list[Judged]) -> bool:
    """Whether the labels are the project's own; other sets are measured and reported, and hold us to nothing."""
    return not (os.environ.get("MEMUSE_CASES") and judged[0].source == "labels.yaml")


def test_no_determined_signal_contradicts_its_construction(
    judged: list[Judged], capsys: pytest.CaptureFixture[str]
) -> None:
    agreement = agreement_of(judged)
    with capsys.disabled():
        print(f"\n{judged[0].source}\n{agreement.table()}")
        print("".join(f"wrong: {line}\n" for line in agreement.mistakes), end="")
        print("".join(f"undetermined: {line}\n" for line in agreement.open), end="")
    if ours(judged):
        assert not agreement.mistakes, "\n".join(agreement.mistakes)
        for signal in (Signal.INFLUENCE, Signal.NOVELTY):
            assert agreement.right[signal] > 10 * agreement.undetermined[signal]


def test_nothing_is_acted_on_where_the_construction_has_no_action(judged: list[Judged]) -> None:
    claimed = [
        f"{entry.where}: {entry.assessment.notes.get(Signal.INFLUENCE)}"
        for entry in judged
        if entry.assessment.influence is Influence.ACTED_ON
        and Signal.INFLUENCE in entry.label.forced
        and entry.label.values[Signal.INFLUENCE] is not Influence.ACTED_ON
    ]
    assert not claimed, "\n".join(claimed)


def test_claims_carry_anchors_and_notes(judged: list[Judged]) -> None:
    for entry in judged:
        assessment = entry.assessment
        claims = assessment.influence in (Influence.ACTED_ON, Influence.SELECTED)
        assert bool(assessment.anchors) == claims, entry.where
        assert all(assessment.notes.get(signal) for signal in entry.determines), entry.where
