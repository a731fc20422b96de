"""Running under pytest-xdist: a suite stays on one worker, workers publish plain data, the controller merges it."""

import json
from typing import Any

import pytest

from pytest_memuse.plugin.state import SuiteResult, state_of

_KEY = "memuse"


def keep_suites_together(config: pytest.Config) -> None:
    """Have xdist distribute by group where it would distribute single tests; a suite is a group."""
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"
        if getattr(config.option, "maxworkerrestart", None) is None:
            # Under this distribution xdist waits for ever for a worker that replaces a crashed one.
            config.option.maxworkerrestart = "0"


def group_by_suite(items: list[pytest.Item]) -> None:
    """Put every test of a suite into the suite's group."""
    for item in items:
        marker = item.get_closest_marker("memuse")
        if marker is not None and "suite" in marker.kwargs and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(name=f"memuse-{marker.kwargs['suite']}"))


def publish(config: pytest.Config) -> None:
    """Hand this worker's results to the controller, as text."""
    state = state_of(config)
    output: dict[str, Any] = config.workeroutput  # type: ignore[attr-defined]  # xdist puts it there
    output[_KEY] = json.dumps({"results": [r.to_dict() for r in state.results.values()], "partial": state.partial})


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
    for raw in data["results"]:
        result = SuiteResult.from_dict(raw)
        result.nodeid = result.nodeid.split("@memuse-")[0]
        known = state.results.setdefault(result.suite, result)
        if known.run != result.run:
            state.partial[result.suite] = "two workers came to different results; give its tests one xdist group"
