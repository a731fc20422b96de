"""What replaying an arc's memory operations came to, compared with its recording (DESIGN: replay)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class DriftKind(StrEnum):
    """The outcomes of a replay; anything but *same* makes the recording stale."""

    SAME = "same"
    DIFFERENT = "delivers differently"
    UNREPLAYABLE = "unreplayable"
    CHANGED_TASK = "task changed"


@dataclass(frozen=True, slots=True)
class EntryDifference:
    """One entry that came in, went out, or changed its text. ``item`` is its order of creation in the arc.

    ``acted_on`` says whether the agent had acted on the recorded entry, None where that is not known.
    """

    how: str
    item: str
    before: str = ""
    now: str = ""
    acted_on: bool | None = None


@dataclass(frozen=True, slots=True)
class DeliveryChange:
    """A delivery that would be another one now. ``step`` is the recorded step that would have read it.

    ``incoming`` are the estimated tokens of new and changed entries, and ``visible`` those of them whose text stood
    elsewhere in that step's recorded input anyway; ``visible`` is None where the input is not known.
    """

    episode: str
    step: int | None
    operation: int
    differences: tuple[EntryDifference, ...]
    incoming: int = 0
    visible: int | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What the memory system would deliver over a whole arc, as far as the recorded steps go.

    The agent's part is that of the recording: what it would have done with other memories is not known. Of
    ``operations`` those that asked what was not recorded, or raised, are ``left_out``; entries that they wrote are told
    of nowhere. ``tokens_before`` and ``tokens_now`` are estimated over the deliveries that could be compared.
    """

    operations: int
    left_out: int
    deliveries: int
    changes: tuple[DeliveryChange, ...]
    tokens_before: int
    tokens_now: int


@dataclass(frozen=True, slots=True)
class Drift:
    """Outcome of an arc's replay, at its first divergence.

    ``operation`` is the number of the memory operation. ``step`` is the step that consumed what it delivered, or would
    have, else the step that asked for it; None after the last one. ``in_store`` is set where the store
    came to differ before anything was delivered differently, and the replay could not follow what that led to.

    ``since`` is the first episode in which anything differed, the store and the offered tool included: the
    recording holds from there on what the memory system no longer does. It is empty where the whole arc is concerned.
    ``preview`` tells what the rest of the arc comes to. ``notes`` hold what is worth knowing and makes nothing stale.
    """

    kind: DriftKind
    arc: str
    episode: str = ""
    operation: int | None = None
    operation_kind: str = ""
    step: int | None = None
    differences: tuple[EntryDifference, ...] = ()
    reason: str = ""
    in_store: bool = False
    since: str = ""
    preview: Preview | None = None
    notes: tuple[str, ...] = ()

    @property
    def touches_acted_on(self) -> bool:
        """Whether an entry that the agent had acted on changed or is gone; unknown counts as touched."""
        if self.kind is not DriftKind.DIFFERENT:
            return self.kind is not DriftKind.SAME
        if not self.differences:
            return True  # the text around the entries, or the offered tool: whose work that is cannot be told
        return any(d.acted_on is not False for d in self.differences if d.how != "in")


def entry_differences(before: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]) -> tuple[EntryDifference, ...]:
    """Compare two lists of (item, text) in order; an item in both with another text has changed.

    Equal lists in another order give one difference, since the agent reads them in order.
    """
    old, new = dict(before), dict(now)
    out = [EntryDifference("out", item, text) for item, text in before if item not in new]
    out += [EntryDifference("in", item, now=text) for item, text in now if item not in old]
    out += [
        EntryDifference("changed", item, text, new[item]) for item, text in before if item in new and new[item] != text
    ]
    copies, fewer = Counter(item for item, _ in now), Counter(item for item, _ in before)
    out += [EntryDifference("in", item, now=new[item]) for item in (copies - fewer) if item in old]
    out += [EntryDifference("out", item, old[item]) for item in (fewer - copies) if item in new]
    if not out and list(before) != list(now):
        first = next((item for (item, _), (other, _) in zip(before, now, strict=False) if item != other), "")
        out.append(EntryDifference("moved", first, old.get(first, ""), new.get(first, "")))
    return tuple(out)
