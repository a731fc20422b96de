"""What every test may use."""

import pytest
from hypothesis import settings

from tests.cases.episodes import NoCases, cases_folder

# Machines are shared and slow at times: an example that takes long says nothing. Nothing is written into the tree.
settings.register_profile("memuse", deadline=None, database=None, max_examples=50)
settings.load_profile("memuse")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run where ``MEMUSE_CASES`` names no cases."""
    try:
        cases_folder()
    except NoCases as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture(autouse=True)
def _no_options_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CI run sets variables that change what the plugin allows; tests that are about them set them again."""
    for name in (
        "CI",
        "MEMUSE_BASELINE",
        "MEMUSE_RECORD_MODE",
        "MEMUSE_DRIFT",
        "MEMUSE_UPDATE",
        "MEMUSE_EXECUTOR",
        "PYTEST_ADDOPTS",
    ):
        monkeypatch.delenv(name, raising=False)
