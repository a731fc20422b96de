"""What a verdict does to the build: the settings, and the rulings of others."""

from dataclasses import replace
from itertools import permutations

import pytest

from pytest_memuse.gate.comparison import Comparison, compare
from pytest_memuse.gate.rulings import Decided, Outcome, Ruled, failing, rulings_told, usual_outcome
from pytest_memuse.gate.verdicts import FigureResult, Verdict
from tests.gate.rows import suite

PASS, WARN, FAIL = Outcome.PASS, Outcome.WARN, Outcome.FAIL


def figure(verdict: Verdict, name: str = "harm_yield") -> FigureResult:
    """Return a figure of a verdict."""
    found = compare(suite(6), suite(6), figures=[name])
    assert isinstance(found, Comparison)
    return replace(found.figures[0], verdict=verdict)


def ruled(*outcomes: Outcome) -> tuple[Ruled, ...]:
    return tuple(Ruled(outcome, f"reason {number}", f"plugin {number}") for number, outcome in enumerate(outcomes))


@pytest.mark.parametrize("inconclusive", list(Outcome))
@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_regressed_figure_fails_and_only_an_inconclusive_one_is_the_settings_matter(
    verdict: Verdict, inconclusive: Outcome
) -> None:
    expected = {Verdict.REGRESSED: FAIL, Verdict.INCONCLUSIVE: inconclusive}.get(verdict, PASS)
    assert usual_outcome(figure(verdict), inconclusive.value) is expected


@pytest.mark.parametrize("order", list(permutations(Outcome)))
def test_the_strictest_ruling_decides_whatever_their_order(order: tuple[Outcome, ...]) -> None:
    one = figure(Verdict.INCONCLUSIVE)
    assert Decided(one, PASS, ruled(*order)).outcome is FAIL
    milder = [outcome for outcome in order if outcome is not FAIL]
    assert Decided(one, FAIL, ruled(*milder)).outcome is WARN


def test_without_a_ruling_the_settings_decide() -> None:
    for usual in Outcome:
        assert Decided(figure(Verdict.INCONCLUSIVE), usual).outcome is usual


def test_a_ruling_changes_what_it_makes_another_outcome_and_nothing_else() -> None:
    one = figure(Verdict.REGRESSED)
    assert Decided(one, FAIL, ruled(WARN)).changed
    assert not Decided(one, FAIL, ruled(FAIL)).changed
    assert not Decided(one, FAIL).changed


def test_the_build_fails_by_the_outcome_and_by_nothing_milder() -> None:
    one = figure(Verdict.REGRESSED)
    waived, strict = Decided(one, FAIL, ruled(WARN)), Decided(one, PASS, ruled(FAIL))
    assert failing([waived, strict, Decided(one, WARN), Decided(one, FAIL)]) == (strict, Decided(one, FAIL))


def test_a_baseline_keeps_the_rulings_of_those_figures_that_have_any() -> None:
    harm, outcome = figure(Verdict.REGRESSED), figure(Verdict.HELD, "outcome_rate")
    told = rulings_told([Decided(harm, FAIL, ruled(PASS, WARN)), Decided(outcome, PASS)])
    assert told == {"harm_yield": "fail by the settings; pass by plugin 0: reason 0; warn by plugin 1: reason 1"}
