"""What ``--lf`` makes of reports that are no tests of their own: mended and outdated ones leave its list."""

import re
from collections.abc import Iterable

import pytest

from pytest_memuse.plugin.gate_reports import TOP, plain_report
from pytest_memuse.plugin.state import SuiteResult

_OF_A_TEST = re.compile(r"::(?:gate\[[^\[\]]*\]|mutate)\Z")


def is_check(nodeid: str) -> bool:
    """Whether that id is of a report of ours and not of a test."""
    return nodeid.startswith(TOP) or _OF_A_TEST.search(nodeid) is not None


def failed_before(config: pytest.Config) -> tuple[str, ...] | None:
    """Return the ids that failed in earlier sessions, None where nothing is known of them."""
    cache = getattr(config, "cache", None)
    # The session's own failures are not in the cache until its end.
    return tuple(cache.get("cache/lastfailed", {})) if cache is not None else None


def forget(config: pytest.Config, nodeids: Iterable[str]) -> None:
    """Take reports out of what ``--lf`` looks for."""
    plugin = config.pluginmanager.get_plugin("lfplugin")
    if plugin is None:
        return
    for nodeid in nodeids:
        # It is told what it hears of a test that passes; the list itself is its own.
        plugin.pytest_runtest_logreport(report=plain_report(nodeid, (nodeid, None, nodeid), ""))


def outdated(config: pytest.Config, result: SuiteResult, reported: Iterable[str]) -> list[str]:
    """Return a suite's reports that failed before and are not made any more, as that of a refused comparison."""
    tests = {result.nodeid, *result.tests}
    mine = {
        nodeid
        for nodeid in failed_before(config) or ()
        if nodeid == f"{TOP}gate[{result.suite}]"
        or (_OF_A_TEST.search(nodeid) and nodeid.rpartition("::")[0] in tests and not nodeid.endswith("::mutate"))
    }
    return sorted(mine - set(reported))
