"""The judge that asks a language model and checks what it answers (MemUse 3.4, 3.5, A.2, A.3)."""

import json
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Protocol

from pytest_memuse.judging.answers import JudgeIdentity, Judgment
from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
from pytest_memuse.judging.llm.client import LiteLLMClient
from pytest_memuse.judging.llm.conversation import Conversation, Reply, Request, Subject
from pytest_memuse.judging.llm.failures import Failure, FailureKind, with_retries
from pytest_memuse.judging.llm.outcome import ErrorReason, SpanJudgment, Usage
from pytest_memuse.judging.llm.run_policy import Records, RunPolicy
from pytest_memuse.judging.llm.settings import ConversationLimits, RequestSettings, RunLimits, as_texts
from pytest_memuse.judging.llm.spending import Spending, Spent
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.judging.run import Asked, Judged, Lines
from pytest_memuse.model import Episode, MemuseError
from pytest_memuse.spans import Span

_SHAPING = ("temperature", "reasoning_effort", "schema", "bounded")
"""Settings of requests that shape answers; timeouts and retries do not."""


class Client(Protocol):
    """Sends one request and returns its reply, or raises `Failure`. Serves several threads."""

    def ask(self, request: Request) -> Reply: ...


class _Left(Exception):
    """The run is being stopped: a conversation is left where it stands."""


