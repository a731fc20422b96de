"""What a report looks like to the letter, in files where its lines are long."""

from collections.abc import Sequence
from pathlib import Path


def golden(name: str) -> str:
    """Return the text of a file beside this module."""
    return (Path(__file__).parent / "golden" / f"{name}.txt").read_text(encoding="utf-8")


def text(lines: Sequence[str]) -> str:
    """Return lines as a file holds them."""
    return "".join(f"{line}\n" for line in lines)
