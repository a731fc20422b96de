"""An agent that is not Python is recorded through the endpoint, and runs from its recording with no server."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_memuse.agents.protocol import EpisodeContext
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import Runner, record_arc
from pytest_memuse.judging.run import judge_episode
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.model import Actor, Route
from pytest_memuse.profiles.assembling import episode_row
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.rows import Run
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.files import load_recording, save_recording
from pytest_memuse.recording.passthrough import PassThrough
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Rendered
from pytest_memuse.spans.building import build_spans
from pytest_memuse.spans.checks import recording_problems
from tests.episodes.small_world import ARC, DEAD, NoteMemory, rule_model
from tests.recording.passthrough.models import model_server

_NODE = shutil.which("node")
_SECRET = "hunter2-hunter2-hunter2"

pytestmark = pytest.mark.skipif(_NODE is None, reason="the agent is a program for node, which is not installed here")


def node_agent(episode: EpisodeContext) -> None:
    """Run the agent as a process of its own, pointed at the endpoint by its environment alone."""
    subprocess.run(
        [str(_NODE), str(Path(__file__).with_name("agent.mjs")), episode.task],
        env={**os.environ, **episode.environment, "OPENAI_API_KEY": _SECRET},
        cwd=episode.workspace,
        check=True,
        timeout=60,
    )


def _runner(base_url: str, endpoint: Callable[..., PassThrough]) -> Runner:
    return Runner(
        lambda folder: NoteMemory(base_url),
        node_agent,
        lambda episode: True,
        Path("."),
        Redaction((_SECRET,)),
        endpoint=endpoint,
    )


def _profile(recording: Recording) -> Profile:
    tracer, rows = Tracer(), []
    for episode in derive_log(recording).episodes:
        spans = build_spans(episode)
        rows.append(episode_row(episode, spans, judge_episode(tracer, episode, spans)))
    return Profile.of(Run("shop", tuple(rows)))


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    path = tmp_path_factory.mktemp("cassettes") / "port.jsonl"
    with model_server(rule_model) as base:
        runner = _runner(base, lambda recorder: PassThrough(base, recorder))
        save_recording(path, record_arc("shop", ARC, runner))
    assert _SECRET not in path.read_text()
    return load_recording(path)


def test_its_steps_deliveries_and_tool_results_are_those_of_an_agent_in_this_process(recording: Recording) -> None:
    plant, update, probe = derive_log(recording).episodes
    assert [len(episode.steps) for episode in (plant, update, probe)] == [1, 3, 1]
    assert [d.route for d in update.deliveries] == [Route.HOST, Route.AGENT]
    assert [update.step_of_call(d.call) for d in update.deliveries] == [1, 2]
    (result,) = update.steps[1].results
    assert update.messages[result.message].text == "ok"
    assert [entry.value for entry in probe.deliveries[0].entries] == ["port is 9091"]
    assert [recording_problems(episode) for episode in (plant, update, probe)] == [(), (), ()]
    assert (update.steps[2].call.usage.input, update.steps[2].call.usage.output) == (12, 3)


def test_no_exchange_is_recorded_twice_and_each_has_its_role(recording: Recording) -> None:
    embedded, asked = Actor.EMBEDDING, Actor.AGENT
    actors = [event.actor for event in recording.events if isinstance(event, Exchange)]
    assert actors == [embedded, asked, embedded, asked, asked, asked, embedded, asked]


def test_it_runs_from_its_recording_with_every_server_stopped_to_the_same_log_and_profile(
    recording: Recording,
) -> None:
    runner = _runner(DEAD, lambda recorder: PassThrough.playing(recording, recorder))
    again = record_arc("shop", ARC, runner, before=recording)
    assert derive_log(again) == derive_log(recording)
    assert _profile(again) == _profile(recording)
    assert _profile(recording).delivered_tokens > 0


def test_its_memory_operations_replay_as_those_of_any_recording(recording: Recording) -> None:
    assert replay_arc(ARC, recording, lambda folder: NoteMemory(DEAD), Redaction()).kind is DriftKind.SAME
    drift = replay_arc(ARC, recording, lambda folder: NoteMemory(DEAD, forgets=True), Redaction())
    assert (drift.kind, drift.episode) == (DriftKind.DIFFERENT, "update")


def test_a_changed_task_is_refused_and_named_with_the_nearest_request(recording: Recording) -> None:
    raw = ARC.model_dump()
    raw["episodes"][0]["task"] = "Remember that.\nnote: port is 8081"
    seen: list[PassThrough] = []

    def playing(recorder: object) -> PassThrough:
        seen.append(PassThrough.playing(recording))
        return seen[0]

    class Empty(NoteMemory):
        def recall(self, query: str, *, scope: str) -> Rendered:
            return Rendered("")

    runner = replace(_runner(DEAD, playing), memory=lambda folder: Empty(DEAD))
    with pytest.raises(subprocess.CalledProcessError):
        record_arc("shop", type(ARC).model_validate(raw), runner)
    (miss,) = seen[0].misses
    assert "the nearest recorded request is exchange 2; they first differ at /messages/1/content" in miss.nearest
