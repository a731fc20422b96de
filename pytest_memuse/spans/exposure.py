"""How much of an entry its consuming input holds (MemUse 3.1, A.1.2)."""

from collections.abc import Iterable
from functools import cached_property

from pytest_memuse.model import Delivery, Entry, PlacementKind
from pytest_memuse.spans.decoding import decoded_texts, may_be_normalised, normalised
from pytest_memuse.spans.types import Exposure, ExposureKind

SHORTEST_PREFIX = 8
"""A shorter prefix of a value is taken for coincidence."""

UNKNOWN = Exposure(ExposureKind.UNKNOWN)


class PlacementText:
    """The text of one placement with its decodings, each worked out once and only when a search comes that far."""

    def __init__(self, text: str, kind: PlacementKind) -> None:
        self.text = text
        self.kind = kind

    @cached_property
    def decoded(self) -> tuple[str, ...]:
        """Losslessly decoded texts (A.1.2), the original left out."""
        return decoded_texts(self.text, self.kind)

    @cached_property
    def _normalised(self) -> tuple[str, ...]:
        return tuple(normalised(text) for text in (self.text, *self.decoded))

    def holds(self, value: str) -> bool:
        """Return whether the complete value is there: verbatim, then decoded, then by restricted normalisation."""
        if not value:
            return False
        if value in self.text or any(value in text for text in self.decoded):
            return True
        if not may_be_normalised(value):
            return False
        wanted = normalised(value)
        return any(wanted in text for text in self._normalised)

    def longest_prefix(self, value: str) -> str | None:
        """Return the longest prefix of the value, of at least eight characters, in the original or a decoded text.

        Where a prefix occurs every shorter one does, so the longest is found by bisection: a text that repeats the
        value's opening a million times costs no more than any other.
        """
        longest = SHORTEST_PREFIX - 1
        for text in (self.text, *self.decoded):
            if len(value) <= longest or value[: longest + 1] not in text:
                continue
            low, high = longest + 1, min(len(value), len(text))
            while low < high:
                middle = (low + high + 1) // 2
                if value[:middle] in text:
                    low = middle
                else:
                    high = middle - 1
            longest = low
        return value[:longest] if longest >= SHORTEST_PREFIX else None


def match_exposure(value: str | None, text: str | None, kind: PlacementKind) -> Exposure:
    """Return the exposure of one entry's recorded value in one placement's text.

    A missing or empty value, and a missing or empty text, verify nothing: the exposure is unknown.
    """
    if not value or not text:
        return UNKNOWN
    return _match(value, PlacementText(text, kind))


def _match(value: str, placement: PlacementText) -> Exposure:
    if placement.holds(value):
        return Exposure(ExposureKind.FULL, value)
    prefix = placement.longest_prefix(value)
    return UNKNOWN if prefix is None else Exposure(ExposureKind.CLIPPED, prefix)


def best_exposure(exposures: Iterable[Exposure]) -> Exposure:
    """Return the best exposure over placements: full beats clipped, the longest prefix wins; never joined (A.1.2)."""
    best = UNKNOWN
    for exposure in exposures:
        if exposure.kind is ExposureKind.FULL:
            return exposure
        if exposure.text is not None and len(exposure.text) > len(best.text or ""):
            best = exposure
    return best


class ExposureMatcher:
    """Matches the deliveries of one episode, remembering each text and each comparison.

    A host repeats a block of several kilobytes before every call; matched once, a repeat costs one look-up.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[str, PlacementKind], PlacementText] = {}
        self._exposures: dict[tuple[str, str, PlacementKind], Exposure] = {}
        self._held: dict[tuple[str, str, PlacementKind], bool] = {}
        self._shown: dict[tuple[str, str, PlacementKind], bool] = {}

    def _placement(self, text: str, kind: PlacementKind) -> PlacementText:
        key = (text, kind)
        if key not in self._texts:
            self._texts[key] = PlacementText(text, kind)
        return self._texts[key]

    def _exposure(self, value: str, text: str, kind: PlacementKind) -> Exposure:
        key = (value, text, kind)
        if key not in self._exposures:
            self._exposures[key] = _match(value, self._placement(text, kind))
        return self._exposures[key]

    def entry(self, entry: Entry, delivery: Delivery) -> Exposure:
        """Return the exposure of an entry over the placements of its delivery."""
        value = entry.value
        if not value:
            return UNKNOWN
        return best_exposure(self._exposure(value, p.text, p.kind) for p in delivery.placements if p.text)

    def delivery(self, delivery: Delivery) -> tuple[Exposure, ...]:
        """Return the exposures of a delivery's entries, in order."""
        return tuple(self.entry(entry, delivery) for entry in delivery.entries)

    def holds(self, value: str, text: str, kind: PlacementKind) -> bool:
        """Return whether a placement's text holds a value in full, as `match_exposure` decides it."""
        key = (value, text, kind)
        if key not in self._held:
            self._held[key] = self._placement(text, kind).holds(value)
        return self._held[key]

    def shows(self, identifier: str, text: str, kind: PlacementKind) -> bool:
        """Return whether a displayed identifier stands in a placement, not inside a longer word or number."""
        key = (identifier, text, kind)
        if key not in self._shown:
            texts = (text, *self._placement(text, kind).decoded)
            self._shown[key] = any(_stands_alone(identifier, candidate) for candidate in texts)
        return self._shown[key]


def _stands_alone(word: str, text: str) -> bool:
    start = text.find(word) if word else -1
    while start >= 0:
        end = start + len(word)
        before, behind = text[max(0, start - 2) : start], text[end : end + 2]
        if not (_is_word(word[0]) and _continues(before[::-1])) and not (_is_word(word[-1]) and _continues(behind)):
            return True
        start = text.find(word, end)
    return False


def _continues(neighbours: str) -> bool:
    """Return whether an identifier goes on in the two characters beside it, as `mem-4` does in `mem-42`, `mem-4-b`."""
    return _is_word(neighbours[:1]) or (neighbours[:1] == "-" and _is_word(neighbours[1:]))


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
