"""What a report looks like to the letter, in files where its lines are long.

A change of a report is looked at as a change of these files: ``MEMUSE_WRITE_GOLDEN=1 pytest tests/reports`` writes
those that differ, and fails for each one; the next run without the variable passes.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "golden"


def golden(name: str) -> str:
    """Return the text of a file beside this module."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def text(lines: Sequence[str]) -> str:
    """Return lines as a file holds them."""
    return "".join(f"{line}\n" for line in lines)


def check_golden(name: str, lines: Sequence[str]) -> None:
    """Fail where lines are not those of a golden file; write the file first where the environment asks for it."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("MEMUSE_WRITE_GOLDEN"):
        if not path.exists() or golden(name) != text(lines):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text(lines), encoding="utf-8")
            pytest.fail(f"wrote {path}: look at what changed, then run again without MEMUSE_WRITE_GOLDEN")
        return
    assert path.exists(), f"{path} is missing; MEMUSE_WRITE_GOLDEN=1 writes it"
    assert text(lines) == golden(name)
