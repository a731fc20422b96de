"""The rules of MemUse 3.1 to 3.3 and A.1.2 to A.1.5, literally and slowly: what the spans room is compared with.

It was written from the paper, not from the room: each function is one rule, with what the paper says of it in our own
words. Everything is looked for by trying all of it, nothing is kept between two questions, and only the types of
events and results are shared. Where the paper is silent, the docstring says which of its sentences is the closest.
"""

from dataclasses import dataclass

from pytest_memuse.model import Delivery, Entry, Episode, Placement
from pytest_memuse.model.digests import text_digest
from pytest_memuse.spans.types import Exposure, ExposureKind, SpanOutcome, Window
from tests.spans.reference_exposure import displays, exposure, exposure_in_placement
from tests.spans.reference_recording import (
    is_gap_free,
    proven_host,
    recording_is_valid,
    replayed,
    step_of,
)


@dataclass(frozen=True)
class ReferenceSpan:
    """What the rules say of one span; compared field by field with the room's."""

    deliveries: tuple[str, ...]
    exposures: tuple[Exposure, ...]
    windows: tuple[Window | None, ...]
    first: int | None
    last: int | None
    outcome: SpanOutcome
    characters: int
    redacted: bool


# Visibility


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


# Spans (A.1.4)


def item_of(entry: Entry) -> tuple[str, str] | None:
    """An item is identified by namespace and item identity (A.4.2); the display key stands in only where no item
    identifier is recorded and the key is not local to the operation."""
    if entry.item is not None:
        return (entry.namespace, entry.item)
    if entry.key is None or entry.key == entry.local_version:
        return None
    return (entry.namespace, entry.key)


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


def items(delivery: Delivery) -> set[tuple[str, str]]:
    return {found for entry in delivery.entries if (found := item_of(entry)) is not None}


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


def is_restricted(episode: Episode, delivery: Delivery) -> bool:
    return not delivery.entries or step_of(episode, delivery) is None


def group(episode: Episode) -> list[list[Delivery]]:
    """A delivery joins a span that it repeats while an earlier copy of every entry is visible, else it starts one and
    ends the current span of each of its items. Empty deliveries and those without a step join the one just before."""
    spans: list[list[Delivery]] = []
    is_open: list[bool] = []
    previous: Delivery | None = None
    for delivery in in_order(episode):
        if is_restricted(episode, delivery):
            joined = [n for n, span in enumerate(spans) if span[-1] is previous and may_follow(episode, span, delivery)]
        else:
            joined = [n for n, span in enumerate(spans) if is_open[n] and repeats(episode, span, delivery)]
        if joined:
            spans[joined[0]].append(delivery)
        else:
            if not is_restricted(episode, delivery):
                is_open = [o and not items(delivery) & items(s[0]) for o, s in zip(is_open, spans, strict=True)]
            spans.append([delivery])
            is_open.append(not is_restricted(episode, delivery))
        previous = delivery
    return spans


def may_follow(episode: Episode, span: list[Delivery], delivery: Delivery) -> bool:
    status = [step_of(episode, d) is None for d in (span[-1], delivery)]
    return status[0] == status[1] and same_delivery(span[-1], delivery)


def repeats(episode: Episode, span: list[Delivery], delivery: Delivery) -> bool:
    """It is the same delivery, and an earlier copy of every entry is visible, be it of this span or another."""
    return same_delivery(span[0], delivery) and all(
        any(
            same_entry(copy[1], entry) and shows_all(episode, copy, delivery, entry)
            for copy in earlier_copies(episode, delivery, entry)
        )
        for entry in delivery.entries
    )


def shows_all(episode: Episode, copy: tuple[Delivery, Entry], delivery: Delivery, entry: Entry) -> bool:
    step = step_of(episode, delivery)
    assert step is not None
    text = exposure(entry, delivery.placements).text
    return holds(episode, copy, text, displayed_key(entry, delivery), step)


def displayed_key(entry: Entry, delivery: Delivery) -> str | None:
    return entry.key if any(displays(entry.key, placement) for placement in delivery.placements) else None


def earlier_copies(episode: Episode, delivery: Delivery, entry: Entry) -> list[tuple[Delivery, Entry]]:
    """Entries of the same item that a delivery before this one placed in an input."""
    order = in_order(episode)
    before = order[: order.index(delivery)]
    read = [earlier for earlier in before if step_of(episode, earlier) is not None]
    return [(d, e) for d in read for e in d.entries if item_of(e) is not None and item_of(e) == item_of(entry)]


# Credit windows (A.1.5)


