"""Judges for the tests of the loop: quick to give up, small where a limit is to be met."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_memuse.judging.answer_checks import AnswerScope
from pytest_memuse.judging.llm import ConversationLimits, LlmJudge, RequestSettings, RunLimits, SpanJudgment
from pytest_memuse.judging.llm.conversation import Subject
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.model import Episode
from pytest_memuse.spans import build_spans, replay_inputs
from tests.judging.evidence_cases import package, simple
from tests.judging.llm.endpoint import Endpoint, Script, reads, served

EPISODE = simple()
PACKAGE = package(EPISODE)
MANDATORY = AnswerScope.of(PACKAGE).mandatory
PRIOR = PACKAGE.prior
STEPS = ("step 2", "step 3")
"""The credit window of the only entry, and what follows it."""

READ = reads(*MANDATORY)
ALL_READ = reads(*dict.fromkeys((*MANDATORY, *PRIOR, *STEPS)))


def judge_at(
    url: str,
    *,
    run: RunLimits | None = None,
    records: Any = None,
    seconds: float = 20.0,
    retries: int = 2,
    **limits: Any,
) -> LlmJudge:
    return LlmJudge(
        "openai/scripted",
        api_base=url,
        limits=ConversationLimits(**limits),
        requests=RequestSettings(seconds=seconds, retries=retries, first_wait=0.01, longest_wait=0.05),
        run=run,
        records=records,
    )


def smallest_context(episode: Episode, **limits: Any) -> int:
    """Return the smallest context in which the last span of an episode can be judged at all."""
    subject = Subject.of("S1", package(episode), read_rubric(), ConversationLimits(**limits))
    return subject.mandatory + subject.limits.context - subject.budget


def outcome_of(judge: LlmJudge, episode: Episode = EPISODE) -> SpanJudgment:
    """Return what became of an episode's last span."""
    replayed = replay_inputs(episode)
    spans = build_spans(replayed)
    found = judge.outcome(replayed, spans, spans[-1])
    assert found is not None
    return found


@contextmanager
def judged(script: Script, episode: Episode = EPISODE, **options: Any) -> Iterator[tuple[SpanJudgment, Endpoint]]:
    """Give what became of an episode's last span under a script, and what the endpoint was asked."""
    with served(script) as endpoint:
        yield outcome_of(judge_at(endpoint.url, **options), episode), endpoint


def roles(found: SpanJudgment) -> str:
    """Return the first letters of the roles of a conversation, the opening left out."""
    return "".join(str(message["role"])[0] for message in found.messages[3:])


def violations(found: SpanJudgment) -> list[list[str]]:
    """Return the codes of the violations of each answer."""
    return [[violation.code.value for violation in attempt.violations] for attempt in found.attempts]
