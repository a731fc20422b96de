"""A stale recording is refreshed from its first divergence on; what stands before it is kept as it was recorded."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests

from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.refreshing import Refreshed, kept_events, refresh_arc
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import MemoryFactory, Runner, record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.model import OperationKind, Route
from pytest_memuse.profiles.assembling import creation_ordinals
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.recording import ItemNames, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change, Rendered
from tests.episodes.small_world import ARC, DEAD, NoteMemory, chat_agent, rule_model
from tests.recording.servers import json_server

Factory = Callable[[str], NoteMemory]


class Forgetful(NoteMemory):
    """Delivers nothing to the last task."""

    def recall(self, query: str, *, scope: str) -> Rendered:
        given = super().recall(query, scope=scope)
        return Rendered("") if "Use the port" in query else given


@dataclass
class World:
    """The live side: a model server that counts what it is asked, and runners against it."""

    base_url: str
    received: list[Any]
    folder: Path

    def runner(self, memory: Factory = NoteMemory, **settings: Any) -> Runner:
        def outcome(episode: object) -> bool:
            return True

        made: MemoryFactory = lambda folder: memory(self.base_url, **settings)  # noqa: E731
        return Runner(made, chat_agent(self.base_url), outcome, self.folder, Redaction())

    def record(self, arc: ArcSpec = ARC, memory: Factory = NoteMemory, **settings: Any) -> Recording:
        return self.stored(record_arc("shop", arc, self.runner(memory, **settings)))

    def stored(self, recording: Recording) -> Recording:
        path = self.folder / "stored.jsonl"
        save_recording(path, recording)
        return load_recording(path)

    def refresh(
        self, before: Recording, arc: ArcSpec = ARC, memory: Factory = NoteMemory, **settings: Any
    ) -> Refreshed:
        """Replay, refresh where stale, and return the result; afterwards ``asked`` tells what the agent's model was."""
        runner = self.runner(memory, **settings)
        drift = replay_arc(arc, before, runner.memory, runner.redaction, base=self.folder)
        assert drift.kind is not DriftKind.SAME
        self.received.clear()
        found = refresh_arc("shop", arc, before, drift, runner)
        self.stored(found.recording)
        return found

    @property
    def asked(self) -> list[str]:
        """The tasks that the agent's model was asked about since the last refresh began, each once."""
        return list(dict.fromkeys(b["messages"][1]["content"][:8] for b in self.received if "messages" in b))

    def replays(self, recording: Recording, memory: Factory = NoteMemory, **settings: Any) -> DriftKind:
        return replay_arc(ARC, recording, lambda folder: memory(DEAD, **settings), Redaction()).kind


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with json_server(rule_model) as (base, received):
        yield World(base, received, tmp_path)


def _arc(*edits: Callable[[list[dict[str, Any]]], None]) -> ArcSpec:
    raw = ARC.model_dump()
    raw["episodes"] = list(raw["episodes"])
    for edit in edits:
        edit(raw["episodes"])
    return ArcSpec.model_validate(raw)


def test_episodes_before_the_first_divergence_are_kept_and_only_the_rest_runs(world: World) -> None:
    before = world.record()
    found = world.refresh(before, memory=Forgetful)
    assert (found.kept, found.recorded, found.reason) == (("plant", "update"), ("probe",), "")
    assert world.asked == ["Use the "]
    assert kept_events(found.recording, 2) == kept_events(before, 2)
    assert world.replays(found.recording, Forgetful) is DriftKind.SAME
    assert derive_log(found.recording).episodes[2].deliveries == ()


def test_an_episode_in_which_the_store_came_to_differ_is_recorded_anew(world: World) -> None:
    found = world.refresh(world.record(), refuses_update=True)
    assert (found.kept, found.recorded) == (("plant",), ("update", "probe"))
    assert world.asked == ["search, ", "Use the "]
    assert world.replays(found.recording, refuses_update=True) is DriftKind.SAME


def test_another_offered_tool_concerns_the_whole_arc(world: World) -> None:
    found = world.refresh(world.record(), offers_nothing=True)
    assert (found.kept, found.reason) == ((), "")


def test_numbers_go_on_where_the_kept_episodes_end(world: World) -> None:
    recording = world.refresh(world.record(), memory=Forgetful).recording
    for numbers in ([e.number for e in recording.exchanges], [o.number for o in recording.operations]):
        assert numbers == list(range(1, len(numbers) + 1))


def test_items_have_one_name_although_identifiers_are_made_at_random(world: World) -> None:
    found = world.refresh(world.record(prefix="old"), memory=Forgetful, prefix="new")
    assert [e.names for e in found.recording.events if isinstance(e, ItemNames)] == [{"new-1": "old-1"}]
    assert world.replays(found.recording, Forgetful, prefix="third") is DriftKind.SAME
    forgetful_no_more = world.refresh(world.stored(found.recording), prefix="fourth")
    assert forgetful_no_more.kept == ("plant", "update")
    log = derive_log(forgetful_no_more.recording)
    (entry,) = log.episodes[2].deliveries[0].entries
    assert (entry.item, entry.value) == ("old-1", "port is 9091")
    assert creation_ordinals(log.episodes) == {("shop", "old-1"): 0}
    assert world.replays(forgetful_no_more.recording, prefix="fifth") is DriftKind.SAME


