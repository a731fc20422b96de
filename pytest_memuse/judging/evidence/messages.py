"""The messages of an episode under names of their own, in order of their first appearance."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_memuse.judging.evidence.types import MESSAGE
from pytest_memuse.model import Episode, Message


@dataclass(frozen=True, slots=True)
class Known:
    """A message's number, the step by which it was there, and what made it.

    ``arrived`` is the first step whose input shows the message, for a response or a result that no input shows the
    step that it belongs to. ``made_by`` is the step whose response or result it is, None for a host's or a user's.
    """

    number: int
    arrived: int
    made_by: int | None

    @property
    def name(self) -> str:
        """The name of the message's record."""
        return f"{MESSAGE}{self.number}"


@dataclass(frozen=True, slots=True)
class StepInput:
    """How a step's input differs from that of the step before: digests that are new in it, and those that left it."""

    size: int
    new: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MessageBook:
    """Every recorded message by its digest, and each step's input as a difference."""

    known: dict[str, Known]
    inputs: tuple[StepInput, ...]

    def numbers(self, digests: Sequence[str]) -> list[int]:
        """Return the numbers of messages in order; those that the recording lost are left out."""
        return sorted(self.known[digest].number for digest in digests if digest in self.known)


def message_book(episode: Episode) -> MessageBook:
    """Return the messages of an episode; work and memory grow with what changes from input to input.

    A harness may put a response back into the input in a form of its own. It is known again by its words or by the
    identifiers of its tool calls, as a result is by the call that it answers.
    """
    known: dict[str, Known] = {}
    inputs: list[StepInput] = []
    before: tuple[str, ...] = ()
    standing: set[str] = set()
    made: dict[tuple[str, str], int] = {}

    def add(digest: str | None, step: int, made_by: int | None) -> None:
        message = episode.messages.get(digest or "")
        if digest is None or message is None or digest in known:
            return
        marks = signs(message)
        if made_by is None:
            made_by = next((made[sign] for sign in marks if sign in made), None)
        else:
            made.update((sign, made_by) for sign in marks)
        known[digest] = Known(len(known) + 1, step, made_by)

    for step in episode.steps:
        current = step.call.input
        extends = current[: len(before)] == before
        fresh = current[len(before) :] if extends else current
        new = tuple(dict.fromkeys(digest for digest in fresh if digest not in standing))
        gone: tuple[str, ...] = ()
        if extends:
            standing.update(new)
        else:
            standing = set(current)
            gone = tuple(dict.fromkeys(digest for digest in before if digest not in standing))
        inputs.append(StepInput(len(current), new, gone))
        before = current
        for digest in new:
            add(digest, step.number, None)
        add(step.call.response, step.number, step.number)
        for result in step.results:
            add(result.message, step.number, step.number)
    return MessageBook(known, tuple(inputs))


def signs(message: Message) -> tuple[tuple[str, str], ...]:
    """Return what a response or result is known again by, whatever form a harness gives it."""
    if message.role == "tool":
        return () if message.tool_call_id is None else (("result", message.tool_call_id),)
    if message.role != "assistant":
        return ()
    said = (("said", message.text),) if message.text else ()
    return (*said, *(("call", call.id) for call in message.tool_calls))
