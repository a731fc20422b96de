"""MERIT's tables of fixed scores: two domains, three memories, corruption, money, seeds, models."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import Kind, Tier
from pytest_memuse.reports.merit import label, merit_lines
from tests.arcs.scored import episode
from tests.reports.golden import golden, text

SCRIPTED = "memuse-scripted-merit-1"


def cell(solved: int, held: int, *, stale: bool = False, **fields: Any) -> list[ScoredEpisode]:
    """Return ten arcs of one probe and one independent episode; the first probes are solved, the first held."""
    given: dict[str, Any] = {"model": SCRIPTED, "memory_tokens": 0, "cost": None} | fields
    probes = [
        episode(n, success=n <= solved, held=n <= held, acted=n <= solved, stale=stale, exposed=10 * held, **given)
        for n in range(1, 11)
    ]
    own: dict[str, Any] = {"kind": Kind.INDEPENDENT, "success": True, "verified": True, "exposed": 10 * held}
    return [*probes, *(episode(n, "2-independent", **(own | given)) for n in range(1, 11))]


def grid(**fields: Any) -> list[ScoredEpisode]:
    return [
        *cell(0, 0, condition="none", agent_tokens=400, **fields),
        *cell(10, 10, condition="replay", stale=True, agent_tokens=1200, **fields),
        *cell(4, 9, condition="retrieval", stale=True, agent_tokens=900, **fields),
        *cell(9, 10, condition="facts", agent_tokens=600, **fields),
    ]


def test_the_tables_of_a_scripted_grid() -> None:
    easy = [
        one
        for domain in ("retail", "operations")
        for one in (
            *cell(0, 0, condition="none", domain=domain, tier=Tier.EASY, agent_tokens=400),
            *cell(10, 10, condition="facts", domain=domain, tier=Tier.EASY, agent_tokens=600, untraceable=0),
        )
    ]
    corrupted = [
        *cell(5, 10, condition="facts", corruption="stale", rate=0.3, agent_tokens=600),
        *cell(9, 10, condition="facts", corruption="distractor", rate=0.3, agent_tokens=900),
    ]
    assert text(merit_lines(Merit.of([*grid(), *easy, *corrupted]))) == golden("merit-scripted")


def test_the_tables_of_priced_models_beside_their_controls() -> None:
    priced = {"none": 0.00046, "replay": 0.00126, "retrieval": 0.00073, "facts": 0.00066}
    plain = [one for seed in (0, 1) for one in grid(model="model-a", seed=seed)]
    prudent = [*cell(0, 0, condition="none", model="model-b"), *cell(7, 10, condition="replay", model="model-b")]
    costly = [*plain, *prudent, *cell(7, 9, condition="retrieval", model="model-b")]
    real = cell(8, 10, condition="facts", variant="real", model="model-a", memory_tokens=300, untraceable=1)
    with_money = [_at(one, priced[one.condition]) for one in [*costly, *real]]
    assert text(merit_lines(Merit.of(with_money))) == golden("merit-models")


def _at(one: ScoredEpisode, cost: float) -> ScoredEpisode:
    return replace(one, cost=cost + (0.0001 if one.variant == "real" else 0.0))


def test_a_stand_in_is_never_shown_without_its_label() -> None:
    assert "no findings" in label(SCRIPTED)
    assert label("gpt-x") == "gpt-x"
    assert label("") == "an unknown model"


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines"])
def test_names_hold_nothing_that_a_terminal_acts_on(name: str) -> None:
    lines = merit_lines(Merit.of(cell(1, 1, condition=name, model=name)))
    assert all("\x1b" not in line and "\n" not in line for line in lines)


def test_nothing_scored_is_said() -> None:
    assert merit_lines(Merit.of([])) == ["no episode was scored"]
