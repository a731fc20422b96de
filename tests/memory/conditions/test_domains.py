"""What the conditions hold of MERIT's arcs, whatever a policy makes of it (3.4, 5.2)."""

from collections.abc import Iterator
from functools import cache

import pytest

from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.types import Kind, Tier, WorldArc, WorldEpisode
from pytest_memuse.memory.conditions import CONDITIONS, condition
from pytest_memuse.recording.rendered import Rendered
from tests.memory.conditions.talking import said, values

_ARCS = 2


@cache
def _arcs(domain: str, tier: Tier) -> tuple[WorldArc, ...]:
    return generate(domain, tier, seed=7, arcs=_ARCS)


def _blocks(name: str, arc: WorldArc) -> Iterator[tuple[WorldEpisode, Rendered]]:
    """Yield each episode with the block that it gets; the agent repeats what it is told and says what it did."""
    memory = condition(name)
    for episode in arc.episodes:
        block = memory.recall(episode.user[0], scope=arc.id)
        values(block)
        yield episode, block
        answer = "I have done that" if episode.kind.acts else "Noted"
        memory.extract(said(*(text for turn in episode.user for text in (turn, f"{answer}: {turn}"))), scope=arc.id)


def _probes(name: str, domain: str, tier: Tier) -> Iterator[tuple[WorldEpisode, Rendered]]:
    for arc in _arcs(domain, tier):
        yield from ((e, block) for e, block in _blocks(name, arc) if e.kind is Kind.PROBE)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ["replay", "retrieval", "hybrid"])
def test_what_accumulates_holds_stale_and_fresh_values_of_updated_facts(name: str, domain: str) -> None:
    for episode, block in _probes(name, domain, Tier.HARD):
        for fact in episode.gold:
            assert fact.superseded
            assert [value in block.text for value in (fact.value, *fact.superseded)] == [True, True]


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_fact_store_holds_fresh_values_of_updated_facts_and_no_stale_one(domain: str) -> None:
    for episode, block in _probes("facts", domain, Tier.HARD):
        for fact in episode.gold:
            assert fact.superseded
            assert [value in block.text for value in (fact.value, *fact.superseded)] == [True, False]


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("tier", [Tier.EASY, Tier.MEDIUM])
@pytest.mark.parametrize("name", ["replay", "retrieval", "facts", "hybrid"])
def test_every_gold_value_is_held_where_nothing_is_revised(name: str, tier: Tier, domain: str) -> None:
    for episode, block in _probes(name, domain, tier):
        assert all(fact.value in block.text for fact in episode.gold)


@pytest.mark.parametrize("domain", DOMAINS)
def test_truncation_drops_facts_where_there_are_several(domain: str) -> None:
    dropped = [
        fact.value for episode, block in _probes("summary", domain, Tier.MEDIUM) for fact in episode.gold
        if fact.value not in block.text
    ]  # fmt: skip
    assert dropped


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("tier", Tier)
def test_full_replay_exposes_most(tier: Tier, domain: str) -> None:
    exposed = {
        name: sum(len(b.text) for arc in _arcs(domain, tier) for _, b in _blocks(name, arc)) for name in CONDITIONS
    }
    assert exposed["none"] == 0
    assert max(exposed, key=lambda name: exposed[name]) == "replay"
