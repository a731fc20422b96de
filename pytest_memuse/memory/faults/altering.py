"""Altering a value in a text to a plausible other one, as a memory that contradicts the truth states it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

Draw = Callable[[int], int]
"""Gives a number from 0 to below its argument; the same one for the same argument."""

_CANDIDATES = (
    re.compile(r"`([^`\n]{1,200})`"),
    re.compile(r'"([^"\n]{1,200})"'),
    re.compile(r"“([^”\n]{1,200})”"),
    re.compile(r"(?<![\w.])(\d[\d.,:]{0,40}\d|\d)(?![\w])"),
    re.compile(r"(?<![\w/.-])(\w{1,60}(?:[/_.@:-]\w{1,60}){1,20})"),
    re.compile(r"(?<=[a-z,;] )([A-Z]\w{2,60})"),
)
"""Where the values of a text are, the surest places first; of several of one kind the last one is the value."""

_DIGITS = re.compile(r"\d{1,40}")
_WORDS = re.compile(r"[A-Za-z]{2,60}")
_OTHERS = ("amber", "north", "legacy", "standby", "harbor", "nightly", "public", "second", "violet", "archive")


@dataclass(frozen=True, slots=True)
class Altered:
    """A text whose value ``was`` now is ``now``."""

    text: str
    was: str
    now: str


def altered(text: str, draw: Draw) -> Altered | None:
    """Return the text with its value altered to another one of the same form, None where it states no value.

    The value is what stands last in backticks or quotes, else the last number, identifier or name.
    """
    for pattern in _CANDIDATES:
        found = list(pattern.finditer(text[:20_000]))
        if found:
            start, end = found[-1].span(1)
            now = other_value(text[start:end], draw)
            return Altered(text[:start] + now + text[end:], text[start:end], now)
    return None


def other_value(value: str, draw: Draw) -> str:
    """Return a plausible value of the same form: another number in its place, or another word."""
    runs = list(_DIGITS.finditer(value))
    if runs:
        run = max(runs, key=lambda match: (len(match[0]), match.start()))
        return value[: run.start()] + _other_number(run[0], draw) + value[run.end() :]
    words = list(_WORDS.finditer(value))
    if words:
        word = max(words, key=lambda match: (len(match[0]), match.start()))
        return value[: word.start()] + _other_word(word[0], draw) + value[word.end() :]
    return value + "-2"


def _other_number(digits: str, draw: Draw) -> str:
    width = len(digits)
    if digits[0] == "0" and width > 1:
        return "0" + _other_number(digits[1:], draw)
    low = 10 ** (width - 1) if width > 1 else 0
    many = 10**width - low
    # Never the number itself: a step of 1 to one less than there are.
    return str(low + (int(digits) - low + 1 + draw(many - 1)) % many)


def _other_word(word: str, draw: Draw) -> str:
    others = [other for other in _OTHERS if other != word.lower()]
    other = others[draw(len(others))]
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other
