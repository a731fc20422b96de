"""Arcs whose memory is seen by captures, by what the agent says through the bridge, and by observers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.memory.elsewhere import MemoryElsewhere
from pytest_memuse.memory.notes import NotesMemory
from pytest_memuse.memory.protocol import Captured, MemorySystem
from pytest_memuse.model import OperationKind, Route
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.observers import BlockObserver
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change, Found
from pytest_memuse.spans.checks import recording_problems
from tests.episodes.small_world import live_runner
from tests.recording.servers import json_server

_ARC = ArcSpec.model_validate(
    {
        "id": "port",
        "episodes": [
            {"id": "plant", "scope": "shop", "task": "Remember the port.\nnote: the port is 8081"},
            {"id": "probe", "scope": "shop", "task": "Use the port."},
        ],
    }
)


def _answer(path: str, body: Any) -> Any:
    return {"model": "rule-model", "choices": [{"message": {"role": "assistant", "content": "Done."}}]}


def _record(folder: Path, memory: Callable[[Path], MemorySystem], agent: Any, observers: Any = ()) -> Recording:
    with json_server(_answer) as (base, _), live_runner() as runner:
        made = record_arc("shop", _ARC, replace(runner, memory=memory, agent=agent(base), observers=tuple(observers)))
    path = folder / "port.jsonl"
    save_recording(path, made)
    return load_recording(path)


def _plain_agent(base: str) -> Callable[[EpisodeContext], None]:
    def run(episode: EpisodeContext) -> None:
        system = {"role": "system", "content": "You work.\n" + episode.memory.recall()}
        user = {"role": "user", "content": episode.task}
        httpx.post(f"{base}/chat/completions", json={"model": "m", "messages": [system, user]}).raise_for_status()

    return run


class Background(NotesMemory):
    """Writes in the background: what it extracts is told by nobody."""

    def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
        super().extract(messages, scope=scope)
        return ()

    def snapshot(self, scope: str) -> Mapping[str, str]:
        return {note.item: note.text for note in self._notes() if note.namespace == scope}


def test_a_system_that_writes_in_the_background_is_seen_by_captures_around_each_episode(tmp_path: Path) -> None:
    recording = _record(tmp_path, Background, _plain_agent)
    plant, probe = derive_log(recording).episodes
    (created,) = [o for o in plant.operations if o.kind is OperationKind.CREATE]
    assert (created.item, created.value, created.namespace, created.net) == ("note-1", "the port is 8081", "shop", True)
    assert [o.kind for o in probe.operations] == [OperationKind.SEARCH]
    assert [e.item for e in probe.deliveries[0].entries] == ["note-1"]
    assert replay_arc(_ARC, recording, Background, Redaction()).kind is DriftKind.SAME


@pytest.mark.parametrize(("memory", "captured"), [(Background, True), (NotesMemory, False)])
def test_captures_are_taken_only_of_a_system_that_offers_them(
    tmp_path: Path, memory: Callable[[Path], MemorySystem], captured: bool
) -> None:
    assert isinstance(memory(tmp_path), Captured) is captured


def test_a_harness_with_memory_of_its_own_says_so_through_the_episodes_bridge(tmp_path: Path) -> None:
    def agent(base: str) -> Callable[[EpisodeContext], None]:
        def run(episode: EpisodeContext) -> None:
            found = episode.bridge.search("style", [Found("s-1", "be terse")])
            episode.bridge.place(episode.bridge.deliver("be terse", operations=[found], slot="style"), 0)
            messages = [{"role": "system", "content": "You work; be terse"}, {"role": "user", "content": episode.task}]
            httpx.post(f"{base}/chat/completions", json={"model": "m", "messages": messages}).raise_for_status()

        return run

    recording = _record(tmp_path, NotesMemory, agent)
    plant, _ = derive_log(recording).episodes
    (delivery,) = plant.deliveries
    assert [(e.item, e.namespace) for e in delivery.entries] == [("s-1", "shop")]
    assert recording_problems(plant) == ()
    # What a harness reported cannot be asked again; the adapter's own operations are replayed around it.
    assert replay_arc(_ARC, recording, NotesMemory, Redaction()).kind is DriftKind.SAME


def test_memory_behind_a_proxy_is_found_by_an_observer_that_the_recording_remembers(tmp_path: Path) -> None:
    store: dict[str, str] = {}

    def proxied(base: str) -> Callable[[EpisodeContext], None]:
        def run(episode: EpisodeContext) -> None:
            block = "<memory>" + "; ".join(store.values()) + "</memory>"
            messages = [{"role": "system", "content": "You work." + block}, {"role": "user", "content": episode.task}]
            httpx.post(f"{base}/chat/completions", json={"model": "m", "messages": messages}).raise_for_status()
            store["m-1"] = "the port is 8081"

        return run

    def memory(folder: Path) -> MemorySystem:
        return MemoryElsewhere({"name": "proxy", "version": "2"}, snapshot=lambda scope: dict(store))

    observers = [BlockObserver("<memory>", "</memory>", slot="memory")]
    recording = _record(tmp_path, memory, proxied, observers)
    plant, probe = derive_log(recording).episodes
    assert [(o.kind, o.item, o.net) for o in plant.operations] == [("create", "m-1", True)]
    assert [d.entries for d in plant.deliveries] == [()]
    (delivery,) = probe.deliveries
    assert (delivery.route, [(e.item, e.namespace) for e in delivery.entries]) == (Route.HOST, [("m-1", "shop")])
    assert [recording_problems(episode) for episode in (plant, probe)] == [(), ()]
    assert recording.made_with["memory"] == {"name": "proxy", "version": "2"}
    assert replay_arc(_ARC, recording, memory, Redaction()).kind is DriftKind.SAME
