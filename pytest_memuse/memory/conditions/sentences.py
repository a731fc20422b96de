"""Running text as sentences, each on one line."""

import re
from collections.abc import Iterator

_ABBREVIATIONS = "apt ave blvd co dr e.g etc i.e inc jr ln ltd mr mrs ms mt no prof rd sr ste vs"
_ABBREVIATED = frozenset(_ABBREVIATIONS.split())
_LAST_WORD = re.compile(r"[\w.]{1,12}\Z")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text.

    A line break ends a sentence, and so does a full stop, question or exclamation mark before white space, outside
    backticks, where the next word has not a small letter and no common abbreviation ends there.
    """
    for line in text.splitlines():
        flat = " ".join(line.split())
        start = 0
        for end in _ends(flat):
            if sentence := flat[start:end].strip():
                yield sentence
            start = end


def _ends(flat: str) -> Iterator[int]:
    quoted = False
    for place, character in enumerate(flat):
        if character == "`":
            quoted = not quoted
        elif character in ".!?" and not quoted and flat[place + 1 : place + 2] == " ":
            word = _LAST_WORD.search(flat, max(0, place - 12), place)
            follows = flat[place + 2 : place + 3]
            if not follows.islower() and (word is None or word[0].casefold() not in _ABBREVIATED):
                yield place + 1
    yield len(flat)
