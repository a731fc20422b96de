"""Observers: the bridge's annotations for memory systems that are built into a proxy or a harness (MemUse A.1.1)."""

from pytest_memuse.recording.observers.blocks import BlockObserver
from pytest_memuse.recording.observers.observing import observer_note, observer_of
from pytest_memuse.recording.observers.tool_results import ToolResultObserver
from pytest_memuse.recording.observers.types import Observed, Observer, SeenCall, SeenEpisode, SeenMessage

__all__ = [
    "BlockObserver",
    "Observed",
    "Observer",
    "SeenCall",
    "SeenEpisode",
    "SeenMessage",
    "ToolResultObserver",
    "observer_note",
    "observer_of",
]
