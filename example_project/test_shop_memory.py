"""Does the shop team's agent gain from its memory? Figures that the tracer determines, on recorded episodes."""

import pytest

pytestmark = pytest.mark.memuse(suite="shop", arcs="arcs/shop.yaml")


def test_memory_does_no_harm(memuse):
    profile = memuse.profile()
    assert profile.harm_share < 0.005


def test_memory_pays_for_its_tokens(memuse):
    profile = memuse.profile()
    assert profile.token_efficiency > 20
    assert profile.relevance_share > 0.2


def test_most_tasks_succeed_and_memory_has_a_part_in_it(memuse):
    profile = memuse.profile()
    assert profile.outcome_rate > 0.8
    assert profile.coverage_beneficial > 0.2
