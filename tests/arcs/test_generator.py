"""Generated arcs: what holds of every one of them."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.arcs import generator
from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.domains.drawing import Draw
from pytest_memuse.arcs.domains.types import Scene, Task
from pytest_memuse.arcs.generator import generate, shape_of
from pytest_memuse.arcs.leaks import Channel, LeakError, find_leaks
from pytest_memuse.arcs.prompts import SYSTEM_PROMPT
from pytest_memuse.arcs.running import run_arc
from pytest_memuse.arcs.scripted import ScriptedModel
from pytest_memuse.arcs.types import Kind, Tier, WorldArc
from pytest_memuse.arcs.worlds import World
from pytest_memuse.model.errors import MemuseError
from tests.arcs.sessions import told_everything

CELLS = [(domain, tier) for domain in DOMAINS for tier in Tier]

ASKED = st.fixed_dictionaries(
    {
        "domain": st.sampled_from(sorted(DOMAINS)),
        "tier": st.sampled_from(list(Tier)),
        "seed": st.integers(-(2**40), 2**40),
        "episodes": st.integers(4, 6),
        "dependent_ratio": st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    }
)


def one_arc(asked: Mapping[str, Any]) -> WorldArc:
    """Return the first arc of what is asked for."""
    return generate(**asked, arcs=1)[0]


def of_kind(arc: WorldArc, *kinds: Kind) -> list[int]:
    """Return the positions of the episodes of these kinds."""
    return [place for place, episode in enumerate(arc.episodes) if episode.kind in kinds]


@settings(max_examples=12)
@given(ASKED)
def test_every_arc_passes_the_leak_check_with_unique_gold_values_and_the_ratio_asked_for(
    asked: dict[str, Any],
) -> None:
    arc, ratio = one_arc(asked), asked["dependent_ratio"]
    assert find_leaks(arc, prompt=SYSTEM_PROMPT) == ()
    gold = [fact for place in of_kind(arc, Kind.PROBE) for fact in arc.episodes[place].gold]
    values = [value for fact in gold for value in (fact.value, *fact.superseded)]
    assert len(set(values)) == len(values)
    tasks = of_kind(arc, Kind.PROBE, Kind.INDEPENDENT)
    assert abs(len(of_kind(arc, Kind.PROBE)) - ratio * len(tasks)) <= 0.5


@settings(max_examples=12)
@given(ASKED)
def test_every_fact_is_planted_before_its_probe_and_revised_in_between_on_the_hard_tier(
    asked: dict[str, Any],
) -> None:
    arc = one_arc(asked)
    told: dict[str, list[str]] = {}
    for episode in arc.episodes:
        for fact in episode.gold:
            if episode.kind is Kind.PROBE:
                assert told[fact.subject] == [*fact.superseded, fact.value]
                assert len(fact.superseded) == (1 if arc.tier is Tier.HARD else 0)
            else:
                assert any(fact.value in turn for turn in episode.user)
                told.setdefault(fact.subject, []).append(fact.value)
        if episode.kind is Kind.PROBE:
            assert len(episode.gold) > (1 if arc.tier is Tier.MEDIUM else 0)
            assert len(episode.gold) == 1 or arc.tier is not Tier.EASY


@settings(max_examples=10)
@given(ASKED)
def test_an_agent_that_is_given_the_gold_values_solves_every_task(asked: dict[str, Any]) -> None:
    arc = one_arc(asked)
    run = run_arc(arc, lambda _: told_everything(arc), ScriptedModel(), condition="told")
    assert [scored.episode for scored in run.scored if not scored.success] == []
    assert all(scored.held and scored.acted for scored in run.scored if scored.kind is Kind.PROBE)


@settings(max_examples=12)
@given(ASKED)
def test_no_check_holds_in_the_world_that_the_arc_begins_with(asked: dict[str, Any]) -> None:
    arc = one_arc(asked)
    with World.open(arc) as world:
        assert not any(world.holds(episode.check) for episode in arc.episodes if episode.check is not None)


@pytest.mark.parametrize(("domain", "tier"), CELLS)
def test_equal_seeds_give_equal_arcs_and_other_seeds_others(domain: str, tier: Tier) -> None:
    arcs = generate(domain, tier, seed=7, arcs=2)
    assert [asdict(arc) for arc in arcs] == [asdict(arc) for arc in generate(domain, tier, seed=7, arcs=2)]
    assert arcs[0] == generate(domain, tier, seed=7, arcs=1)[0]
    assert arcs[0].tables != generate(domain, tier, seed=8, arcs=1)[0].tables


@pytest.mark.parametrize(("domain", "tier"), CELLS)
def test_five_episodes_at_one_half_hold_two_probes_and_an_independent_one(domain: str, tier: Tier) -> None:
    for arc in generate(domain, tier, seed=1, arcs=3):
        assert len(arc.episodes) == 5
        assert len(of_kind(arc, Kind.PROBE)) == 2
        assert of_kind(arc, Kind.INDEPENDENT)
        assert len(of_kind(arc, Kind.UPDATE)) == (1 if tier is Tier.HARD else 0)


def test_the_episodes_of_an_arc_are_always_as_many_as_asked_for() -> None:
    for tier in Tier:
        for episodes in (4, 5, 6):
            shapes = [shape_of(tier, episodes, ratio / 20) for ratio in range(21)]
            assert {s.plants + s.updates + s.probes + s.independents for s in shapes} == {episodes}
            assert all(after.probes >= before.probes for before, after in pairwise(shapes))
            assert shapes[0].plants == 0
            assert shapes[-1].independents == 0


def test_the_domains_have_exactly_the_tools_of_the_paper() -> None:
    assert {name: [tool.name for tool in domain.tools] for name, domain in DOMAINS.items()} == {
        "retail": ["get_order", "refund", "update_address", "get_policy", "send_message"],
        "operations": ["search_logs", "get_deploy_history", "get_config", "set_config", "deploy", "update_ticket"],
        "assistant": ["get_calendar", "create_event", "send_email", "get_preference", "set_preference"],
    }


def test_a_domain_whose_facts_stand_in_its_world_gives_no_arc(monkeypatch: pytest.MonkeyPatch) -> None:
    def dependent(draw: Draw, scene: Scene, tier: Tier) -> Task:
        task = DOMAINS["retail"].dependent(draw, scene, tier)
        scene.tables["policies"].append({"topic": "secret", "text": f"It is {task.facts[0].value}."})
        return task

    leaky = replace(DOMAINS["retail"], dependent=dependent)
    monkeypatch.setattr(generator, "DOMAINS", {"retail": leaky})
    with pytest.raises(LeakError) as raised:
        generate("retail", "easy", seed=1, arcs=1)
    assert {leak.channel for leak in raised.value.leaks} == {Channel.WORLD, Channel.TOOL}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"domain": "retial"}, "did you mean 'retail'"),
        ({"tier": "harder"}, "the tiers are easy, medium, hard"),
        ({"episodes": 3}, "4 to 6 episodes"),
        ({"dependent_ratio": 1.5}, "from 0 to 1"),
        ({"arcs": 0}, "at least one arc"),
    ],
)
def test_arcs_that_do_not_exist_are_refused_with_those_that_do(arguments: dict[str, object], said: str) -> None:
    asked = {"domain": "retail", "tier": "easy", "seed": 1} | arguments
    with pytest.raises(MemuseError, match=said):
        generate(**asked)  # type: ignore[arg-type]
