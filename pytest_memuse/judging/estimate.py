"""What asking a model about spans will take, told before the first call: spans, calls, tokens, money."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_memuse.judging.eligible_evidence import eligible_evidence
from pytest_memuse.judging.evidence import EvidencePackage
from pytest_memuse.judging.prompt import mandatory_characters, opening_messages
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.model import Episode
from pytest_memuse.model.tokens import estimated_tokens
from pytest_memuse.spans import Span

CALLS_A_SPAN = 5.06
"""The average of the paper's judge (MemUse A.6.8); that of another model is another one."""

CACHED_SHARE = 0.745
"""The share of input tokens that the prompt cache served the paper's judge (MemUse A.6.8)."""

Kept = Callable[[Episode, str, EvidencePackage], bool]
"""Whether the answer about a span is kept already: the episode, the span's identifier and its evidence."""


@dataclass(frozen=True, slots=True)
class Experience:
    """What conversations took so far, on average over ``spans`` of them: calls, share of input cached, output tokens.

    None is unknown. Without any it is the paper's judge's, of whose output only the captions survive.
    """

    spans: int = 0
    calls_a_span: float = CALLS_A_SPAN
    cached_share: float | None = CACHED_SHARE
    output_a_span: float | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """Spans to ask about, calls, and input tokens at four characters a token.

    ``least_tokens`` counts what must be before the model once, ``input_tokens`` every call with what came before it,
    which grows from the opening to the whole of the required reads. What a model reads beyond these is not in it.
    ``kept`` spans have an answer already, ``beyond`` are more than may be asked about; neither is in the other numbers.
    """

    spans: int
    calls_a_span: float
    calls: int
    least_tokens: int
    input_tokens: int
    kept: int = 0
    beyond: int = 0

    def at(self, calls_a_span: float) -> "Estimate":
        """Return the estimate for another average number of calls."""
        tokens = round(self.input_tokens * calls_a_span / self.calls_a_span)
        calls = round(calls_a_span * self.spans)
        return replace(self, calls_a_span=calls_a_span, calls=calls, input_tokens=tokens)


def estimate(
    episodes: Iterable[tuple[Episode, Sequence[Span]]],
    calls_a_span: float = CALLS_A_SPAN,
    *,
    kept: Kept | None = None,
    most: int | None = None,
    reference: bool = True,
) -> Estimate:
    """Return the estimate for the eligible spans of these episodes, in the order in which they are asked about.

    ``most`` is how many may be. A span whose evidence cannot be put together is not asked about, and not counted.
    """
    rubric = read_rubric()
    spans = opening = least = there = beyond = 0
    for episode, of in episodes:
        for span, package in eligible_evidence(episode, of, reference=reference):
            if kept is not None and kept(episode, span, package):
                there += 1
            elif most is not None and spans >= most:
                beyond += 1
            else:
                spans += 1
                opening += sum(len(message["content"]) for message in opening_messages(rubric, package))
                least += mandatory_characters(rubric, package)
    every_call = round(calls_a_span * (opening + least) / 2)
    calls, tokens = round(calls_a_span * spans), estimated_tokens(every_call)
    return Estimate(spans, calls_a_span, calls, estimated_tokens(least), tokens, there, beyond)
