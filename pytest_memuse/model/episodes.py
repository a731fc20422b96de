"""Episodes: one run of the agent on a task, as the rooms after the recording see it (MemUse 3.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pytest_memuse.model.memory import Delivery, Operation
from pytest_memuse.model.messages import Message

LOST = ""
"""Stands in an input for a message that the recording lost and whose position is known; no message has this digest."""


class Actor(StrEnum):
    """Who made a model call; only the agent's calls are steps (A.1.1, role bindings)."""

    AGENT = "agent"
    MEMORY = "memory"
    EMBEDDING = "embedding"


@dataclass(frozen=True, slots=True)
class ReferenceFact:
    """A fact that the task's author knows to be true of it (the paper's reference-solution mode).

    ``subject`` is what the fact is about, ``value`` what holds when the task is run, ``superseded`` earlier values.
    """

    subject: str
    value: str
    superseded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """What the agent was asked to do. ``digest`` identifies its text and references for matching with a baseline."""

    id: str
    text: str
    references: tuple[ReferenceFact, ...] = ()
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that the provider reported; None is unknown, never zero.

    Cached tokens are a subset of the input, reasoning tokens one of the output (A.4.4).
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded model call. ``input`` and ``response`` are digests into the episode's messages.

    An ``input`` without messages was not recorded exactly; the episode's history may still give it. ``gap`` is set
    where the recording lost part of the input; `LOST` then holds the place of a message that is gone.
    ``completed`` is False where no response came.
    ``cost`` is in US dollars as the provider reported it, None where it did not.
    """

    id: str
    actor: Actor
    input: tuple[str, ...] = ()
    response: str | None = None
    completed: bool = True
    gap: bool = False
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of one tool call of a step: the message that carries it, and whether the tool reported failure."""

    tool_call_id: str
    message: str
    failed: bool | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One completed agent call with its input, response and tool results. ``number`` counts from 1."""

    number: int
    call: Call
    results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the task succeeded; None where no check came to a result."""

    success: bool | None
    detail: str = ""


class HistoryKind(StrEnum):
    """How messages came into the visible history, and how they left it (A.1.3)."""

    APPEND = "append"
    RETRACTION = "retraction"
    REWRITE = "rewrite"


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """A change of the visible history before the call ``before``; an episode holds them in recorded order.

    ``kept`` counts the messages that stand before the change's place. An append puts ``messages`` (digests) behind
    them; one without messages says that the call read the history as it stands. A retraction removes what stands
    behind them, a rewrite puts ``messages`` in its place; both may name in ``removed`` what is gone.

    An episode with any append holds its whole history, so that a call's input follows from it even where the call
    carries no exact request; one without holds only what changed between exact requests.
    """

    kind: HistoryKind
    before: str
    kept: int
    removed: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode, whole: steps in order, deliveries in recorded order, operations, calls of the memory system.

    ``failed_calls`` are agent calls that completed no step; ``history`` holds appends, retractions and rewrites.

    ``messages`` resolves every digest that steps, calls and results name. ``position`` counts the episodes of the arc
    from 0. ``task`` is None where the recording does not hold it. ``resolved`` is False where the episode's boundaries
    or assignment could not be established (A.1.3).
    """

    id: str
    steps: tuple[Step, ...]
    deliveries: tuple[Delivery, ...]
    messages: Mapping[str, Message]
    task: Task | None = None
    arc: str = ""
    suite: str = ""
    scope: str = ""
    position: int = 0
    operations: tuple[Operation, ...] = ()
    memory_calls: tuple[Call, ...] = ()
    failed_calls: tuple[Call, ...] = ()
    history: tuple[HistoryChange, ...] = ()
    outcome: Outcome | None = None
    resolved: bool = True

    @property
    def last_step(self) -> int:
        """Number of the final step, 0 where no step completed."""
        return self.steps[-1].number if self.steps else 0

    def step_of_call(self, call: str | None) -> int | None:
        """Return the number of the step that a call completed, None where it completed none."""
        if call is None:
            return None
        return next((s.number for s in self.steps if s.call.id == call), None)

    def input_of(self, step: int) -> tuple[Message, ...]:
        """Return the messages of a step's input, in order."""
        return tuple(self.messages[d] for d in self.steps[step - 1].call.input)


@dataclass(frozen=True, slots=True)
class EventLog:
    """A log, whole: its episodes in order, and what answered as the agent's model when they were recorded.

    ``outside`` are deliveries outside every recorded episode: nobody is known to have read them, and they cost what
    they cost (A.4.2).
    """

    episodes: tuple[Episode, ...]
    suite: str = ""
    recorded_against: str = ""
    outside: tuple[Delivery, ...] = ()
