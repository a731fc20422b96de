"""The ledger of recorded model calls: tokens and money by who called and what for (MemUse A.4.4, A.5.4).

It covers observed calls; service work and hosting charges that no call reports are not in it. Delivered text volume is
an estimate of its own and never enters it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.model import Actor, Call, Episode, MemuseError, OperationKind
from pytest_memuse.profiles.quantity import Quantity


class Purpose(StrEnum):
    """What a call was made for. Operations assign a call to search or to the generation of memory."""

    AGENT = "agent"
    SEARCH = "search"
    GENERATION = "generation"
    UNASSIGNED = "unassigned"


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices of one model in US dollars per million tokens; ``cached`` is None where cached input has no discount."""

    input: float
    output: float
    cached: float | None = None

    def __post_init__(self) -> None:
        if not all(price is None or 0 <= price < float("inf") for price in (self.input, self.output, self.cached)):
            raise MemuseError(
                f"rates must be finite and not negative, found {self}", reason="bad_rates", mend="correct the price"
            )

    def cost(self, call: Call) -> float | None:
        """Return what a call costs at these rates in dollars, None where it does not report what that takes.

        Cached tokens are a part of the input and reasoning tokens one of the output: neither is added again. An
        embedding has no output.
        """
        usage = call.usage
        output = 0 if call.actor is Actor.EMBEDDING and usage.output is None else usage.output
        if usage.input is None or output is None:
            return None
        full = usage.input
        discounted = 0.0
        if self.cached is not None and call.actor is not Actor.EMBEDDING:
            if usage.cached is None or usage.cached > usage.input:
                return None
            full -= usage.cached
            discounted = usage.cached * self.cached
        return (full * self.input + discounted + output * self.output) / 1e6


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A call in the ledger, with the episode that it belongs to and its cost at configured rates (None: unknown)."""

    episode: str
    call: Call
    purpose: Purpose
    computed: float | None


@dataclass(frozen=True, slots=True)
class CallCosts:
    """What some calls cost. ``failed`` ones are among the ``calls``: a call that failed was made all the same.

    ``cached`` tokens are a part of ``input`` and ``reasoning`` ones of ``output``. ``reported`` is the money that the
    provider reported, ``computed`` what configured rates make of the tokens, each in US dollars; they are never added.
    An embedding call has no part in output, cached and reasoning tokens that it does not report.
    """

    calls: int
    failed: int
    input: Quantity
    output: Quantity
    cached: Quantity
    reasoning: Quantity
    reported: Quantity
    computed: Quantity


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every recorded call, once, of some episodes; ``searches`` counts searches, however many deliveries each fed."""

    calls: tuple[RecordedCall, ...]
    episodes: tuple[str, ...]
    searches: int

    def costs(
        self, *, actor: Actor | None = None, purpose: Purpose | None = None, episode: str | None = None
    ) -> CallCosts:
        """Return the costs of the calls that were made by an actor, for a purpose, in an episode; all unless said."""
        return call_costs(
            recorded
            for recorded in self.calls
            if (actor is None or recorded.call.actor is actor)
            and (purpose is None or recorded.purpose is purpose)
            and (episode is None or recorded.episode == episode)
        )

    def __add__(self, other: "Ledger") -> "Ledger":
        """Return the ledger of two runs together. Repeats name their episodes and calls alike, so nothing is merged."""
        return Ledger(self.calls + other.calls, self.episodes + other.episodes, self.searches + other.searches)


def call_costs(recorded: Iterable[RecordedCall]) -> CallCosts:
    """Sum up some calls. What a call does not report stays unknown in every sum."""
    found = list(recorded)
    calls = [each.call for each in found]
    generating = [call for call in calls if call.actor is not Actor.EMBEDDING]
    embedding = [call for call in calls if call.actor is Actor.EMBEDDING]

    def part(name: str) -> Quantity:
        of_embeddings = (getattr(call.usage, name) for call in embedding)
        reported = [value for value in of_embeddings if value is not None]
        return Quantity.of([*(getattr(call.usage, name) for call in generating), *reported])

    return CallCosts(
        calls=len(calls),
        failed=sum(not call.completed for call in calls),
        input=Quantity.of(call.usage.input for call in calls),
        output=part("output"),
        cached=part("cached"),
        reasoning=part("reasoning"),
        reported=Quantity.of(call.cost for call in calls),
        computed=Quantity.of(each.computed for each in found),
    )


def ledger(episodes: Iterable[Episode], rates: Mapping[str, Rates] | None = None) -> Ledger:
    """Return the ledger of some episodes; ``rates`` gives prices by the model's name as calls record it.

    A call of a model without rates has no computed cost. A memory or embedding call belongs to the first operation that
    names it: a search, or a change, which is generation.
    """
    calls: dict[tuple[str, str], RecordedCall] = {}
    names: dict[str, None] = {}
    searches: set[tuple[str, str]] = set()
    for episode in episodes:
        names[episode.id] = None
        purposes: dict[str, Purpose] = {}
        for operation in episode.operations:
            search = operation.kind is OperationKind.SEARCH
            if search:
                searches.add((episode.id, operation.id))
            for name in operation.calls:
                purposes.setdefault(name, Purpose.SEARCH if search else Purpose.GENERATION)
        for call in (*(step.call for step in episode.steps), *episode.failed_calls, *episode.memory_calls):
            ours = call.actor is Actor.AGENT
            purpose = Purpose.AGENT if ours else purposes.get(call.id, Purpose.UNASSIGNED)
            price = (rates or {}).get(call.model)
            computed = None if price is None else price.cost(call)
            calls.setdefault((episode.id, call.id), RecordedCall(episode.id, call, purpose, computed))
    return Ledger(tuple(calls.values()), tuple(names), len(searches))
