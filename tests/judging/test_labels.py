"""The tracer against labels that a construction forces. ``MEMUSE_CASES`` names another folder with labelled sets."""

from functools import cache

import pytest

from pytest_memuse.judging import Accuracy, Effect, Influence, Novelty, Signal, Tracer
from pytest_memuse.judging.agreement import Agreement, measure
from pytest_memuse.judging.labels import labelled_cases
from pytest_memuse.reports.labels import label_lines
from tests.judging.labelled import CONSTRUCTED, HELD, judged, sets

SETS = tuple(sets())
OWN = tuple(str(path) for path in HELD)


@cache
def agreement_of(name: str) -> Agreement:
    return measure(Tracer(), sets()[name])


@pytest.mark.parametrize("name", SETS)
def test_every_set_can_be_measured_and_is_reported(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    agreement = agreement_of(name)
    with capsys.disabled():
        print("", *label_lines("tracer", {name: agreement}, agreement, verbose=name != str(CONSTRUCTED)), sep="\n")
    assert agreement.entries == sum(len(case.labels) for case in sets()[name])
    assert len(agreement.scored) == sum(len(label.forced) for case in sets()[name] for label in case.labels)


@pytest.mark.parametrize("name", [*OWN, str(CONSTRUCTED)])
def test_no_determined_signal_contradicts_its_construction(name: str) -> None:
    agreement = agreement_of(name)
    assert agreement.mistakes == ()
    for signal in (Signal.INFLUENCE, Signal.NOVELTY):
        assert agreement.of(signal).right > 10 * agreement.of(signal).undetermined


@pytest.mark.parametrize("name", [*OWN, str(CONSTRUCTED)])
def test_nothing_is_acted_on_where_the_construction_has_no_action(name: str) -> None:
    agreement = agreement_of(name)
    assert agreement.without_action > 0
    assert agreement.false_claims == ()


@pytest.mark.parametrize("name", SETS)
def test_claims_carry_anchors_and_notes(name: str) -> None:
    for entry in judged(Tracer(), sets()[name]):
        assessment = entry.assessment
        claims = assessment.influence in (Influence.ACTED_ON, Influence.SELECTED)
        assert bool(assessment.anchors) == claims, entry.where
        assert all(assessment.notes.get(signal) for signal in entry.determines), entry.where


def test_the_constructed_set_forces_every_value_of_every_signal() -> None:
    cases = sets()[str(CONSTRUCTED)]
    forced = {(s, label.values[s]) for case in cases for label in case.labels for s in label.forced}
    assert len(cases) >= 70
    assert sum(len(case.labels) for case in cases) >= 130
    assert forced == {
        *((Signal.RELEVANCE, value) for value in (True, False)),
        *((Signal.ACCURACY, value) for value in Accuracy),
        *((Signal.NOVELTY, value) for value in (*Novelty, None)),
        *((Signal.INFLUENCE, value) for value in (*Influence, None)),
        *((Signal.EFFECT, value) for value in (*Effect, None)),
    }


def test_an_empty_file_holds_no_cases() -> None:
    assert labelled_cases([None, []], "empty.yaml") == ()
