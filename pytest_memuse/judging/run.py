"""Judging whole episodes, one after the other or through an executor."""

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from pytest_memuse.judging.answers import Judge, Judgment
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span, SpanOutcome, build_spans, replay_inputs

AHEAD = 32
"""Episodes that are handed to an executor before the first result is asked for; so many are in memory at most."""


@dataclass(frozen=True, slots=True)
class JudgedSpans:
    """The spans of an episode and the judgment of every eligible one, by its identifier.

    An eligible span without one is unjudged; where the judgment is None, ``reasons`` may say why there is none.
    """

    spans: tuple[Span, ...]
    judgments: dict[str, Judgment | None]
    reasons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lines:
    """Where progress is told: ``say`` shows a line, ``every`` is how many seconds lie between two of them.

    ``clock`` gives seconds that only go forward.
    """

    say: Callable[[str], None]
    every: float
    clock: Callable[[], float]


Judged = Generator[tuple[Episode, JudgedSpans], None, None]
"""Episodes with what became of their spans, one after the other; who closes it early has nothing further begun."""

Asked = Sequence[Collection[str]]
"""For each of several episodes, in their order, the identifiers of the spans that are to be judged."""


@runtime_checkable
class EpisodesJudge(Protocol):
    """A judge that is given all episodes at once, since it has limits of its own for all of them together.

    ``stopped`` says why it left spans unjudged, if it did. Progress is told through ``lines``; what asks nobody may be
    done by ``executor``. Where ``asked`` is given, no other spans are judged.
    """

    @property
    def stopped(self) -> str: ...

    def judged_episodes(
        self,
        episodes: Iterable[Episode],
        lines: Lines | None = None,
        executor: Executor | None = None,
        asked: Asked | None = None,
    ) -> Judged: ...


def judge_episode(judge: Judge, episode: Episode, spans: Sequence[Span]) -> dict[str, Judgment | None]:
    """Return the judgment of every eligible span by its identifier; None where the judge obtained no accepted answer.

    ``spans`` are all spans of the episode: a judge looks at the others as well.
    """
    whole = tuple(spans)
    episode = replay_inputs(episode)
    return {span.id: judge.judge(episode, whole, span) for span in whole if span.outcome is SpanOutcome.ELIGIBLE}


def build_and_judge(judge: Judge, episode: Episode) -> JudgedSpans:
    """Return the spans of an episode and what the judge says of them."""
    episode = replay_inputs(episode)
    spans = build_spans(episode)
    return JudgedSpans(spans, judge_episode(judge, episode, spans))


def judge_episodes(
    judge: Judge, episodes: Iterable[Episode], executor: Executor | None = None, lines: Lines | None = None
) -> Judged:
    """Yield each episode with its spans and judgments, in the order given, whatever the executor.

    Episodes are read from the iterable as results are taken, a few ahead. Workers in other processes need a judge that
    can be pickled. What a judge raises is raised here, at its episode. An `EpisodesJudge` has threads and progress of
    its own, told through ``lines``.
    """
    if isinstance(judge, EpisodesJudge):
        return judge.judged_episodes(episodes, lines, executor)
    return in_order(partial(build_and_judge, judge), episodes, executor)


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def in_order(
    call: Callable[[_Item], _Result], items: Iterable[_Item], executor: Executor | None
) -> Generator[tuple[_Item, _Result], None, None]:
    """Yield each item with what the call makes of it, a few of them handed to the executor ahead, if there is one."""
    if executor is None:
        for item in items:
            yield item, call(item)
        return
    pending: deque[tuple[_Item, Future[_Result]]] = deque()
    try:
        for item in items:
            pending.append((item, executor.submit(call, item)))
            if len(pending) > AHEAD:
                first, future = pending.popleft()
                yield first, future.result()
        while pending:
            first, future = pending.popleft()
            yield first, future.result()
    finally:
        for _, future in pending:
            future.cancel()
