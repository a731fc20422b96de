"""The rules of MemUse A.1.5, literally: which steps an entry may claim. Part of `tests.spans.reference`."""

from pytest_memuse.model import Delivery, Entry, Episode
from pytest_memuse.spans.types import Window
from tests.spans.reference_equality import item_of, items
from tests.spans.reference_exposure import exposure
from tests.spans.reference_recording import step_of
from tests.spans.reference_visibility import displayed_key, earlier_copies, holds, shows, shows_all


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
