"""The full-replay control beside figures of several models, and the band from starter to real."""

import pytest

from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.scores import ScoredEpisode
from tests.arcs.scored import probes


def grid(model: str, replay: int, retrieval: int, **fields: str) -> list[ScoredEpisode]:
    return [
        *probes([False] * 20, condition="none", model=model),
        *probes([n < replay for n in range(20)], condition="replay", model=model),
        *probes([n < retrieval for n in range(20)], condition="retrieval", model=model),
    ]


def test_each_model_is_read_relative_to_its_own_full_replay() -> None:
    """MERIT 7: a control of 0.75 against one of 1.00; retrieval at 0.75 under both is not the same thing."""
    prudent, plain = Merit.of([*grid("prudent", 15, 15), *grid("plain", 20, 15)]).models()
    assert (prudent.success["retrieval"], plain.success["retrieval"]) == (0.75, 0.75)
    assert (prudent.relative["retrieval"], plain.relative["retrieval"]) == (1.0, 0.75)
    assert (prudent.floor, prudent.control) == (0.0, 0.75)


def test_a_failing_control_is_flagged_and_a_good_one_is_not() -> None:
    prudent, plain = Merit.of([*grid("prudent", 15, 15), *grid("plain", 19, 15)]).models()
    assert "0.75, below 0.9" in prudent.warning
    assert "policy prudence" in prudent.warning
    assert plain.warning == ""


def test_a_model_without_its_control_is_flagged_and_has_no_relative_success() -> None:
    (only,) = Merit.of(probes([True], condition="retrieval", model="new")).models()
    assert "no full-replay control" in only.warning
    assert not only.relative["retrieval"].defined


def test_a_control_that_solves_nothing_divides_nothing() -> None:
    (only,) = Merit.of(grid("broken", 0, 3)).models()
    assert "solved no probe under full replay" in only.relative["retrieval"].reason


def test_the_band_is_real_less_starter_on_the_same_probes() -> None:
    starter = probes([False] * 8 + [True] * 2, condition="summary", variant="starter")
    real = probes([True] * 9 + [False], condition="summary", variant="real")
    found = Merit.of([*starter, *real]).band("summary")
    assert (found.starter, found.real) == (0.2, 0.9)
    assert found.difference == pytest.approx(0.7)
    assert found.difference.p is not None
    assert found.width == pytest.approx(0.7)


def test_a_band_with_one_side_is_undefined() -> None:
    found = Merit.of(probes([True], condition="summary", variant="starter")).band("summary")
    assert found.starter == 1.0
    assert not found.difference.defined
    assert found.width is None
