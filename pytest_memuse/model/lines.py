"""The lines of an event log, as they stand in a file: pydantic at the boundary, frozen types inside.

One JSON object a line. The first line is the header, the last one counts the lines before it. Messages come before the
first line that names them, each once.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from pytest_memuse.model.episodes import Actor, HistoryKind
from pytest_memuse.model.memory import OperationKind, PlacementKind, Route

LOG_VERSION = 1
"""Version of the event log's format. Older versions stay readable; a newer one is refused."""


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HeaderLine(_Line):
    """First line of every log. ``recorded_against`` says what answered as the agent's model."""

    type: Literal["memuse-log"]
    version: int
    suite: str = ""
    recorded_against: str = ""


class ToolCallPart(_Line):
    id: str
    name: str
    arguments: str


class MessageLine(_Line):
    """A message, once; ``digest`` must be the digest of its content.

    ``local`` says that a single episode names it, so that a reader of the stream may forget it with that episode.
    """

    type: Literal["message"]
    digest: str
    local: bool = False
    role: str
    text: str
    tool_calls: tuple[ToolCallPart, ...] = ()
    tool_call_id: str | None = None


class ReferencePart(_Line):
    subject: str
    value: str
    superseded: tuple[str, ...] = ()


class TaskPart(_Line):
    id: str
    text: str
    digest: str = ""
    references: tuple[ReferencePart, ...] = ()


class EpisodeLine(_Line):
    """Start of an episode; what follows belongs to it, up to the next one."""

    type: Literal["episode"]
    id: str
    arc: str = ""
    scope: str = ""
    position: int = Field(default=0, ge=0)
    task: TaskPart | None = None
    resolved: bool = True


class UsagePart(_Line):
    input: int | None = Field(default=None, ge=0)
    output: int | None = Field(default=None, ge=0)
    cached: int | None = Field(default=None, ge=0)
    reasoning: int | None = Field(default=None, ge=0)


class CallLine(_Line):
    """A model call. ``input`` lists, by digest, exactly the messages that the request carried.

    It is left out where the log gives the visible history by lines of type ``history`` instead.
    """

    type: Literal["call"]
    id: str
    actor: Actor
    input: tuple[str, ...] = ()
    response: str | None = None
    completed: bool = True
    gap: bool = False
    model: str = ""
    usage: UsagePart = UsagePart()
    cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class ResultLine(_Line):
    """The result of a tool call of the completed agent call ``call``."""

    type: Literal["result"]
    call: str
    tool_call_id: str
    message: str
    failed: bool | None = None


class OperationLine(_Line):
    type: Literal["operation"]
    id: str
    kind: OperationKind
    namespace: str = ""
    item: str | None = None
    value: str | None = None
    query: str | None = None
    results: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    step: int | None = Field(default=None, ge=1)
    net: bool = False


class EntryPart(_Line):
    item: str | None
    value: str | None = None
    namespace: str = ""
    scheme: str = ""
    version: str | None = None
    digest: str | None = None
    key: str | None = None
    local_version: str | None = None


class ProofPart(_Line):
    slot: str
    text_digest: str
    pointer: str | None = None
    message: str | None = None
    problem: str = ""


class PlacementPart(_Line):
    slot: str
    text: str | None
    kind: PlacementKind = PlacementKind.MESSAGE
    proofs: tuple[ProofPart, ...] = ()
    text_digest: str | None = None
    characters: int | None = Field(default=None, ge=0)


class _DeliveryParts(_Line):
    id: str
    call: str | None
    route: Route = Route.HOST
    form: str = ""
    entries: tuple[EntryPart, ...]
    placements: tuple[PlacementPart, ...]
    selected_from: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()


class DeliveryLine(_DeliveryParts):
    """A delivery of the episode that it stands in."""

    type: Literal["delivery"]


class OutsideLine(_DeliveryParts):
    """A delivery outside every recorded episode, wherever in the log it stands; its order is that of the record."""

    type: Literal["outside"]


class HistoryLine(_Line):
    """A change of the visible history before the call ``before``; the order of these lines is that of the record.

    A log whose calls carry no exact ``input`` appends every message by such a line, the agent's own included.
    """

    type: Literal["history"]
    kind: HistoryKind
    before: str
    kept: int = Field(ge=0)
    removed: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()


class OutcomeLine(_Line):
    type: Literal["outcome"]
    success: bool | None
    detail: str = ""


class EndLine(_Line):
    """Last line of every log: how many lines stand before it. A log without it was cut off."""

    type: Literal["end"]
    lines: int = Field(ge=1)


Line = Annotated[
    HeaderLine
    | MessageLine
    | EpisodeLine
    | CallLine
    | ResultLine
    | OperationLine
    | DeliveryLine
    | OutsideLine
    | HistoryLine
    | OutcomeLine
    | EndLine,
    Field(discriminator="type"),
]
