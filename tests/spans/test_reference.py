"""The room agrees with the slow, literal reference on random episodes.

500 episodes in the everyday run; 20,000 with ``pytest tests/spans/test_reference.py -m benchmark``. Each episode has
a seed of its own, which a failure names: ``random_episode(random.Random(seed))`` makes it again. The branches reached:
``coverage run --branch --source=pytest_memuse/spans -m pytest tests/spans/test_reference.py; coverage report``.
"""

import random

import pytest

from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span, build_spans, match_exposure, prior_context, recording_problems
from tests.spans.generator import random_episode
from tests.spans.reference import ReferenceSpan, reference_spans
from tests.spans.reference_exposure import exposure
from tests.spans.reference_recording import prior_context as reference_context
from tests.spans.reference_recording import recording_is_valid, replayed


def room_spans(episode: Episode) -> list[ReferenceSpan]:
    """The room's spans in the reference's form."""
    return [
        ReferenceSpan(
            deliveries=tuple(delivery.id for delivery in span.deliveries),
            exposures=tuple(entry.exposure for entry in span.entries),
            windows=tuple(entry.window for entry in span.entries),
            first=span.first,
            last=span.last,
            outcome=span.outcome,
            characters=span.characters,
            redacted=span.redacted,
            provisional=span.provisional,
        )
        for span in build_spans(episode)
    ]


def room_context(episode: Episode, span: Span) -> list[str] | None:
    """The texts of a span's prior context, None where a placement is nowhere to be cut out."""
    try:
        return [source.text for source in prior_context(episode, span)]
    except MemuseError:
        return None


def agree(seed: int) -> None:
    episode = random_episode(random.Random(seed))
    replay = replayed(episode)
    assert room_spans(episode) == reference_spans(episode), f"seed {seed}"
    assert (not recording_problems(episode)) == recording_is_valid(replay), f"seed {seed}"
    for span in build_spans(episode):
        first = span.deliveries[0]
        assert room_context(episode, span) == reference_context(replay, first), f"seed {seed}, span {span.id}"
        for entry in first.entries:
            for placement in first.placements:
                found = match_exposure(entry.value, placement.text, placement.kind)
                assert found == exposure(entry, (placement,)), f"seed {seed}, delivery {first.id}"


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_the_room_agrees_with_the_reference(first: int) -> None:
    print(f"seeds {first} to {first + 49}")
    for seed in range(first, first + 50):
        agree(seed)


@pytest.mark.benchmark
@pytest.mark.parametrize("first", range(1_000_000, 1_020_000, 1000))
def test_the_room_agrees_with_the_reference_at_length(first: int) -> None:
    print(f"seeds {first} to {first + 999}")
    for seed in range(first, first + 1000):
        agree(seed)
