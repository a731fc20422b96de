"""An accepted answer as it is kept: without its messages, which stand elsewhere, once each, under their digests."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from pytest_memuse.judging.answers import JudgeIdentity
from pytest_memuse.judging.llm.outcome import Message, SpanJudgment
from pytest_memuse.model.digests import canonical_json, text_digest
from pytest_memuse.model.json_text import json_line, parse_object


class FileKind(StrEnum):
    """What a file of records holds."""

    JUDGMENTS = "judgments"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file."""

    kind: FileKind
    arc: str
    judge: JudgeIdentity


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An accepted answer as it stands in the records.

    ``outcome`` has no messages: ``messages`` holds the digests of the conversation's, ``dropped`` those of each
    rollback's, in order.
    """

    episode: str
    outcome: SpanJudgment
    messages: tuple[str, ...]
    dropped: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, episode: str, outcome: SpanJudgment) -> "KeptAnswer":
        """Return an accepted outcome, whose messages are given, as it is kept."""
        return cls(
            episode,
            without_messages(outcome),
            tuple(map(message_digest, outcome.messages)),
            tuple(tuple(map(message_digest, rollback.messages)) for rollback in outcome.rollbacks),
        )

    @property
    def digests(self) -> tuple[str, ...]:
        """The digests of all messages, each once."""
        return tuple(dict.fromkeys((*self.messages, *(digest for each in self.dropped for digest in each))))

    def for_span(self, span: str) -> "KeptAnswer":
        """Return the answer under the identifier that its span has now."""
        outcome = self.outcome
        if outcome.span == span or outcome.judgment is None:
            return self
        return replace(self, outcome=replace(outcome, span=span, judgment=replace(outcome.judgment, span=span)))

    def whole(self, messages: Mapping[str, Message]) -> SpanJudgment:
        """Return the outcome with its messages, given by their digests."""
        outcome = self.outcome
        rollbacks = tuple(
            replace(rollback, messages=tuple(messages[digest] for digest in digests))
            for rollback, digests in zip(outcome.rollbacks, self.dropped, strict=True)
        )
        return replace(outcome, messages=tuple(messages[digest] for digest in self.messages), rollbacks=rollbacks)


def without_messages(outcome: SpanJudgment) -> SpanJudgment:
    """Return an outcome as it is found in records: without its messages."""
    return replace(outcome, messages=(), rollbacks=tuple(replace(each, messages=()) for each in outcome.rollbacks))


def message_digest(message: Message) -> str:
    """Return the digest under which a message is kept."""
    return text_digest(message_text(message))


def message_text(message: Message) -> str:
    """Return the one text of a message, which reads back as a message of the same text."""
    text = json_line(dict(message))
    # Two halves of a character in a row are read back as the character that they make.
    return (json_line(parse_object(text)) if "\\ud" in text else text)[:-1]


def identity_digest(identity: JudgeIdentity) -> str:
    """Return the digest of a judge's identity."""
    return text_digest(canonical_json(identity.to_data()))
