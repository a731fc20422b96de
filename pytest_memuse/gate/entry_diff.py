"""One entry then and now: what was delivered on each side, what the agent did with it, and what became of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from pytest_memuse.gate.delivered_items import DeliveredItem, delivered_items, paired
from pytest_memuse.profiles.rows import EpisodeRow


class ChangeKind(StrEnum):
    """What became of an entry or a task, the gravest first, what got better last; the first that applies counts."""

    NEWLY_HARMFUL = "newly harmful"
    NO_LONGER_BENEFICIAL = "no longer beneficial"
    TASK_FAILS = "task fails now"
    RELEVANT_NO_LONGER_DELIVERED = "relevant, no longer delivered"
    NEWLY_IRRELEVANT = "irrelevant, newly delivered"
    NO_LONGER_RELEVANT = "no longer relevant"
    NO_LONGER_DELIVERED = "no longer delivered"
    TEXT_CHANGED = "text changed"
    USED_DIFFERENTLY = "used differently"
    JUDGED_ON_ONE_SIDE = "judged on one side only"
    NEWLY_DELIVERED = "newly delivered"
    MORE_TOKENS = "more tokens delivered"
    NO_LONGER_HARMFUL = "no longer harmful"
    NEWLY_BENEFICIAL = "newly beneficial"


GRAVITY: Mapping[ChangeKind | None, int] = {kind: rank for rank, kind in enumerate((*ChangeKind, None))}
"""The order of kinds, what did not change at the end."""

Seen = Mapping[tuple[str, str, object], Mapping[str, tuple[int, str]]]
"""Of every item of every arc (arc, namespace, creation or identifier): each text that it was delivered with, with the
position and the task of the first delivery."""


@dataclass(frozen=True, slots=True)
class EntryDiff:
    """An entry in one run of a task on both sides; None where that side did not deliver it.

    ``run`` counts the task's repeats from 0. Where only one side has so many, ``alone`` is set: the entry was not left
    out on the other side, there was nothing to deliver it to. ``older`` names the task in which the baseline delivered
    this very item with the text that it has now, earlier in the arc and before it delivered a newer one: the item fell
    back. ``foreign`` says that the baseline delivered other namespaces to this task, and nothing of this entry's.
    """

    kind: ChangeKind | None
    then: DeliveredItem | None
    now: DeliveredItem | None
    run: int = 0
    alone: bool = False
    older: str = ""
    foreign: bool = False

    @property
    def shown(self) -> DeliveredItem:
        """The entry as it is now, or as it was where it is not delivered now."""
        shown = self.now or self.then
        assert shown is not None
        return shown

    @property
    def text_changed(self) -> bool:
        """Whether it is delivered on both sides and reads differently."""
        return self.then is not None and self.now is not None and self.then.text != self.now.text


def texts_seen(episodes: Iterable[EpisodeRow]) -> Seen:
    """Return with which texts a run delivered each item, and where first."""
    seen: dict[tuple[str, str, object], dict[str, tuple[int, str]]] = {}
    for episode in sorted(episodes, key=lambda one: one.position):
        for span in episode.spans:
            for entry in span.entries:
                name = entry.item if entry.ordinal is None else entry.ordinal
                texts = seen.setdefault((episode.arc, entry.namespace, name), {})
                texts.setdefault(entry.text, (episode.position, episode.task))
    return seen


def entry_diffs(before: Sequence[EpisodeRow], now: Sequence[EpisodeRow], seen: Seen) -> tuple[EntryDiff, ...]:
    """Return every entry of a task, delivered then or now, the gravest change first; repeats are paired in order.

    ``seen`` is what `texts_seen` returns of the baseline.
    """
    found: list[EntryDiff] = []
    for run, (then_episode, now_episode) in enumerate(zip_longest(before, now)):
        if then_episode is None:
            found += _only_now(now_episode, run)
        elif now_episode is None:
            found += (EntryDiff(None, item, None, run, alone=True) for item in delivered_items(then_episode))
        else:
            found += _both(then_episode, now_episode, run, seen)
    return tuple(sorted(found, key=lambda diff: GRAVITY[diff.kind]))


def _both(before: EpisodeRow, now: EpisodeRow, run: int, seen: Seen) -> Iterator[EntryDiff]:
    then_items, now_items = delivered_items(before), delivered_items(now)
    namespaces = {item.namespace for item in then_items}
    for then_item, now_item in paired(then_items, now_items):
        foreign = then_item is None and now_item is not None and bool(namespaces)
        yield EntryDiff(
            kind=_kind(then_item, now_item),
            then=then_item,
            now=now_item,
            run=run,
            older=_older(before, then_item, now_item, seen),
            foreign=foreign and now_item is not None and now_item.namespace not in namespaces,
        )


def _only_now(episode: EpisodeRow, run: int) -> Iterator[EntryDiff]:
    for item in delivered_items(episode):
        yield EntryDiff(ChangeKind.NEWLY_HARMFUL if item.harmful else None, None, item, run, alone=True)


def _older(episode: EpisodeRow, then: DeliveredItem | None, now: DeliveredItem | None, seen: Seen) -> str:
    if then is None or now is None or then.text == now.text:
        return ""
    name = then.item if then.ordinal is None else then.ordinal
    position, task = seen.get((episode.arc, then.namespace, name), {}).get(now.text, (episode.position, ""))
    return task if position < episode.position else ""


def _kind(then: DeliveredItem | None, now: DeliveredItem | None) -> ChangeKind | None:
    """Return what became of an entry. What nobody judged now is not known to be without use or harm."""
    harmful, helpful = then is not None and then.harmful, then is not None and then.beneficial
    known = now is None or now.judged
    if now is not None and now.harmful and not harmful:
        return ChangeKind.NEWLY_HARMFUL
    if helpful and known and not (now is not None and now.beneficial):
        return ChangeKind.NO_LONGER_BENEFICIAL
    if harmful and known and not (now is not None and now.harmful):
        return ChangeKind.NO_LONGER_HARMFUL
    if now is None:
        relevant = then is not None and then.relevant
        return ChangeKind.RELEVANT_NO_LONGER_DELIVERED if relevant else ChangeKind.NO_LONGER_DELIVERED
    if now.beneficial and not helpful:
        return ChangeKind.NEWLY_BENEFICIAL
    if then is None:
        return ChangeKind.NEWLY_IRRELEVANT if now.relevant is False else ChangeKind.NEWLY_DELIVERED
    return _kind_of_both(then, now)


def _kind_of_both(then: DeliveredItem, now: DeliveredItem) -> ChangeKind | None:
    if then.relevant and now.relevant is False:
        return ChangeKind.NO_LONGER_RELEVANT
    if then.text != now.text:
        return ChangeKind.TEXT_CHANGED
    if then.judged != now.judged:
        return ChangeKind.JUDGED_ON_ONE_SIDE
    return ChangeKind.USED_DIFFERENTLY if set(then.labels) != set(now.labels) else None
