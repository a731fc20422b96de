"""The rules of MemUse A.1.4, literally: the order of deliveries, and which earlier copies a step still sees.

Part of `tests.spans.reference`.
"""

from pytest_memuse.model import Delivery, Entry, Episode, Placement
from pytest_memuse.spans.types import ExposureKind
from tests.spans.reference_equality import item_of
from tests.spans.reference_exposure import displays, exposure, exposure_in_placement
from tests.spans.reference_recording import is_gap_free, proven_host, step_of


def in_order(episode: Episode) -> list[Delivery]:
    """Deliveries are processed by consuming step and then by recorded position.

    Silent: where those without a step stand. A neighbouring recorded step may stand in for audit (A.1.1): that of the
    last delivery recorded before it that has one.
    """
    provisional, steps = 0, []
    for delivery in episode.deliveries:
        step = step_of(episode, delivery)
        provisional = provisional if step is None else step
        steps.append(provisional)
    return [episode.deliveries[n] for n in sorted(range(len(steps)), key=lambda n: (steps[n], n))]


def earlier_copies(episode: Episode, delivery: Delivery, entry: Entry) -> list[tuple[Delivery, Entry]]:
    """Entries of the same item that a delivery before this one placed in an input."""
    order = in_order(episode)
    before = order[: order.index(delivery)]
    read = [earlier for earlier in before if step_of(episode, earlier) is not None]
    return [(d, e) for d in read for e in d.entries if item_of(e) is not None and item_of(e) == item_of(entry)]


def stays_visible(episode: Episode, digest: str, since: int, until: int) -> bool:
    """A copy is still visible where its host has not left the input: it stands in every input in between."""
    return all(digest in episode.steps[n - 1].call.input for n in range(since, until + 1))


def visible_placements(episode: Episode, copy: Delivery, step: int) -> list[Placement]:
    """The proven placements of an earlier copy that a step still sees; none if that input is not known whole."""
    since = step_of(episode, copy)
    if since is None or not is_gap_free(episode, step):
        return []
    found = []
    for placement in copy.placements:
        host = proven_host(episode, since, placement)
        if host is not None and stays_visible(episode, host[1].digest, since, step):
            found.append(placement)
    return found


def holds(episode: Episode, copy: tuple[Delivery, Entry], text: str | None, key: str | None, step: int) -> bool:
    """A visible copy shows an entry: the entry's exposed text matches in full within one of its placements, and so is
    the entry's key displayed there. A copy of unknown exposure establishes nothing, nor does an unknown text."""
    if text is None or exposure(copy[1], copy[0].placements).text is None:
        return False
    return any(is_full(text, p) for p in visible_placements(episode, copy[0], step)) and (
        key is None or shows(episode, copy, key, step)
    )


def shows(episode: Episode, copy: tuple[Delivery, Entry], key: str, step: int) -> bool:
    """A visible copy displays the key."""
    return any(displays(key, placement) for placement in visible_placements(episode, copy[0], step))


def is_full(text: str, placement: Placement) -> bool:
    if placement.text is None:
        return False
    return exposure_in_placement(text, placement.text, placement.kind).kind is ExposureKind.FULL


def displayed_key(entry: Entry, delivery: Delivery) -> str | None:
    return entry.key if any(displays(entry.key, placement) for placement in delivery.placements) else None


def shows_all(episode: Episode, copy: tuple[Delivery, Entry], delivery: Delivery, entry: Entry) -> bool:
    step = step_of(episode, delivery)
    assert step is not None
    text = exposure(entry, delivery.placements).text
    return holds(episode, copy, text, displayed_key(entry, delivery), step)
