"""What became of one span's conversation with a judge, as values and as plain data (MemUse A.3.2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any

from pytest_memuse.judging.answers import Judgment
from pytest_memuse.judging.evidence.ledger import Range
from pytest_memuse.judging.violations import Violation
from pytest_memuse.model import MemuseError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

Message = Mapping[str, Any]
"""A message in the form in which Chat Completions APIs take it, plain JSON data."""


class ErrorReason(StrEnum):
    """Why a span has no accepted answer.

    *evidence*: the recording does not give what a judge needs. *preflight*: prompts, schemas and mandatory evidence do
    not fit the input budget, so that nothing was asked. *follow-ups*, *calls*, *context*: that limit was reached and
    the last answer was not accepted. *request*: the endpoint gave no answer, retries included.
    """

    EVIDENCE = "evidence"
    PREFLIGHT = "preflight"
    FOLLOW_UPS = "follow-ups"
    CALLS = "calls"
    CONTEXT = "context"
    REQUEST = "request"


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls used as their provider reports it; None is unknown and stays so in every sum.

    ``input`` counts all input tokens, ``cached`` those of them that a prompt cache served. ``cost`` is in US dollars.
    """

    calls: int = 0
    input: int | None = 0
    cached: int | None = 0
    output: int | None = 0
    cost: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            None if self.input is None or other.input is None else self.input + other.input,
            None if self.cached is None or other.cached is None else self.cached + other.cached,
            None if self.output is None or other.output is None else self.output + other.output,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
        )


def total(usages: Iterable[Usage]) -> Usage:
    """Return the sum of usages."""
    return sum(usages, Usage())


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer: the call that gave it, counted from 1, and what its checks found; accepted where they found nothing.

    ``signals`` holds the values by entry and signal as far as the answer had the right form.
    """

    call: int
    violations: tuple[Violation, ...] = ()
    forced: bool = False
    signals: Mapping[str, Mapping[str, bool | str | None]] | None = None

    @property
    def accepted(self) -> bool:
        """Whether the answer entered the results."""
        return not self.violations


@dataclass(frozen=True, slots=True)
class Rollback:
    """A round that did not fit the input budget: the call that began it, and the messages that were dropped.

    ``size`` is the context that it would have made, in tokens. ``refused`` says that it was estimated to fit, and that
    the endpoint refused the next request as too long.
    """

    call: int
    size: int
    messages: tuple[Message, ...] = ()
    refused: bool = False


@dataclass(frozen=True, slots=True)
class SpanJudgment:
    """One span's conversation and what it came to: a judgment, or an error with its reason.

    ``evidence`` is the digest of the evidence package, empty where none could be built. ``messages`` is the whole
    conversation as it stood at its end, the last answer included; what was dropped from it is in ``rollbacks``.
    ``reads`` are the character ranges that count as read, by record. ``calls`` holds the usage of each call that was
    answered, in order. ``problem`` is the error as a sentence. ``forced`` says that the last answer was asked for
    without tools, ``corrected`` counts the effects without an action in the accepted answer.
    """

    span: str
    evidence: str
    judgment: Judgment | None = None
    error: ErrorReason | None = None
    problem: str = ""
    messages: tuple[Message, ...] = ()
    reads: Mapping[str, tuple[Range, ...]] | None = None
    attempts: tuple[Attempt, ...] = ()
    rollbacks: tuple[Rollback, ...] = ()
    calls: tuple[Usage, ...] = ()
    forced: bool = False
    corrected: int = 0

    @property
    def usage(self) -> Usage:
        """What the conversation used in all."""
        return total(self.calls)

    @property
    def accepted(self) -> bool:
        """Whether the span has an accepted answer."""
        return self.judgment is not None


def span_judgment_to_data(outcome: SpanJudgment) -> dict[str, Any]:
    """Return an outcome as plain JSON data, the same for equal outcomes."""
    data: dict[str, Any] = _adapter().dump_python(outcome, mode="json")
    if outcome.judgment is not None:
        data["judgment"]["determines"] = sorted(outcome.judgment.determines)
    return data


def span_judgment_from_data(data: Any) -> SpanJudgment:
    """Return the outcome of plain data. Raises `MemuseError` that names the first field which is not of its form."""
    from pydantic import ValidationError

    try:
        return _adapter().validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise MemuseError(f"no judgment of a span: {where}: {first['msg']}", reason="judgment") from None


@cache
def _adapter() -> "TypeAdapter[SpanJudgment]":
    from pydantic import TypeAdapter

    return TypeAdapter(SpanJudgment)


def assistant_messages(outcome: SpanJudgment) -> Sequence[Message]:
    """Return what the judge's model said, one message a call, in the order of the calls, dropped ones included."""
    said = [message for message in outcome.messages if message.get("role") == "assistant"]
    # The last round is dropped first: calls come in another order than rollbacks.
    for rollback in sorted(outcome.rollbacks, key=lambda rollback: rollback.call):
        dropped = [message for message in rollback.messages if message.get("role") == "assistant"]
        said[rollback.call - 1 : rollback.call - 1] = dropped
    return said
