"""Pairs: a suite as it stood at a commit, recorded in one session with the suite as it stands now.

The other side of a pair is stored as a baseline of its own in the folder ``paired`` of the baselines, with the digests
of the recordings that it was recorded beside. Where these are the recordings at hand, the pair says more than a stored
baseline: both sides met the same model (conditional utility, section 6: identical requests a day apart change answers).
"""

import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse import __version__
from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, SuiteBaseline
from pytest_memuse.gate.store import baseline_path, read_baseline, write_baseline
from pytest_memuse.plugin.option_table import OPTIONS
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.turns import VARIABLE
from pytest_memuse.profiles.rows import Run
from pytest_memuse.recording.made_with import settings_text
from pytest_memuse.storage import safe_name

_FOLDER = "paired"


def pair_of(settings: Settings, suite: str, recordings: Mapping[str, str]) -> tuple[SuiteBaseline | None, str]:
    """Return the other side of a suite's pair, and a note for the terminal where there is one that cannot be used.

    Raises `MemuseError` where its file is damaged.
    """
    name = safe_name(suite)
    if not baseline_path(settings.baselines / _FOLDER, name).is_file():
        return None, ""
    found = read_baseline(settings.baselines / _FOLDER, name).suites.get(suite)
    if found is None:
        return None, ""
    if dict(found.paired) != dict(recordings):
        return None, f"the pair with {found.commit[:10]} was recorded beside other recordings and is not used"
    return found, ""


def store_pair(
    settings: Settings,
    run: Run,
    identity: Identity,
    recordings: Mapping[str, str],
    *,
    commit: str,
    beside: Mapping[str, str],
) -> Path:
    """Store the other side of a pair; ``beside`` gives the recordings of this side. Returns the file."""
    side = SuiteBaseline(
        run=run,
        identity=identity,
        recordings=recordings,
        created=datetime.now(UTC).date().isoformat(),
        commit=commit,
        paired=beside,
    )
    stored = Baseline(__version__, {run.suite: side})
    return write_baseline(settings.baselines / _FOLDER, safe_name(run.suite), stored)


def identity_of(identity: Mapping[str, Any]) -> Identity:
    """Return what a baseline holds of an evaluation's identity, which is plain data."""
    judge = identity["judge"]
    return Identity(
        judge=JudgedBy(judge["kind"], judge["version"], judge["model"], judge["settings"]),
        memory=settings_text(identity["memory"]),
        agent=settings_text(identity["agent"]),
        model=str(identity["agent"].get("model", "")),
        recorded_against=str(identity["recorded_against"]),
        extra=dict(identity.get("extra", {})),
    )


def other_command(config: pytest.Config, node: str, recordings: Path) -> list[str]:
    """Return the command that runs one test of the other side so that it records into a folder."""
    command = [sys.executable, "-m", "pytest", node, "-p", "no:cacheprovider", "--memuse-record-mode=all"]
    command += [f"--memuse-cassettes={recordings}", "--memuse-force", "--memuse-baseline=", "--rootdir=."]
    if config.pluginmanager.hasplugin("xdist"):
        command.append("-n0")
    return command


def other_environment(search: Sequence[Path], endpoints: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the other side: this one's, the commit's import paths first, the same endpoints."""
    dropped = {VARIABLE, *(option.key.upper() for option in OPTIONS), "PYTEST_ADDOPTS"}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in dropped and not name.startswith(("PYTEST_XDIST", "PYTEST_CURRENT"))
    }
    paths = [*map(str, search), kept.get("PYTHONPATH", "")]
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **endpoints}
