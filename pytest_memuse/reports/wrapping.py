"""Sentences broken into lines of a terminal."""

import textwrap

from pytest_memuse.model.errors import inert

_LEAST = 40


def wrapped(text: str, width: int, *, indent: int = 0) -> list[str]:
    """Return a sentence in lines of at most ``width`` columns (never under 40), those after the first indented more.

    Every line is made inert for itself: where a line is broken, words of others may come to stand at its beginning.
    """
    lines = textwrap.wrap(
        text,
        max(width, _LEAST),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
    )
    return [inert(line, 2_000) for line in lines]
