"""The seven cost families of the conditional-utility paper, as far as a recording holds them (its S3, 3.4, S1.5)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.model import Actor, Entry, Operation, OperationKind
from pytest_memuse.profiles.assembling import item_name
from pytest_memuse.profiles.call_costs import CallCosts, Purpose, Rates, ledger
from pytest_memuse.profiles.histories import ChangeKind, item_histories
from pytest_memuse.profiles.judged_episode import JudgedEpisode
from pytest_memuse.profiles.quantity import Quantity
from pytest_memuse.profiles.share import Share


@dataclass(frozen=True, slots=True)
class Storage:
    """Memory held at the end: items, and their estimated tokens (a quarter of the characters, rounded down an item)."""

    items: int
    tokens: Quantity


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Searches, their latency in seconds and the estimated tokens that they returned."""

    searches: int
    latency: Quantity
    tokens: Quantity


@dataclass(frozen=True, slots=True)
class Exposed:
    """Estimated tokens placed into the agent's context, restatements included: delivered text volume."""

    deliveries: int
    tokens: Quantity


@dataclass(frozen=True, slots=True)
class Generation:
    """The agent's own calls, and their latency in seconds."""

    calls: CallCosts
    latency: Quantity


@dataclass(frozen=True, slots=True)
class CostFamilies:
    """One measurement's costs in seven families.

    ``extraction`` is the formation cost: the calls that wrote memory, failed ones included. ``unassigned`` calls of the
    memory system are named by no operation (an extraction that changed nothing, say) and may belong to formation or to
    retrieval; with any, both are lower bounds. ``api_and_compute`` are all recorded calls. ``selectivity`` is how much
    of what was retrieved was exposed: entries whose exposure is known, of the items that searches returned.

    A count of calls or searches may be a measured zero; the quantities under it are then absent, for nothing was there
    to measure; a counter that the endpoint does not expose is unreported.
    """

    storage: Storage
    retrieval: Retrieval
    exposure: Exposed
    generation: Generation
    extraction: CallCosts
    unassigned: CallCosts
    api_and_compute: CallCosts
    selectivity: Share


def cost_families(
    episodes: Sequence[JudgedEpisode],
    rates: Mapping[str, Rates] | None = None,
    *,
    latencies: Mapping[tuple[str, str], float] | None = None,
) -> CostFamilies:
    """Return the costs of some episodes of one run in the seven families.

    ``latencies`` gives seconds by episode and the identifier of the call or, for a search, of the operation; event logs
    hold none, so that without it latency is unreported.
    """
    book = ledger((judged.episode for judged in episodes), rates)
    seconds = latencies or {}
    searches = [
        (judged, operation)
        for judged in episodes
        for operation in judged.episode.operations
        if operation.kind is OperationKind.SEARCH
    ]
    agent = [recorded for recorded in book.calls if recorded.purpose is Purpose.AGENT]
    returned = sum(len(operation.results) for _, operation in searches)
    return CostFamilies(
        storage=_storage(episodes),
        retrieval=Retrieval(
            searches=book.searches,
            latency=Quantity.of(seconds.get((judged.episode.id, operation.id)) for judged, operation in searches),
            tokens=Quantity.of(part for judged, operation in searches for part in _returned(judged, operation)),
        ),
        exposure=_exposure(episodes),
        generation=Generation(
            calls=book.costs(actor=Actor.AGENT),
            latency=Quantity.of(seconds.get((recorded.episode, recorded.call.id)) for recorded in agent),
        ),
        extraction=book.costs(purpose=Purpose.GENERATION),
        unassigned=book.costs(purpose=Purpose.UNASSIGNED),
        api_and_compute=book.costs(),
        selectivity=Share(sum(_exposed(judged, operation) for judged, operation in searches), returned),
    )


def _tokens(value: str | None) -> int | None:
    return None if value is None else len(value) // 4


def _storage(episodes: Sequence[JudgedEpisode]) -> Storage:
    """Count what the record shows to be held: written or delivered, and not deleted since.

    Items that were there before and never delivered are not on record. An item delivered from a store that no episode
    wrote is held, and its size is the delivered value's.
    """
    sizes: list[int | None] = []
    delivered = _delivered_values(episodes)
    for history in item_histories(episodes):
        change = history.changes[-1] if history.changes else None
        if change is None:
            sizes.append(_tokens(delivered.get((history.arc, history.namespace, history.item))))
        elif change.kind is not ChangeKind.DELETED:
            sizes.append(_tokens(change.value))
    return Storage(len(sizes), Quantity.of(sizes))


def _delivered_values(episodes: Iterable[JudgedEpisode]) -> dict[tuple[str, str, str], str]:
    return {
        (judged.row.arc, entry.entry.namespace, item_name(entry.entry)): entry.entry.value
        for judged in episodes
        for span in judged.spans
        for entry in span.entries
        if entry.entry.value is not None
    }


def _fed(judged: JudgedEpisode, operation: Operation) -> list[Entry]:
    return [e for d in judged.episode.deliveries if operation.id in d.operations for e in d.entries]


def _returned(judged: JudgedEpisode, operation: Operation) -> list[int | None]:
    """Return the tokens of each item that a search returned, None of an item whose value no delivery of it holds."""
    values = {item_name(entry): entry.value for entry in _fed(judged, operation)}
    return [_tokens(values.get(item)) for item in operation.results]


def _exposed(judged: JudgedEpisode, operation: Operation) -> int:
    shown = {
        item_name(entry.entry)
        for span in judged.spans
        if any(operation.id in delivery.operations for delivery in span.deliveries)
        for entry in span.entries
        if entry.exposure.text is not None
    }
    return sum(item in shown for item in operation.results)


def _exposure(episodes: Iterable[JudgedEpisode]) -> Exposed:
    spans = [span for judged in episodes for span in judged.row.spans]
    known = [span.tokens for span in spans]
    unknown = [None for span in spans if span.redacted]
    return Exposed(sum(span.deliveries for span in spans), Quantity.of([*known, *unknown]))
