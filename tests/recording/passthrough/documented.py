"""The files and outputs that docs/recording.md shows, so that tests run what it says."""

import re
from pathlib import Path

import pytest_memuse

PAGE = Path(pytest_memuse.__file__).parents[1] / "docs" / "recording.md"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """Return the page's code blocks of a language, in order."""
    return [text for found, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")) if found == language]


def files() -> dict[str, str]:
    """Return the page's files by the name in their first line; a part of a file is named with what it is for."""
    named = {}
    for language in ("yaml", "python", "js"):
        for text in blocks(language):
            first, _, _ = text.partition("\n")
            if first.startswith(("# ", "// ")):
                named[first.split(" ", 1)[1]] = text
    return named
