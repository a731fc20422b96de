"""Counting what a changed memory system would deliver over an arc, against what was recorded."""

from collections.abc import Sequence

from pytest_memuse.episodes.drift import DeliveryChange, EntryDifference, Preview
from pytest_memuse.episodes.places import Place
from pytest_memuse.model.tokens import estimated_tokens
from pytest_memuse.recording.dialects import read_call
from pytest_memuse.recording.recording import MemoryOperation


class PreviewTally:
    """Sums over the operations of one replay."""

    def __init__(self) -> None:
        self._operations = self._left_out = self._deliveries = 0
        self._before = self._now = 0
        self._changes: list[DeliveryChange] = []

    def leave_out(self) -> None:
        """Count an operation that could not be followed."""
        self._operations += 1
        self._left_out += 1

    def add(
        self,
        recorded: MemoryOperation,
        place: Place,
        differences: Sequence[EntryDifference],
        delivered: str,
        *,
        other: bool,
    ) -> None:
        """Count an operation; ``delivered`` is what it would put into an input now, ``other`` whether that differs."""
        self._operations += 1
        if not (place.delivered or delivered):
            return
        self._deliveries += 1
        self._before += estimated_tokens(len(place.delivered))
        self._now += estimated_tokens(len(delivered))
        if other:
            incoming = [d.now for d in differences if d.how in ("in", "changed")]
            self._changes.append(
                DeliveryChange(
                    episode=place.episode,
                    step=place.step,
                    operation=recorded.number,
                    differences=tuple(differences),
                    incoming=sum(estimated_tokens(len(text)) for text in incoming),
                    visible=_visible(place, incoming),
                )
            )

    def preview(self) -> Preview:
        """Return the sums."""
        return Preview(
            self._operations, self._left_out, self._deliveries, tuple(self._changes), self._before, self._now
        )


def _visible(place: Place, texts: Sequence[str]) -> int | None:
    """Return the estimated tokens of those texts that the reading call's input held anyway, the delivery left out."""
    if place.reader is None:
        return None
    call = read_call(place.reader)
    if not call.readable:
        return None
    input_text = "\n".join(message.text.replace(place.delivered, "") for message in call.messages if message.text)
    return sum(estimated_tokens(len(text)) for text in texts if text and text in input_text)
