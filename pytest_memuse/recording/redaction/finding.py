"""Finding secrets in a text, however they are encoded in it: one search of the text, of its escapes and its blobs."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_memuse.recording.redaction.compressed import Unread, inflated
from pytest_memuse.recording.redaction.shapes import address_secrets, keys
from pytest_memuse.recording.redaction.spans import Span, merged
from pytest_memuse.recording.redaction.views import Decoded, View, blobs, decoded, narrowed, unescaped

_DEPTH = 8
"""Encodings inside encodings that are undone."""

_SHORTEST_ENCODED = 4
"""A shorter value is looked for as it stands only: its encoded forms are in everything."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A user's own rule. What ``pattern`` finds is replaced: its group 1 where it has one, else all of it."""

    name: str
    pattern: re.Pattern[str]


@dataclass(slots=True)
class _Budget:
    """Characters that may still be decoded. A blob that would take more is replaced unread."""

    left: int

    def takes(self, characters: int) -> bool:
        self.left -= characters
        return self.left >= 0


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds known values, the shapes of keys, and what the user's rules say. `of` makes one."""

    needles: tuple[tuple[str, str], ...] = ()
    byte_needles: tuple[tuple[bytes, str], ...] = ()
    rules: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, str], rules: tuple[Rule, ...]) -> "Finder":
        """Return a finder of values, each with the kind under which it is counted."""
        needles: dict[str, str] = {}
        in_bytes: dict[bytes, str] = {}
        # Where one value's form is another's too, the longer value names the kind; the order decides nothing else.
        for value in sorted(values, key=lambda value: (len(value), value)):
            needles.update(dict.fromkeys(needles_of(value), values[value]))
            if len(value) >= _SHORTEST_ENCODED:
                for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                    in_bytes[value.encode(encoding, "surrogatepass")] = values[value]
        return cls(tuple(needles.items()), tuple(in_bytes.items()), rules)

    def __call__(self, text: str) -> list[Span]:
        """Return the secrets of a text, in order; those that overlap are one."""
        if len(text) < _SHORTEST_ENCODED and not self.needles and not self.rules:
            return []
        return merged(text, self._search(text, _DEPTH, _Budget(16 * len(text) + 32 * 1024 * 1024)))

    def _search(self, text: str, depth: int, budget: _Budget) -> Iterator[Span]:
        yield from self._as_it_stands(text)
        if not depth:
            return
        narrow = narrowed(text)
        if narrow is not None and budget.takes(len(narrow.text)):
            yield from _from(narrow, self._search(narrow.text, depth - 1, budget))
        view = unescaped(text)
        if view is not None and budget.takes(len(view.text)):
            # What is no escape stands in the view as it does here: keys and blobs are looked for there alone.
            yield from _from(view, self._search(view.text, depth - 1, budget))
            return
        runs = [*blobs(text)]
        yield from keys(text, runs)
        for run in runs:
            yield from self._blob(run, depth - 1, budget)

    def _as_it_stands(self, text: str) -> Iterator[Span]:
        for needle, kind in self.needles:
            at = text.find(needle)
            while at >= 0:
                yield Span(at, at + len(needle), kind)
                at = text.find(needle, at + 1)
        yield from address_secrets(text)
        for rule in self.rules:
            for found in rule.pattern.finditer(text):
                group = 1 if rule.pattern.groups and found.group(1) is not None else 0
                if found.group(group):
                    yield Span(*found.span(group), rule.name)

    def _known_in(self, raw: bytes) -> Iterator[Span]:
        for needle, kind in self.byte_needles:
            at = raw.find(needle)
            while at >= 0:
                yield Span(at, at + len(needle), kind)
                at = raw.find(needle, at + 1)

    def _blob(self, blob: re.Match[str], depth: int, budget: _Budget) -> Iterator[Span]:
        for phase, view in enumerate(decoded(blob)):
            if not budget.takes(len(view.raw)):
                yield Span(*blob.span(), "unread blob")
                return
            if view.readable:
                yield from _from(view, self._search(view.text, depth, budget))
            else:
                # A picture, a vector, no base64 at all: only what is known is looked for, and what is compressed.
                yield from _from(view, self._known_in(view.raw))
            # Of base64 the first reading is of the whole blob, and hexadecimal digits seldom stand there by chance.
            yield from self._compressed(view, blob.end(), phase == 0 or view.width == 4, depth, budget)

    def _compressed(self, view: Decoded, end: int, whole: bool, depth: int, budget: _Budget) -> Iterator[Span]:
        try:
            for at, held in inflated(view.raw, whole=whole):
                start, _ = view.source(at, at + 1)
                kind = self._kind_inside(held, depth, budget)
                if kind is not None:
                    yield Span(start, end, kind)
        except Unread:
            yield Span(view.begin, end, "unread blob")

    def _kind_inside(self, held: bytes, depth: int, budget: _Budget) -> str | None:
        if not budget.takes(len(held)):
            return "unread blob"
        found = next(self._search(held.decode("utf-8", "surrogateescape"), depth, budget), None)
        return None if found is None else found.kind

    def in_bytes(self, raw: bytes) -> str | None:
        """Return the kind of a secret that compressed bytes hold, None where they hold none or are not compressed."""
        budget = _Budget(32 * 1024 * 1024)
        try:
            for _, held in inflated(raw, whole=True):
                kind = self._kind_inside(held, _DEPTH, budget)
                if kind is not None:
                    return kind
        except Unread:
            return "unread blob"
        return None


def _from(view: View, spans: Iterable[Span]) -> Iterator[Span]:
    for start, end, kind in spans:
        if end > start:
            yield Span(*view.source(start, end), kind)


def needles_of(value: str) -> tuple[str, ...]:
    """Return the texts under which a known value is looked for.

    The value as it stands; with spaces as forms write them; as bytes read one by one; what is left of it where escapes
    are undone that it holds itself. A value so short that its digits are no blob (`views.blobs`) is looked for as
    hexadecimal digits too, and as base64 at each alignment, as far as neighbours do not shape it.
    """
    if len(value) < _SHORTEST_ENCODED:
        return (value,) if value else ()
    forms = [value, value.replace(" ", "+")]
    view = unescaped(value)
    while view is not None and view.text != forms[-1] and len(forms) < _DEPTH:
        forms.append(view.text)
        view = unescaped(view.text)
    raw = value.encode("utf-8", "surrogatepass")
    forms.append(raw.decode("latin-1"))
    if not value.isascii():
        wide = (value.encode(encoding, "surrogatepass") for encoding in ("utf-16-le", "utf-16-be"))
        forms += [each.decode("utf-8", "surrogateescape") for each in wide]
    if len(raw) < 8:
        forms += [raw.hex(), raw.hex().upper()]
    for skipped in range(3 if len(raw) < 12 else 0):
        digits = base64.b64encode(b"\0" * skipped + raw)
        # Characters that hold bits of the bytes before or behind the value are left out.
        inner = digits[-(-skipped * 8 // 6) : (skipped + len(raw)) * 8 // 6].decode("ascii")
        forms += [inner, inner.translate(_TO_URLSAFE)]
    return tuple(form for form in dict.fromkeys(forms) if len(form) >= _SHORTEST_ENCODED)


_TO_URLSAFE = str.maketrans("+/", "-_")