class LlmJudge:
    """Judges spans by conversations with a model; all five signals are determined.

    ``model`` is a LiteLLM name (``openai/gpt-5-mini``, ``anthropic/...``), ``api_base`` the address of an
    OpenAI-compatible endpoint, None for the provider's own. The key stays in the environment. ``limits`` bounds each
    conversation, ``requests`` says how requests are sent, ``run`` bounds everything together, for the life of the
    judge. ``reference`` says whether the task's reference facts are part of the evidence. ``records`` keeps accepted
    answers and gives them back; ``client`` stands for LiteLLM, which is imported when a span is asked about.
    """

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        limits: ConversationLimits | None = None,
        requests: RequestSettings | None = None,
        run: RunLimits | None = None,
        reference: bool = True,
        records: Records | None = None,
        client: Client | None = None,
    ) -> None:
        if not isinstance(model, str) or not model.strip():
            raise MemuseError("a judge needs a model", reason="judge", mend='name one: LlmJudge("openai/gpt-5-mini")')
        self._model = model
        self._api_base = api_base
        self._limits = limits or ConversationLimits()
        self._requests = requests or RequestSettings()
        self._reference = reference
        self._client = client or LiteLLMClient(model, api_base, self._requests)
        self._rubric = read_rubric()
        self._lock = threading.Lock()
        self._silent = ""
        self._case: tuple[Episode, tuple[Span, ...], EpisodeCase] | None = None
        run = run or RunLimits()
        self._policy = RunPolicy(self._converse, run, Spending(run), records, reference)

    @property
    def identity(self) -> JudgeIdentity:
        """What shapes the answers: model, rubric version, limits of a conversation, sampling."""
        settings = as_texts(self._limits)
        settings |= {name: text for name, text in as_texts(self._requests).items() if name in _SHAPING}
        settings["reference"] = str(self._reference)
        if self._requests.more:
            settings["more"] = json.dumps(dict(self._requests.more), sort_keys=True, default=str)
        return JudgeIdentity("llm", self._rubric.version, self._model, settings)

    @property
    def usage(self) -> Usage:
        """What the judge has used since it was made."""
        return self._policy.spending.usage

    @property
    def spent(self) -> Spent:
        """What the judge has used since it was made, and for how many spans."""
        return self._policy.spending.spent

    @property
    def stopped(self) -> str:
        """Why further spans are left unjudged; empty where none is."""
        return self._silent or self._policy.spending.stopped

    @property
    def run_limits(self) -> RunLimits:
        """What bounds the judge as a whole."""
        return self._policy.limits

    @property
    def records(self) -> Records | None:
        """Where accepted answers are kept; None where they are not."""
        return self._policy.records

    def with_records(self, records: Records | None) -> "LlmJudge":
        """Return this judge with answers kept elsewhere; limits go on counting what both use."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        # The copy's own conversations: what it was told not to do, the one before may do.
        other._policy = replace(self._policy, records=records, converse=other._converse)
        return other

    def without_asking(self, why: str) -> "LlmJudge":
        """Return this judge as one that takes answers from its records alone; ``why`` says it of the spans it leaves.

        Whatever can be said of a span without asking is still said: that its evidence does not fit, for instance.
        """
        other = self.with_records(self.records)
        other._silent = why
        return other

    def replayed(self, package: EvidencePackage, outcome: SpanJudgment) -> SpanJudgment:
        """Return what a recorded conversation comes to under this judge's rubric and limits, asking nobody.

        Raises `MemuseError` where it does not fit the evidence.
        """
        from pytest_memuse.judging.llm.replaying import replayed

        return replayed(outcome, package, self._rubric, self._limits)

    def check_access(self) -> None:
        """Raise `MemuseError` where LiteLLM, which this imports, can tell that the model cannot be asked.

        A provider that nobody knows, or one whose key the environment lacks; the message names the variable.
        """
        from pytest_memuse.judging.llm.provider import check_access

        check_access(self._model, self._api_base)

    def case(self, episode: Episode, spans: Sequence[Span]) -> EpisodeCase:
        """Return the evidence of an episode, its inputs replayed, as this judge is shown it."""
        return EpisodeCase(episode, spans, reference=self._reference)

    def judged_episodes(
        self,
        episodes: Iterable[Episode],
        lines: Lines | None = None,
        executor: Executor | None = None,
        asked: Asked | None = None,
    ) -> Judged:
        """Yield each episode with its judged spans, several spans asked about at a time (`RunPolicy.episodes`).

        Requests are sent by threads of its own, never by the executor.
        """
        return self._policy.episodes(episodes, lines, asked)

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment | None:
        """Return the judgment of one span, None for an error; an unjudged span cannot be told from one here."""
        outcome = self.outcome(episode, spans, span)
        return None if outcome is None else outcome.judgment

    def outcome(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> SpanJudgment | None:
        """Return what became of one span, from the records where they have it; None leaves it unjudged."""
        try:
            package = self._package(episode, spans, span)
        except MemuseError as error:
            return SpanJudgment(span.id, "", error=ErrorReason.EVIDENCE, problem=str(error))
        records = self._policy.records
        found = records.find(episode, span.id, package) if records is not None else None
        if found is not None:
            self._policy.spending.done(asked=False)
            return found
        return self._policy.span(episode, span.id, package, threading.Event())

    def _package(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> EvidencePackage:
        with self._lock:
            if self._case is None or self._case[0] is not episode or self._case[1] is not spans:
                self._case = episode, spans, self.case(episode, spans)
            return self._case[2].package(span)

    def _converse(self, span: str, package: EvidencePackage, left: threading.Event) -> SpanJudgment | None:
        conversation = Conversation.begin(Subject.of(span, package, self._rubric, self._limits))
        while conversation.outcome is None:
            try:
                reply = with_retries(
                    partial(self._ask, conversation.request, left), self._requests, partial(_wait, left)
                )
            except _Left:
                return None
            except Failure as failure:
                conversation = self._after(conversation, failure)
            else:
                self._policy.spending.count(reply.usage)
                conversation = conversation.after(reply)
        return conversation.outcome

    def _after(self, conversation: Conversation, failure: Failure) -> Conversation:
        if failure.kind is FailureKind.TOO_LONG:
            return conversation.refused()
        if failure.kind is FailureKind.UNAUTHORISED:
            self._policy.spending.stop("the endpoint refuses the key")
        self._policy.spending.unanswered()
        return conversation.failed(ErrorReason.REQUEST, str(failure))

    def _ask(self, request: Request, left: threading.Event) -> Reply:
        if left.is_set() or self._silent:
            raise _Left
        return self._client.ask(request)


def _wait(left: threading.Event, seconds: float) -> None:
    if left.wait(seconds):
        raise _Left
