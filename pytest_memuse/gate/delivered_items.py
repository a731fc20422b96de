"""The items that memory delivered to an episode, each with all that the agent did with it, and which are the same."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, SpanRow, Usage

_CONTRADICTED = "contradicted"


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that the agent did with an item. ``usage`` is None where it was delivered and nobody judged that.

    ``steps`` are the steps whose actions are credited to the item; where there are none, and ``acted`` is false, the
    steps at which it was read, as far as they are known.
    """

    usage: Usage | None
    steps: tuple[int, ...]
    acted: bool


@dataclass(frozen=True, slots=True)
class DeliveredItem:
    """An item of one episode over all its spans.

    ``uses`` holds each usage label once, in the order of the spans. ``relevant`` is true where any span found the item
    relevant, false where spans found it irrelevant and none relevant, and None where none determined it.
    ``contradicted`` says that a span found its claim contradicted. ``spans`` counts the spans that it was part of.
    """

    item: str
    namespace: str
    ordinal: int | None
    text: str
    uses: tuple[Use, ...]
    relevant: bool | None = None
    contradicted: bool = False
    spans: int = 1

    @property
    def labels(self) -> tuple[Usage, ...]:
        """The usage labels; empty where the item was never judged."""
        return tuple(use.usage for use in self.uses if use.usage is not None)

    @property
    def judged(self) -> bool:
        """Whether any of its spans was judged."""
        return bool(self.labels)

    @property
    def harmful(self) -> bool:
        """Whether acting on the item did harm."""
        return Usage.MISUSED in self.labels

    @property
    def beneficial(self) -> bool:
        """Whether acting on the item helped."""
        return Usage.USED in self.labels

    @property
    def acted_on(self) -> bool:
        """Whether any action is credited to the item."""
        return any(use.acted for use in self.uses)

    @property
    def step(self) -> int | None:
        """The first step that acted on the item, or that read it where none did; None where no step is known."""
        acted = [step for use in self.uses if use.acted for step in use.steps]
        read = [step for use in self.uses if not use.acted for step in use.steps]
        return min(acted or read, default=None)


@dataclass(slots=True)
class _Collected:
    """What the spans of an episode say of one item, while they are read."""

    first: EntryRow
    uses: dict[Usage | None, tuple[set[int], set[int]]] = field(default_factory=dict)
    relevances: set[bool | None] = field(default_factory=set)
    contradicted: bool = False
    spans: int = 0

    def add(self, span: SpanRow, entry: EntryRow) -> None:
        acted, read = self.uses.setdefault(entry.usage, (set(), set()))
        acted.update(entry.anchors)
        if span.first is not None:
            read.add(span.first)
        self.relevances.add(entry.relevance)
        self.contradicted |= entry.accuracy == _CONTRADICTED
        self.spans += 1

    def item(self) -> DeliveredItem:
        uses = (Use(usage, tuple(sorted(acted or read)), bool(acted)) for usage, (acted, read) in self.uses.items())
        return DeliveredItem(
            item=self.first.item,
            namespace=self.first.namespace,
            ordinal=self.first.ordinal,
            text=self.first.text,
            uses=tuple(uses),
            relevant=True if True in self.relevances else False if False in self.relevances else None,
            contradicted=self.contradicted,
            spans=self.spans,
        )


def delivered_items(episode: EpisodeRow) -> list[DeliveredItem]:
    """Return the items of an episode in the order of their first delivery; a text of its own is an item of its own."""
    items: dict[tuple[str, str, str], _Collected] = {}
    for span in episode.spans:
        for entry in span.entries:
            key = (entry.namespace, entry.item, entry.text)
            items.setdefault(key, _Collected(entry)).add(span, entry)
    return [collected.item() for collected in items.values()]


def paired(
    before: Sequence[DeliveredItem], now: Sequence[DeliveredItem]
) -> Iterator[tuple[DeliveredItem | None, DeliveredItem | None]]:
    """Pair the items of two sides: those that read the same, then those of one creation, then of one identifier.

    The text comes first because an item more in the store moves the order of all that were created after it; the
    identifier last because memory systems make them at random.
    """
    left_now = dict(enumerate(now))
    left_before = dict(enumerate(before))
    partners: dict[int, DeliveredItem] = {}
    for identity in _IDENTITIES:
        waiting: dict[object, deque[int]] = {}
        for index, item in left_now.items():
            waiting.setdefault(identity(item), deque()).append(index)
        for index, item in list(left_before.items()):
            name = identity(item)
            if name is not None and waiting.get(name):
                partners[index] = left_now.pop(waiting[name].popleft())
                del left_before[index]
    for index, item in enumerate(before):
        yield item, partners.get(index)
    for item in left_now.values():
        yield None, item


def _by_text(item: DeliveredItem) -> object:
    return (item.namespace, item.text) if item.text else None


def _by_creation(item: DeliveredItem) -> object:
    return (item.namespace, item.ordinal) if item.ordinal is not None else None


def _by_item(item: DeliveredItem) -> object:
    return (item.namespace, item.item) if item.item else None


_IDENTITIES: tuple[Callable[[DeliveredItem], object], ...] = (_by_text, _by_creation, _by_item)
