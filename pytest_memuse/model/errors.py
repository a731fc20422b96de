"""The one error of reading what others wrote: what, where, and how to mend it."""

import difflib
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
    """Return ``; did you mean ...?`` for the closest known word, or an empty text."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def printable(text: str, limit: int = 100) -> str:
    """Return text that a terminal shows as it is: one line, no control or direction characters, cut to a length."""
    return inert(" ".join(text.split()), limit)


def inert(text: str, limit: int = 400) -> str:
    """Return text as `printable` does, spaces kept as they are: for names and paths."""
    safe = "".join(c if c.isprintable() and c not in _DIRECTION else "�" for c in text[: limit + 1])
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


_DIRECTION = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
