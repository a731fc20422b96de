"""What the result of a planted fault hangs on, as one digest: where it is the same, the result is not found anew."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_memuse import __version__
from pytest_memuse.agents.scripted.variation import RATE_VARIABLE, SEED_VARIABLE
from pytest_memuse.gate.baseline import SuiteBaseline
from pytest_memuse.model.digests import json_digest, text_digest
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.planting import WITHOUT
from pytest_memuse.plugin.state import SuiteResult


def key_of(
    suite: SuiteResult, nodes: Sequence[str], settings: Settings, stored: SuiteBaseline | None, root: Path, fault: str
) -> str:
    """Return the digest of everything that a fault's result hangs on, as far as it can be seen.

    That is the suite's tasks, its tests and the conftest files above them, what memory system, agent and judge say that
    they are, the baseline, and the fault's settings. A change in other source files is not seen.
    """
    mutation = settings.mutation
    strikes = [0.0, 0] if mutation is None or fault == WITHOUT else [mutation.rate, mutation.seed]
    files = {os.path.relpath(path, root): path for path in _files(root, nodes)}
    return json_digest(
        {
            "product": __version__,
            "suite": suite.suite,
            "nodes": list(nodes),
            "files": {name: text_digest(path.read_text("utf-8", "replace")) for name, path in files.items()},
            "episodes": [[e["arc"], e["id"], e["task_digest"]] for e in suite.run["episodes"]],
            "identity": [suite.identity["memory"], suite.identity["agent"], suite.identity["judge"]],
            "baseline": [settings.baseline, dict(stored.recordings) if stored is not None else {}],
            "gated": list(settings.gated),
            "tolerance": settings.tolerance,
            "model": {name: os.environ.get(name, "") for name in (RATE_VARIABLE, SEED_VARIABLE)},
            "fault": [fault, *strikes],
        }
    )


def _files(root: Path, nodes: Sequence[str]) -> Iterator[Path]:
    """Yield the files that the tests and fixtures of these nodes stand in."""
    for node in nodes:
        path = root / node.split("::")[0]
        if path.is_file():
            yield path
        for folder in path.parents:
            conftest = folder / "conftest.py"
            if conftest.is_file() and folder.is_relative_to(root):
                yield conftest
