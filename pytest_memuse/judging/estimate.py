"""What asking a model about spans will take, told before the first call: spans, calls, tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_memuse.judging.evidence import EpisodeCase
from pytest_memuse.judging.prompt import mandatory_characters, opening_messages
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.model import Episode
from pytest_memuse.model.tokens import estimated_tokens
from pytest_memuse.spans import Span, SpanOutcome, replay_inputs

CALLS_A_SPAN = 5.06
"""The average of the paper's judge (MemUse A.6.8); that of another model is another one."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Spans to ask about, calls, and input tokens at four characters a token.

    ``least_tokens`` counts what must be before the model once, ``input_tokens`` every call with what came before it,
    which grows from the opening to the whole of the required reads. What a model reads beyond these is not in it.
    """

    spans: int
    calls_a_span: float
    calls: int
    least_tokens: int
    input_tokens: int


def estimate(episodes: Iterable[tuple[Episode, Sequence[Span]]], calls_a_span: float = CALLS_A_SPAN) -> Estimate:
    """Return the estimate for all eligible spans of these episodes."""
    rubric = read_rubric()
    spans = opening = least = 0
    for episode, of in episodes:
        case = EpisodeCase(replay_inputs(episode), of)
        for span in of:
            if span.outcome is SpanOutcome.ELIGIBLE:
                package = case.package(span)
                spans += 1
                opening += sum(len(message["content"]) for message in opening_messages(rubric, package))
                least += mandatory_characters(rubric, package)
    every_call = round(calls_a_span * (opening + least) / 2)
    return Estimate(
        spans, calls_a_span, round(calls_a_span * spans), estimated_tokens(least), estimated_tokens(every_call)
    )
