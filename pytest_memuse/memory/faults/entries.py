"""Faults of single entries: each that is struck says something else than what is stored, and stays where it was."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from pytest_memuse.memory.faults.altering import altered
from pytest_memuse.memory.faults.layout import Block, layout_of
from pytest_memuse.memory.faults.truth import Touch
from pytest_memuse.memory.faults.wording import paraphrased
from pytest_memuse.memory.faults.wrapper import Moment, Planted, Struck
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.recording.rendered import Change, Rendered


class EntryFault(Planted):
    """A fault of single entries. An item that is struck is struck in every delivery of the arc."""

    what: ClassVar[str] = ""

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return the delivery with every entry that is struck, and that there is something to do to, touched."""
        layout = layout_of(given)
        if layout is None:
            return given, ()
        blocks, touches = [], []
        for block in layout.blocks:
            number = self.item_number(block.entry.item)
            instead = self.instead(block, number) if self._chance.strikes("item", number) else None
            blocks.append(instead or block)
            if instead is not None:
                touches.append(Touch(self.what, block.entry.item, block.shown, instead.shown))
        return layout.with_blocks(blocks).onto(given) if touches else given, tuple(touches)

    def instead(self, block: Block, number: int) -> Block | None:
        """Return what is shown of an item instead; None where there is nothing to do to it."""
        raise NotImplementedError


class StaleVersion(EntryFault):
    """Shows the version of an item that its present one took the place of.

    Superseded texts are those that were seen to be overwritten: in the changes that the system reported, and in what it
    delivered before. ``older`` tells the superseded text of a text besides, for systems that add and never overwrite;
    `superseded_values` makes one of facts whose old values are known.
    """

    name = "stale"
    what = "stale version"

    def __init__(
        self,
        memory: MemorySystem,
        *,
        rate: float = 1.0,
        seed: int = 0,
        arc: str = "",
        older: Callable[[str], str | None] = lambda text: None,
    ) -> None:
        super().__init__(memory, rate=rate, seed=seed, arc=arc)
        self._older = older
        self._versions: dict[str, list[str]] = {}

    def changed(self, changes: Sequence[Change]) -> None:
        """Remember each version of an item."""
        for change in changes:
            if change.value is not None:
                self._remember(change.item, change.value)

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return the delivery with superseded versions in the place of present ones."""
        for entry in given.entries:
            self._remember(entry.item, entry.value)
        return super().struck(given, moment)

    def instead(self, block: Block, number: int) -> Block | None:
        """Return the version before the one that is stored."""
        value = block.entry.value
        before = [text for text in self._versions.get(block.entry.item, []) if text != value]
        older = before[-1] if before else self._older(value)
        if older is None or older == value:
            return None
        shown = older if "\n" in value else " ".join(older.split())
        if len(block.shown) < len(value) and value.startswith(block.shown):
            shown = shown[: len(block.shown)]
        return block.saying(shown, older) if shown else None

    def _remember(self, item: str, value: str) -> None:
        known = self._versions.setdefault(item, [])
        if not known or known[-1] != value:
            known.append(value)


def superseded_values(values: Mapping[str, str]) -> Callable[[str], str | None]:
    """Return what tells a text's superseded form, from present values to the ones that they took the place of."""

    def older(text: str) -> str | None:
        for now, before in values.items():
            if now and now in text:
                return text.replace(now, before)
        return None

    return older


class Contradiction(EntryFault):
    """Shows an item with its value altered to a plausible other one, always the same for an item."""

    name = "contradiction"
    what = "altered value"

    def instead(self, block: Block, number: int) -> Block | None:
        """Return the item with another value; None where its text states none."""
        changed = altered(block.shown, lambda limit: self._chance.below(limit, "value", number))
        return None if changed is None else block.saying(changed.text)


class CutEntries(EntryFault):
    """Shows no more than ``characters`` characters of an item; what is stored is the whole of it."""

    name = "cut"
    what = "cut"

    def __init__(
        self, memory: MemorySystem, *, rate: float = 1.0, seed: int = 0, arc: str = "", characters: int = 40
    ) -> None:
        super().__init__(memory, rate=rate, seed=seed, arc=arc)
        self._characters = max(1, characters)

    def instead(self, block: Block, number: int) -> Block | None:
        """Return the beginning of the item; None where it is short."""
        if len(block.shown) <= self._characters:
            return None
        return block.saying(block.shown[: self._characters], block.entry.value)


class Paraphrase(EntryFault):
    """Says an item in other words, its values kept. No harm by itself: what fails under it is too strict."""

    name = "paraphrase"
    what = "other words"

    def instead(self, block: Block, number: int) -> Block | None:
        """Return the item in other words."""
        return block.saying(paraphrased(block.shown)) if block.shown.strip() else None
