"""Memory that a proxy or a harness writes between two marks into a message of the request."""

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_memuse.model import Route
from pytest_memuse.model.digests import text_digest
from pytest_memuse.recording.observers.entries import Pieces, check_lists, check_pieces, check_texts, entries_of
from pytest_memuse.recording.observers.types import Observed, SeenCall, SeenEpisode, SeenMessage
from pytest_memuse.recording.recording import DeliveryNote

MOST_BLOCKS = 64
"""Blocks that are looked for in one message; a message with more is not memory."""


@dataclass(frozen=True, slots=True)
class BlockObserver:
    """Takes every text between the marks ``start`` and ``end``, marks included, for a host-scheduled delivery.

    It looks at messages of the ``roles`` that the call before did not hold; with ``every_request`` at all of them, for
    a proxy that writes the block anew into each request. ``slot`` and ``form`` name the deliveries. ``pieces`` and
    ``key`` say how a block that shows no stored item falls into entries (`entries.entries_of`).
    """

    start: str
    end: str
    slot: str = "block"
    form: str = "memory block"
    roles: tuple[str, ...] = ("system", "developer", "user")
    pieces: Pieces = "whole"
    key: tuple[str, str] | None = None
    every_request: bool = False

    def __post_init__(self) -> None:
        check_lists("block", roles=self.roles)
        check_texts("block", start=self.start, end=self.end, slot=self.slot)
        check_pieces("block", self.pieces, self.key)

    def observe(self, episode: SeenEpisode) -> tuple[Observed, ...]:
        """Return one delivery for each block, in order of calls and messages."""
        return tuple(
            observed
            for call in episode.calls
            for seen in call.messages
            if seen.message.role in self.roles and seen.pointer and (seen.new or self.every_request)
            for observed in self._in(call, seen)
        )

    def _in(self, call: SeenCall, seen: SeenMessage) -> Iterator[Observed]:
        whole = seen.message.text
        for number, (start, end) in enumerate(self._blocks(whole), 1):
            inner = whole[start + len(self.start) : end - len(self.end)]
            entries = entries_of(inner, call.stored, pieces=self.pieces, key=self.key, name=self.slot)
            yield Observed(
                DeliveryNote(
                    operation=0,
                    slot=self.slot if number == 1 else f"{self.slot} {number}",
                    text=whole[start:end],
                    exchange=call.exchange.number,
                    pointer=seen.pointer,
                    text_digest=text_digest(whole),
                    entries=entries,
                    route=Route.HOST,
                    form=self.form,
                )
            )

    def _blocks(self, text: str) -> Iterator[tuple[int, int]]:
        place = 0
        for _ in range(MOST_BLOCKS):
            first = text.find(self.start, place)
            end = text.find(self.end, first + len(self.start)) if first >= 0 else -1
            if end < 0:
                return
            # The prose before a block may name its mark: the block begins at the last one before its end.
            start = max(first, text.rfind(self.start, first, end))
            place = end + len(self.end)
            yield start, place
