"""Other readings of a text: escapes undone, blobs of base64 or hexadecimal digits decoded.

A view keeps for each of its characters where in the text it comes from, so that what is found in the view can be
replaced in the text. Every function here is linear in the length of its text.
"""

import base64
import binascii
import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol


class View(Protocol):
    """A reading of a text."""

    @property
    def text(self) -> str: ...

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Return the place in the text that ``[start, end)`` of the view comes from."""


class Unescaped:
    """A text with one level of escapes undone.

    Where its characters come from is worked out once something is found in it, which is seldom.
    """

    __slots__ = ("_at", "_escapes", "_origin", "_original", "_plain", "text")

    def __init__(self, original: str, escapes: re.Pattern[str]) -> None:
        self.text = escapes.sub(_meant, original)
        self._original = original
        self._escapes = escapes
        # Where each piece begins, in the view and in the text, and whether it stands in the text as it is.
        self._at: list[int] = []
        self._origin: list[int] = []
        self._plain: list[bool] = []

    def source(self, start: int, end: int) -> tuple[int, int]:
        if not self._at:
            self._work_out()
        first, last = bisect_right(self._at, start) - 1, bisect_right(self._at, end - 1) - 1
        begin = self._origin[first] + (start - self._at[first] if self._plain[first] else 0)
        if self._plain[last]:
            return begin, self._origin[last] + end - self._at[last]
        return begin, self._origin[last + 1] if last + 1 < len(self._origin) else len(self._original)

    def _work_out(self) -> None:
        length = done = 0
        for match in self._escapes.finditer(self._original):
            start, done_before = match.start(), done
            if start > done_before:
                self._piece(length, done_before, plain=True)
                length += start - done_before
            meant = _meant(match)
            if meant:
                self._piece(length, start, plain=False)
                length += len(meant)
            done = match.end()
        if done < len(self._original):
            self._piece(length, done, plain=True)

    def _piece(self, at: int, origin: int, *, plain: bool) -> None:
        self._at.append(at)
        self._origin.append(origin)
        self._plain.append(plain)


@dataclass(frozen=True, slots=True)
class Decoded:
    """Bytes that characters ``[begin, ...)`` of a text stand for; as text, each byte is one character.

    ``width`` is the bits of a character: 6 for base64, 4 for hexadecimal digits. ``breaks`` tells, of each character
    inside the blob that is a line break and stands for nothing, how many characters that stand for something are before
    it.
    """

    raw: bytes
    begin: int
    width: int
    breaks: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        return self.raw.decode("latin-1")

    @property
    def readable(self) -> bool:
        """Whether most of it is printable; what is not is a picture, a vector or no base64 at all."""
        return len(self.raw.translate(None, _PRINTABLE)) * 8 <= len(self.raw)

    def source(self, start: int, end: int) -> tuple[int, int]:
        return self._place(start * 8 // self.width), self._place((end * 8 - 1) // self.width) + 1

    def _place(self, character: int) -> int:
        return self.begin + character + bisect_right(self.breaks, character)


_PRINTABLE = bytes(range(0x20, 0x7F)) + b"\t\n\r\0"

_ESCAPE = re.compile(
    r"""\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}  # a character outside the basic plane
    | \\u[0-9a-fA-F]{4} | \\U[0-9a-fA-F]{8} | \\u\{[0-9a-fA-F]{1,6}\} | \\x[0-9a-fA-F]{2} | \\["'\\/bfnrt]
    | %[cC][2-9a-fA-F]%[89abAB][0-9a-fA-F] | %[dD][0-9a-fA-F]%[89abAB][0-9a-fA-F]
    | %[eE][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){2} | %[fF][0-7](?:%[89abAB][0-9a-fA-F]){3}
    | %[0-9a-fA-F]{2}
    | &(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8}[0-9]{0,2});""",
    re.VERBOSE,
)
_MARKS = ("\\", "%", "&")
_ZEROS = re.compile(r"\0+")


def unescaped(text: str) -> Unescaped | None:
    """Undo one level of JSON, percent and HTML escapes; None where there is none."""
    return _without(_ESCAPE, text) if any(mark in text for mark in _MARKS) else None


def narrowed(text: str) -> Unescaped | None:
    """Leave out zero bytes, as UTF-16 has them between the letters; None where there is none."""
    return _without(_ZEROS, text) if "\0" in text else None


def _without(escapes: re.Pattern[str], text: str) -> Unescaped | None:
    view = Unescaped(text, escapes)
    return None if view.text == text else view


def _meant(found: re.Match[str]) -> str:
    escape = found.group()
    if escape in _SIMPLE:
        return _SIMPLE[escape]
    head = escape[0]
    if head == "\\":
        if len(escape) == 12:
            high, low = int(escape[2:6], 16), int(escape[8:], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
        code = int(escape[2:].strip("{}"), 16)
        return chr(code) if code <= 0x10FFFF else escape
    if head == "%":
        return bytes.fromhex(escape.replace("%", "")).decode("utf-8", "surrogateescape")
    return html.unescape(escape) if head == "&" else ""


_SIMPLE = {f"\\{char}": char for char in "\"'\\/"} | {
    "\\b": "\b",
    "\\f": "\f",
    "\\n": "\n",
    "\\r": "\r",
    "\\t": "\t",
}

_BLOB = re.compile(r"[A-Za-z0-9+/_-]{16,}(?:\r?\n[ \t]{0,40}+[A-Za-z0-9+/_-]{4,})*={0,2}")
_LINE_BREAKS = re.compile(r"[\r\n][\r\n \t]*")
_HEX = re.compile(r"[0-9a-fA-F]{16,}")
_URLSAFE = str.maketrans("-_", "+/")


def blobs(text: str) -> Iterator[re.Match[str]]:
    """Yield the runs of at least 16 base64 characters, over line breaks and the indentation behind them too."""
    return _BLOB.finditer(text)


def decoded(blob: re.Match[str]) -> Iterator[Decoded]:
    """Yield the readings of a blob: base64 begun at each of four characters, hexadecimal digits at each of two.

    A blob may be glued to what stands before it. The first reading is of the whole blob as base64.
    """
    begin, raw = blob.start(), blob.group().rstrip("=")
    breaks: tuple[int, ...] = ()
    if "\n" in raw:
        places = (place for match in _LINE_BREAKS.finditer(raw) for place in range(*match.span()))
        breaks = tuple(place - number for number, place in enumerate(places))
        raw = _LINE_BREAKS.sub("", raw)
    digits = raw.translate(_URLSAFE)
    for phase in range(4):
        whole = digits[phase:]
        if len(whole) % 4 == 1:
            whole = whole[:-1]
        try:
            found = base64.b64decode(whole + "=" * (-len(whole) % 4))
        except binascii.Error:  # pragma: no cover  # the alphabet and the length are right
            continue
        # The first line of a blob is longer than what is left out of it.
        yield Decoded(found, begin + phase, 6, tuple(before - phase for before in breaks))
    for run in _HEX.finditer(raw):
        for phase in range(2):
            digits, skipped = run.group()[phase:], run.start() + phase
            behind = tuple(before - skipped for before in breaks)
            yield Decoded(bytes.fromhex(digits[: len(digits) & ~1]), begin + skipped, 4, behind)
