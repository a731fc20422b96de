"""What goes on while a suite is recorded or replayed: lines on the terminal, and what was spent of the budget."""

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from pytest_memuse.plugin.state import state_of

if TYPE_CHECKING:
    from pytest_memuse.episodes.budget import Spending
    from pytest_memuse.episodes.progress import Told

_SPENDING = pytest.StashKey["Spending"]()


def spending_of(config: pytest.Config) -> "Spending | None":
    """Return what the session has spent of its budget, None without one; the suites of a session share it."""
    limit = state_of(config).settings.budget
    if not limit:
        return None
    from pytest_memuse.episodes.budget import Spending, parse_budget

    if _SPENDING not in config.stash:
        config.stash[_SPENDING] = Spending(parse_budget(limit), time.monotonic)
    return config.stash[_SPENDING]


def on_terminal(config: pytest.Config) -> bool:
    """Tell whether progress lines can be written over each other; with ``-v`` every one is kept."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    return reporter is not None and bool(reporter.isatty) and config.get_verbosity() == 0


def printer_of(config: pytest.Config) -> "Callable[[Told], None]":
    """Return a printer of progress lines; silent in a worker, where there is no terminal."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    capture = config.pluginmanager.getplugin("capturemanager")
    if reporter is None:
        return lambda _: None
    from pytest_memuse.model.errors import inert

    def show(told: "Told") -> None:
        with capture.global_and_fixture_disabled() if capture is not None else nullcontext():
            if told.passing:
                # A line that wraps could not be written over.
                width = reporter._tw.fullwidth - 1
                reporter.rewrite(f"memuse: {inert(told.text)}"[:width], erase=True)
                return
            reporter.ensure_newline()
            for line in told.text.splitlines():
                reporter.write_line(f"memuse: {inert(line)}")

    return show


def terminal_width(config: pytest.Config) -> int:
    """Return the columns of the terminal, 0 where its plugin is off and nothing is shown."""
    return config.get_terminal_writer().fullwidth if config.pluginmanager.hasplugin("terminalreporter") else 0
