"""A recording of one arc: the raw exchanges at the model-API boundary and the bridge's annotations, in order.

The event log is derived from it when it is read; nothing of what is derived is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.model import Actor

RECORDING_VERSION = 1
"""Version of the recording's format."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP exchange. ``actor`` is None where it is no model call. Bodies are JSON values, or text.

    ``number`` counts the exchanges of the recording from 1; a response that is no JSON is kept as text.
    """

    number: int
    actor: Actor | None
    method: str
    uri: str
    request: Any
    status: int
    reason: str
    headers: Mapping[str, str]
    response: Any


@dataclass(frozen=True, slots=True)
class EpisodeStart:
    """Start of an episode. ``task`` is plain data: id, text, digest, references."""

    id: str
    position: int
    scope: str
    task: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MemoryOperation:
    """One call of the memory system, with what it was asked and what it gave.

    ``kind`` is recall, offer (of the memory tool), tool (a call of it) or extract; ``asked`` holds the query, the
    arguments or the messages. ``exchanges`` are the numbers of the exchanges that it cost. ``number`` counts the
    operations of the recording from 1.
    """

    number: int
    kind: str
    scope: str
    asked: Mapping[str, Any]
    text: str = ""
    failed: bool = False
    entries: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[Mapping[str, Any], ...] = ()
    exchanges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DeliveryNote:
    """A delivery, bound to the exchange that carried it and proven in its request; unbound where none did.

    ``text`` is the placement as it stands in the request; ``pointer`` is a JSON pointer to the text that holds it and
    ``text_digest`` the digest of that text.
    """

    operation: int
    slot: str
    text: str
    exchange: int | None = None
    pointer: str | None = None
    text_digest: str | None = None


@dataclass(frozen=True, slots=True)
class OutcomeNote:
    """Outcome of the episode, decided after it."""

    success: bool | None
    detail: str = ""


Event = Exchange | EpisodeStart | MemoryOperation | DeliveryNote | OutcomeNote


@dataclass(frozen=True, slots=True)
class Recording:
    """One arc, recorded. ``made_with`` is the fingerprint of what made it: plain strings, never a secret."""

    suite: str
    arc: str
    events: tuple[Event, ...]
    made_with: Mapping[str, Any] = field(default_factory=dict)

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(event for event in self.events if isinstance(event, Exchange))

    @property
    def operations(self) -> tuple[MemoryOperation, ...]:
        return tuple(event for event in self.events if isinstance(event, MemoryOperation))

    @property
    def episodes(self) -> tuple[EpisodeStart, ...]:
        return tuple(event for event in self.events if isinstance(event, EpisodeStart))

    @property
    def recorded_against(self) -> str:
        """What answered as the agent's model: the model names that its responses give, in order of appearance."""
        models = (
            e.response.get("model") for e in self.exchanges if e.actor is Actor.AGENT and isinstance(e.response, dict)
        )
        return ", ".join(dict.fromkeys(str(model) for model in models if model))
