"""Arcs made from a seed: episodes, their order, their facts; each arc passes the leak check (MERIT 3.2, 3.4)."""

from dataclasses import dataclass
from random import Random

from pytest_memuse.arcs.domains import DOMAINS, Domain
from pytest_memuse.arcs.domains.drawing import Draw
from pytest_memuse.arcs.domains.types import Fact, Task
from pytest_memuse.arcs.leaks import LeakError, find_leaks
from pytest_memuse.arcs.prompts import SYSTEM_PROMPT
from pytest_memuse.arcs.types import GoldFact, Kind, Tier, WorldArc, WorldEpisode
from pytest_memuse.model.errors import MemuseError, nearest

EPISODES = range(4, 7)
"""Episodes that an arc may have."""

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class Shape:
    """How many episodes of each kind an arc has."""

    plants: int
    updates: int
    probes: int
    independents: int


def shape_of(tier: Tier, episodes: int, dependent_ratio: float) -> Shape:
    """Return how many episodes of each kind an arc has.

    The ratio is that of probes among the tasks, which are the probes and the independent episodes; plants and updates
    ask for nothing to be done. Halves are rounded up, so that five episodes at 0.5 hold two probes in every tier, as in
    the paper's grid. An arc of six plants in two episodes where it has two probes. Without probes nothing is planted.
    """
    updates = int(tier is Tier.HARD)
    plants = 2 if episodes == 6 else 1
    while True:
        tasks = episodes - plants - updates
        probes = int(dependent_ratio * tasks + 0.5)
        if probes >= plants:
            return Shape(plants, updates, probes, tasks - probes)
        if probes == 0 or plants == 1:
            return Shape(0, 0, 0, episodes)
        plants = 1


def generate(
    domain: str,
    tier: Tier | str,
    *,
    seed: int,
    arcs: int = 10,
    episodes: int = 5,
    dependent_ratio: float = 0.5,
) -> tuple[WorldArc, ...]:
    """Return arcs of a domain and a tier; equal arguments give equal arcs.

    An arc does not depend on how many there are. Raises `MemuseError` for arguments that name no such arcs.
    """
    if domain not in DOMAINS:
        raise MemuseError(
            f"there is no domain {domain!r}{nearest(domain, DOMAINS)}",
            reason="arc",
            mend=f"the domains are {', '.join(DOMAINS)}; arcs of your own are read from a file",
        )
    if tier not in set(Tier):
        raise MemuseError(f"there is no tier {tier!r}", reason="arc", mend=f"the tiers are {', '.join(Tier)}")
    if episodes not in EPISODES or not 0 <= dependent_ratio <= 1 or arcs < 1:
        raise MemuseError(
            f"there are no {arcs} arcs of {episodes} episodes with a dependent-task ratio of {dependent_ratio}",
            reason="arc",
            mend="an arc has 4 to 6 episodes, the ratio is from 0 to 1, and there is at least one arc",
        )
    shape = shape_of(Tier(tier), episodes, dependent_ratio)
    return tuple(_without_leaks(DOMAINS[domain], Tier(tier), seed, number, shape) for number in range(1, arcs + 1))


def _without_leaks(domain: Domain, tier: Tier, seed: int, number: int, shape: Shape) -> WorldArc:
    """Draw an arc until one passes the leak check; chance seldom draws a value that stands elsewhere."""
    leaks: LeakError | None = None
    for attempt in range(_ATTEMPTS):
        arc = _arc(domain, tier, seed, number, shape, attempt)
        found = find_leaks(arc, prompt=SYSTEM_PROMPT)
        if not found:
            return arc
        leaks = LeakError(arc.id, found)
    assert leaks is not None
    raise leaks


def _arc(domain: Domain, tier: Tier, seed: int, number: int, shape: Shape, attempt: int) -> WorldArc:
    name = f"{domain.name}-{tier}-{seed}-{number}"
    draw = Draw(f"{name}/{shape}/{attempt}")
    scene = domain.scene(draw)
    dependent = [domain.dependent(draw, scene, tier) for _ in range(shape.probes)]
    independent = [domain.independent(draw, scene) for _ in range(shape.independents)]
    order = _order(draw.random, shape)
    plants = [dependent[first :: shape.plants] for first in range(shape.plants)]
    episodes: list[WorldEpisode] = []
    probes, others, planting = iter(dependent), iter(independent), iter(plants)
    for position, kind in enumerate(order, 1):
        identifier = f"{position}-{kind}"
        if kind is Kind.PLANT:
            episodes.append(_told(draw.random, identifier, kind, next(planting)))
        elif kind is Kind.UPDATE:
            episodes.append(_told(draw.random, identifier, kind, dependent))
        else:
            task = next(probes if kind is Kind.PROBE else others)
            gold = tuple(_gold(fact) for fact in task.facts)
            episodes.append(WorldEpisode(identifier, kind, _asked(draw.random, task), gold, task.check))
    tables = {table: tuple(rows) for table, rows in scene.tables.items()}
    return WorldArc(name, domain.name, tier, seed, tables, domain.tools, tuple(episodes))


def _order(random: Random, shape: Shape) -> list[Kind]:
    """Return the kinds in order: plants before updates before probes, independent episodes anywhere."""
    order = [Kind.PLANT] * shape.plants + [Kind.UPDATE] * shape.updates + [Kind.PROBE] * shape.probes
    for _ in range(shape.independents):
        order.insert(random.randrange(len(order) + 1), Kind.INDEPENDENT)
    return order


def _told(random: Random, identifier: str, kind: Kind, tasks: list[Task]) -> WorldEpisode:
    """Return the plant or the update that states the facts of these tasks, one turn for each task."""
    update = kind is Kind.UPDATE
    turns = tuple(
        " ".join(
            (random.choice(_CHANGED if update else _SETTLED), *_statements(task, update), random.choice(_FORBIDDEN))
        )
        for task in tasks
    )
    facts = [fact for task in tasks for fact in task.facts]
    gold = tuple(_gold(fact) if update else GoldFact(fact.subject, fact.before or fact.value) for fact in facts)
    return WorldEpisode(identifier, kind, turns, gold)


def _statements(task: Task, update: bool) -> list[str]:
    """State each fact in one form, from which a pattern can read it: ``The SUBJECT is VALUE.``"""
    if update:
        return [f"The {fact.subject} is now {fact.value}." for fact in task.facts]
    return [f"The {fact.subject} is {fact.before or fact.value}." for fact in task.facts]


def _asked(random: Random, task: Task) -> tuple[str, ...]:
    return (task.ask, random.choice(_THANKS)) if random.random() < 0.3 else (task.ask,)


def _gold(fact: Fact) -> GoldFact:
    return GoldFact(fact.subject, fact.value, (fact.before,) if fact.before else ())


_SETTLED = ("This is settled now.", "For later:", "I want you to know this.", "Something to keep in mind.")
_CHANGED = ("There is a change.", "A correction.", "What I told you before no longer holds.", "That was revised.")
_FORBIDDEN = (
    "Please do not act on it yet.",
    "Don't do anything about it for now.",
    "Leave everything as it is until I ask.",
    "Nothing is to be changed yet.",
)
_THANKS = ("Thank you, that is all.", "Thanks. There is nothing else.")
