"""The ground truth of planted faults: what was touched, kept apart from everything that agent and judge see."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Touch:
    """One thing that a fault did: to the entry of an item, or to the delivery as a whole, where ``item`` is empty.

    ``was`` and ``now`` are the texts before and after, empty where there was or is none.
    """

    what: str
    item: str = ""
    was: str = ""
    now: str = ""


def as_data(fault: str, touches: tuple[Touch, ...]) -> dict[str, Any]:
    """Return what a fault did to one delivery, as a recording holds it."""
    told = [{"what": t.what, "item": t.item, "was": t.was, "now": t.now} for t in touches]
    return {"fault": fault, "touched": [{k: v for k, v in one.items() if v} for one in told]}


def touches_of(truth: Mapping[str, Any] | None) -> tuple[Touch, ...]:
    """Return what a recorded operation says that a fault did; nothing where it says nothing that can be read."""
    told = truth.get("touched") if truth else None
    if not isinstance(told, list):
        return ()
    fields = ("what", "item", "was", "now")
    return tuple(Touch(*(str(one.get(name, "")) for name in fields)) for one in told if isinstance(one, Mapping))
