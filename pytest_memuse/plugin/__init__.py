"""The pytest plugin: options, marker, fixtures, gate reports, terminal section.

Nothing of weight is imported here; a session that uses no memuse fixture pays for this module and nothing else.
"""

import pytest

from pytest_memuse.plugin.agreeing import memuse_agreement
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
from pytest_memuse.plugin.noting import COMPARED, note_passed, summary
from pytest_memuse.plugin.options import add_options, check_figures, settings_of
from pytest_memuse.plugin.state import STATE, SessionState, state_of, suite_of

__all__ = [
    "memuse",
    "memuse_agent",
    "memuse_agreement",
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


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_memuse.plugin import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        'memuse(suite="NAME", arcs="FILE.yaml"): the suite that the test\'s memuse fixture evaluates; the file of arcs '
        "is taken from the folder of the test file",
    )
    state = config.stash[STATE] = SessionState(settings_of(config))
    if getattr(config.option, "dist", "no") != "no":
        from pytest_memuse.plugin import workers

        workers.keep_suites_together(config, state.settings)
    if state.settings.in_use:
        if (state.settings.json or state.settings.junit) and not hasattr(config, "workerinput"):
            from pytest_memuse.plugin import outputs

            outputs.check(config, state)
        if (state.settings.baseline or state.settings.update) and not hasattr(config, "workerinput"):
            _look_for_baseline(config, state)
        if state.settings.compare is not None and not hasattr(config, "workerinput"):
            from pytest_memuse.plugin.history import find_earlier

            find_earlier(state, config.rootpath)


def _look_for_baseline(config: pytest.Config, state: SessionState) -> None:
    """Read the baseline now where it is missing or where tests are collected elsewhere, else once it is needed.

    A project may name a baseline in its ini file; runs of its other tests are not to pay for that.
    """
    name = state.settings.baseline
    settings = state.settings
    later = (settings.baselines / f"{name}.json").is_file() and not settings.in_ci and not settings.update
    # Where a gate that is not evaluated fails, it has to be known which there are.
    if not later or settings.unevaluated == "fail" or getattr(config.option, "dist", "no") != "no":
        from pytest_memuse.plugin.baseline_source import prepare

        prepare(state)


@pytest.hookimpl(wrapper=True)
def pytest_collection_finish(session: pytest.Session):  # type: ignore[no-untyped-def]  # the result is pytest's own
    state = state_of(session.config)
    suites = any(suite_of(item) for item in session.items)
    if hasattr(session.config, "workerinput"):
        if not suites:
            return (yield)
        from pytest_memuse.plugin.workers import grouped_by_suite

        with grouped_by_suite(session.items):
            return (yield)
    if suites and (state.settings.tolerance or state.settings.gated):
        # Those of the ini file are read once they have a part in the session.
        check_figures(state.settings)
    if state.settings.baseline and state.baseline is None and (state.partial or suites):
        from pytest_memuse.plugin.baseline_source import prepare

        prepare(state)
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(report: pytest.TestReport) -> None:
    from pytest_memuse.plugin.workers import tell_crash

    tell_crash(report)


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        if suite := suite_of(item):
            state_of(item.config).partial[suite] = "some of its tests were deselected"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    report = yield
    if call.when == "call" and COMPARED in item.stash:
        note_passed(item, report)
    return report


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
            if state.settings.json or state.settings.junit:
                # Where an ini file or the environment names them, runs that have no part in it leave them alone.
                asked = config.getoption("memuse_json", None) or config.getoption("memuse_junit", None)
                if asked or _has_work(state):
                    from pytest_memuse.plugin import outputs

                    outputs.write(session)


def pytest_sessionfinish(session: pytest.Session) -> None:
    state = state_of(session.config)
    if hasattr(session.config, "workeroutput") and (_has_work(state) or state.notes):
        from pytest_memuse.plugin import workers

        workers.publish(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    from pytest_memuse.plugin import workers

    workers.collect(node, error)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    state = state_of(config)
    reports = [*summary(state, config.get_verbosity()), *state.reports]
    if reports:
        from pytest_memuse.model.errors import inert

        terminalreporter.section("memuse")
        for line in "\n".join(reports).strip("\n").splitlines():
            terminalreporter.write_line(inert(line, 10_000))


def pytest_assertrepr_compare(config: pytest.Config, op: str, left: object, right: object) -> list[str] | None:
    if type(left).__module__.startswith("pytest_memuse.") or type(right).__module__.startswith("pytest_memuse."):
        from pytest_memuse.plugin.noting import shown_whole
        from pytest_memuse.reports.assertions import explain_comparison

        return explain_comparison(op, left, right, brief=not shown_whole(config))
    return None


def _has_work(state: SessionState) -> bool:
    return bool(state.results or state.partial or state.baseline is not None or state.settings.update or state.crashed)
