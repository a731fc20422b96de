"""Whether an earlier copy of an entry is still provably visible in a given input (MemUse A.1.4, A.1.5)."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from pytest_memuse.model import Entry, Episode, Placement
from pytest_memuse.spans.checks import Record
from pytest_memuse.spans.exposure import ExposureMatcher
from pytest_memuse.spans.proofs import Host
from pytest_memuse.spans.types import Exposure

Identity = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Copy:
    """One delivered copy of an item: where its delivery's proven placements stand, and whether its text is verified."""

    step: int
    placements: tuple[tuple[Placement, Host], ...]
    verified: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """What an entry's delivery adds to the earlier copies of its item that are visible in its consuming input.

    ``resident``: one visible copy holds its text in full and shows its identifier. ``adds_text``: its text is verified
    and no visible copy holds it. ``adds_identifier``: it displays an identifier that no visible copy shows.
    """

    resident: bool
    adds_text: bool
    adds_identifier: bool

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
        self._copies: dict[Identity, dict[Hashable, Copy]] = {}

    def standing(self, entry: Entry, exposure: Exposure, record: Record) -> Standing:
        """Return what an entry adds to the visible copies delivered before it.

        Without an observed, gap-free consuming input nothing is provably visible. An entry of unknown exposure has no
        verified text and is never resident.
        """
        key = self.displayed_key(entry, record.delivery.placements)
        held = shown = resident = False
        for copy in self._visible(entry, record):
            holds = exposure.text is not None and copy.verified and self._holds(copy, exposure.text)
            shows = key is not None and self._shows(copy, key)
            held, shown = held or holds, shown or shows
            if holds and (shows or key is None):
                resident = True
                break
        return Standing(resident, exposure.text is not None and not held, key is not None and not shown)

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
            if entry.identity is not None and proven:
                copies = self._copies.setdefault(entry.identity, {})
                # Of equal copies in the same messages the latest outlasts the others, so only it is kept.
                signature = (places, exposure)
                copies.pop(signature, None)
                copies[signature] = Copy(record.step, proven, exposure.text is not None)

    def _visible(self, entry: Entry, record: Record) -> Iterator[Copy]:
        """Yield the visible copies of an entry's item, latest first; copies out of sight are forgotten for good."""
        if record.step is None or not record.observed or entry.identity is None:
            return
        self._advance(record.step)
        copies = self._copies.get(entry.identity, {})
        for signature in reversed(list(copies)):
            copy = copies[signature]
            seen = tuple((placement, host) for placement, host in copy.placements if self._remains(host, copy.step))
            if seen:
                yield Copy(copy.step, seen, copy.verified)
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
