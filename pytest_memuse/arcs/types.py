"""Arcs with known truth: what happens in each episode, over which world, and what is true of it (MERIT 3.1 to 3.4).

Everything here is plain, frozen data, so that an arc can be generated, written down, read and sent to another process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Row = Mapping[str, str]
"""One row of a world's table, by column. Every value of a world is text."""


class Kind(StrEnum):
    """What an episode is for (MERIT 3.2).

    A *plant* establishes facts and an *update* revises them, acting forbidden in both; a *probe* needs the facts, which
    are absent from its inputs; an *independent* episode can be solved from what it shows by itself.
    """

    PLANT = "plant"
    UPDATE = "update"
    PROBE = "probe"
    INDEPENDENT = "independent"

    @property
    def acts(self) -> bool:
        """Whether the user wants something done; in plants and updates acting is forbidden."""
        return self in (Kind.PROBE, Kind.INDEPENDENT)


class Tier(StrEnum):
    """How hard a probe is (MERIT 3.4): one fact, several in the executed calls, or the latest of a revised one."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class GoldFact:
    """A fact as it is true in an episode: what it is about, its value, and the values that it had before."""

    subject: str
    value: str
    superseded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCheck:
    """Some row of ``table`` has the values ``where``, equals ``expects`` and holds the texts ``contains``, by column.

    Values are compared without regard to case and spacing, numbers by what they are worth.
    """

    table: str
    where: Mapping[str, str]
    expects: Mapping[str, str] = field(default_factory=dict)
    contains: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """A predicate over a world's end state: it holds where every one of its rows is found."""

    rows: tuple[RowCheck, ...]


class Action(StrEnum):
    """What a tool does to a table: read rows, change one that is there, add one, or add one or change it."""

    READ = "read"
    UPDATE = "update"
    INSERT = "insert"
    PUT = "put"


class Format(StrEnum):
    """How a tool's argument is written. Money is kept with two decimals, a day as YYYY-MM-DD, a time as HH:MM."""

    TEXT = "text"
    MONEY = "money"
    DAY = "day"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A tool's parameter and the column that it stands for.

    ``key`` parameters choose rows, and with ``within`` by a text that the column holds; the others are written.
    ``at_most`` names the column of the chosen row that an amount may not exceed.
    """

    name: str
    column: str
    description: str = ""
    format: Format = Format.TEXT
    key: bool = False
    within: bool = False
    at_most: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool over a world, as data: which table, what it does there, and with which arguments.

    ``fixed`` are columns that every write sets besides. ``also`` names further tables in which the columns of the same
    names are written, each with the action there.
    """

    name: str
    description: str
    action: Action
    table: str
    parameters: tuple[Parameter, ...]
    fixed: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, Action] = field(default_factory=dict)

    @property
    def reads(self) -> bool:
        """Whether the tool leaves the world as it is."""
        return self.action is Action.READ


@dataclass(frozen=True, slots=True)
class WorldEpisode:
    """One session with a simulated user, who says the turns ``user`` in order.

    ``gold`` are the facts that a plant establishes, an update revises (with the values before), or a probe needs.
    ``check`` is None where nothing is to be done.
    """

    id: str
    kind: Kind
    user: tuple[str, ...]
    gold: tuple[GoldFact, ...] = ()
    check: Check | None = None

    @property
    def dependent(self) -> bool:
        """Whether success needs a fact of an earlier episode."""
        return self.kind is Kind.PROBE


@dataclass(frozen=True, slots=True)
class WorldArc:
    """Episodes that share one memory and one world, in order. ``tables`` is the world as the first of them finds it."""

    id: str
    domain: str
    tier: Tier
    seed: int
    tables: Mapping[str, tuple[Row, ...]]
    tools: tuple[Tool, ...]
    episodes: tuple[WorldEpisode, ...]
