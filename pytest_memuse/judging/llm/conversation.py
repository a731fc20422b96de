"""One span's conversation as a state machine: rounds, checks, limits, rollback, forced answer (MemUse A.3.2).

A state is a value. It says what to ask next and takes the reply, and asks nobody itself, so that a recorded
conversation goes through the same states as a live one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_memuse.judging.answer_checks import AnswerScope, Examined, coverage, examine
from pytest_memuse.judging.answer_schema import response_format
from pytest_memuse.judging.evidence import PAGE, EvidencePackage, ReadLedger, call_tool, tool_schemas
from pytest_memuse.judging.evidence.rendering import rendered_line
from pytest_memuse.judging.judgments import effects_without_action, judgment_of
from pytest_memuse.judging.llm.outcome import Attempt, ErrorReason, Message, Rollback, SpanJudgment, Usage
from pytest_memuse.judging.llm.settings import ConversationLimits
from pytest_memuse.judging.llm.sizes import json_tokens, message_tokens, reported_input, reported_output, text_tokens
from pytest_memuse.judging.prompt import FORCED_ANSWER, opening_messages
from pytest_memuse.judging.rubric import Rubric
from pytest_memuse.judging.violations import codes, feedback

_OF_A_PAGE = 80
"""Tokens of the call that asks for a page and of the line before it."""

_LEAST_PAGE = PAGE - 8
"""Characters that a page has at least: one ends before an escape that it would split."""


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


_FORCING = message_tokens([_user(FORCED_ANSWER)])


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered: its message as the next request is to hold it, and what the call used."""

    message: Message
    usage: Usage


