from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Effect, Influence, Novelty, Signal, Tracer
from pytest_memuse.judging.agreement import Agreement, measure
from tests.judging.labelled import HELD, sets
from tests.judging.scripted_judge import ScriptedJudge, answer, labelled

ACTED, NONE = Influence.ACTED_ON, Influence.NONE


def scored(expected: Influence | None, given: Influence | None) -> tuple[int, int, int]:
    judge = ScriptedJudge({"c": [answer(influence=given)]})
    found = measure(judge, [labelled("c", {"influence": expected})]).of(Signal.INFLUENCE)
    return found.right, found.wrong, found.undetermined


def test_undetermined_is_counted_apart_from_wrong() -> None:
    assert scored(ACTED, ACTED) == (1, 0, 0)
    assert scored(ACTED, NONE) == (0, 1, 0)
    assert scored(ACTED, None) == (0, 0, 1)


def test_a_forced_undetermined_is_met_by_undetermined_only() -> None:
    assert scored(None, None) == (1, 0, 0)
    assert scored(None, NONE) == (0, 1, 0)


def test_signals_that_are_not_forced_are_not_scored() -> None:
    judge = ScriptedJudge({"c": [answer(influence=NONE)]})
    assert measure(judge, [labelled("c", {"novelty": "novel", "influence": "acted_on", "forced": []})]).signals == ()


def test_a_signal_that_the_judge_does_not_determine_is_unanswered() -> None:
    judge = ScriptedJudge({"c": [answer(influence=NONE)]}, frozenset({Signal.INFLUENCE}))
    found = measure(judge, [labelled("c", {"novelty": "novel", "influence": "none"})])
    novelty = found.of(Signal.NOVELTY)
    assert (novelty.right, novelty.wrong, novelty.undetermined, novelty.unanswered) == (0, 0, 0, 1)
    assert novelty.kappa.value is None
    assert found.of(Signal.INFLUENCE).right == 1


def test_a_span_without_an_accepted_answer_is_unanswered() -> None:
    found = measure(ScriptedJudge({}), [labelled("c", {"influence": "none"})])
    assert found.of(Signal.INFLUENCE).unanswered == 1
    assert found.without_action == 0


def test_acted_on_is_a_false_claim_where_another_influence_or_none_is_forced() -> None:
    rows = [{"influence": value} for value in ("acted_on", "none", "referenced", None)]
    judge = ScriptedJudge({"c": [answer(influence=ACTED)] * 4})
    found = measure(judge, [labelled("c", *rows)])
    assert [one.entry for one in found.false_claims] == [2, 3, 4]
    assert found.without_action == 3


def measured() -> Agreement:
    answers = {
        "one": [answer(influence=ACTED, novelty=Novelty.NOVEL), answer(influence=NONE)],
        "two": [answer(influence=ACTED, effect=Effect.IMPROVED)],
        "three": [answer(influence=NONE)],
    }
    cases = [
        labelled("one", {"influence": "acted_on", "novelty": "novel"}, {"influence": "none", "novelty": "novel"}),
        labelled("two", {"influence": "none", "effect": "improved"}),
        labelled("three", {"influence": "none"}),
    ]
    return measure(ScriptedJudge(answers), cases)


def test_confusion_counts_what_was_forced_against_what_was_given() -> None:
    assert measured().of(Signal.INFLUENCE).confusion == {(ACTED, ACTED): 1, (NONE, NONE): 2, (NONE, ACTED): 1}
    assert measured().of(Signal.NOVELTY).confusion == {(Novelty.NOVEL, Novelty.NOVEL): 1, (Novelty.NOVEL, None): 1}


def test_silence_lowers_kappa_and_not_the_kappa_of_what_was_determined() -> None:
    rows = [{"influence": "acted_on"}, {"influence": "none"}, {"influence": "none"}]
    judge = ScriptedJudge({"c": [answer(influence=ACTED), answer(influence=NONE), answer()]})
    found = measure(judge, [labelled("c", *rows)]).of(Signal.INFLUENCE)
    assert found.kappa_determined.value == 1
    # 2 of 3 agree; by chance 1/3 * 1/3 + 2/3 * 1/3.
    assert found.kappa.value == pytest.approx(0.5)


@given(st.randoms(use_true_random=False))
def test_the_order_of_cases_changes_nothing(random: Random) -> None:
    values = [*Influence, None]
    answers = {name: [answer(influence=random.choice(values)), answer(influence=ACTED)] for name in "abc"}
    cases = [labelled(name, {"influence": random.choice(values)}, {"influence": "none"}) for name in "abc"]
    judge = ScriptedJudge(answers)
    assert measure(judge, random.sample(cases, len(cases))) == measure(judge, cases)


def test_the_order_of_the_worked_labels_changes_nothing_for_the_tracer() -> None:
    cases = sets()[str(HELD[0])]
    assert measure(Tracer(), cases[::-1]) == measure(Tracer(), cases)
