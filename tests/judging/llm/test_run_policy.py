"""Many spans under one limit: parallel, bounded by spans and budget, resumed from records, told as it goes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.judging.llm import LlmJudge, RunLimits, SpanJudgment
from pytest_memuse.judging.llm.conversation import Reply, Request
from pytest_memuse.judging.llm.failures import Failure, FailureKind
from pytest_memuse.judging.llm.outcome import Usage
from pytest_memuse.judging.run import EpisodesJudge, JudgedSpans, Lines, judge_episodes
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.profiles.assembling import episode_row
from pytest_memuse.profiles.rows import RowOutcome
from tests.judging.evidence_cases import simple
from tests.judging.llm.scripted_client import Client, Kept

EPISODES = [replace(simple(f"Wait {number} s between retries."), id=f"E{number}") for number in range(6)]


def judge(client: Client, records: Kept | None = None, **limits: Any) -> LlmJudge:
    return LlmJudge("openai/scripted", client=client, records=records, run=RunLimits(**limits))


def outcomes(judged: Iterator[tuple[Episode, JudgedSpans]]) -> list[RowOutcome]:
    return [
        span.outcome
        for episode, found in judged
        for span in episode_row(episode, found.spans, found.judgments, reasons=found.reasons).spans
    ]


def test_every_span_is_judged_in_the_order_given() -> None:
    client = Client()
    found = list(judge_episodes(judge(client, parallel=3), EPISODES))
    assert [episode.id for episode, _ in found] == [episode.id for episode in EPISODES]
    assert outcomes(iter(found)) == [RowOutcome.JUDGED] * 6
    assert isinstance(judge(client), EpisodesJudge)


def test_as_many_spans_are_asked_about_at_a_time_as_the_limit_says() -> None:
    client = Client()
    client.together = threading.Barrier(3)
    assert outcomes(judge_episodes(judge(client, parallel=3), EPISODES)) == [RowOutcome.JUDGED] * 6
    assert client.most_at_once == 3


@pytest.mark.parametrize(
    ("limits", "judged", "why"),
    [
        ({"spans": 2}, 2, "the limit of 2 spans is reached"),
        ({"spans": 0}, 0, "the limit of 0 spans is reached"),
        ({"calls": 4}, 2, "the budget of 4 calls is used up"),
        ({"calls": 3}, 2, "the budget of 3 calls is used up"),
        ({"tokens": 2_020}, 1, "the budget of 2020 tokens is used up"),
        ({"dollars": 0.05}, 3, "the budget of 0.05 USD is used up"),
    ],
)
def test_a_limit_that_is_reached_leaves_the_rest_unjudged(limits: dict[str, Any], judged: int, why: str) -> None:
    asked = judge(Client(), parallel=1, **limits)
    assert outcomes(judge_episodes(asked, EPISODES)) == [RowOutcome.JUDGED] * judged + [RowOutcome.UNJUDGED] * (
        6 - judged
    )
    assert asked.stopped == why


def test_a_limit_counts_for_the_life_of_a_judge_and_of_its_copies_with_records() -> None:
    asked = judge(Client(), spans=2)
    assert outcomes(judge_episodes(asked, EPISODES[:2])) == [RowOutcome.JUDGED] * 2
    assert outcomes(judge_episodes(asked.with_records(Kept()), EPISODES[2:3])) == [RowOutcome.UNJUDGED]


@pytest.mark.parametrize(("limits", "what"), [({"dollars": 5.0}, "money"), ({"tokens": 10**9}, "tokens")])
def test_a_budget_that_cannot_be_measured_stops_after_the_first_span(limits: dict[str, Any], what: str) -> None:
    class Silent(Client):
        def ask(self, request: Request) -> Reply:
            return replace(super().ask(request), usage=Usage(1, None, None, None, None))

    asked = judge(Silent(), parallel=1, **limits)
    assert outcomes(judge_episodes(asked, EPISODES)) == [RowOutcome.JUDGED] + [RowOutcome.UNJUDGED] * 5
    assert f"the budget of {what} cannot be measured" in asked.stopped


def test_an_endpoint_that_refuses_the_key_is_not_asked_again() -> None:
    class Locked(Client):
        def ask(self, request: Request) -> Reply:
            self.asked += 1
            raise Failure(FailureKind.UNAUTHORISED, "no key")

    client = Locked()
    asked = judge(client, parallel=1)
    assert outcomes(judge_episodes(asked, EPISODES)) == [RowOutcome.ERROR] + [RowOutcome.UNJUDGED] * 5
    assert client.asked == 1


def test_the_reason_of_an_error_is_in_its_row() -> None:
    class Broken(Client):
        def ask(self, request: Request) -> Reply:
            raise Failure(FailureKind.REFUSED, "NotFoundError: no such model")

    ((episode, found),) = judge_episodes(judge(Broken()), EPISODES[:1])
    row = episode_row(episode, found.spans, found.judgments, reasons=found.reasons)
    assert row.spans[0].problems == ("request: NotFoundError: no such model",)


def test_a_recorded_answer_is_not_asked_for_again_and_takes_no_part_of_a_limit() -> None:
    kept, client = Kept(), Client()
    list(judge_episodes(judge(client, kept), EPISODES[:3]))
    assert len(kept.outcomes) == 3
    again = Client()
    assert outcomes(judge_episodes(judge(again, kept, spans=3), EPISODES)) == [RowOutcome.JUDGED] * 6
    assert again.asked == client.asked == 6


def test_what_was_accepted_before_an_interruption_is_kept_and_nothing_further_is_asked() -> None:
    class Blocking(Client):
        """Holds the third span's first request back until it is let go."""

        def __init__(self) -> None:
            super().__init__()
            self.let_go = threading.Event()

        def ask(self, request: Request) -> Reply:
            reply = super().ask(request)
            if self.asked > 4:
                self.let_go.wait(30)
            return reply

    class Interrupting(Kept):
        def accepted(self, episode: Episode, outcome: SpanJudgment) -> None:
            kept.accepted(episode, outcome)
            if len(kept.outcomes) == 2:
                raise KeyboardInterrupt

    kept, client = Kept(), Blocking()
    asked = judge(client, kept, parallel=1)
    with pytest.raises(KeyboardInterrupt):
        list(judge_episodes(asked.with_records(Interrupting()), EPISODES))
    assert len(kept.outcomes) == 2
    client.let_go.set()
    assert outcomes(judge_episodes(asked, EPISODES)) == [RowOutcome.JUDGED] * 6
    assert len(kept.outcomes) == 6
    assert client.asked in (12, 13)


