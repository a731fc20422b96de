"""The evidence of one span, frozen (MemUse A.2.1)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.spans import ExposureKind, Window

TASK = "task"
PRIOR_INDEX = "prior-index"
TARGET = "target"
DELIVERIES = "deliveries"
REFERENCE = "reference"
MESSAGE = "message m"
"""What the names of messages begin with; their numbers follow."""


def step_name(number: int) -> str:
    """Return the name of a step's record."""
    return f"step {number}"


class CopyState(StrEnum):
    """What became of an earlier copy of a target item by the target's first consuming input (A.2.1).

    A copy that arrives *together* with the target establishes no prior exposure. It is *undetermined* whether a copy of
    unknown exposure is visible of which only some placements are left.
    """

    VISIBLE = "still visible"
    GONE = "no longer visible"
    TOGETHER = "arrives in the same input"
    UNDETERMINED = "undetermined"


@dataclass(frozen=True, slots=True)
class EarlierCopy:
    """An earlier delivery of a target entry's item.

    ``delivery`` is the name of its record, ``step`` its first consuming step. ``exposure`` is what the agent can still
    see of it where it is visible, and what it had seen otherwise. ``holds_target`` says whether its text contains all
    of the target's exposed text, None where either is unknown.
    """

    delivery: str
    step: int
    state: CopyState
    exposure: ExposureKind
    holds_target: bool | None


@dataclass(frozen=True, slots=True)
class TargetEntry:
    """One entry to assess: ``e1``, ``e2``, ... in the order in which the agent reads them.

    ``text`` is the exposed text, None where the exposure is unknown and the stored value is withheld. ``key`` is the
    display key where it stood as an identifier of its own in the delivered text, None otherwise.
    """

    name: str
    exposure: ExposureKind
    text: str | None
    key: str | None
    window: Window | None
    copies: tuple[EarlierCopy, ...] = ()


@dataclass(frozen=True, slots=True)
class EpisodeEvidence:
    """The records that all spans of an episode share, rendered, by their names; ``overview`` opens the prompt.

    ``digest`` changes with any character of any record.
    """

    records: Mapping[str, str]
    overview: str
    last_step: int
    digest: str


@dataclass(frozen=True, slots=True)
class EvidencePackage:
    """What a judge may read of one span, and nothing else: names to rendered text.

    ``prior`` names the sources of the prior context in input order, all-memory messages left out; ``removed`` what was
    visible once and is no longer part of it. ``aliases`` lead from a name to the record that holds the same text, so
    that reading one counts as reading the other. ``unshown`` is set where the target is too long for the prompt, which
    then shows its opening.
    """

    shared: EpisodeEvidence
    delivery: str
    first: int
    last: int
    entries: tuple[TargetEntry, ...]
    prior: tuple[str, ...]
    removed: tuple[str, ...]
    own: Mapping[str, str]
    aliases: Mapping[str, str]
    unshown: bool
    digest: str

    def record_of(self, name: str) -> str | None:
        """Return the name under which a record's reads are counted, None for a name outside the package."""
        name = self.aliases.get(name, name)
        return name if name in self.own or name in self.shared.records else None

    def text(self, name: str) -> str | None:
        """Return the rendered text of a record, None for a name outside the package."""
        record = self.record_of(name)
        if record is None:
            return None
        found = self.own.get(record)
        return found if found is not None else self.shared.records[record]

    def names(self) -> Iterator[str]:
        """Yield every name that can be read: the span's own first, then the episode's."""
        yield from self.own
        yield from self.aliases
        yield from self.shared.records

    @property
    def windows(self) -> dict[str, Window | None]:
        """The credit windows of the entries by their names, in order."""
        return {entry.name: entry.window for entry in self.entries}
