"""Random conversations, told in both ways that a log may: the exact request of every call, and the history."""

import random
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from pytest_memuse.model import Actor, Call, Episode, HistoryChange, HistoryKind, Message, Step
from pytest_memuse.model.episodes import LOST


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation: ``exact`` has requests only, ``told`` history only, ``both`` has the two beside each other."""

    exact: Episode
    told: Episode

    @property
    def both(self) -> Episode:
        return replace(self.exact, history=self.told.history)


def conversation(seed: int) -> Conversation:
    """Return a random conversation with appends, retractions and rewrites, and some failed calls."""
    dice = random.Random(seed)
    messages: dict[str, Message] = {}
    visible: list[str] = []
    changes: list[HistoryChange] = []
    calls: list[Call] = []

    def said() -> str:
        message = Message(dice.choice(["user", "assistant", "tool"]), f"message {dice.randrange(30)}")
        messages[message.digest] = message
        return message.digest

    for number in range(1, dice.randrange(2, 9)):
        name = f"call-{number}"
        for _ in range(dice.randrange(3) if visible else 1):
            new = tuple(said() for _ in range(dice.randrange(1, 4)))
            kept = dice.randrange(len(visible) + 1)
            kind = dice.choice(list(HistoryKind)) if visible else HistoryKind.APPEND
            if kind is HistoryKind.APPEND:
                kept = len(visible)
            elif kind is HistoryKind.RETRACTION:
                kept, new = min(kept, len(visible) - 1), ()
            removed = tuple(visible[kept:]) if dice.random() < 0.7 else ()
            changes.append(HistoryChange(kind, name, kept, removed, new))
            visible[kept:] = new
        if not changes or changes[-1].before != name:
            # A call that reads the history as it stands says so.
            changes.append(HistoryChange(HistoryKind.APPEND, name, len(visible)))
        calls.append(Call(name, Actor.AGENT, tuple(visible), completed=dice.random() < 0.8))
    done = [call for call in calls if call.completed]
    exact = Episode(
        id="conversation",
        steps=tuple(Step(number, call) for number, call in enumerate(done, 1)),
        deliveries=(),
        messages={d: messages[d] for d in messages},
        failed_calls=tuple(call for call in calls if not call.completed),
    )
    told = replace(
        exact,
        steps=tuple(replace(step, call=replace(step.call, input=())) for step in exact.steps),
        failed_calls=tuple(replace(call, input=()) for call in exact.failed_calls),
        history=tuple(changes),
    )
    return Conversation(exact, told)


def with_changes_alone(episode: Episode) -> Episode:
    """Return an episode of exact requests with what left each of them: a history that tells of no message added."""
    changes = []
    for before, step in pairwise(episode.steps):
        old, new = before.call.input, step.call.input
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
        if kept < len(old):
            kind = HistoryKind.RETRACTION if kept == len(new) else HistoryKind.REWRITE
            changes.append(HistoryChange(kind, step.call.id, kept, old[kept:], new[kept:]))
    return replace(episode, history=tuple(changes))


def damaged(episode: Episode, seed: int) -> Episode:
    """Return the episode with its history shuffled, cut and edited at random, and some requests lost."""
    dice = random.Random(seed)
    history: list[HistoryChange] = []
    for change in episode.history:
        fate = dice.randrange(8)
        if fate == 0:
            continue
        if fate == 1:
            change = replace(change, kept=max(0, change.kept + dice.choice([-2, -1, 1, 2, 10**12])))
        elif fate == 2:
            change = replace(change, removed=("nothing of the kind",), kind=HistoryKind.RETRACTION)
        elif fate == 3:
            change = replace(change, before=dice.choice(["call-1", "call-2", "call-4", "of another time"]))
        history.insert(len(history) - (dice.random() < 0.1), change)

    def lossy(call: Call) -> Call:
        fate = dice.randrange(6)
        if fate == 0:
            return replace(call, input=(), gap=dice.random() < 0.5)
        if fate == 1 and call.input:
            return replace(call, input=(LOST, *call.input[1:]), gap=True)
        return replace(call, input=call.input[::-1]) if fate == 2 else call

    return replace(
        episode,
        steps=tuple(replace(step, call=lossy(step.call)) for step in episode.steps),
        failed_calls=tuple(map(lossy, episode.failed_calls)),
        history=tuple(history),
    )
