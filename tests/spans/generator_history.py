"""A random episode told by the history of its messages. Part of `tests.spans.generator`."""

import random
from dataclasses import replace

from pytest_memuse.model import Episode, HistoryChange, HistoryKind


def with_history(chance: random.Random, episode: Episode, inputs: list[tuple[str, ...]]) -> Episode:
    """The episode told by its history: beside some exact requests, instead of all, or changes alone beside them all.

    At times the record has lost a change, or has one that cannot be.
    """
    changes: list[HistoryChange] = []
    before: tuple[str, ...] = ()
    for step, after in zip(episode.steps, inputs, strict=True):
        changes += changes_between(chance, step.call.id, before, after)
        before = after
    if chance.random() < 0.3:
        place = chance.randrange(len(changes))
        change = changes.pop(place)
        if chance.random() < 0.5:
            kept = chance.choice((change.kept + 2, max(0, change.kept - 1), 0))
            kind = chance.choice(tuple(HistoryKind))
            added = () if kind is HistoryKind.RETRACTION else change.messages
            changes.insert(place, HistoryChange(kind, change.before, kept, change.removed, added))
    if chance.random() < 0.2:
        only = tuple(change for change in changes if change.kind is not HistoryKind.APPEND)
        return replace(episode, history=only)
    exact = chance.choice((0.0, 0.5, 1.0))
    steps = (s if chance.random() < exact else replace(s, call=replace(s.call, input=())) for s in episode.steps)
    return replace(episode, steps=tuple(steps), history=tuple(changes))


def changes_between(
    chance: random.Random, call: str, before: tuple[str, ...], after: tuple[str, ...]
) -> list[HistoryChange]:
    """What was recorded before a call whose input was to become ``after``."""
    kept = 0
    while kept < min(len(before), len(after)) and before[kept] == after[kept]:
        kept += 1
    removed, added = before[kept:], after[kept:]
    named = removed if chance.random() < 0.5 else ()
    if not removed:
        return [HistoryChange(HistoryKind.APPEND, call, kept, (), added)]
    if added and chance.random() < 0.5:
        return [HistoryChange(HistoryKind.REWRITE, call, kept, named, added)]
    retraction = HistoryChange(HistoryKind.RETRACTION, call, kept, named)
    return [retraction, HistoryChange(HistoryKind.APPEND, call, kept, (), added)]
