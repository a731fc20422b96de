from pytest_memuse.judging import Assessment, Influence, Signal
from pytest_memuse.judging.agreement import Agreement, Label


def assessed(influence: Influence | None) -> Assessment:
    return Assessment(None, None, None, influence, None)


def scored(expected: Influence | None, given: Influence | None) -> tuple[int, int, int]:
    agreement = Agreement()
    label = Label({Signal.INFLUENCE: expected}, frozenset({Signal.INFLUENCE}))
    agreement.add("here", label, assessed(given), Signal)
    return tuple(c[Signal.INFLUENCE] for c in (agreement.right, agreement.wrong, agreement.undetermined))  # type: ignore[return-value]


def test_undetermined_is_counted_apart_from_wrong() -> None:
    assert scored(Influence.ACTED_ON, Influence.ACTED_ON) == (1, 0, 0)
    assert scored(Influence.ACTED_ON, Influence.NONE) == (0, 1, 0)
    assert scored(Influence.ACTED_ON, None) == (0, 0, 1)


def test_a_forced_undetermined_is_met_by_undetermined_only() -> None:
    assert scored(None, None) == (1, 0, 0)
    assert scored(None, Influence.NONE) == (0, 1, 0)


def test_signals_that_are_not_forced_or_not_determined_are_not_scored() -> None:
    agreement = Agreement()
    agreement.add("here", Label({}, frozenset()), assessed(Influence.NONE), Signal)
    agreement.add("here", Label({Signal.INFLUENCE: None}, frozenset({Signal.INFLUENCE})), assessed(None), ())
    assert agreement.table().splitlines()[1:] == []