@dataclass(frozen=True, slots=True)
class Request:
    """What to ask: the messages, and whether tools are offered. ``entries`` are those that the answer must assess."""

    messages: tuple[Message, ...]
    tools: bool
    entries: tuple[str, ...]
    note_length: int
    longest: int
    """Tokens that the answer may have."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What does not change during a conversation. ``schemas`` are the tokens of tools and answer format."""

    span: str
    package: EvidencePackage
    scope: AnswerScope
    opening: tuple[Message, ...]
    limits: ConversationLimits
    schemas: int

    @classmethod
    def of(cls, span: str, package: EvidencePackage, rubric: Rubric, limits: ConversationLimits) -> "Subject":
        """Return the subject of the conversation about a span."""
        scope = AnswerScope.of(package)
        schema = response_format(tuple(scope.windows), note_length=limits.note_length)
        schemas = json_tokens(tool_schemas()) + json_tokens(schema)
        return cls(span, package, scope, tuple(opening_messages(rubric, package)), limits, schemas)

    @property
    def budget(self) -> int:
        """The tokens that messages and schemas may have: the context without what is kept free."""
        limits = self.limits
        return limits.context - limits.overhead - limits.output - _FORCING

    @property
    def mandatory(self) -> int:
        """The tokens of what every conversation holds: opening, schemas, and what every answer must have read."""
        texts = [self.package.text(name) or "" for name in self.scope.mandatory]
        reads = sum(text_tokens(text) + _OF_A_PAGE * -(-len(text) // _LEAST_PAGE) for text in texts)
        return message_tokens(self.opening) + self.schemas + reads


@dataclass(frozen=True, slots=True)
class _Before:
    """How things stood before a round: so many messages, what was read, the round's call, and its context."""

    messages: int
    ledger: ReadLedger
    call: int
    size: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """A state of a conversation. It has ended where ``outcome`` is set.

    ``size`` is the context of the next request in tokens. ``forced`` is why no tools are offered any more, if so.
    """

    subject: Subject
    messages: tuple[Message, ...]
    size: int
    ledger: ReadLedger = field(default_factory=ReadLedger)
    rounds: tuple[_Before, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    rollbacks: tuple[Rollback, ...] = ()
    calls: tuple[Usage, ...] = ()
    forced: ErrorReason | None = None
    outcome: SpanJudgment | None = None

    @classmethod
    def begin(cls, subject: Subject) -> "Conversation":
        """Return the first state: it has ended where what is mandatory does not fit the input budget (preflight)."""
        size = message_tokens(subject.opening) + subject.schemas
        state = cls(subject, subject.opening, size)
        if (needed := subject.mandatory) <= subject.budget:
            return state
        return state.failed(
            ErrorReason.PREFLIGHT,
            f"prompts, schemas and mandatory evidence have about {needed} tokens; the input budget is {subject.budget} "
            f"of a context of {subject.limits.context}",
        )

    @property
    def request(self) -> Request:
        """What to ask next."""
        limits = self.subject.limits
        entries = tuple(self.subject.scope.windows)
        return Request(self.messages, self.forced is None, entries, limits.note_length, limits.output)

    def after(self, reply: Reply) -> "Conversation":
        """Return the state after an answered call."""
        said = message_tokens([reply.message])
        before = reported_input(reply.usage, self.size)
        mark = _Before(len(self.messages), self.ledger, len(self.calls) + 1, before)
        state = replace(
            self,
            messages=(*self.messages, reply.message),
            size=before + reported_output(reply.usage, said),
            rounds=(*self.rounds, mark),
            calls=(*self.calls, reply.usage),
        )
        calls = list(_tool_calls(reply.message))
        return state._read(calls) if calls and self.forced is None else state._answered(_text(reply.message))

    def refused(self) -> "Conversation":
        """Return the state after the endpoint refused a request as too long for the model's context.

        The last round is rolled back and the answer is asked for; where there is none left, the span is an error.
        """
        if not self.rounds:
            sentence = "the endpoint refused the opening messages as too long; state the model's context as a limit"
            return self.failed(ErrorReason.CONTEXT, sentence)
        return self._rolled_back(refused=True)

    def failed(self, reason: ErrorReason, sentence: str) -> "Conversation":
        """Return the last state of a conversation that comes to no accepted answer."""
        record = replace(self._record(), error=reason, problem=sentence)
        return replace(self, outcome=record if reason is not ErrorReason.PREFLIGHT else replace(record, messages=()))

    def _read(self, calls: list[tuple[str, str, str]]) -> "Conversation":
        """Carry out the calls of a round."""
        ledger, answers = self.ledger, []
        for number, (identifier, tool, arguments) in enumerate(calls):
            if number < self.subject.limits.tools:
                answer = call_tool(self.subject.package, ledger, tool, arguments)
                ledger, text = answer.ledger, answer.text
            else:
                most = self.subject.limits.tools
                text = rendered_line({"error": f"not carried out: a round may have {most} calls; send it again"})
            answers.append({"role": "tool", "tool_call_id": identifier, "content": text})
        return replace(self, ledger=ledger)._with(*answers)._went_on()

    def _answered(self, text: str) -> "Conversation":
        read = coverage(self.subject.package, self.ledger)
        examined = examine(text, self.subject.scope, read)
        attempt = Attempt(len(self.calls), examined.violations, self.forced is not None, _signals(examined))
        state = replace(self, attempts=(*self.attempts, attempt))
        if examined.accepted:
            judgment = judgment_of(self.subject.span, examined, self.subject.scope, read)
            corrected = effects_without_action(examined)
            return replace(state, outcome=replace(state._record(), judgment=judgment, corrected=corrected))
        rejected = ", ".join(codes(examined.violations))
        if len(self.calls) >= self.subject.limits.calls:
            sentence = f"the limit of {self.subject.limits.calls} calls is reached; the last answer had: {rejected}"
            return state.failed(ErrorReason.CALLS, sentence)
        if len(state.attempts) > self.subject.limits.follow_ups:
            sentence = f"{len(state.attempts)} answers were not accepted; the last one had: {rejected}"
            return state.failed(ErrorReason.FOLLOW_UPS, sentence)
        told = feedback(examined.violations)
        if self.forced is None:
            return state._with(_user(told))._went_on()
        followed = state._with(_user(f"{told}\n\n{FORCED_ANSWER}"))
        if followed.size <= self.subject.budget + _FORCING:
            return followed
        sentence = f"the context is used up; the forced answer had: {rejected}"
        return state.failed(ErrorReason.CONTEXT, sentence)

    def _went_on(self) -> "Conversation":
        """Return the state after a round that ended in messages of ours: rolled back or forced, where that is due."""
        if self.size > self.subject.budget:
            return self._rolled_back()
        if len(self.calls) >= self.subject.limits.calls - 1:
            return self._forced(ErrorReason.CALLS)
        return self

    def _rolled_back(self, *, refused: bool = False) -> "Conversation":
        before = self.rounds[-1]
        rollback = Rollback(before.call, self.size, self.messages[before.messages :], refused)
        state = replace(
            self,
            messages=self.messages[: before.messages],
            size=before.size,
            ledger=before.ledger,
            rounds=self.rounds[:-1],
            rollbacks=(*self.rollbacks, rollback),
        )
        return state._forced(ErrorReason.CONTEXT)

    def _forced(self, why: ErrorReason) -> "Conversation":
        """Ask for the answer, in one message with feedback of ours: some APIs want the roles to alternate."""
        *before, last = self.messages
        if len(before) < len(self.subject.opening) or last["role"] != "user":
            return replace(self._with(_user(FORCED_ANSWER)), forced=why)
        if last["content"].endswith(FORCED_ANSWER):
            return replace(self, forced=why)
        whole = _user(last["content"] + "\n\n" + FORCED_ANSWER)
        return replace(self, messages=(*before, whole), size=self.size + _FORCING, forced=why)

    def _with(self, *messages: Message) -> "Conversation":
        return replace(self, messages=(*self.messages, *messages), size=self.size + message_tokens(messages))

    def _record(self) -> SpanJudgment:
        return SpanJudgment(
            span=self.subject.span,
            evidence=self.subject.package.digest,
            messages=self.messages,
            reads=self.ledger.read,
            attempts=self.attempts,
            rollbacks=self.rollbacks,
            calls=self.calls,
            forced=self.forced is not None,
        )


def _text(message: Message) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _tool_calls(message: Message) -> Iterator[tuple[str, str, str]]:
    """Yield identifier, tool and arguments of each call; `Reply` holds them in the form of Chat Completions."""
    for call in message.get("tool_calls") or ():
        yield call["id"], call["function"]["name"], call["function"]["arguments"]


def _signals(examined: Examined) -> dict[str, dict[str, bool | str | None]] | None:
    if not examined.answer.entries:
        return None
    return {
        entry.id: {
            "relevance": entry.relevance,
            "accuracy": entry.accuracy,
            "novelty": entry.novelty,
            "influence": entry.influence,
            "effect": entry.effect,
        }
        for entry in examined.answer.entries
    }
