"""Notes on assertions that pass on little: gathered per test, told once in the summary, never a failure."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from pytest_memuse.plugin.state import SessionState, state_of

if TYPE_CHECKING:
    from pytest_memuse.profiles.figure import Compared, Observer

_MOST = 1000
"""Different comparisons of one test that are looked at; a test that makes more is searching, not asserting."""

Seen = dict[tuple[str, str, float, bool], "Compared"]
"""What a test compared, each thing once: a figure's name, how it was compared with what, and how that came out."""

COMPARED = pytest.StashKey[Seen]()


def observer_of(item: pytest.Item) -> "Observer":
    """Return what the profiles of a test report its comparisons to; it may be called from any thread."""
    seen = item.stash.setdefault(COMPARED, {})
    return _observer(seen)


def _observer(seen: Seen) -> "Callable[[Compared], None]":
    def observe(compared: "Compared") -> None:
        if len(seen) < _MOST:
            # One step of the interpreter, so that threads need no lock.
            seen.setdefault((compared.figure.name, compared.op, compared.threshold, compared.held), compared)

    return observe


def note_passed(item: pytest.Item, report: pytest.TestReport) -> None:
    """Keep what the comparisons of a test that passed lack; those of one that failed explain themselves."""
    seen = item.stash.get(COMPARED, None)
    if not seen:
        return
    del item.stash[COMPARED]
    if not report.passed or item.config.get_verbosity() < 0:
        return
    from pytest_memuse.profiles.support import doubts
    from pytest_memuse.reports.assertions import note

    found: dict[tuple[object, ...], str] = {}
    for compared in list(seen.values()):
        for doubt in doubts(compared):
            # Said in two ways (`x < 0.1`, `not x > 0.1`) it is one thing.
            found.setdefault((doubt.figure.name, doubt.threshold, doubt.lack, doubt.from_above), note(doubt))
    if found:
        state_of(item.config).notes[item.nodeid] = list(found.values())


def summary(state: SessionState, verbosity: int) -> list[str]:
    """Return the notes for the terminal; none with ``-q``, which shows only what failed."""
    if verbosity < 0 or not state.notes:
        return []
    from pytest_memuse.reports.assertions import note_lines

    return note_lines(state.notes, everything=verbosity > 0)


def shown_whole(config: pytest.Config) -> bool:
    """Return whether pytest shows the explanation of a failed assertion whole: with ``-vv``, and in CI."""
    in_ci = any(os.environ.get(name) for name in ("CI", "BUILD_NUMBER"))
    return in_ci or config.get_verbosity(pytest.Config.VERBOSITY_ASSERTIONS) >= 2
