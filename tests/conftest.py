"""What every test may use."""

import signal

import pytest
from hypothesis import settings

from pytest_memuse.plugin.option_table import OPTIONS
from tests.cases.episodes import NoCases, cases_folder

# Machines are shared and slow at times: an example that takes long says nothing. Nothing is written into the tree.
settings.register_profile("memuse", deadline=None, database=None, max_examples=50)
settings.load_profile("memuse")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run where ``MEMUSE_CASES`` names no cases, and have Ctrl-C interrupt as it does in a terminal.

    What a shell starts in the background ignores that signal, and so does every process that is started from there.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        cases_folder()
    except NoCases as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture(autouse=True)
def _no_options_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CI run sets variables that change what the plugin allows; tests that are about them set them again."""
    for name in ("CI", "PYTEST_ADDOPTS", *(option.key.upper() for option in OPTIONS)):
        monkeypatch.delenv(name, raising=False)
