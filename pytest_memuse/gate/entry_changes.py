"""What changed between two runs, entry by entry: what was delivered and what the agent did with it, then and now."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest

from pytest_memuse.gate.matching import TaskKey
from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.rows import TEXT_KEPT, EntryRow, EpisodeRow, SpanRow, Usage

NOT_DELIVERED = "not delivered"
NOT_JUDGED = "delivered, not judged"


class ChangeKind(StrEnum):
    """What became of an entry, the gravest first; an entry has the first that applies."""

    NEWLY_HARMFUL = "newly harmful"
    NO_LONGER_BENEFICIAL = "no longer beneficial"
    TASK_FAILS = "task fails now"
    NEWLY_IRRELEVANT = "irrelevant, newly delivered"
    NO_LONGER_RELEVANT = "no longer relevant"
    NO_LONGER_DELIVERED = "no longer delivered"
    TEXT_CHANGED = "text changed"
    USED_DIFFERENTLY = "used differently"
    NEWLY_DELIVERED = "newly delivered"
    MORE_TOKENS = "more tokens delivered"


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


@dataclass(slots=True)
class _Delivered:
    """An item of one episode over all its spans."""

    entry: EntryRow
    labels: list[Usage] = field(default_factory=list)
    judged: bool = False
    relevant: bool = False
    irrelevant: bool = False
    step: int | None = None
    anchored: bool = False

    def add(self, span: SpanRow, entry: EntryRow) -> None:
        if entry.usage is not None:
            self.judged = True
            if entry.usage not in self.labels:
                self.labels.append(entry.usage)
        self.relevant |= entry.relevance is True
        self.irrelevant |= entry.relevance is False
        if entry.anchors and not self.anchored:
            self.step, self.anchored = min(entry.anchors), True
        elif self.step is None:
            self.step = span.first

    @property
    def label(self) -> str:
        return ", ".join(self.labels) if self.judged else NOT_JUDGED


def entry_changes(
    tasks: Iterable[TaskKey],
    before: Mapping[TaskKey, Sequence[EpisodeRow]],
    now: Mapping[TaskKey, Sequence[EpisodeRow]],
) -> dict[TaskKey, tuple[EntryChange, ...]]:
    """Return the changes of each task that has any, the gravest first. Repeats are paired in order."""
    out = {}
    for key in tasks:
        changes = list(_task_changes(key, before[key], now[key]))
        for then_episode, now_episode in zip_longest(before[key], now[key]):
            changes += _episode_changes(key, then_episode, now_episode)
        if changes:
            out[key] = tuple(sorted(changes, key=lambda change: _GRAVITY[change.kind]))
    return out


_GRAVITY = {kind: rank for rank, kind in enumerate(ChangeKind)}

_KINDS: Mapping[str, tuple[ChangeKind, ...]] = {
    "harm_yield": (ChangeKind.NEWLY_HARMFUL,),
    "coverage_beneficial": (ChangeKind.NO_LONGER_BENEFICIAL,),
    "relevance_share": (ChangeKind.NEWLY_IRRELEVANT, ChangeKind.NO_LONGER_RELEVANT, ChangeKind.NO_LONGER_BENEFICIAL),
    "delivered_tokens": (ChangeKind.NEWLY_IRRELEVANT, ChangeKind.NEWLY_DELIVERED, ChangeKind.MORE_TOKENS),
    "token_efficiency": (
        ChangeKind.NO_LONGER_BENEFICIAL,
        ChangeKind.NEWLY_IRRELEVANT,
        ChangeKind.NEWLY_DELIVERED,
        ChangeKind.MORE_TOKENS,
    ),
}


def responsible(
    figure: str, influence: Mapping[TaskKey, float], changes: Mapping[TaskKey, Sequence[EntryChange]]
) -> tuple[EntryChange, ...]:
    """Return the changes that moved a figure for the worse, those of the task that moved it most first.

    ``influence`` says by how much each task moved the figure, positive for the worse. Newly harmful entries are always
    among them, and come first. A figure without a list of its own takes every kind; so does a task of whose changes
    none is of the figure's kinds.
    """
    ranked = sorted(changes, key=lambda key: (-influence.get(key, 0.0), key))
    harmful = [c for key in ranked for c in changes[key] if c.kind is ChangeKind.NEWLY_HARMFUL]
    rest = []
    for key in ranked:
        if influence.get(key, 0.0) <= 0:
            continue
        others = [c for c in changes[key] if c.kind is not ChangeKind.NEWLY_HARMFUL]
        telling = [c for c in others if c.kind in _KINDS.get(figure, tuple(ChangeKind))]
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


def _episode_changes(key: TaskKey, before: EpisodeRow | None, now: EpisodeRow | None) -> Iterator[EntryChange]:
    if before is None or now is None:
        return
    for then_entry, now_entry in _paired(_delivered(before), _delivered(now)):
        kind = _kind(then_entry, now_entry)
        shown = now_entry or then_entry
        if kind is None or shown is None:
            continue
        other = then_entry.entry.text if then_entry is not None and now_entry is not None else shown.entry.text
        yield EntryChange(
            kind=kind,
            arc=key.arc,
            task=key.task,
            episode=(now if now_entry is not None else before).id,
            item=printable(shown.entry.item),
            text=printable(shown.entry.text, TEXT_KEPT),
            then=then_entry.label if then_entry is not None else NOT_DELIVERED,
            now=now_entry.label if now_entry is not None else NOT_DELIVERED,
            step_then=then_entry.step if then_entry is not None else None,
            step_now=now_entry.step if now_entry is not None else None,
            text_then=printable(other, TEXT_KEPT) if other != shown.entry.text else None,
        )


def _kind(then: _Delivered | None, now: _Delivered | None) -> ChangeKind | None:
    then_labels = then.labels if then is not None else []
    now_labels = now.labels if now is not None else []
    if Usage.MISUSED in now_labels and Usage.MISUSED not in then_labels:
        return ChangeKind.NEWLY_HARMFUL
    if Usage.USED in then_labels and Usage.USED not in now_labels:
        return ChangeKind.NO_LONGER_BENEFICIAL
    if then is None:
        irrelevant = now is not None and now.irrelevant and not now.relevant
        return ChangeKind.NEWLY_IRRELEVANT if irrelevant else ChangeKind.NEWLY_DELIVERED
    if then.relevant and (now is None or not now.relevant):
        return ChangeKind.NO_LONGER_RELEVANT
    if now is None:
        return ChangeKind.NO_LONGER_DELIVERED
    if then.entry.text != now.entry.text:
        return ChangeKind.TEXT_CHANGED
    return ChangeKind.USED_DIFFERENTLY if set(then_labels) != set(now_labels) else None


def _delivered(episode: EpisodeRow) -> list[_Delivered]:
    """Return the items of an episode, each once with everything that became of it."""
    items: dict[tuple[str, str, str], _Delivered] = {}
    for span in episode.spans:
        for entry in span.entries:
            key = (entry.namespace, entry.item, entry.text)
            items.setdefault(key, _Delivered(entry)).add(span, entry)
    return list(items.values())


def _paired(before: list[_Delivered], now: list[_Delivered]) -> Iterator[tuple[_Delivered | None, _Delivered | None]]:
    """Pair the items of two sides: those that read the same, then those of one creation, then of one identifier.

    The text comes first because an item more in the store moves the order of all that were created after it; the
    identifier last because memory systems make them at random.
    """
    left_now = dict(enumerate(now))
    left_before = dict(enumerate(before))
    partners: dict[int, _Delivered] = {}
    for identity in _IDENTITIES:
        waiting: dict[object, list[int]] = {}
        for index, item in left_now.items():
            waiting.setdefault(identity(item.entry), []).append(index)
        for index, item in list(left_before.items()):
            name = identity(item.entry)
            if name is not None and waiting.get(name):
                partners[index] = left_now.pop(waiting[name].pop(0))
                del left_before[index]
    for index, item in enumerate(before):
        yield item, partners.get(index)
    for item in left_now.values():
        yield None, item


def _by_text(entry: EntryRow) -> object:
    return (entry.namespace, entry.text) if entry.text else None


def _by_creation(entry: EntryRow) -> object:
    return (entry.namespace, entry.ordinal) if entry.ordinal is not None else None


def _by_item(entry: EntryRow) -> object:
    return (entry.namespace, entry.item) if entry.item else None


_IDENTITIES: tuple[Callable[[EntryRow], object], ...] = (_by_text, _by_creation, _by_item)


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
