"""One scored episode of an arc, as every metric reads it (MERIT 3.5)."""

from dataclasses import dataclass

from pytest_memuse.arcs.types import Kind, Tier


@dataclass(frozen=True, slots=True)
class ScoredEpisode:
    """What one episode under one condition came to. Plain data.

    ``success`` is by delta scoring: the check became true during the episode. In a plant and an update, where nothing
    is to be done, it tells whether the agent left the world alone; it is None where no check came to a result.
    ``satisfied_on_arrival`` marks episodes whose check was true before they began; they are failures. ``held`` tells
    whether every gold value stood in the memory block and ``acted`` whether every one stood in the arguments of
    executed tool calls; ``stale`` tells whether some superseded value stood in the block; all are None where the
    episode needs no fact. ``exposed`` is the block's length in estimated tokens. ``untraceable`` counts gold values
    that are there in another form only, which containment cannot see. ``verified`` tells whether the agent looked up,
    before its first change, what it changed; None where it changed nothing. ``corruption`` and ``rate`` say how the
    memory was corrupted (empty and 0 where it was not), ``variant`` which implementation of the condition ran (starter
    or real), ``model`` what answered as the agent's model. Tokens and dollars are None where they are not known;
    ``cost`` is the agent's and the memory's.
    """

    domain: str
    tier: Tier
    condition: str
    arc: str
    seed: int
    episode: str
    kind: Kind
    success: bool | None
    satisfied_on_arrival: bool
    held: bool | None = None
    acted: bool | None = None
    stale: bool | None = None
    exposed: int | None = None
    untraceable: int = 0
    verified: bool | None = None
    corruption: str = ""
    rate: float = 0.0
    variant: str = ""
    model: str = ""
    agent_tokens: int | None = None
    memory_tokens: int | None = None
    cost: float | None = None
