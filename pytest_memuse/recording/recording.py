"""A recording of one arc: the raw exchanges at the model-API boundary and the bridge's annotations, in order.

The event log is derived from it when it is read; nothing of what is derived is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.recording.dialects import answering_models

RECORDING_VERSION = 1
"""Version of the recording's format."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One HTTP exchange. ``actor`` is None where it is no model call. Bodies are JSON values, or text.

    ``number`` counts the exchanges of the recording from 1; a response that is no JSON is kept as text. ``spelling`` is
    how a response that is JSON was written (`spelling`), None where it was as `json.dumps` writes it.
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
    spelling: Mapping[str, Any] | None = None


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

    ``kind`` is recall, offer (of the memory tool), tool (a call of it) or extract, which a replay asks again; or search
    or write, which a bridge only reports (`REPORTED`). ``asked`` holds the query, the arguments or the messages.
    ``exchanges`` are the numbers of the exchanges that it cost. ``number`` counts the operations of the recording from
    1. ``truth`` says what a planted fault did to it; it is no part of the event log, so that no judge reads it.
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
    truth: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class DeliveryNote:
    """A delivery, bound to the exchange that carried it and proven in its request; unbound where none did.

    ``text`` is the placement as it stands in the request; ``pointer`` is a JSON pointer to the text that holds it and
    ``text_digest`` the digest of that text; ``problem`` says why the placement could not be verified there (a
    `binding.ProofProblem`), empty where it was. ``also`` holds further placements of the same delivery, as plain data
    with the same five names.

    ``operation`` is the memory operation that gave it, 0 where none is known, and ``further`` are others that it
    combines. ``entries`` is None where it shows what these operations gave. ``follows`` are the deliveries, counted in
    the recording from 1, whose identifier or preview the agent followed to get this one. An empty ``route`` or ``form``
    follows from the operation.
    """

    operation: int
    slot: str
    text: str
    exchange: int | None = None
    pointer: str | None = None
    text_digest: str | None = None
    problem: str = ""
    also: tuple[Mapping[str, Any], ...] = ()
    further: tuple[int, ...] = ()
    entries: tuple[Mapping[str, Any], ...] | None = None
    tool_call_id: str | None = None
    route: str = ""
    form: str = ""
    follows: tuple[int, ...] = ()

    @property
    def operations(self) -> tuple[int, ...]:
        """Numbers of every operation that the delivery came from."""
        return tuple(number for number in (self.operation, *self.further) if number)


@dataclass(frozen=True, slots=True)
class StoreCapture:
    """A capture of a scope's whole store, told by what differs from the capture of the scope before it.

    ``put`` gives the texts of the items that are new or changed since, and those of all where ``whole`` is set;
    ``gone`` names items that are no longer there. ``exchanges`` are the numbers of the exchanges that taking it cost.
    """

    scope: str
    put: Mapping[str, str]
    gone: tuple[str, ...] = ()
    whole: bool = False
    exchanges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LifecycleNote:
    """What happened to a store as a whole (a `bridge.Lifecycle`); ``within`` is its scope, None where it was all."""

    what: str
    within: str | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ObserverNote:
    """An observer that is to look at the recording whenever it is read, by its name and its settings."""

    observer: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OutcomeNote:
    """Outcome of the episode, decided after it."""

    success: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class ItemNames:
    """Junction of a refreshed recording: what follows comes from a store rebuilt by replaying what stands before.

    ``names`` gives every item of that store its first name in the recording (`item_names.with_first_names`). It is
    written only where a name differs; a later junction stands for itself.
    """

    names: Mapping[str, str]


Event = (
    Exchange
    | EpisodeStart
    | MemoryOperation
    | DeliveryNote
    | StoreCapture
    | LifecycleNote
    | ObserverNote
    | OutcomeNote
    | ItemNames
)

REPORTED = frozenset({"search", "write"})
"""Kinds of operations that were reported and that no replay can ask again."""


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
        return ", ".join(answering_models(e for e in self.exchanges if e.actor is Actor.AGENT))
