"""Whether an earlier copy of an entry is still provably visible in a given input (MemUse A.1.4, A.1.5)."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from pytest_memuse.model import Entry, Episode, Placement
from pytest_memuse.spans.checks import Record
from pytest_memuse.spans.exposure import ExposureMatcher
from pytest_memuse.spans.proofs import Host
from pytest_memuse.spans.types import Exposure

Item = tuple[str, str]
"""Namespace and item identity."""


def item_of(entry: Entry) -> Item | None:
    """Return the item that an entry shows: namespace and item identity (A.4.2), None where no identity is recorded.

    The identity scheme is left out, as the paper leaves it out where it speaks of items: it tells entries apart.
    """
    return entry.identity


def equality_key(entry: Entry) -> Hashable | None:
    """Return what makes two entries equal: identity with portable version and digest, else with the recorded value.

    Where neither version nor digest is there, the paper leaves the identity scheme out of the comparison (A.1.4). None
    says that equality cannot be established: no identity is recorded, or nothing else is.
    """
    item = item_of(entry)
    if item is None:
        return None
    if entry.version is None and entry.digest is None:
        return None if entry.value is None else (item, entry.value)
    return (item, entry.scheme, entry.version, entry.digest)


@dataclass(frozen=True, slots=True)
class Copy:
    """One delivered copy of an item: where its delivery's proven placements stand, whether its text is verified, and
    the `equality_key` of its entry."""

    step: int
    placements: tuple[tuple[Placement, Host], ...]
    verified: bool
    key: Hashable


@dataclass(frozen=True, slots=True)
class Standing:
    """What an entry's delivery adds to the earlier copies of its item that are visible in its consuming input.

    ``resident``: one visible copy of its item holds its text in full and shows its identifier. ``restated``: one of an
    equal entry does, not only one of another version (A.1.4). ``adds_text``: its text is verified and no visible copy
    holds it. ``adds_identifier``: it displays an identifier that no visible copy shows.
    """

    resident: bool
    adds_text: bool
    adds_identifier: bool
    restated: bool = False

    @property
    def adds(self) -> bool:
        return self.adds_text or self.adds_identifier


class VisibleCopies:
    """The copies of every item as an episode goes on; records are to be added in processing order.

    Messages are known by their content. A copy *remains* visible while every input from its consuming step on, the
    present one included, shows its host message: a message that left and came back is a re-entry (A.1.4), and an input
    whose recording lost messages proves the presence of those that it still shows. An unchanged message that a host
    puts into every request is therefore one visible copy.
    """

    def __init__(self, episode: Episode, matcher: ExposureMatcher) -> None:
        self._steps = episode.steps
        self._matcher = matcher
        self._input: tuple[str, ...] = ()
        self._since: dict[str, int] = {}
        self._reached = 0
        self._copies: dict[Item, dict[Hashable, Copy]] = {}

    def standing(self, entry: Entry, exposure: Exposure, record: Record) -> Standing:
        """Return what an entry adds to the visible copies delivered before it.

        Without an observed, gap-free consuming input nothing is provably visible. An entry of unknown exposure has no
        verified text and is never resident.
        """
        key = self.displayed_key(entry, record.delivery.placements)
        equal = equality_key(entry)
        held = shown = resident = restated = False
        for copy in self._visible(entry, record):
            holds = exposure.text is not None and copy.verified and self._holds(copy, exposure.text)
            shows = key is not None and self._shows(copy, key)
            held, shown = held or holds, shown or shows
            if holds and (shows or key is None):
                resident = True
                restated = equal is not None and copy.key == equal
                if restated:
                    break
        return Standing(resident, exposure.text is not None and not held, key is not None and not shown, restated)

    def displayed_key(self, entry: Entry, placements: Sequence[Placement]) -> str | None:
        """Return the entry's display key where its delivery's placements really show it."""
        key = entry.key
        if key and any(p.text is not None and self._matcher.shows(key, p.text, p.kind) for p in placements):
            return key
        return None

    def add(self, record: Record, exposures: Sequence[Exposure]) -> None:
        """Remember the copies that a delivery brought, where its placements are proven."""
        if record.step is None:
            return
        proven = tuple(
            (placement, host)
            for placement, host in zip(record.delivery.placements, record.hosts, strict=True)
            if isinstance(host, Host)
        )
        places = tuple((host.message, p.slot, p.kind, p.text) for p, host in proven)
        for entry, exposure in zip(record.delivery.entries, exposures, strict=True):
            item = item_of(entry)
            if item is not None and proven:
                copies = self._copies.setdefault(item, {})
                # Of equal copies in the same messages the latest outlasts the others, so only it is kept.
                equal = equality_key(entry)
                signature = (places, exposure, equal)
                copies.pop(signature, None)
                copies[signature] = Copy(record.step, proven, exposure.text is not None, equal)

    def _visible(self, entry: Entry, record: Record) -> Iterator[Copy]:
        """Yield the visible copies of an entry's item, latest first; copies out of sight are forgotten for good."""
        item = item_of(entry)
        if record.step is None or not record.observed or item is None:
            return
        self._advance(record.step)
        copies = self._copies.get(item, {})
        for signature in reversed(list(copies)):
            copy = copies[signature]
            seen = tuple((placement, host) for placement, host in copy.placements if self._remains(host, copy.step))
            if seen:
                yield Copy(copy.step, seen, copy.verified, copy.key)
            else:
                del copies[signature]

    def _advance(self, step: int) -> None:
        while self._reached < step:
            current = self._steps[self._reached].call.input
            self._reached += 1
            length = len(self._input)
            if current[:length] == self._input:
                for message in current[length:]:
                    self._since.setdefault(message, self._reached)
            else:
                self._since = {message: self._since.get(message, self._reached) for message in current}
            self._input = current

    def _remains(self, host: Host, step: int) -> bool:
        since = self._since.get(host.message)
        return since is not None and since <= step

    def _holds(self, copy: Copy, text: str) -> bool:
        return any(p.text is not None and self._matcher.holds(text, p.text, p.kind) for p, _ in copy.placements)

    def _shows(self, copy: Copy, key: str) -> bool:
        return any(p.text is not None and self._matcher.shows(key, p.text, p.kind) for p, _ in copy.placements)
