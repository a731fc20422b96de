"""Sessions that are already over, for tests of what is done with their results; no test of theirs was ever run."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pytest_memuse.plugin.options import Settings, settings_of
from pytest_memuse.plugin.state import SessionState, SuiteResult
from pytest_memuse.profiles.rows import Run
from pytest_memuse.profiles.serialise import run_to_dict


def settings_in(root: Path) -> Settings:
    """Return what a session has in which nothing was set."""
    config = SimpleNamespace(
        rootpath=root,
        option=SimpleNamespace(),
        getoption=lambda name, default=None: default,
        getini=lambda name: "",
    )
    return settings_of(cast(pytest.Config, config), {})


def result_of(run: Run, *, attempts: int = 1, recording: str = "r", judge: str = "1", memory: str = "1") -> SuiteResult:
    """Return the result of a suite; every arc's recording has a digest of its own that begins with ``recording``."""
    identity = {
        "judge": {"kind": "tracer", "version": judge, "model": "", "settings": {}},
        "recordings": {arc: f"{recording}-{arc}" for arc in run.arcs},
        "recorded_against": "",
        "memory": {"version": memory},
        "agent": {"model": "scripted"},
        "attempts": attempts,
    }
    return SuiteResult(run.suite, f"test_{run.suite}.py::test", ("t.py", 1, "test"), run_to_dict(run), identity)


def ended(root: Path, *results: SuiteResult, failed: int = 0, **settings: Any) -> tuple[pytest.Session, SessionState]:
    """Return a session of these results, and its state; ``settings`` are those that are not the usual ones."""
    state = SessionState(replace(settings_in(root), **settings))
    state.results = {result.suite: result for result in results}
    config = SimpleNamespace(
        rootpath=root,
        get_verbosity=lambda: 0,
        pluginmanager=SimpleNamespace(hasplugin=lambda name: False),
    )
    return cast(pytest.Session, SimpleNamespace(config=config, testsfailed=failed)), state
