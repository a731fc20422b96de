"""Memory as it reaches a model input: entries, placements, proofs, deliveries, and the operations behind them.

The terms are those of MemUse 3.1, 3.2 and A.1.1.
"""

from dataclasses import dataclass
from enum import StrEnum


class Route(StrEnum):
    """How memory reached the input: put there by the host, or returned by a memory tool that the agent called."""

    HOST = "host_scheduled"
    AGENT = "agent_directed"


class PlacementKind(StrEnum):
    """What carries a placement; line-numbered views are decoded in tool results only (A.1.2)."""

    MESSAGE = "message"
    TOOL_RESULT = "tool_result"


@dataclass(frozen=True, slots=True)
class Entry:
    """One delivered piece of memory and the stored item that it shows a version of.

    ``value`` is the stored text as recorded, or None where the recording does not hold it. ``version`` and ``digest``
    are portable: they can establish equality across operations. ``local_version`` is an operation-local identifier and
    never does (A.1.4). ``key`` is the identifier that the memory system displays, if it displays one.
    """

    item: str | None
    value: str | None = None
    namespace: str = ""
    scheme: str = ""
    version: str | None = None
    digest: str | None = None
    key: str | None = None
    local_version: str | None = None

    @property
    def identity(self) -> tuple[str, str] | None:
        """Namespace and item identity; the display key stands in for a missing item identifier (A.1.4, A.4.2).

        The identity scheme tells entries apart and is no part of the item. None where no identity is recorded.
        """
        if self.item is not None:
            return (self.namespace, self.item)
        if self.key is not None and self.key != self.local_version:
            return (self.namespace, self.key)
        return None


@dataclass(frozen=True, slots=True)
class Proof:
    """Where a placement is in the consuming request: a JSON pointer into it, or a message of the history by digest.

    ``text_digest`` is the digest of the text at that location, that is of the whole host message's text. ``problem``
    says why the recorder could not verify the proof against the request; empty where it did, or had no need to.
    """

    slot: str
    text_digest: str
    pointer: str | None = None
    message: str | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Placement:
    """Memory text in one slot. ``text`` is None where it was redacted; ``characters`` may then still be known."""

    slot: str
    text: str | None
    kind: PlacementKind = PlacementKind.MESSAGE
    proofs: tuple[Proof, ...] = ()
    text_digest: str | None = None
    characters: int | None = None

    @property
    def size(self) -> int | None:
        """Characters of the placement, wrapper text included, or None where they are unknown (A.4.4)."""
        return len(self.text) if self.text is not None else self.characters


@dataclass(frozen=True, slots=True)
class Delivery:
    """Entries put into one model input, in the order in which the agent reads them.

    ``call`` is the model call that carried the delivery, None where it is unbound. ``selected_from`` names the
    deliveries whose identifier or preview the agent followed to reach this one. ``operations`` names the memory
    operations that it came from. ``form`` is the kind of text delivered (task recall, search result, full card, ...).
    """

    id: str
    entries: tuple[Entry, ...]
    placements: tuple[Placement, ...]
    call: str | None
    route: Route = Route.HOST
    form: str = ""
    selected_from: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()


class OperationKind(StrEnum):
    """What a memory operation did. A *generation* is a memory-writing operation that changed nothing (A.1.1)."""

    SEARCH = "search"
    GENERATION = "generation"
    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Operation:
    """One memory operation of an episode.

    A search keeps its ``query`` and the items that it returned; a change keeps the item and the value after it (None
    after a deletion). ``calls`` names the memory-system and embedding calls that it cost; ``step`` is the number of
    the agent step that asked for it, None where the host did. ``net`` marks a change that is known only from two
    captures of the store: when it was made, in what order, and what stood in between were not observed (A.1.1).
    """

    id: str
    kind: OperationKind
    namespace: str = ""
    item: str | None = None
    value: str | None = None
    query: str | None = None
    results: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    step: int | None = None
    net: bool = False
