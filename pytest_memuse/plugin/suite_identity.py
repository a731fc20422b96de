"""What a suite's figures rest on beside its recordings, and which stored baselines rest on these."""

from pathlib import Path

from pytest_memuse.gate.store import baseline_path, known_baselines, read_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable

_PAIRS = "paired/"
"""Folder of the other sides of pairs; they belong to one recording and are not carried on to another."""


def baselines_of(folder: Path, suite: str) -> list[tuple[str, Path]]:
    """Return names and files of the stored baselines that hold a suite; those that cannot be read are left out."""
    found = []
    for name in known_baselines(folder):
        if name.startswith(_PAIRS) or printable(name, len(name)) != name:
            continue
        try:
            if suite in read_baseline(folder, name).suites:
                found.append((name, baseline_path(folder, name)))
        except (MemuseError, OSError):
            continue  # The gate says what is wrong with it.
    return found
