"""The protocol between an episode and an agent harness: what the harness is given, and what it must do with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.session import ArcRecorder


class EpisodeMemory(Protocol):
    """The memory of one episode, as an agent harness sees it; everything that passes here is recorded."""

    def recall(self) -> str:
        """Return the text to put into the system message; empty where there is nothing to put."""

    def tool(self) -> Mapping[str, Any] | None:
        """Return the function schema of the memory tool, None where the system has none."""

    def call_tool(self, arguments: Mapping[str, Any], *, tool_call_id: str) -> str:
        """Carry out a memory tool call and return the text of its result."""


def _unheard() -> Bridge:
    return Bridge(ArcRecorder(binds=False))


@dataclass(frozen=True, slots=True)
class EpisodeContext:
    """What an agent is given. ``workspace`` is a temporary copy of the task's files, which it may change.

    ``data`` holds whatever else the arcs file says of the episode. ``bridge`` is for a harness that has memory of its
    own to tell of, besides ``memory``; nobody listens to the one that an episode has where nothing is recorded.
    Where the fixture ``memuse_upstream`` names an API, ``base_url`` is where its requests are to go to be recorded, and
    ``environment`` holds the variables that point a subprocess there.
    """

    arc: str
    episode: str
    task: str
    scope: str
    workspace: Path
    memory: EpisodeMemory
    data: Mapping[str, Any]
    bridge: Bridge = field(default_factory=_unheard)
    base_url: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)


class Agent(Protocol):
    """Runs one episode to its end. What it sends to its model is recorded; nothing needs to be returned."""

    def __call__(self, episode: EpisodeContext) -> None: ...
