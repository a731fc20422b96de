"""The entries that a figure is owed to."""

from dataclasses import dataclass

from pytest_memuse.profiles.rows import Usage


@dataclass(frozen=True, slots=True)
class Responsible:
    """One entry that a figure's value is owed to: where it is and what the agent did with it.

    ``step`` is the entry's first anchor, or the span's first consuming step where it has none. Of an episode without
    any entry to name (a failed task, say) ``span`` and ``item`` are empty; with ``told``, ``item`` is the memory that
    served it and ``told`` what came of it.
    """

    arc: str
    episode: str
    task: str
    span: str = ""
    step: int | None = None
    item: str = ""
    text: str = ""
    usage: Usage | None = None
    told: str = ""
