"""Editing a rendered text entry by entry, so that every entry stays exactly where its place says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pytest_memuse.recording.rendered import Rendered, RenderedEntry


@dataclass(frozen=True, slots=True)
class Block:
    """An entry as it is shown: its text, and what stands around it on its lines (a mark, a displayed identifier)."""

    entry: RenderedEntry
    shown: str
    before: str = ""
    after: str = ""

    def saying(self, shown: str, value: str | None = None) -> "Block":
        """Return the block with another text; without a ``value`` the stored text changes as the shown one does."""
        if value is None:
            whole = self.entry.value
            value = shown + whole[len(self.shown) :] if whole.startswith(self.shown) else shown
        return replace(self, shown=shown, entry=replace(self.entry, value=value))


@dataclass(frozen=True, slots=True)
class Layout:
    """A rendered text in parts: what stands before the first block, the blocks, what joins them, what follows."""

    head: str
    blocks: tuple[Block, ...]
    joints: tuple[str, ...]
    tail: str = ""
    count: int = 0
    """How many blocks there were; a head that tells this number tells that of the blocks that there are."""

    def with_blocks(self, blocks: Sequence[Block]) -> "Layout":
        """Return the layout with as many blocks, in the order given."""
        return replace(self, blocks=tuple(blocks))

    def without(self, places: Sequence[int]) -> "Layout":
        """Return the layout without the blocks at these places."""
        kept = [place for place in range(len(self.blocks)) if place not in places]
        # A block takes the joint before it along; the first one that is left has none.
        joints = tuple(self.joints[place - 1] for place in kept[1:])
        return replace(self, blocks=tuple(self.blocks[place] for place in kept), joints=joints)

    def with_added(self, blocks: Sequence[Block], *, first: bool = False) -> "Layout":
        """Return the layout with further blocks before all others or after them."""
        joint = self.joints[0] if self.joints else "\n"
        together = (*blocks, *self.blocks) if first else (*self.blocks, *blocks)
        new = (joint,) * (len(together) - 1 - len(self.joints))
        return replace(self, blocks=together, joints=(*new, *self.joints) if first else (*self.joints, *new))

    def like_the_others(self, item: str, text: str, namespace: str) -> Block:
        """Return a block for another item that looks as the blocks do that are there."""
        pattern = self.blocks[0] if self.blocks else None
        if pattern is None:
            return Block(RenderedEntry(item, text, 0, 0, namespace=namespace), text, "- ")
        known = pattern.entry.key
        before, after = pattern.before, pattern.after
        if known:
            before, after = before.replace(known, item), after.replace(known, item)
        return Block(RenderedEntry(item, text, 0, 0, item if known else None, None, namespace), text, before, after)

    def onto(self, rendered: Rendered) -> Rendered:
        """Return ``rendered`` with this layout's text and entries; without any block its text is empty."""
        if not self.blocks:
            return replace(rendered, text="", entries=())
        text, entries = self._counted_head(), []
        for number, block in enumerate(self.blocks):
            text += (self.joints[number - 1] if number else "") + block.before
            entries.append(replace(block.entry, start=len(text), end=len(text) + len(block.shown)))
            text += block.shown + block.after
        return replace(rendered, text=text + self.tail, entries=tuple(entries))

    def _counted_head(self) -> str:
        numbers = list(re.finditer(r"\d+", self.head))
        if len(numbers) != 1 or numbers[0][0] != str(self.count):
            return self.head
        return self.head[: numbers[0].start()] + str(len(self.blocks)) + self.head[numbers[0].end() :]


def layout_of(rendered: Rendered) -> Layout | None:
    """Take a rendered text apart; None where its entries overlap or stand outside it.

    A block is all of the lines that an entry stands on, where no two entries share a line, else the entry alone. To a
    text without entries blocks are added on lines below it.
    """
    text = rendered.text
    entries = sorted(rendered.entries, key=lambda entry: entry.start)
    spans = [(entry.start, entry.end) for entry in entries]
    if any(not 0 <= start <= end <= len(text) for start, end in spans) or not _apart(spans):
        return None
    lines = [_lines(text, *span) for span in spans]
    places = lines if _apart(lines, by=1) else spans
    blocks = tuple(
        Block(entry, text[entry.start : entry.end], text[low : entry.start], text[entry.end : high])
        for entry, (low, high) in zip(entries, places, strict=True)
    )
    if not blocks:
        return Layout(text + "\n" if text else "", (), ())
    joints = tuple(text[before[1] : after[0]] for before, after in pairwise(places))
    return Layout(text[: places[0][0]], blocks, joints, text[places[-1][1] :], len(blocks))


def joined(first: Rendered, second: Rendered) -> Rendered:
    """Return both texts as one, the second below the first; what else it says is said of the first."""
    if not second.text:
        return first
    text = first.text + "\n\n" if first.text else ""
    moved = [replace(e, start=e.start + len(text), end=e.end + len(text)) for e in second.entries]
    return replace(first, text=text + second.text, entries=(*first.entries, *moved))


def _apart(spans: Sequence[tuple[int, int]], by: int = 0) -> bool:
    return all(before[1] + by <= after[0] for before, after in pairwise(spans))


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    last = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if last < 0 else last
