"""Plain text tables for a terminal: columns as wide as their content, nothing that a terminal would interpret."""

import unicodedata
from collections.abc import Sequence

from pytest_memuse.model.errors import printable


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes: two for a wide character, none for a combining mark."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset(), *, gap: int = 2
) -> list[str]:
    """Return the lines of a table. ``right`` names the columns that are set flush right, ``gap`` their distance."""
    cells = [[printable(cell, 160) for cell in row] for row in (head, *rows)]
    widths = [max(columns_of(row[column]) for row in cells) for column in range(len(head))]
    between = " " * gap
    lines = []
    for row in cells:
        parts = [
            _padded(cell, width, right=column in right)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(between.join(parts).rstrip())
    lines.insert(1, between.join("─" * width for width in widths))
    return lines


def fitted(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    right: frozenset[int] = frozenset(),
    dispensable: Sequence[int] = (),
) -> list[str]:
    """Return a table that is at most so many columns wide, as far as that can be had without wrapping a row.

    Columns first move closer; then the dispensable ones are left out, in the order given, until the rest fits.
    """
    lines: list[str] = []
    for dropped in range(len(dispensable) + 1):
        kept = [column for column in range(len(head)) if column not in dispensable[:dropped]]
        shown = [[row[column] for column in kept] for row in (head, *rows)]
        flush = frozenset(place for place, column in enumerate(kept) if column in right)
        for gap in (2, 1):
            lines = table(shown[0], shown[1:], flush, gap=gap)
            if max(map(columns_of, lines)) <= width:
                return lines
    return lines


def _padded(cell: str, width: int, *, right: bool) -> str:
    padding = " " * (width - columns_of(cell))
    return padding + cell if right else cell + padding


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
