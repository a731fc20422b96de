"""Judging whole episodes."""

from collections.abc import Sequence

from pytest_memuse.judging.answers import Judge, Judgment
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span, SpanOutcome


def judge_episode(judge: Judge, episode: Episode, spans: Sequence[Span]) -> dict[str, Judgment | None]:
    """Return the judgment of every eligible span by its identifier; None where the judge obtained no accepted answer.

    ``spans`` are all spans of the episode: a judge looks at the others as well.
    """
    whole = tuple(spans)
    return {span.id: judge.judge(episode, whole, span) for span in whole if span.outcome is SpanOutcome.ELIGIBLE}
