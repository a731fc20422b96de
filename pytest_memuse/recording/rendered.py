"""What a memory system hands over: text with its entries' places in it, and the changes it made to its store."""

from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.model import OperationKind


@dataclass(frozen=True, slots=True)
class RenderedEntry:
    """An entry at ``[start, end)`` of the rendered text. ``item`` is the system's own identifier of the stored item.

    ``value`` is the whole stored text, of which the rendered text may show a prefix. ``key`` is the identifier as it is
    displayed in the text, None where none is.
    """

    item: str
    value: str
    start: int
    end: int
    key: str | None = None
    version: str | None = None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that a search gave or a delivery shows, without its place in any text.

    ``item`` is the system's own identifier of the stored item, None where it tells none; ``value`` the whole stored
    text, None where that is not known. ``key`` is the identifier as it is displayed to the agent.
    """

    item: str | None
    value: str | None = None
    key: str | None = None
    version: str | None = None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the store. ``value`` is the text after it, None after a deletion."""

    kind: OperationKind
    item: str
    value: str | None
    namespace: str = ""


TRUTH = "truth"
"""The name in `Rendered.extra` of what a planted fault did, which a recording keeps apart from what it delivers."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """Text for one slot. An empty ``text`` means that nothing is put into the input.

    ``failed`` is set where the memory system refused or could not do what was asked; ``text`` then says so.
    """

    text: str
    entries: tuple[RenderedEntry, ...] = ()
    changes: tuple[Change, ...] = ()
    query: str | None = None
    failed: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
