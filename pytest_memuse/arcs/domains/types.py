"""What a domain is to the generator: tools, a world, and tasks that need an earlier fact or need none."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pytest_memuse.arcs.domains.drawing import Draw
from pytest_memuse.arcs.types import Check, RowCheck, Tier, Tool


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that an arc plants; ``before`` is what is planted first where an update revises it to ``value``."""

    subject: str
    value: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """Something that the user asks for, the check that it was done, and the facts that it needs, if any."""

    ask: str
    check: Check
    facts: tuple[Fact, ...] = ()


@dataclass(slots=True)
class Scene:
    """An arc's world while it is made up. ``names`` are the entities that no task has taken yet, by what they are."""

    tables: dict[str, list[dict[str, str]]]
    names: dict[str, list[str]] = field(default_factory=dict)
    shared: str = ""
    """The entity that all episodes share."""

    def take(self, what: str) -> str:
        """Return an entity that no other task is about."""
        return self.names[what].pop()


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain. ``dependent`` and ``independent`` make up a task each, about entities taken from the scene."""

    name: str
    tools: tuple[Tool, ...]
    scene: Callable[[Draw], Scene]
    dependent: Callable[[Draw, Scene, Tier], Task]
    independent: Callable[[Draw, Scene], Task]


def revised(tier: Tier, subject: str, value: Callable[[], str]) -> Fact:
    """Return a fact with a value of its own, and on the hard tier one that it had before."""
    before = value() if tier is Tier.HARD else ""
    return Fact(subject, value(), before)


def row(table: str, where: Mapping[str, str], **expects: str) -> RowCheck:
    """Return the check that a row has these values."""
    return RowCheck(table, dict(where), expects)
