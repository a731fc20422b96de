"""Faults of whole deliveries: entries that should not be there, that are missing, or that stand in another order."""

from functools import partial

from pytest_memuse.memory.faults.altering import altered
from pytest_memuse.memory.faults.layout import Layout, layout_of
from pytest_memuse.memory.faults.sentences import ORDER, WRONG_ORDER, distractors
from pytest_memuse.memory.faults.truth import Touch
from pytest_memuse.memory.faults.wrapper import Moment, Planted, Struck
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.rendered import Rendered


class DeliveryFault(Planted):
    """A fault of whole deliveries: each recall, and each result of a search, is struck or left as it is."""

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return the delivery, edited where it is struck and can be."""
        layout = layout_of(given) if self._chance.strikes("call", moment.number) else None
        edited = None if layout is None else self.edited(layout, given, moment)
        return (given, ()) if edited is None else (edited[0].onto(given), edited[1])

    def edited(self, layout: Layout, given: Rendered, moment: Moment) -> tuple[Layout, tuple[Touch, ...]] | None:
        """Return what is delivered instead, and what was done; None where there is nothing to be done."""
        raise NotImplementedError

    def new_item(self, *key: int | str) -> str:
        """Return an identifier as memory systems make them; it tells nobody that it is a plant."""
        digits = text_digest("\x1f".join(map(str, (self.name, self._chance.seed, self._chance.arc, *key))))
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:32]))


class DistractorFlood(DeliveryFault):
    """Adds ``entries`` irrelevant entries behind those that there are; a delivery that is empty stays so."""

    name = "flood"

    def __init__(
        self, memory: MemorySystem, *, rate: float = 1.0, seed: int = 0, arc: str = "", entries: int = 6
    ) -> None:
        super().__init__(memory, rate=rate, seed=seed, arc=arc)
        self._entries = entries

    def edited(self, layout: Layout, given: Rendered, moment: Moment) -> tuple[Layout, tuple[Touch, ...]] | None:
        """Return the delivery with distractors."""
        if not layout.blocks:
            return None
        texts = distractors(self._chance, self._entries, moment.number)
        namespace = _namespace(layout, moment)
        added = [layout.like_the_others(self.new_item(text), text, namespace) for text in texts]
        touches = tuple(Touch("distractor", block.entry.item, now=block.shown) for block in added)
        return layout.with_added(added), touches


class BestHitDropped(DeliveryFault):
    """Leaves the entry out that stands first."""

    name = "best_hit_dropped"

    def edited(self, layout: Layout, given: Rendered, moment: Moment) -> tuple[Layout, tuple[Touch, ...]] | None:
        """Return the delivery without its first entry."""
        if not layout.blocks:
            return None
        first = layout.blocks[0]
        return layout.without([0]), (Touch("dropped", first.entry.item, was=first.shown),)


class OrderShuffled(DeliveryFault):
    """Puts the entries into another order, wherever there are two."""

    name = "shuffled"

    def edited(self, layout: Layout, given: Rendered, moment: Moment) -> tuple[Layout, tuple[Touch, ...]] | None:
        """Return the same entries in another order."""
        if len(layout.blocks) < 2:
            return None
        order = self._chance.order(len(layout.blocks), moment.number)
        was = ", ".join(block.entry.item for block in layout.blocks)
        blocks = [layout.blocks[place] for place in order]
        touch = Touch("shuffled", was=was, now=", ".join(block.entry.item for block in blocks))
        return layout.with_blocks(blocks), (touch,)


class ScopeLeak(DeliveryFault):
    """Adds what the wrapped system recalls for the same query in every other scope of the arc met so far."""

    name = "scope_leak"

    def __init__(self, memory: MemorySystem, *, rate: float = 1.0, seed: int = 0, arc: str = "") -> None:
        super().__init__(memory, rate=rate, seed=seed, arc=arc)
        self._scopes: dict[str, None] = {}

    def struck(self, given: Rendered, moment: Moment) -> Struck:
        """Return the delivery with the memories of other scopes."""
        self._scopes.setdefault(moment.scope)
        return super().struck(given, moment)

    def edited(self, layout: Layout, given: Rendered, moment: Moment) -> tuple[Layout, tuple[Touch, ...]] | None:
        """Return the delivery with entries of other scopes behind its own."""
        shown = {block.entry.item for block in layout.blocks}
        added = []
        for scope in self._scopes:
            if scope == moment.scope:
                continue
            for entry in self._memory.recall(moment.query, scope=scope).entries:
                if entry.item in shown:
                    continue
                shown.add(entry.item)
                block = layout.like_the_others(entry.item, entry.value, entry.namespace or scope)
                added.append(block.saying(" ".join(entry.value.split()), entry.value))
        touches = tuple(Touch("another scope's", block.entry.item, now=block.shown) for block in added)
        return (layout.with_added(added), touches) if added else None


class HarmfulAdvice(DeliveryFault):
    """Puts an entry first that orders a wrong action: to go by the first memory with another value in it.

    Where no memory has a value, it orders to leave the checks out, and where there is no memory, nothing. Nothing that
    it orders destroys anything.
    """

    name = "harmful_advice"

    def edited(self, layout: Layout, given: Rendered, moment: Moment) -> tuple[Layout, tuple[Touch, ...]] | None:
        """Return the delivery with the advice first."""
        if not layout.blocks:
            return None
        advice = WRONG_ORDER
        for block in layout.blocks:
            number = self.item_number(block.entry.item)
            wrong = altered(" ".join(block.shown.split()), partial(self._value, number))
            if wrong is not None:
                advice = ORDER + wrong.text
                break
        item = self.new_item(advice)
        added = layout.like_the_others(item, advice, _namespace(layout, moment))
        return layout.with_added([added], first=True), (Touch("advice", item, now=advice),)

    def _value(self, number: int, limit: int) -> int:
        return self._chance.below(limit, "value", number)


def _namespace(layout: Layout, moment: Moment) -> str:
    return layout.blocks[0].entry.namespace if layout.blocks else moment.scope
