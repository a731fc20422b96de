"""The judge that asks a language model and checks what it answers (MemUse 3.4, 3.5, A.2, A.3)."""

import json
import threading
from collections.abc import Iterable, Iterator
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
from pytest_memuse.judging.llm.spending import Spending
from pytest_memuse.judging.rubric import read_rubric
from pytest_memuse.judging.run import JudgedSpans, Lines
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
        self._limits = limits or ConversationLimits()
        self._requests = requests or RequestSettings()
        self._reference = reference
        self._client = client or LiteLLMClient(model, api_base, self._requests)
        self._rubric = read_rubric()
        self._lock = threading.Lock()
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
    def stopped(self) -> str:
        """Why further spans are left unjudged; empty where none is."""
        return self._policy.spending.stopped

    def with_records(self, records: Records | None) -> "LlmJudge":
        """Return this judge with answers kept elsewhere; limits go on counting what both use."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._policy = replace(self._policy, records=records)
        return other

    def judged_episodes(
        self, episodes: Iterable[Episode], lines: Lines | None = None
    ) -> Iterator[tuple[Episode, JudgedSpans]]:
        """Yield each episode with its judged spans, several spans asked about at a time (`RunPolicy.episodes`)."""
        return self._policy.episodes(episodes, lines)

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
        found = records.find(span.id, package) if records is not None else None
        return found if found is not None else self._policy.span(span.id, package, threading.Event())

    def _package(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> EvidencePackage:
        with self._lock:
            if self._case is None or self._case[0] is not episode or self._case[1] is not spans:
                self._case = episode, spans, EpisodeCase(episode, spans, reference=self._reference)
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
        return conversation.failed(ErrorReason.REQUEST, str(failure))

    def _ask(self, request: Request, left: threading.Event) -> Reply:
        if left.is_set():
            raise _Left
        return self._client.ask(request)


def _wait(left: threading.Event, seconds: float) -> None:
    if left.wait(seconds):
        raise _Left
