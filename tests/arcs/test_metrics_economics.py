"""CAMU, the break-even task value, and the signs that no ratio is made of."""

from typing import Any

import pytest

from pytest_memuse.arcs.economics import TOKENS, Trade
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.profiles.figure import UndefinedFigure
from tests.arcs.scored import probes


def cell(solved: int, cost: float | None, condition: str = "facts", **fields: Any) -> list[ScoredEpisode]:
    return probes([n < solved for n in range(10)], condition=condition, cost=cost, **fields)


def against_none(solved: int, cost: float, floor: int = 0, floor_cost: float = 0.00046) -> Merit:
    return Merit.of([*cell(floor, floor_cost, "none"), *cell(solved, cost)]).where(condition="facts")


def test_camu_is_success_gained_per_marginal_dollar_and_break_even_its_inverse() -> None:
    """MERIT 5.6: full replay of D1-easy costs $0.00126 an episode against $0.00046 without memory, and solves all."""
    merit = against_none(10, 0.00126)
    assert merit.utility().trade is Trade.PRICE
    assert merit.camu == pytest.approx(1250)
    assert merit.break_even == pytest.approx(0.0008)


@pytest.mark.parametrize(
    ("solved", "cost", "floor", "trade"),
    [
        (8, 0.0004, 0, Trade.FREE_GAIN),
        (8, 0.00046, 0, Trade.FREE_GAIN),
        (3, 0.0004, 5, Trade.SAVING_AT_A_LOSS),
        (5, 0.0004, 5, Trade.SAVING),
        (5, 0.00046, 5, Trade.NOTHING),
    ],
)
def test_a_sign_that_no_ratio_can_be_made_of_is_named_and_not_divided(
    solved: int, cost: float, floor: int, trade: Trade
) -> None:
    merit = against_none(solved, cost, floor)
    assert merit.utility().trade is trade
    assert not merit.camu.defined
    assert not merit.break_even.defined
    with pytest.raises(UndefinedFigure):
        assert merit.camu > 1000


def test_a_free_gain_pays_at_any_task_value() -> None:
    assert "memory pays at any task value" in against_none(8, 0.0004).break_even.reason


def test_cost_without_gain_has_a_utility_of_zero_and_no_break_even() -> None:
    merit = against_none(5, 0.001, 5)
    assert merit.camu == 0
    assert "no task value makes memory pay" in merit.break_even.reason


def test_cost_and_loss_have_a_negative_utility() -> None:
    merit = against_none(3, 0.00146, 5)
    assert merit.utility().trade is Trade.LOSS
    assert merit.camu == pytest.approx(-200)


def test_loss_at_the_same_cost_is_not_divided_by_zero() -> None:
    assert "success fell and cost stayed" in against_none(3, 0.00046, 5).camu.reason


def test_cost_is_of_every_episode_and_success_of_probes_only() -> None:
    from pytest_memuse.arcs.types import Kind

    plants = [*cell(0, 0.1, "none", kind=Kind.PLANT), *cell(0, 0.3, "facts", kind=Kind.PLANT)]
    merit = Merit.of([*cell(0, 0.1, "none"), *cell(10, 0.1), *plants]).where(condition="facts")
    assert merit.gain == 1.0
    assert merit.utility().extra == pytest.approx(0.1)


def test_arcs_that_only_one_side_ran_are_left_out_of_both_differences() -> None:
    none = [episode for episode in cell(0, 0.1, "none") if episode.arc in ("arc-1", "arc-2")]
    costly = [*cell(10, 0.2)[:2], *cell(10, 5.0)[2:]]
    merit = Merit.of([*none, *costly]).where(condition="facts")
    assert merit.utility().extra == pytest.approx(0.1)


def test_unknown_cost_leaves_the_utility_unknown_and_tokens_price_it() -> None:
    merit = Merit.of([*cell(0, None, "none", agent_tokens=100), *cell(10, None, agent_tokens=300)])
    facts = merit.where(condition="facts")
    assert facts.utility().trade is Trade.UNKNOWN
    assert "do not tell their dollars" in facts.camu.reason
    assert facts.utility(TOKENS).camu == pytest.approx(1 / 0.2)


def test_without_a_floor_nothing_is_marginal() -> None:
    merit = Merit.of(cell(10, 0.1))
    assert not merit.gain.defined
    assert not merit.camu.defined
