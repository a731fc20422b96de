"""The frozen types of the project's words, and the event log."""

from pytest_memuse.model.episodes import (
    Actor,
    Call,
    Episode,
    HistoryChange,
    HistoryKind,
    Outcome,
    ReferenceFact,
    Step,
    Task,
    ToolResult,
    Usage,
)
from pytest_memuse.model.errors import FormatError, MemuseError
from pytest_memuse.model.memory import (
    Delivery,
    Entry,
    Operation,
    OperationKind,
    Placement,
    PlacementKind,
    Proof,
    Route,
)
from pytest_memuse.model.messages import Message, ToolCall

__all__ = [
    "Actor",
    "Call",
    "Delivery",
    "Entry",
    "Episode",
    "FormatError",
    "HistoryChange",
    "HistoryKind",
    "MemuseError",
    "Message",
    "Operation",
    "OperationKind",
    "Outcome",
    "Placement",
    "PlacementKind",
    "Proof",
    "ReferenceFact",
    "Route",
    "Step",
    "Task",
    "ToolCall",
    "ToolResult",
    "Usage",
]