def test_an_interruption_does_not_wait_for_a_request_that_is_under_way() -> None:
    class Hanging(Client):
        def __init__(self) -> None:
            super().__init__()
            self.let_go = threading.Event()
            self.entered = threading.Event()

        def ask(self, request: Request) -> Reply:
            self.entered.set()
            self.let_go.wait(30)
            raise Failure(FailureKind.PASSING, "gone")

    client = Hanging()
    run = judge_episodes(judge(client, parallel=2), _interrupted_after(client.entered))
    with pytest.raises(KeyboardInterrupt):
        list(run)
    client.let_go.set()


def _interrupted_after(entered: threading.Event) -> Iterator[Episode]:
    yield EPISODES[0]
    raise KeyboardInterrupt


@contextmanager
def clock_of(seconds: float) -> Iterator[Any]:
    now = [0.0]

    def clock() -> float:
        now[0] += seconds
        return now[0]

    yield clock


def test_progress_tells_rate_calls_cache_cost_and_what_is_left() -> None:
    told: list[str] = []
    with clock_of(10.0) as clock:
        list(judge_episodes(judge(Client(), parallel=1), EPISODES, None, Lines(told.append, 0.0, clock)))
    assert len(told) == 7
    assert "judged 2/6 spans, " in told[1]
    assert "calls a span, 75.0% of input cached, " in told[1]
    assert " USD of about " in told[1]
    assert " left" in told[1]
    assert told[-1].startswith("judged 6/6 spans, ")
    assert "2.00 calls a span" in told[-1]
    assert "0.1200 USD" in told[-1]


def test_progress_says_where_the_price_is_unknown_and_what_was_left_unjudged() -> None:
    told: list[str] = []
    with clock_of(1.0) as clock:
        list(judge_episodes(judge(Client(None), parallel=1, spans=2), EPISODES, None, Lines(told.append, 60.0, clock)))
    (line,) = told
    assert "cost unknown" in line
    assert "the limit of 2 spans is reached, 4 spans are left unjudged" in line


def test_a_judge_all_of_whose_answers_are_recorded_says_nothing() -> None:
    kept, told = Kept(), list[str]()
    list(judge_episodes(judge(Client(), kept), EPISODES))
    with clock_of(100.0) as clock:
        list(judge_episodes(judge(Client(), kept), EPISODES, None, Lines(told.append, 0.0, clock)))
    assert told == []


def test_a_judges_identity_holds_what_shapes_answers_and_no_address_or_key() -> None:
    found = LlmJudge("openai/m", api_base="http://127.0.0.1:1/v1").identity
    assert (found.kind, found.model) == ("llm", "openai/m")
    assert found.settings["temperature"] == "0.0"
    assert found.settings["reasoning_effort"] == "medium"
    assert "127.0.0.1" not in str(found)
    assert not {"seconds", "retries", "parallel"} & set(found.settings)


def test_a_key_among_the_settings_is_refused_with_where_it_belongs() -> None:
    from pytest_memuse.judging.llm import RequestSettings

    with pytest.raises(MemuseError, match="environment variable"):
        RequestSettings(more={"api_key": "sk-1"})


def test_an_endpoint_that_never_answers_is_given_up_and_one_that_answered_once_is_not() -> None:
    class Dead(Client):
        def ask(self, request: Request) -> Reply:
            raise Failure(FailureKind.REFUSED, "nobody is here")

    dead = LlmJudge("openai/scripted", client=Dead(), run=RunLimits(parallel=1))
    found = outcomes(judge_episodes(dead, EPISODES))
    assert found == [RowOutcome.ERROR] * 4 + [RowOutcome.UNJUDGED] * 2
    assert dead.stopped == "the endpoint has answered nothing, and was asked about 4 spans"

    class Tiring(Client):
        def ask(self, request: Request) -> Reply:
            if self.asked == 2:
                raise Failure(FailureKind.REFUSED, "nobody is here any more")
            return super().ask(request)

    tired = LlmJudge("openai/scripted", client=Tiring(), run=RunLimits(parallel=1))
    assert outcomes(judge_episodes(tired, EPISODES)) == [RowOutcome.JUDGED] + [RowOutcome.ERROR] * 5
