"""The one error of reading what others wrote: what, where, and how to mend it."""

import difflib
import re
from collections.abc import Iterable


class MemuseError(Exception):
    """Base of every error that the product raises on purpose. ``reason`` is stable and machine-readable."""

    def __init__(self, message: str, *, reason: str, mend: str = "") -> None:
        super().__init__(message if not mend else f"{message}\n  to mend: {mend}")
        self.reason = reason
        self.mend = mend


class FormatError(MemuseError):
    """A file does not hold what its format asks for. Names file, line and field."""

    def __init__(
        self,
        problem: str,
        *,
        source: str,
        line: int | None = None,
        field: str | None = None,
        reason: str = "damaged",
        mend: str = "",
    ) -> None:
        # Source, field and problem quote what was read.
        where = inert(source) if line is None else f"{inert(source)}:{line}"
        if field:
            where += f": {inert(field)}"
        super().__init__(f"{where}: {inert(problem, 1_000)}", reason=reason, mend=mend)
        self.problem = problem
        self.source = source
        self.line = line
        self.field = field


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean ...?`` for the closest known word, or an empty text. Only short words are looked at."""
    if len(word) > _LONGEST_WORD:
        return ""
    close = difflib.get_close_matches(word, [name for name in known if len(name) <= _LONGEST_WORD], n=1)
    return f"; did you mean {inert(close[0])!r}?" if close else ""


def printable(text: str, limit: int = 100) -> str:
    """Return text that a terminal shows as it is: one line, no control or direction characters, cut to a length."""
    # So many words fill the limit whatever they are; a long text is not taken apart to its end.
    return inert(" ".join(text.split(None, limit)[:limit]), limit)


def inert(text: str, limit: int = 400) -> str:
    """Return text as `printable` does, spaces kept as they are: for names, paths and whole lines.

    Nothing in it commands the log reader of a CI system either: ``##[``, ``##vso[`` and their like, which are obeyed
    anywhere in a line, and ``::name``, which is where a line begins with it.
    """
    head = text[: limit + 1]
    # Plain text, nearly all there is, need not be looked at a character at a time.
    plain = head.isascii() and head.isprintable()
    safe = head if plain else "".join(c if is_shown(c) else "�" for c in head)
    if "#" in safe or ":" in safe:
        safe = _COMMAND.sub(lambda found: found[0][:-1] + "�", safe)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def is_shown(character: str) -> bool:
    """Return whether a terminal shows a character as what it is: it controls nothing, reorders nothing, and is seen."""
    return character.isprintable() and character not in _UNSEEN


_LONGEST_WORD = 200
"""Finding the closest word takes time with the square of its length."""

# The last character of a match is the one that makes it a command.
_COMMAND = re.compile(r"#{2}(?=\w*\[)|^\s*:(?=:[A-Za-z])")
# Printable to Python, and nothing to see: letters and a symbol that are blank, marks that only select or join.
_UNSEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0") | frozenset(map(chr, range(0xE0100, 0xE01F0)))
