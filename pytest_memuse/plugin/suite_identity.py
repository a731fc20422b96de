"""What a suite's figures rest on, put together over its arcs, and which stored baselines rest on its recordings."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_memuse.gate.store import baseline_path, known_baselines, read_baseline
from pytest_memuse.judging.answers import Judge
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.recording.recording import Recording

_PAIRS = "paired/"
"""Folder of the other sides of pairs; they belong to one recording and are not carried on to another."""


def judge_identity(judge: Judge) -> dict[str, Any]:
    """Return the judge's identity as plain data."""
    found = judge.identity
    return {"kind": found.kind, "version": found.version, "model": found.model, "settings": dict(found.settings)}


def combined_identity(recordings: Sequence[Recording], part: str) -> dict[str, str]:
    """Return a part of the fingerprints of all arcs, ``memory`` or ``agent``: where they differ, every value.

    The kept episodes of a refreshed recording were made with what made them then, which counts too.
    """
    values: dict[str, dict[str, None]] = {}
    for fingerprint in _fingerprints(recordings):
        found = fingerprint.get(part)
        for name, value in found.items() if isinstance(found, Mapping) else ():
            values.setdefault(str(name), {})[str(value)] = None
    return {
        name: next(iter(found)) if len(found) == 1 else f"{len(found)} versions: {'; '.join(found)}"
        for name, found in values.items()
    }


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


def _fingerprints(recordings: Sequence[Recording]) -> Iterator[Mapping[str, Any]]:
    for recording in recordings:
        kept = recording.made_with.get("kept")
        yield from (part for part in (kept if isinstance(kept, list) else ()) if isinstance(part, Mapping))
        yield recording.made_with
