"""A text read once, its words split where identifiers are, so that content is found in any spelling."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_memuse.judging.measures import Quantity
from pytest_memuse.judging.quantities import quantities
from pytest_memuse.judging.vocabulary import STOPWORDS

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9à-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-z])")
_JOINTS = frozenset({"", "_", "-", ".", "/", "\\", ":", "::", "__", "./"})
_NEAR = 12
"""Words to either side of a place that tell what it is about."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand in a reading, in characters; ``tight`` where nothing parts them."""

    start: int
    end: int
    tight: bool = True


class Reading:
    """One text, indexed in time and memory linear in its length.

    ``words`` are the folded words with camel case and joints split; ``text`` is the compatibility-normalised text
    that all offsets refer to.
    """

    __slots__ = ("_ends", "_forms", "_possible", "_starts", "_stems", "_where", "quantities", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text if text.isascii() else unicodedata.normalize("NFKC", text)
        self.words: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._where: dict[str, list[int]] = {}
        for start, end in _parts(self.text):
            word = self.text[start:end].casefold()
            self._where.setdefault(word, []).append(len(self.words))
            self.words.append(word)
            self._starts.append(start)
            self._ends.append(end)
        self.quantities: list[Quantity] = quantities(self.text)
        self._forms: dict[str, list[Quantity]] = {}
        self._possible: dict[str, list[Quantity]] = {}
        for quantity in self.quantities:
            for form in quantity.forms:
                self._forms.setdefault(form, []).append(quantity)
            for form in quantity.possible:
                self._possible.setdefault(form, []).append(quantity)
        self._stems: frozenset[str] | None = None

    def find(self, words: Sequence[str]) -> Iterator[Place]:
        """Yield where these words follow one another, in whatever spelling, and where they are written as one word."""
        joined = "".join(words)
        if len(words) > 1:
            for at in self._where.get(joined, ()):
                yield Place(self._starts[at], self._ends[at])
        if not words or any(word not in self._where for word in words):
            return
        pivot = min(range(len(words)), key=lambda i: len(self._where[words[i]]))
        for at in self._where[words[pivot]]:
            first = at - pivot
            if first >= 0 and self.words[first : first + len(words)] == list(words):
                last = first + len(words) - 1
                tight = all(self._joint(i) in _JOINTS for i in range(first, last))
                yield Place(self._starts[first], self._ends[last], tight)

    def find_quantity(self, wanted: Quantity) -> Iterator[Quantity]:
        """Yield the quantities that can be the wanted one."""
        seen: set[int] = set()
        for form in sorted(wanted.forms):
            for quantity in self._forms.get(form, ()):
                if id(quantity) not in seen and quantity.same_as(wanted):
                    seen.add(id(quantity))
                    yield quantity

    def find_possible(self, wanted: Quantity) -> Iterator[Quantity]:
        """Yield the quantities that can be the wanted one only if a unit is left out."""
        seen: set[int] = set()
        for index, forms in ((self._forms, wanted.possible), (self._possible, wanted.forms)):
            for form in sorted(forms):
                for quantity in index.get(form, ()):
                    if id(quantity) not in seen and not quantity.same_as(wanted) and quantity.may_equal(wanted):
                        seen.add(id(quantity))
                        yield quantity

    def around(self, start: int, end: int) -> frozenset[str]:
        """Return the stems of the words near a place that can tell its purpose."""
        first = max(0, bisect_right(self._starts, start) - 1 - _NEAR)
        last = bisect_right(self._starts, end) + _NEAR
        return frozenset(stem(w) for w in self.words[first:last] if w not in STOPWORDS and not w.isdigit())

    def words_between(self, start: int, end: int) -> list[str]:
        """Return the folded words that begin between two characters."""
        return self.words[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def before(self, start: int, words: int = 3) -> Iterator[str]:
        """Yield the folded words before a place, nearest first."""
        at = bisect_left(self._starts, start)
        yield from reversed(self.words[max(0, at - words) : at])

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all words."""
        if self._stems is None:
            self._stems = frozenset(stem(word) for word in self._where)
        return self._stems

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Return the bounds of the sentence or line around a place, at most 400 characters to either side."""
        low = max(0, start - 400)
        before = max((m.end() for m in _BREAK.finditer(self.text, low, start)), default=low)
        after = _BREAK.search(self.text, end, min(len(self.text), end + 400))
        return before, (after.end() if after else min(len(self.text), end + 400))

    def _joint(self, at: int) -> str:
        start, end = self._ends[at], self._starts[at + 1]
        return self.text[start:end] if end - start <= 2 else " "


_BREAK = re.compile(r"[.!?;](?=\s)|\n")


def _parts(text: str) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text):
        start = match.start()
        if match.end() - start > 2:
            for hump in _HUMP.finditer(text, match.start(), match.end()):
                if start < hump.start() < match.end():
                    yield start, hump.start()
                    start = hump.start()
        yield start, match.end()


def words_of(text: str) -> tuple[str, ...]:
    """Return the folded words of a short text, split as a `Reading` splits them."""
    return tuple(Reading(text).words)


_ENDINGS = (("ies", "y"), ("ying", "y"), ("ings", ""), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""))


def stem(word: str) -> str:
    """Return a word without its commonest endings, so that *retries* and *retrying* meet *retry*."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word