def test_a_refreshed_recording_is_refreshed_again_behind_its_junction(world: World) -> None:
    longer = _arc(
        lambda e: e.append({"id": "again", "scope": "shop", "task": "Write down.\nnote: host is b"}),
        lambda e: e.append({"id": "last", "scope": "shop", "task": "search once more."}),
    )

    class Picky(NoteMemory):
        without = "none"

        def recall(self, query: str, *, scope: str) -> Rendered:
            given = super().recall(query, scope=scope)
            return Rendered("") if self.without in query else given

    class First(Picky):
        without = "Use the port"

    class Second(First):
        def recall(self, query: str, *, scope: str) -> Rendered:
            return Rendered("") if "once more" in query else super().recall(query, scope=scope)

    once = world.refresh(world.record(longer, prefix="a"), longer, First, prefix="b").recording
    twice = world.refresh(once, longer, Second, prefix="c")
    assert twice.kept == ("plant", "update", "probe", "again")
    junctions = [e.names for e in twice.recording.events if isinstance(e, ItemNames)]
    assert junctions == [{"b-1": "a-1"}, {"c-1": "a-1", "c-2": "b-2"}]
    log = derive_log(twice.recording)
    (search,) = (d for d in log.episodes[4].deliveries if d.route is Route.AGENT)
    assert [(e.item, e.key) for e in search.entries] == [("a-1", "c-1"), ("b-2", "c-2")]
    last = replay_arc(longer, twice.recording, lambda folder: Second(DEAD, prefix="d"), Redaction())
    assert last.kind is DriftKind.SAME


def test_an_agents_own_changes_reach_the_item_that_it_meant(world: World) -> None:
    """The arguments of a recorded tool call hold the identifier of one store, the replay has another."""
    longer = _arc(lambda e: e.append({"id": "more", "scope": "shop", "task": "search, then replace the note."}))
    found = world.refresh(world.record(longer, prefix="a"), longer, Forgetful, prefix="b")
    assert found.kept == ("plant", "update")
    drift = replay_arc(longer, found.recording, lambda folder: Forgetful(DEAD, prefix="c"), Redaction())
    assert drift.kind is DriftKind.SAME
    changed = [o for o in derive_log(found.recording).episodes[3].operations if o.kind is OperationKind.UPDATE]
    assert [o.item for o in changed] == ["a-1"]


@pytest.mark.parametrize(
    ("edit", "kept", "asked"),
    [
        (lambda e: e[1].update(task="search, then replace it."), ("plant",), ["search, ", "Use the "]),
        (
            lambda e: e.append({"id": "new", "scope": "shop", "task": "Once more."}),
            ("plant", "update", "probe"),
            ["Once mor"],
        ),
        (lambda e: e.pop(), ("plant", "update"), []),
        (lambda e: e.pop(1), ("plant",), ["Use the "]),
        (lambda e: e.append(e.pop(1)), ("plant",), ["Use the ", "search, "]),
        (lambda e: e[0].update(references=({"subject": "a", "value": "b"},)), (), ["Remember", "search, ", "Use the "]),
    ],
    ids=["edited", "appended", "removed at the end", "removed", "moved", "first edited"],
)
def test_an_edited_arc_is_refreshed_from_the_first_episode_that_differs(
    world: World, edit: Callable[[list[dict[str, Any]]], None], kept: tuple[str, ...], asked: list[str]
) -> None:
    arc = _arc(edit)
    found = world.refresh(world.record(), arc)
    assert (found.kept, world.asked, found.reason) == (kept, asked, "")
    assert [e.id for e in found.recording.episodes] == [e.id for e in arc.episodes]
    assert replay_arc(arc, found.recording, lambda folder: NoteMemory(DEAD), Redaction()).kind is DriftKind.SAME


def test_an_edited_task_and_an_earlier_change_of_the_memory_are_both_refreshed(world: World) -> None:
    arc = _arc(lambda e: e[2].update(task="Use the port now."))
    found = world.refresh(world.record(), arc, refuses_update=True)
    assert (found.kept, found.reason) == (("plant",), "")


def test_edited_files_change_a_task_that_names_their_folder(world: World) -> None:
    repo = world.folder / "repo"
    repo.mkdir()
    (repo / "a.txt").write_text("a")
    arc = _arc(lambda e: e[2].update(files="repo"))
    before = world.record(arc)
    replay = lambda: replay_arc(arc, before, lambda folder: NoteMemory(DEAD), Redaction(), base=world.folder)  # noqa: E731
    assert replay().kind is DriftKind.SAME
    (repo / "a.txt").write_text("b")
    drift = replay()
    assert (drift.kind, drift.episode) == (DriftKind.CHANGED_TASK, "probe")
    assert drift.reason == "the files in repo were edited after the task was recorded"
    assert world.refresh(before, arc).kept == ("plant", "update")
    assert replay_arc(arc, before, lambda folder: NoteMemory(DEAD), Redaction()).kind is DriftKind.SAME


