"""The rules of MemUse 3.1 to 3.3 and A.1.2 to A.1.5, literally and slowly: what the spans room is compared with.

It was written from the paper, not from the room: each function is one rule, with what the paper says of it in our own
words. Everything is looked for by trying all of it, nothing is kept between two questions, and only the types of
events and results are shared. Where the paper is silent, the docstring says which of its sentences is the closest.
"""

from dataclasses import dataclass

from pytest_memuse.model import Delivery, Episode
from pytest_memuse.spans.types import Exposure, SpanOutcome, Window
from tests.spans.reference_equality import items, same_delivery, same_entry
from tests.spans.reference_exposure import exposure
from tests.spans.reference_recording import recording_is_valid, replayed, step_of
from tests.spans.reference_visibility import earlier_copies, in_order, shows_all
from tests.spans.reference_windows import window


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
    provisional: int | None


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


def provisional_step(episode: Episode, delivery: Delivery) -> int | None:
    """A neighbouring step may stand in for audit where no step consumed a delivery (A.1.1).

    Silent: which neighbour. What a step asked for, the next one reads; else the last step recorded before, else the
    first one after.
    """
    if step_of(episode, delivery) is not None:
        return None
    asked = [o.step for o in episode.operations if o.id in delivery.operations and o.step is not None]
    if asked and episode.steps:
        return min(max(asked) + 1, len(episode.steps))
    place = next(n for n, other in enumerate(episode.deliveries) if other is delivery)
    before = [step for other in episode.deliveries[:place] if (step := step_of(episode, other)) is not None]
    after = [step for other in episode.deliveries[place:] if (step := step_of(episode, other)) is not None]
    return before[-1] if before else after[0] if after else None


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
                provisional=provisional_step(episode, span[0]),
            )
        )
    return found
