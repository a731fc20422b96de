"""Running under pytest-xdist: a suite stays on one worker, workers publish plain data, the controller merges it."""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.state import NOT_ASKED, SuiteResult, state_of, suite_of

_KEY = "memuse"
_BETWEEN = "\x1f"
"""Stands for ``::`` in the id of a grouped test; no id of pytest's holds it, which escapes what is not printable."""


def keep_suites_together(config: pytest.Config, settings: Settings) -> None:
    """Have xdist distribute by group where it would distribute single tests; a suite is a group.

    That is so where an option is given, or recordings lie where they are looked for: the controller, which alone can
    say it, does not know yet whether any test is of a suite, and other projects' runs are to stay as they are.
    """
    if config.option.dist not in ("load", "worksteal"):
        return
    if settings.in_use or any(settings.cassettes.glob("*/*.jsonl")):
        config.option.dist = "loadgroup"
        if getattr(config.option, "maxworkerrestart", None) is None:
            # Under this distribution xdist waits for ever for a worker that replaces a crashed one.
            config.option.maxworkerrestart = "0"


@contextmanager
def grouped_by_suite(items: Sequence[pytest.Item]) -> Iterator[None]:
    """Give every test of a suite an id that xdist groups by, while a worker tells its tests to the controller.

    xdist groups by what a test's id begins with (``loadscope``, ``loadfile``) or ends with (``loadgroup``); reports,
    the cache and JUnit are to hold the true ids, so that these come back. A mark ``xdist_group`` names another group.
    """
    true = {item: item.nodeid for item in items if suite_of(item)}
    for item, nodeid in true.items():
        _set_id(item, f"{_group_of(item)}::{nodeid.replace('::', _BETWEEN)}@{_group_of(item)}")
    try:
        yield
    finally:
        for item, nodeid in true.items():
            _set_id(item, nodeid)


def tell_crash(report: pytest.TestReport) -> None:
    """Name the test that a worker crashed in by its true id."""
    grouped = report.nodeid
    if _BETWEEN not in grouped:
        return
    nodeid = grouped.partition("::")[2].rpartition("@")[0].replace(_BETWEEN, "::")
    report.nodeid = nodeid
    path = nodeid.split("::")[0]
    report.location = (path, None, path)
    report.longrepr = str(report.longrepr).replace(repr(grouped), repr(nodeid))


def _group_of(item: pytest.Item) -> str:
    own = item.get_closest_marker("xdist_group")
    name = str(own.args[0] if own.args else own.kwargs.get("name", "default")) if own else f"memuse-{suite_of(item)}"
    return re.sub(r"[^\w.-]", "_", name)


def _set_id(item: pytest.Item, nodeid: str) -> None:
    """Set a test's id, for which pytest has no public way; where a release keeps it elsewhere, nothing is grouped."""
    if hasattr(item, "_id"):
        item._id = type(item._id).parse(nodeid)
    else:
        item._nodeid = nodeid  # type: ignore[attr-defined]  # releases before 9.2


def publish(config: pytest.Config) -> None:
    """Hand this worker's results to the controller, as text."""
    from pytest_memuse.plugin.hooking import hooks_here

    state = state_of(config)
    output: dict[str, Any] = config.workeroutput  # type: ignore[attr-defined]  # xdist puts it there
    results = [result.to_dict() for result in state.results.values()]
    told = {"results": results, "partial": state.partial, "hooks": hooks_here(config), "notes": state.notes}
    output[_KEY] = json.dumps(told)


def collect(node: Any, error: object) -> None:
    """Merge what a worker published; a worker that ended without publishing leaves its gates unevaluated."""
    state = state_of(node.config)
    published = getattr(node, "workeroutput", {}).get(_KEY)
    if error or not hasattr(node, "workeroutput"):
        state.crashed = True
    if published is None:
        return
    data = json.loads(published)
    state.partial.update(data["partial"])
    state.worker_hooks.update(data["hooks"])
    state.notes.update(data["notes"])
    for raw in data["results"]:
        result = SuiteResult.from_dict(raw)
        known = state.results.setdefault(result.suite, result)
        if known.run != result.run:
            state.unsettled.add(result.suite)
            state.partial[result.suite] = "two workers came to different results; give its tests one xdist group"
    for suite in state.results:
        if state.partial.get(suite) == NOT_ASKED:
            # The tests that asked for the profile ran on another worker.
            del state.partial[suite]