def is_selected(episode: Episode, delivery: Delivery, entry: Entry) -> bool:
    """A proven selection: the record has an earlier step's delivery of the item, from which the agent followed it."""
    step = step_of(episode, delivery)
    for earlier in episode.deliveries:
        when = step_of(episode, earlier)
        is_before = when is not None and step is not None and when < step
        if is_before and earlier.id in delivery.selected_from and item_of(entry) in items(earlier):
            return True
    return False


def is_resident(episode: Episode, delivery: Delivery, entry: Entry) -> bool:
    """A later copy that adds neither text nor identifier to one proven visible copy of its item, unless it was
    selected, leaves the credit where it is."""
    if is_selected(episode, delivery, entry):
        return False
    return any(shows_all(episode, copy, delivery, entry) for copy in earlier_copies(episode, delivery, entry))


def takes_over(episode: Episode, entry: Entry, span: list[Delivery], other: Entry, later: list[Delivery]) -> bool:
    """The later span delivers the item again, not as a resident copy, with text that contains the earlier one; where
    either exposure is unknown any delivery of the item does."""
    if item_of(entry) is None or item_of(other) != item_of(entry) or is_resident(episode, later[0], other):
        return False
    mine, theirs = exposure(entry, span[0].placements).text, exposure(other, later[0].placements).text
    return mine is None or theirs is None or mine in theirs


def boundary(
    episode: Episode, entry: Entry, span: list[Delivery], spans: list[list[Delivery]]
) -> list[Delivery] | None:
    """The earliest later span that takes over; spans that start before the last restatement do not."""
    last = step_of(episode, span[-1])
    for later in spans[spans.index(span) + 1 :]:
        first = step_of(episode, later[0])
        if first is None or last is None or first < last:
            continue
        if any(takes_over(episode, entry, span, other, later) for other in later[0].entries):
            return later
    return None


def shares_the_step(episode: Episode, delivery: Delivery, entry: Entry) -> bool:
    """In a step that consumed both, the later copy has the step too if it adds verified text or an identifier."""
    step = step_of(episode, delivery)
    assert step is not None
    text, key = exposure(entry, delivery.placements).text, displayed_key(entry, delivery)
    copies = earlier_copies(episode, delivery, entry)
    adds_text = text is not None and not any(holds(episode, copy, text, None, step) for copy in copies)
    adds_key = key is not None and not any(shows(episode, copy, key, step) for copy in copies)
    return adds_text or adds_key


def window(episode: Episode, entry: Entry, span: list[Delivery], spans: list[list[Delivery]]) -> Window | None:
    """From the first consuming step of the span to the step before its boundary, or to the boundary itself where the
    span was last consumed there; to the episode's end without one."""
    first, last = step_of(episode, span[0]), step_of(episode, span[-1])
    if first is None or last is None or is_resident(episode, span[0], entry):
        return None
    start = first
    for earlier in spans[: spans.index(span)]:
        for other in earlier[0].entries if step_of(episode, earlier[-1]) == first else ():
            takes = takes_over(episode, other, earlier, entry, span)
            if takes and boundary(episode, other, earlier, spans) is span:
                start = first if shares_the_step(episode, span[0], entry) else first + 1
    later = boundary(episode, entry, span, spans)
    if later is None:
        stop = episode.last_step
    else:
        bound = step_of(episode, later[0])
        assert bound is not None
        stop = bound if bound == last else bound - 1
    return Window(start, stop) if start <= stop else None


# Everything together (3.3, eligibility)


def reference_spans(episode: Episode) -> list[ReferenceSpan]:
    """The spans of an episode, in the order of their first deliveries."""
    episode = replayed(episode)
    spans = group(episode)
    valid = recording_is_valid(episode)
    found = []
    for span in spans:
        first, last = step_of(episode, span[0]), step_of(episode, span[-1])
        windows = tuple(window(episode, entry, span, spans) for entry in span[0].entries)
        sizes = [placement.size for delivery in span for placement in delivery.placements]
        if not span[0].entries:
            outcome = SpanOutcome.EMPTY
        elif first is None:
            outcome = SpanOutcome.UNASSESSABLE
        elif not valid:
            outcome = SpanOutcome.ERROR
        elif not any(windows):
            outcome = SpanOutcome.NEUTRAL
        else:
            outcome = SpanOutcome.ELIGIBLE
        found.append(
            ReferenceSpan(
                deliveries=tuple(delivery.id for delivery in span),
                exposures=tuple(exposure(entry, span[0].placements) for entry in span[0].entries),
                windows=windows,
                first=first,
                last=last,
                outcome=outcome,
                characters=sum(size or 0 for size in sizes),
                redacted=None in sizes,
            )
        )
    return found
