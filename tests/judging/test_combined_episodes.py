"""Several judges as one, where some are given all spans at once: the same judgments, and no question too many."""

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging import Influence, Judge, JudgeIdentity, Judgment, Signal, Tracer
from pytest_memuse.judging.combined import Combined, keeping
from pytest_memuse.judging.llm import LlmJudge, RunLimits
from pytest_memuse.judging.run import Asked, EpisodesJudge, Judged, JudgedSpans, Lines, judge_episodes
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span, SpanOutcome, build_spans, replay_inputs
from tests.judging.evidence_cases import delivery, entry, episode, message
from tests.judging.llm.scripted_client import Client, Kept
from tests.judging.scripted_judge import answer

SPANS = ("S1", "S2", "S3")
ALL = frozenset(Signal)


def three_spans(name: str) -> Episode:
    """Return an episode in which each of three steps reads an entry of its own."""
    texts = [f"{name} keeps note {number}." for number in (1, 2, 3)]
    messages = {"u": message("user", "Fix it.")} | {f"m{n}": message("user", text) for n, text in enumerate(texts)}
    steps = [{"sees": ["u", *(f"m{n}" for n in range(number + 1))], "says": "On."} for number in range(3)]
    deliveries = [delivery(n + 1, f"m{n}", text, entry(text, f"i{n}")) for n, text in enumerate(texts)]
    return replace(episode(messages, steps, deliveries), id=name)


EPISODES = [three_spans(name) for name in ("first", "second")]
NAMES = [(made.id, span) for made in EPISODES for span in SPANS]


def test_the_episodes_have_the_spans_that_the_tests_speak_of() -> None:
    for made in EPISODES:
        assert tuple(s.id for s in build_spans(made) if s.outcome is SpanOutcome.ELIGIBLE) == SPANS


@dataclass(frozen=True)
class One:
    """Judges span by span: determines what it is told of each span, and has no accepted answer where that is None."""

    name: str
    determines: Mapping[tuple[str, str], frozenset[Signal] | None]
    asked: list[tuple[str, str]] = field(default_factory=list, compare=False)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(self.name, "1")

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        self.asked.append((episode.id, span.id))
        determines = self.determines[episode.id, span.id]
        if determines is None:
            return None
        notes = dict.fromkeys(Signal, self.name)
        row = answer(influence=Influence.REFERENCED, anchors=(span.first,), notes=notes)
        return Judgment(span.id, (row,) * len(span.entries), determines, summary=self.name)


@dataclass(frozen=True)
class AtOnce(One):
    """The same judge, which is given all episodes; says why, and leaves what it is told to ``leave`` unjudged."""

    leave: frozenset[tuple[str, str]] = frozenset()
    closed: list[bool] = field(default_factory=list, compare=False)

    @property
    def stopped(self) -> str:
        return f"{self.name} is used up" if self.leave else ""

    def judged_episodes(
        self,
        episodes: Iterable[Episode],
        lines: Lines | None = None,
        executor: Executor | None = None,
        asked: Asked | None = None,
    ) -> Judged:
        try:
            for number, made in enumerate(list(episodes)):
                spans = build_spans(replay_inputs(made))
                chosen = [s for s in spans if asked is None or s.id in asked[number]]
                found = {s.id: self.judge(made, spans, s) for s in chosen if (made.id, s.id) not in self.leave}
                yield made, JudgedSpans(spans, found, {name: f"{self.name}!" for name, j in found.items() if not j})
        finally:
            self.closed.append(True)


def of_all(determines: Iterable[Signal] | None) -> dict[tuple[str, str], frozenset[Signal] | None]:
    return dict.fromkeys(NAMES, None if determines is None else frozenset(determines))


def by_episode(judge: Judge, executor: Executor | None = None) -> dict[tuple[str, str], Judgment | None]:
    found = judge_episodes(judge, EPISODES, executor)
    return {(made.id, name): judgment for made, judged in found for name, judgment in judged.judgments.items()}


def span_by_span(judge: Judge) -> dict[tuple[str, str], Judgment | None]:
    return {
        (made.id, span.id): judge.judge(made, spans, span)
        for made in EPISODES
        for spans in [build_spans(made)]
        for span in spans
    }


DETERMINED = st.one_of(st.none(), st.frozensets(st.sampled_from(Signal)))
JUDGES = st.lists(
    st.tuples(st.booleans(), st.fixed_dictionaries(dict.fromkeys(NAMES, DETERMINED))), min_size=1, max_size=4
)


@given(JUDGES, st.data())
def test_judges_that_get_all_spans_at_once_give_the_judgments_of_span_by_span_and_are_asked_for_no_other(
    told: list[tuple[bool, dict[tuple[str, str], frozenset[Signal] | None]]], data: st.DataObject
) -> None:
    by_signal = data.draw(st.dictionaries(st.sampled_from(Signal), st.integers(0, len(told) - 1)))

    def combined() -> tuple[Combined, list[One]]:
        parts = [(AtOnce if at_once else One)(f"j{n}", determines) for n, (at_once, determines) in enumerate(told)]
        return Combined(tuple(parts), by_signal), parts

    (one_by_one, first), (at_once, second) = combined(), combined()
    assert by_episode(at_once) == span_by_span(one_by_one)
    assert [sorted(part.asked) for part in second] == [sorted(part.asked) for part in first]


