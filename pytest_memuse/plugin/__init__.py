"""The pytest plugin: options, marker, fixtures, gate reports, terminal section.

Nothing of weight is imported here; a session that uses no memuse fixture pays for this module and nothing else.
"""

import pytest

from pytest_memuse.plugin.bridging import memuse_bridge, memuse_observers
from pytest_memuse.plugin.fixtures import (
    memuse,
    memuse_agent,
    memuse_embedder,
    memuse_judge,
    memuse_memory,
    memuse_merit,
    memuse_outcome,
    memuse_redaction,
    memuse_roles,
    memuse_scripted_model,
    memuse_upstream,
)
from pytest_memuse.plugin.options import add_options, settings_of
from pytest_memuse.plugin.state import STATE, SessionState, state_of

__all__ = [
    "memuse",
    "memuse_agent",
    "memuse_bridge",
    "memuse_embedder",
    "memuse_judge",
    "memuse_memory",
    "memuse_merit",
    "memuse_observers",
    "memuse_outcome",
    "memuse_redaction",
    "memuse_roles",
    "memuse_scripted_model",
    "memuse_upstream",
]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        'memuse(suite="NAME", arcs="FILE.yaml"): the suite that the test\'s memuse fixture evaluates; the file of arcs '
        "is taken from the folder of the test file",
    )
    state = config.stash[STATE] = SessionState(settings_of(config))
    if state.settings.in_use:
        from pytest_memuse.plugin import workers

        workers.keep_suites_together(config)
        if (state.settings.baseline or state.settings.update) and not hasattr(config, "workerinput"):
            _look_for_baseline(config, state)


def _look_for_baseline(config: pytest.Config, state: SessionState) -> None:
    """Read the baseline now where it is missing or where tests are collected elsewhere, else once it is needed.

    A project may name a baseline in its ini file; runs of its other tests are not to pay for that.
    """
    name = state.settings.baseline
    there = (state.settings.baselines / f"{name}.json").is_file() and not state.settings.in_ci
    if not there or state.settings.update or getattr(config.option, "dist", "no") != "no":
        from pytest_memuse.plugin import gating

        gating.prepare(state)


def pytest_collection_finish(session: pytest.Session) -> None:
    state = state_of(session.config)
    wanted = state.settings.baseline and state.baseline is None and not hasattr(session.config, "workerinput")
    if wanted and (state.partial or any(item.get_closest_marker("memuse") for item in session.items)):
        from pytest_memuse.plugin import gating

        gating.prepare(state)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Without xdist the mark that it groups by is unknown, and pytest warns of it.
    if config.pluginmanager.hasplugin("xdist") and any(item.get_closest_marker("memuse") for item in items):
        from pytest_memuse.plugin import workers

        workers.group_by_suite(items)


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        marker = item.get_closest_marker("memuse")
        if marker is not None and "suite" in marker.kwargs:
            state_of(item.config).partial[str(marker.kwargs["suite"])] = "some of its tests were deselected"


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session):  # type: ignore[no-untyped-def]  # the result is pytest's own
    """Evaluate the gates when the tests have run; in the controller only, which alone has every result."""
    config = session.config
    finished = False
    try:
        result = yield
        finished = True
        return result
    finally:
        state = state_of(config)
        if not hasattr(config, "workerinput"):
            if _has_work(state):
                from pytest_memuse.plugin import gating

                gating.evaluate(session, finished=finished)
            elif config.getoption("memuse_baseline", None):
                # Who asks for it on the command line is told; what an ini file or the environment sets for every run
                # of a project says nothing in those that have no part in it.
                state.reports.append("gate: not evaluated (no test that uses memuse ran)")
            if state.settings.mutation is not None:
                from pytest_memuse.plugin import mutating

                mutating.run(session, finished=finished)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput") and _has_work(state_of(session.config)):
        from pytest_memuse.plugin import workers

        workers.publish(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    from pytest_memuse.plugin import workers

    workers.collect(node, error)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    state = state_of(config)
    if state.reports:
        from pytest_memuse.model.errors import inert

        terminalreporter.section("memuse")
        for line in "\n".join(state.reports).strip("\n").splitlines():
            terminalreporter.write_line(inert(line, 10_000))


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    if type(left).__module__.startswith("pytest_memuse.") or type(right).__module__.startswith("pytest_memuse."):
        from pytest_memuse.reports.assertions import explain_comparison

        return explain_comparison(op, left, right)
    return None


def _has_work(state: SessionState) -> bool:
    return bool(state.results or state.partial or state.baseline is not None or state.settings.update or state.crashed)
