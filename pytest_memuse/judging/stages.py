"""Several judges over many episodes: those that ask nobody span by span, the others with all their spans at once."""

from collections.abc import Generator, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby

from pytest_memuse.judging.answers import Judgment
from pytest_memuse.judging.run import Asked, EpisodesJudge, Judged, JudgedSpans, Lines, in_order
from pytest_memuse.judging.standing import Share, Standing, asked_in_turn
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span, SpanOutcome, build_spans, replay_inputs


@dataclass(frozen=True, slots=True)
class _Reached:
    """The spans of an episode, and the standing of each that is to be judged."""

    spans: tuple[Span, ...]
    standings: Mapping[str, Standing] = field(default_factory=dict)

    @property
    def judged(self) -> JudgedSpans:
        settled = [(span, self.standings[span.id]) for span in self.spans if span.id in self.standings]
        judgments: dict[str, Judgment | None] = {
            span.id: standing.judgment(span) for span, standing in settled if not standing.unjudged
        }
        reasons = {span.id: standing.reason for span, standing in settled if standing.reason}
        return JudgedSpans(self.spans, judgments, reasons)


@dataclass(frozen=True, slots=True)
class _Stage:
    """An episode on its way; ``asked`` names the spans that are to be judged, None all that are eligible.

    Its spans are built by whoever looks at it first, which may be another process.
    """

    episode: Episode
    asked: frozenset[str] | None = None
    so_far: _Reached | None = None

    def reached(self, replayed: Episode) -> _Reached:
        """Return how far its spans are; ``replayed`` is the episode with its inputs replayed."""
        if self.so_far is not None:
            return self.so_far
        spans = build_spans(replayed)
        eligible = (span.id for span in spans if span.outcome is SpanOutcome.ELIGIBLE)
        return _Reached(spans, {name: Standing() for name in eligible if self.asked is None or name in self.asked})


_Stages = Generator[_Stage, None, None]


def judged_in_stages(
    shares: Iterable[Share],
    episodes: Iterable[Episode],
    lines: Lines | None,
    executor: Executor | None,
    asked: Asked | None,
) -> Judged:
    """Yield each episode with its spans and what the judges say of them together, in the order given."""
    stages = _begun(episodes, asked)
    for at_once, group in groupby(shares, lambda share: isinstance(share.judge, EpisodesJudge)):
        if at_once:
            for share in group:
                stages = _at_once(share, stages, lines, executor)
        else:
            stages = _by_span(tuple(group), stages, executor)
    # Closed at once, and every stage closes the one before: nothing is asked any more where a caller leaves.
    with closing(stages):
        for stage in stages:
            assert stage.so_far is not None
            yield stage.episode, stage.so_far.judged


def _begun(episodes: Iterable[Episode], asked: Asked | None) -> _Stages:
    if asked is None:
        yield from map(_Stage, episodes)
    else:
        for episode, names in zip(episodes, asked, strict=True):
            yield _Stage(episode, frozenset(names))


def _by_span(shares: tuple[Share, ...], stages: _Stages, executor: Executor | None) -> _Stages:
    with closing(stages), closing(in_order(partial(_each_asked, shares), stages, executor)) as found:
        for stage, reached in found:
            yield replace(stage, so_far=reached)


def _each_asked(shares: tuple[Share, ...], stage: _Stage) -> _Reached:
    replayed = replay_inputs(stage.episode)
    reached = stage.reached(replayed)
    spans = {span.id: span for span in reached.spans}
    standings = {
        name: asked_in_turn(shares, replayed, reached.spans, spans[name], standing)
        for name, standing in reached.standings.items()
    }
    return _Reached(reached.spans, standings)


def _at_once(share: Share, stages: _Stages, lines: Lines | None, executor: Executor | None) -> _Stages:
    judge = share.judge
    assert isinstance(judge, EpisodesJudge)
    with closing(stages):
        waiting = [(stage, stage.reached(replay_inputs(stage.episode))) for stage in stages]
    asked = [
        frozenset(name for name, standing in reached.standings.items() if share.wanted(standing))
        for _, reached in waiting
    ]
    if not any(asked):
        yield from (replace(stage, so_far=reached) for stage, reached in waiting)
        return
    with closing(judge.judged_episodes((stage.episode for stage, _ in waiting), lines, executor, asked)) as found:
        for (stage, reached), names, (_, given) in zip(waiting, asked, found, strict=True):
            standings = {name: _after(share, reached.standings[name], name, given) for name in names}
            yield replace(stage, so_far=_Reached(reached.spans, {**reached.standings, **standings}))


def _after(share: Share, standing: Standing, name: str, given: JudgedSpans) -> Standing:
    if name not in given.judgments:
        return replace(standing, unjudged=True)
    return standing.after(share.wanted(standing), given.judgments[name], given.reasons.get(name, ""))
