"""What an observer is given, and what it gives: the annotations that a bridge would have made (MemUse A.1.1)."""

from dataclasses import dataclass
from typing import Protocol

from pytest_memuse.model import Message
from pytest_memuse.recording.captures import ItemText
from pytest_memuse.recording.dialects import ReadCall
from pytest_memuse.recording.recording import DeliveryNote, Exchange, MemoryOperation


@dataclass(frozen=True, slots=True)
class SeenMessage:
    """A message of a request: its JSON pointer there, and whether the agent's call before did not hold it yet."""

    pointer: str
    message: Message
    new: bool


@dataclass(frozen=True, slots=True)
class SeenCall:
    """An agent call that was answered, and the versions of stored items that its request may show.

    ``stored`` comes from what was known when it was made and from the first capture of each store after it. It is empty
    where nothing is known of any store.
    """

    exchange: Exchange
    read: ReadCall
    messages: tuple[SeenMessage, ...]
    stored: tuple[ItemText, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenEpisode:
    """The agent calls of one episode, in order."""

    scope: str
    calls: tuple[SeenCall, ...]


@dataclass(frozen=True, slots=True)
class Observed:
    """One delivery that an observer found, with the search that gave it, where it was one.

    The note names its exchange, pointer and digest; the numbers of note and search are given when they are taken up.
    """

    note: DeliveryNote
    search: MemoryOperation | None = None


class Observer(Protocol):
    """A pure function of an episode's calls, with settings that are plain data."""

    def observe(self, episode: SeenEpisode) -> tuple[Observed, ...]:
        """Return the deliveries of an episode, in order."""
