"""Running an arc: every episode in order over one world and one memory, recorded and scored (MERIT 3.2 to 3.5)."""

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_memuse import __version__
from pytest_memuse.arcs import tracing
from pytest_memuse.arcs.loop import STEP_LIMIT, ChatModel, Session, run_session
from pytest_memuse.arcs.metering import Price, spent
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.specs import spec_of
from pytest_memuse.arcs.types import WorldArc, WorldEpisode
from pytest_memuse.arcs.users import Paraphrase, ScriptedUser, paraphrased
from pytest_memuse.arcs.worlds import World
from pytest_memuse.episodes.host import RecordedMemory, capture_store
from pytest_memuse.episodes.running import task_data
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import Actor
from pytest_memuse.model.tokens import estimated_tokens
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.cassette import recording_http
from pytest_memuse.recording.dialects import conversation
from pytest_memuse.recording.recording import EpisodeStart, Exchange, OutcomeNote, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder

MemoryFactory = Callable[[Path], MemorySystem]
"""Makes the memory system of one arc, given an empty folder for its store."""

IN_PROCESS = "http://in-process/v1/chat/completions"
"""The address under which calls of a model in this process are recorded; nothing is sent to it."""


@dataclass(frozen=True, slots=True)
class ArcRun:
    """An arc that was run: its recording, from which the event log follows, and its scored episodes."""

    recording: Recording
    scored: tuple[ScoredEpisode, ...]


@dataclass(frozen=True, slots=True)
class _Setting:
    """What is the same in every episode of a run. ``labels`` are fields of `ScoredEpisode`."""

    arc: WorldArc
    spec: ArcSpec
    model: ChatModel
    model_name: str
    step_limit: int
    prices: Mapping[str, Price]
    over_http: bool
    labels: Mapping[str, Any] = field(default_factory=dict)


def run_arc(
    arc: WorldArc,
    memory_factory: MemoryFactory,
    model: ChatModel,
    *,
    condition: str,
    paraphrase: Paraphrase | None = None,
    variant: str = "",
    suite: str = "merit",
    corruption: str = "",
    rate: float = 0.0,
    step_limit: int = STEP_LIMIT,
    prices: Mapping[str, Price] | None = None,
    record_http: bool | None = None,
    redaction: Redaction | None = None,
) -> ArcRun:
    """Run an arc under a memory condition, and score it.

    ``condition``, ``variant``, ``corruption`` and ``rate`` are labels of the scored episodes. With ``record_http`` HTTP
    calls of the memory system are recorded, which is so anyway where the model says that it asks over HTTP
    (``over_http``); a model that does not is recorded as it is called.

    With ``paraphrase`` the user's turns are said in other words first. Where several conditions are to be compared on
    the same words, run the arc that one call of `users.paraphrased` gives.

    Equal arguments give equal recordings, byte for byte, where memory and model are deterministic. Errors of the
    memory system and of the model are raised as they are.
    """
    said = arc if paraphrase is None else paraphrased(arc, paraphrase)
    over_http = bool(getattr(model, "over_http", False))
    name = str(getattr(model, "name", type(model).__name__))
    labels = {"condition": condition, "variant": variant, "corruption": corruption, "rate": rate}
    setting = _Setting(said, spec_of(said), model, name, step_limit, prices or {}, over_http, labels)
    redaction = redaction or Redaction()
    recorder = ArcRecorder(redaction)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memuse-arc-", ignore_cleanup_errors=True))
        world = stack.enter_context(World.open(said))
        if over_http or record_http:
            stack.enter_context(recording_http(recorder, redaction))
        with recorder.memory_work():
            memory = memory_factory(Path(folder))
        try:
            scored = tuple(_run_episode(setting, place, world, memory, recorder) for place in range(len(said.episodes)))
            made_with = _made_with(setting, memory)
        finally:
            with recorder.memory_work():
                memory.close()
    return ArcRun(recorder.recording(suite, arc.id, made_with), scored)


def _run_episode(
    setting: _Setting, position: int, world: World, memory: MemorySystem, recorder: ArcRecorder
) -> ScoredEpisode:
    arc, spec = setting.arc, setting.spec.episodes[position]
    episode = arc.episodes[position]
    recorder.start_episode(EpisodeStart(spec.id, position, spec.scope, task_data(spec)))
    bridge = Bridge(recorder, spec.scope)
    begun = len(recorder.events)
    capture_store(memory, bridge, arc.id)
    block = RecordedMemory(memory, bridge, episode.user[0], arc.id).recall()

    def noted(request: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        if not setting.over_http:
            recorder.exchange("POST", IN_PROCESS, request, 200, "OK", response, {})

    before, changes = episode.check is not None and world.holds(episode.check), world.changes
    session = run_session(
        setting.model,
        setting.model_name,
        world,
        ScriptedUser(episode),
        block,
        noted=noted,
        step_limit=setting.step_limit,
    )
    left_alone = world.changes == changes
    success = left_alone if episode.check is None else not before and world.holds(episode.check)
    exchanges = [event for event in recorder.events[begun:] if isinstance(event, Exchange)]
    said = conversation([exchange for exchange in exchanges if exchange.actor is Actor.AGENT])
    if said:
        with bridge.work():
            written = memory.extract(said, scope=arc.id)
        bridge.report("extract", {"messages": said}, written)
    capture_store(memory, bridge, arc.id)
    recorder.end_episode(OutcomeNote(success, _detail(episode, session, before=before, left_alone=left_alone)))
    cost = spent((e for e in recorder.events[begun:] if isinstance(e, Exchange)), setting.prices)
    facts = episode.gold if episode.dependent else ()
    return ScoredEpisode(
        domain=arc.domain,
        tier=arc.tier,
        arc=arc.id,
        seed=arc.seed,
        episode=episode.id,
        kind=episode.kind,
        success=success,
        satisfied_on_arrival=before,
        held=tracing.held(facts, block),
        stale=tracing.stale(facts, block),
        exposed=estimated_tokens(len(block)),
        acted=tracing.acted(facts, session.executed),
        untraceable=tracing.untraceable(facts, block, session.executed),
        verified=tracing.verified(session.executed, arc.tools),
        model=setting.model_name,
        agent_tokens=cost.agent_tokens,
        memory_tokens=cost.memory_tokens,
        cost=cost.cost,
        **setting.labels,
    )


def _detail(episode: WorldEpisode, session: Session, *, before: bool, left_alone: bool) -> str:
    if before:
        return "the check was satisfied on arrival"
    if not episode.kind.acts and not left_alone:
        return "the agent acted, which the user had forbidden"
    return "the step limit ended the session" if session.limited else ""


def _made_with(setting: _Setting, memory: MemorySystem) -> dict[str, Any]:
    """Return what made the recording; no date, so that runs that are the same are the same byte for byte."""
    arc = setting.arc
    labels = {name: str(value) for name, value in setting.labels.items() if value}
    return {
        "product": __version__,
        "memory": dict(memory.identity()),
        "agent": {"name": "merit-loop", "model": setting.model_name, "step_limit": str(setting.step_limit)},
        "arc": {"domain": arc.domain, "tier": str(arc.tier), "seed": str(arc.seed), **labels},
    }
