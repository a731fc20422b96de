"""What changed between two runs, entry by entry, and which of it a figure that got worse is owed to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.gate.delivered_items import DeliveredItem
from pytest_memuse.gate.entry_diff import GRAVITY, ChangeKind, EntryDiff, entry_diffs, texts_seen
from pytest_memuse.gate.matching import TaskKey
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.rows import TEXT_KEPT, EpisodeRow

NOT_DELIVERED = "not delivered"
NOT_JUDGED = "delivered, not judged"


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One change. ``then`` and ``now`` say what the agent did with the entry, or that it was not delivered.

    ``episode`` is the current run's where the entry is in it, and the baseline's otherwise. ``step_then`` and
    ``step_now`` are the entry's first anchor on that side, or the first consuming step without one; None where it was
    not delivered or no step is known. ``text`` is cut to a line; ``text_then`` is set where it reads differently now. A
    change of a whole task has an empty ``item``.
    """

    kind: ChangeKind
    arc: str
    task: str
    episode: str
    item: str
    text: str
    then: str
    now: str
    step_then: int | None = None
    step_now: int | None = None
    text_then: str | None = None

    @property
    def step(self) -> int | None:
        """The step now, or then where there is none now."""
        return self.step_then if self.step_now is None else self.step_now


def entry_changes(
    tasks: Iterable[TaskKey],
    before: Mapping[TaskKey, Sequence[EpisodeRow]],
    now: Mapping[TaskKey, Sequence[EpisodeRow]],
) -> dict[TaskKey, tuple[EntryChange, ...]]:
    """Return the changes of each task that has any, the gravest first. Repeats are paired in order."""
    seen = texts_seen(episode for episodes in before.values() for episode in episodes)
    out = {}
    for key in tasks:
        changes = list(_task_changes(key, before[key], now[key]))
        changes += _changed(key, before[key], now[key], entry_diffs(before[key], now[key], seen))
        if changes:
            out[key] = tuple(sorted(changes, key=lambda change: GRAVITY[change.kind]))
    return out


_NO_LONGER_HELPS = (ChangeKind.NO_LONGER_BENEFICIAL, ChangeKind.RELEVANT_NO_LONGER_DELIVERED)

_KINDS: Mapping[str, tuple[ChangeKind, ...]] = {
    "harm_yield": (ChangeKind.NEWLY_HARMFUL,),
    "coverage_beneficial": (ChangeKind.NO_LONGER_BENEFICIAL,),
    "relevance_share": (*_NO_LONGER_HELPS, ChangeKind.NEWLY_IRRELEVANT, ChangeKind.NO_LONGER_RELEVANT),
    "delivered_tokens": (ChangeKind.NEWLY_IRRELEVANT, ChangeKind.NEWLY_DELIVERED, ChangeKind.MORE_TOKENS),
    "token_efficiency": (
        ChangeKind.NO_LONGER_BENEFICIAL,
        ChangeKind.NEWLY_IRRELEVANT,
        ChangeKind.NEWLY_DELIVERED,
        ChangeKind.MORE_TOKENS,
    ),
}

_WORSE = tuple(kind for kind in ChangeKind if kind not in (ChangeKind.NO_LONGER_HARMFUL, ChangeKind.NEWLY_BENEFICIAL))


def responsible(
    figure: str, influence: Mapping[TaskKey, float], changes: Mapping[TaskKey, Sequence[EntryChange]]
) -> tuple[EntryChange, ...]:
    """Return the changes that moved a figure for the worse, those of the task that moved it most first.

    ``influence`` says by how much each task moved the figure, positive for the worse. Newly harmful entries are always
    among them, and come first. A figure without a list of its own takes every kind for the worse; a task of whose
    changes none is of the figure's kinds gives all of them.
    """
    ranked = sorted(changes, key=lambda key: (-influence.get(key, 0.0), key))
    harmful = [c for key in ranked for c in changes[key] if c.kind is ChangeKind.NEWLY_HARMFUL]
    rest = []
    for key in ranked:
        if influence.get(key, 0.0) <= 0:
            continue
        others = [c for c in changes[key] if c.kind is not ChangeKind.NEWLY_HARMFUL]
        telling = [c for c in others if c.kind in _KINDS.get(figure, _WORSE)]
        rest += telling or others
    return (*harmful, *rest)


def _task_changes(key: TaskKey, before: Sequence[EpisodeRow], now: Sequence[EpisodeRow]) -> Iterator[EntryChange]:
    solved_then, solved_now = _solved(before), _solved(now)
    last = now[-1]
    failing = next((episode for episode in now if episode.success is False), last)
    if solved_then is not None and solved_now is not None and solved_now < solved_then:
        then, after = _of_runs(before), _of_runs(now)
        yield EntryChange(ChangeKind.TASK_FAILS, key.arc, key.task, failing.id, "", "", then, after)
    tokens_then, tokens_now = _tokens(before), _tokens(now)
    if tokens_now > tokens_then:
        then, after = f"{tokens_then:g} tokens an episode", f"{tokens_now:g} tokens an episode"
        yield EntryChange(ChangeKind.MORE_TOKENS, key.arc, key.task, last.id, "", "", then, after)


def _changed(
    key: TaskKey, before: Sequence[EpisodeRow], now: Sequence[EpisodeRow], diffs: Iterable[EntryDiff]
) -> Iterator[EntryChange]:
    for diff in diffs:
        if diff.kind is None:
            continue
        shown, side = diff.shown, before if diff.now is None else now
        yield EntryChange(
            kind=diff.kind,
            arc=key.arc,
            task=key.task,
            episode=side[diff.run].id,
            item=printable(shown.item),
            text=printable(shown.text, TEXT_KEPT),
            then=_label(diff.then),
            now=_label(diff.now),
            step_then=diff.then.step if diff.then is not None else None,
            step_now=diff.now.step if diff.now is not None else None,
            text_then=printable(diff.then.text, TEXT_KEPT) if diff.text_changed and diff.then is not None else None,
        )


def _label(item: DeliveredItem | None) -> str:
    if item is None:
        return NOT_DELIVERED
    return ", ".join(item.labels) or NOT_JUDGED


def _solved(episodes: Sequence[EpisodeRow]) -> float | None:
    known = [episode.success for episode in episodes if episode.success is not None]
    return sum(known) / len(known) if known else None


def _of_runs(episodes: Sequence[EpisodeRow]) -> str:
    known = [episode.success for episode in episodes if episode.success is not None]
    if len(known) == 1:
        return "solved" if known[0] else "failed"
    return f"solved {sum(known)} of {len(known)}"


def _tokens(episodes: Sequence[EpisodeRow]) -> float:
    return sum(span.tokens for episode in episodes for span in episode.spans) / len(episodes)
