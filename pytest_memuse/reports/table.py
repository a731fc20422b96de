"""Plain text tables for a terminal: columns as wide as their content, nothing that a terminal would interpret."""

from collections.abc import Sequence

from pytest_memuse.model.errors import printable


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Return the lines of a table. ``right`` names the columns that are set flush right."""
    cells = [[printable(cell, 160) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    lines.insert(1, "  ".join("─" * width for width in widths))
    return lines
