"""Where a delivery that no step consumed probably stood, for a reader of the record (MemUse A.1.1)."""

from collections.abc import Sequence

from pytest_memuse.model import Episode
from pytest_memuse.spans.checks import Record


def provisional_steps(episode: Episode, records: Sequence[Record]) -> dict[int, int]:
    """Return the provisional step of each delivery without an attributed one, by its position in the record.

    The memory system's word comes first: what the agent asked for at a step it would have read at the next one. Else
    the neighbours decide: the step of the attributed delivery recorded before, else of the one recorded after. Where
    nothing says a step, the delivery has none. No rule uses these steps.
    """
    asked = {operation.id: operation.step for operation in episode.operations if operation.step is not None}
    following: dict[int, int] = {}
    after: int | None = None
    for record in reversed(records):
        if record.step is not None:
            after = record.step
        elif after is not None:
            following[record.position] = after
    out: dict[int, int] = {}
    before: int | None = None
    for record in records:
        if record.step is not None:
            before = record.step
            continue
        told = [asked[name] for name in record.delivery.operations if name in asked]
        if told and episode.last_step:
            out[record.position] = min(max(told) + 1, episode.last_step)
        elif before is not None:
            out[record.position] = before
        elif record.position in following:
            out[record.position] = following[record.position]
    return out