def test_a_memory_system_that_replays_otherwise_each_time_has_its_whole_arc_recorded_and_said_so(world: World) -> None:
    made = itertools.count(1)

    class Moody(Forgetful):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.times = next(made)

        def recall(self, query: str, *, scope: str) -> Rendered:
            given = super().recall(query, scope=scope)
            return Rendered("") if self.times == 2 else given

    before = world.record()
    found = world.refresh(before, memory=Moody)
    assert found.kept == ()
    assert found.recorded == ("plant", "update", "probe")
    assert "episode update did not replay as it had just before" in found.reason


def test_embeddings_that_were_recorded_once_are_not_asked_for_again(world: World) -> None:
    found = world.refresh(world.record(), memory=Forgetful)
    assert not [body for body in world.received if "input" in body]
    assert [e.uri for e in found.recording.exchanges if e.actor == "embedding"][-1].endswith("/embeddings")


def test_what_made_the_kept_episodes_stays_told(world: World) -> None:
    class Renamed(Forgetful):
        def identity(self) -> Mapping[str, str]:
            return {"name": "notes", "version": "2"}

    first = world.refresh(world.record(), memory=Renamed).recording
    assert first.made_with["memory"]["version"] == "2"
    (part,) = first.made_with["kept"]
    assert (part["episodes"], part["memory"]["version"]) == (2, "1")
    again = world.refresh(first, memory=NoteMemory).recording
    assert [(p["episodes"], p["memory"]["version"]) for p in again.made_with["kept"]] == [(2, "1")]


def test_an_error_in_the_live_part_leaves_nothing_and_closes_the_store(world: World) -> None:
    made: list[NoteMemory] = []

    def memory(base_url: str) -> NoteMemory:
        made.append(Forgetful(base_url))
        return made[-1]

    def agent(episode: object) -> None:
        raise RuntimeError("the agent broke")

    before = world.record()
    runner = world.runner(memory)
    drift = replay_arc(ARC, before, runner.memory, Redaction())
    broken = Runner(runner.memory, agent, runner.outcome, runner.base, runner.redaction)
    with pytest.raises(RuntimeError, match="the agent broke"):
        refresh_arc("shop", ARC, before, drift, broken)
    assert [memory.closed for memory in made] == [True, True]


@dataclass
class Connected(Forgetful):
    """Keeps its clients, and their connections, from the replayed episodes into the live ones."""

    session: Any = field(default_factory=requests.Session)
    client: Any = field(default_factory=httpx.Client)

    def recall(self, query: str, *, scope: str) -> Rendered:
        for post in (self.session.post, self.client.post):
            post(f"{self.base_url}/chat/completions", json={"model": "m", "messages": _asked(query)})
        return super().recall(query, scope=scope)

    def close(self) -> None:
        self.session.close()
        self.client.close()
        super().close()


def _asked(query: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "rank"}, {"role": "user", "content": query}]


def test_clients_that_live_through_the_junction_are_recorded_behind_it(world: World) -> None:
    class Whole(Connected):
        def recall(self, query: str, *, scope: str) -> Rendered:
            super().recall(query, scope=scope)
            return NoteMemory.recall(self, query, scope=scope)

    before = world.record(memory=Whole)
    found = world.refresh(before, memory=Connected)
    assert found.kept == ("plant", "update")
    assert sum("rank" in str(body) for body in world.received) == 2
    own = [e for e in found.recording.exchanges if e.actor == "memory"]
    assert len(own) == 6
    assert world.replays(found.recording, Connected) is DriftKind.SAME


def test_a_store_that_counts_its_items_otherwise_keeps_them_apart(world: World) -> None:
    """The rebuilt store gives the first item the identifier that the recorded one gave to the second."""

    @dataclass
    class Counting(Forgetful):
        start: int = 1

        def extract(self, messages: Sequence[Mapping[str, str]], *, scope: str) -> Sequence[Change]:
            facts = [line[6:] for m in messages for line in m["content"].splitlines() if line.startswith("note: ")]
            made = []
            for fact in facts:
                item = f"n-{self.start + len(self.notes)}"
                self.notes[item] = (scope, fact)
                made.append(Change(OperationKind.CREATE, item, fact, scope))
            return made

    class Complete(Counting):
        def recall(self, query: str, *, scope: str) -> Rendered:
            return NoteMemory.recall(self, query, scope=scope)

    arc = _arc(
        lambda e: e[0].update(task="Remember.\nnote: a\nnote: b"), lambda e: e[2].update(task="Use the port\nnote: c")
    )
    before = world.record(arc, memory=Complete)
    found = world.refresh(before, arc, Counting, start=2)
    made = [
        o.item for e in derive_log(found.recording).episodes for o in e.operations if o.kind is OperationKind.CREATE
    ]
    assert made == ["n-1", "n-2", "n-4"]
    drift = replay_arc(arc, found.recording, lambda folder: Counting(DEAD, start=5), Redaction())
    assert drift.kind is DriftKind.SAME