def test_a_judge_after_labels_is_asked_for_the_spans_that_they_leave_something_of() -> None:
    labels = One("labels", of_all(ALL) | {("second", "S2"): ALL - {Signal.NOVELTY}})
    model = AtOnce("model", of_all(ALL))
    found = by_episode(Combined((labels, model)))
    assert model.asked == [("second", "S2")]
    judgment = found["second", "S2"]
    assert judgment is not None
    assert judgment.assessments[0].notes == {**dict.fromkeys(Signal, "labels"), Signal.NOVELTY: "model"}


def test_where_labels_say_all_the_other_judge_is_not_even_begun() -> None:
    model = AtOnce("model", of_all(ALL))
    by_episode(Combined((One("labels", of_all(ALL)), model)))
    assert (model.asked, model.closed) == ([], [])


def test_a_signal_that_is_another_judges_is_no_reason_to_ask() -> None:
    model = AtOnce("model", of_all(ALL))
    tracer = One("tracer", of_all({Signal.INFLUENCE}))
    found = by_episode(Combined((model, tracer), dict.fromkeys(Signal, 1)))
    assert model.asked == []
    assert {judgment.determines for judgment in found.values() if judgment} == {frozenset({Signal.INFLUENCE})}


def test_spans_that_a_budget_left_are_unjudged_and_nobody_else_is_asked_about_them() -> None:
    left = frozenset({("first", "S3"), ("second", "S1")})
    model, after = AtOnce("model", of_all({Signal.EFFECT}), leave=left), One("after", of_all(ALL))
    judge = Combined((One("labels", of_all({Signal.NOVELTY})), model, after))
    assert set(by_episode(judge)) == set(NAMES) - left
    assert set(after.asked) == set(NAMES) - left
    assert judge.stopped == "model is used up"
    assert Combined((after, Combined((model, replace(model, name="other"))))).stopped == (
        "model is used up; other is used up"
    )


def test_why_a_span_has_no_answer_is_kept() -> None:
    model = AtOnce("model", of_all(ALL) | {("first", "S2"): None})
    found = {
        made.id: judged.reasons for made, judged in judge_episodes(Combined((One("o", of_all([])), model)), EPISODES)
    }
    assert found == {"first": {"S2": "model!"}, "second": {}}


def test_a_combination_within_another_is_asked_for_its_share_only() -> None:
    model = AtOnce("model", of_all(ALL))
    inner = Combined((One("inner", of_all([])), model))
    by_episode(Combined((One("labels", of_all(ALL) | {("first", "S1"): frozenset()}), inner)))
    assert model.asked == [("first", "S1")]


def test_judges_that_ask_nobody_go_through_the_executor_and_give_the_same() -> None:
    judge = Combined((Tracer(), One("rest", of_all(ALL))))
    assert isinstance(judge, EpisodesJudge)

    class Counting(ThreadPoolExecutor):
        submitted = 0

        def submit(self, *given, **named):  # type: ignore[no-untyped-def]
            self.submitted += 1
            return super().submit(*given, **named)

    with Counting(2) as executor:
        assert by_episode(judge, executor) == span_by_span(judge)
        assert executor.submitted == len(EPISODES)


def test_who_leaves_early_or_fails_later_has_nothing_further_asked() -> None:
    @dataclass(frozen=True)
    class Failing(One):
        def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
            raise MemuseError("no", reason="no")

    model = AtOnce("model", of_all([]))
    with closing(judge_episodes(Combined((model,)), EPISODES)) as found:
        next(found)
    assert model.closed == [True]
    with pytest.raises(MemuseError) as caught:
        by_episode(Combined((model, Failing("failing", {}))))
    # The traceback holds the frames; they are closed all the same.
    assert caught.value is not None
    assert (model.closed, model.asked) == ([True, True], [("first", name) for name in SPANS] * 2)


def llm(client: Client, model: str = "openai/scripted", **limits: int) -> LlmJudge:
    return LlmJudge(model, client=client, run=RunLimits(**limits))


def test_a_model_behind_labels_is_asked_in_parallel_within_its_limits_and_its_usage_is_told() -> None:
    client, told = Client(), list[str]()
    client.together = threading.Barrier(3)
    judge = Combined((One("labels", of_all([]) | {("first", "S1"): ALL}), llm(client, parallel=3, spans=3)))
    found = list(judge_episodes(judge, EPISODES, lines=Lines(told.append, 0, lambda: 0.0)))
    assert sum(len(judged.judgments) for _, judged in found) == 1 + 3
    assert client.most_at_once == 3
    assert judge.stopped == "the limit of 3 spans is reached"
    assert told[-1].startswith("judged 3/5 spans")
    assert (judge.usage.calls, judge.usage.input) == (client.asked, 1_000 * client.asked)


def test_answers_of_a_model_in_a_combination_are_kept_under_its_own_identity() -> None:
    client, kept = Client(), dict[str, Kept]()
    first, second = llm(client), llm(client, "openai/other")
    judge = Combined((One("labels", of_all([])), first, Combined((second, Tracer()))), {Signal.NOVELTY: 2})
    with_records = keeping(judge, lambda identity: kept.setdefault(identity.model, Kept()))
    assert with_records.identity == judge.identity
    by_episode(with_records)
    assert {model: len(one.outcomes) for model, one in kept.items()} == {
        "openai/scripted": len(NAMES),
        "openai/other": len(NAMES),
    }
    asked = client.asked
    again = keeping(judge, lambda identity: kept[identity.model])
    assert by_episode(again) == by_episode(with_records)
    assert client.asked == asked
