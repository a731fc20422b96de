"""What recordings were made with, put together over the arcs of a suite."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_memuse.recording.recording import Recording


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


def recorded_against(recordings: Sequence[Recording]) -> str:
    """Return the labels of what answered for the model, each once; empty where that was the model itself."""
    return ", ".join(dict.fromkeys(filter(None, (recording.recorded_against for recording in recordings))))


def settings_text(parts: Mapping[str, Any]) -> str:
    """Return an identity's parts as one text, ``name=value, name=value``, sorted."""
    return ", ".join(f"{name}={value}" for name, value in sorted(parts.items()))


def _fingerprints(recordings: Sequence[Recording]) -> Iterator[Mapping[str, Any]]:
    for recording in recordings:
        kept = recording.made_with.get("kept")
        yield from (part for part in (kept if isinstance(kept, list) else ()) if isinstance(part, Mapping))
        yield recording.made_with
