"""The rules of MemUse A.1.4 and A.4.2, literally: which entries, placements and deliveries are the same.

Part of `tests.spans.reference`.
"""

from pytest_memuse.model import Delivery, Entry, Placement
from pytest_memuse.model.digests import text_digest
from tests.spans.reference_exposure import exposure


def item_of(entry: Entry) -> tuple[str, str] | None:
    """An item is identified by namespace and item identity (A.4.2); the display key stands in only where no item
    identifier is recorded and the key is not local to the operation."""
    if entry.item is not None:
        return (entry.namespace, entry.item)
    if entry.key is None or entry.key == entry.local_version:
        return None
    return (entry.namespace, entry.key)


def items(delivery: Delivery) -> set[tuple[str, str]]:
    return {found for entry in delivery.entries if (found := item_of(entry)) is not None}


def same_entry(one: Entry, other: Entry) -> bool:
    """Namespace, identity, scheme, portable version and digest are equal; where neither version nor digest is
    available, namespace, identity and the recorded values are. A local version says nothing, and what was not recorded
    equals nothing."""
    if item_of(one) is None or item_of(one) != item_of(other):
        return False
    if (one.version, one.digest) == (None, None) == (other.version, other.digest):
        return one.value is not None and one.value == other.value
    return (one.scheme, one.version, one.digest) == (other.scheme, other.version, other.digest)


def same_placement(one: Placement, other: Placement) -> bool:
    """Slot, kind and text agree; a digest stands for text that is unresolved."""
    if (one.slot, one.kind) != (other.slot, other.kind):
        return False
    if one.text is None and other.text is None:
        return one.text_digest is not None and one.text_digest == other.text_digest
    if one.text is None or other.text is None:
        digests = [p.text_digest if p.text is None else text_digest(p.text) for p in (one, other)]
        return digests[0] == digests[1]
    return one.text == other.text


def same_delivery(one: Delivery, other: Delivery) -> bool:
    """Ordered entries, placements and exposure are the same."""
    return (
        len(one.entries) == len(other.entries)
        and len(one.placements) == len(other.placements)
        and all(same_entry(a, b) for a, b in zip(one.entries, other.entries, strict=True))
        and all(same_placement(a, b) for a, b in zip(one.placements, other.placements, strict=True))
        and [exposure(e, one.placements) for e in one.entries] == [exposure(e, other.placements) for e in other.entries]
    )
