"""Running arcs: both safeguards, what is recorded of it, and what is scored."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from functools import cache, partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pytest_memuse.arcs.domains import DOMAINS
from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.loop import ChatModel
from pytest_memuse.arcs.metering import Price
from pytest_memuse.arcs.models import HttpChatModel
from pytest_memuse.arcs.prompts import SYSTEM_PROMPT
from pytest_memuse.arcs.running import ArcRun, run_arc
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.scripted import MODEL_NAME, ScriptedModel
from pytest_memuse.arcs.specs import spec_of
from pytest_memuse.arcs.types import Kind, Tier, WorldArc
from pytest_memuse.arcs.users import paraphrased
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.judging.answers import Accuracy
from pytest_memuse.judging.tracer import Tracer
from pytest_memuse.memory.conditions import Condition, condition
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import recording_digest, write_lines
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.spans.building import build_spans
from tests.arcs.sessions import EagerModel, FixedMemory, ReplayMemory, told_everything
from tests.recording.servers import LocalServer

CELLS = [(domain, tier) for domain in DOMAINS for tier in Tier]


@cache
def arcs_of(domain: str, tier: Tier) -> tuple[WorldArc, ...]:
    return generate(domain, tier, seed=11, arcs=2)


@cache
def hard_run() -> ArcRun:
    """An arc with a revised fact, under full replay."""
    return run_arc(arcs_of("retail", Tier.HARD)[0], lambda _: ReplayMemory(), ScriptedModel(), condition="replay")


def told_run(arc: WorldArc, model: ChatModel) -> ArcRun:
    """Run an arc with a memory that holds every gold fact."""
    return run_arc(arc, lambda _: told_everything(arc), model, condition="told")


def of_kind(runs: list[ArcRun], kind: Kind) -> list[ScoredEpisode]:
    return [scored for run in runs for scored in run.scored if scored.kind is kind]


@pytest.mark.parametrize(("domain", "tier"), CELLS)
def test_without_memory_no_probe_and_every_independent_episode_succeeds(domain: str, tier: Tier) -> None:
    runs = [run_arc(arc, lambda _: FixedMemory(), ScriptedModel(), condition="none") for arc in arcs_of(domain, tier)]
    assert [scored.success for scored in of_kind(runs, Kind.PROBE)] == [False] * 4
    independent = of_kind(runs, Kind.INDEPENDENT)
    assert independent
    assert all(scored.success for scored in independent)
    assert all(scored.success for kind in (Kind.PLANT, Kind.UPDATE) for scored in of_kind(runs, kind))


@pytest.mark.parametrize("domain", DOMAINS)
def test_an_eager_agent_that_acts_during_the_plant_scores_nothing_at_the_probe(domain: str) -> None:
    arcs = arcs_of(domain, Tier.MEDIUM)
    runs, heeding = [told_run(arc, EagerModel()) for arc in arcs], [told_run(arc, ScriptedModel()) for arc in arcs]
    probes, plants = of_kind(runs, Kind.PROBE), of_kind(runs, Kind.PLANT)
    assert [(scored.success, scored.satisfied_on_arrival) for scored in probes] == [(False, True)] * len(probes)
    # The memory held everything and the agent acted on it: nothing but the inherited world makes these failures.
    assert all(scored.held and scored.acted for scored in probes)
    assert all(scored.success and not scored.satisfied_on_arrival for scored in of_kind(heeding, Kind.PROBE))
    assert not any(scored.success for scored in plants)
    outcomes = {
        episode.outcome.detail for run in runs for episode in derive_log(run.recording).episodes if episode.outcome
    }
    assert outcomes >= {"the check was satisfied on arrival", "the agent acted, which the user had forbidden"}


def test_an_eager_agent_that_acts_on_the_update_too_scores_nothing_either() -> None:
    arc = arcs_of("operations", Tier.HARD)[0]
    run = told_run(arc, EagerModel())
    assert [(s.success, s.satisfied_on_arrival) for s in of_kind([run], Kind.PROBE)] == [(False, True)] * 2


def test_equal_runs_are_recorded_in_equal_bytes() -> None:
    arc = arcs_of("retail", Tier.HARD)[0]
    again = run_arc(arc, lambda _: ReplayMemory(), ScriptedModel(), condition="replay")
    assert again.scored == hard_run().scored
    assert list(write_lines(again.recording)) == list(write_lines(hard_run().recording))
    told = told_run(arc, ScriptedModel())
    assert recording_digest(told.recording) != recording_digest(again.recording)


def test_a_recording_says_what_it_was_made_with_and_gives_steps_and_proven_deliveries() -> None:
    recording = hard_run().recording
    assert recording.recorded_against == MODEL_NAME
    assert recording.made_with["arc"] == {
        "domain": "retail",
        "tier": "hard",
        "seed": "11",
        "condition": "replay",
    }
    log = derive_log(recording)
    assert [episode.last_step > 0 for episode in log.episodes] == [True] * 5
    for episode in log.episodes[1:]:
        (delivery,) = episode.deliveries
        assert episode.step_of_call(delivery.call) == 1
        assert [proof.problem for placement in delivery.placements for proof in placement.proofs] == [""]


def test_gold_facts_reach_the_tracer_as_references() -> None:
    arc = arcs_of("retail", Tier.HARD)[0]
    log = derive_log(hard_run().recording)
    place = next(place for place, episode in enumerate(arc.episodes) if episode.kind is Kind.PROBE)
    episode = log.episodes[place]
    assert episode.task is not None
    assert [(f.subject, f.value, f.superseded) for f in episode.task.references] == [
        (fact.subject, fact.value, fact.superseded) for fact in arc.episodes[place].gold
    ]
    spans = build_spans(episode)
    found = Tracer().judge(episode, spans, spans[0]).assessments
    assert [(each.relevance, each.accuracy) for each in found] == [(True, Accuracy.CORROBORATED)]
    stale = run_arc(arc, lambda _: _stale(arc), ScriptedModel(), condition="stale")
    episode = derive_log(stale.recording).episodes[place]
    spans = build_spans(episode)
    (wrong,) = Tracer().judge(episode, spans, spans[0]).assessments
    assert wrong.accuracy is Accuracy.CONTRADICTED


def _condition(name: str, folder: Path) -> Condition:
    return condition(name, folder=folder)


def _saying(text: str, _: Path) -> FixedMemory:
    return FixedMemory(text)


def _stale(arc: WorldArc) -> FixedMemory:
    gold = [fact for episode in arc.episodes if episode.kind is Kind.PROBE for fact in episode.gold]
    return FixedMemory("\n".join(f"- {fact.subject}: {fact.superseded[0]}" for fact in gold))


def test_of_several_values_the_scripted_model_takes_the_first_that_stands_in_the_block() -> None:
    arc = arcs_of("retail", Tier.HARD)[0]
    gold = [fact for episode in arc.episodes if episode.kind is Kind.PROBE for fact in episode.gold]
    fresh, stale = ([f"{f.subject}: {v}" for f, v in pairs] for pairs in (
        [(fact, fact.value) for fact in gold], [(fact, fact.superseded[0]) for fact in gold]
    ))  # fmt: skip
    for block, succeeds in ((fresh + stale, True), (stale + fresh, False)):
        run = run_arc(arc, partial(_saying, "\n".join(block)), ScriptedModel(), condition="both")
        probes = of_kind([run], Kind.PROBE)
        assert [(scored.success, scored.held, scored.acted) for scored in probes] == [(succeeds, True, succeeds)] * 2


def test_conditions_differ_in_the_memory_block_alone() -> None:
    arc = arcs_of("assistant", Tier.EASY)[0]
    for run in (run_arc(arc, lambda _: FixedMemory(), ScriptedModel(), condition="none"), hard_run()):
        for exchange in run.recording.exchanges:
            system, *_ = exchange.request["messages"]
            assert system["content"].startswith(SYSTEM_PROMPT)
    systems = [
        {e.request["messages"][0]["content"] for e in run_arc(arc, partial(_saying, text), ScriptedModel(),
                                                              condition="x").recording.exchanges}
        for text in ("", "A memory.")
    ]  # fmt: skip
    assert systems == [{SYSTEM_PROMPT}, {f"{SYSTEM_PROMPT}\n\nA memory."}]


def test_memory_is_asked_with_the_first_turn_and_told_what_user_and_agent_said() -> None:
    arc, memory = arcs_of("retail", Tier.EASY)[0], FixedMemory()
    run_arc(arc, lambda _: memory, ScriptedModel(), condition="none")
    assert memory.queries == [episode.user[0] for episode in arc.episodes]
    for episode, said in zip(arc.episodes, memory.written, strict=True):
        assert [m["content"] for m in said if m["role"] == "user"] == list(episode.user)
        assert any(m["role"] == "assistant" for m in said)
    assert memory.closed


def test_a_reformatted_value_is_counted_as_untraceable_and_not_as_held() -> None:
    arc = arcs_of("assistant", Tier.MEDIUM)[0]
    gold = [fact for episode in arc.episodes if episode.kind is Kind.PROBE for fact in episode.gold]
    day = next(fact.value for fact in gold if fact.subject.startswith("day"))
    spoken = date.fromisoformat(day).strftime("%B %d, %Y")
    block = "\n".join(f"- {f.subject}: {f.value}" for f in gold).replace(day, spoken)
    run = run_arc(arc, lambda _: FixedMemory(block), ScriptedModel(), condition="spoken")
    first = of_kind([run], Kind.PROBE)[0]
    assert (first.held, first.untraceable) == (False, 1)


def test_verified_tells_whether_the_agent_looked_before_it_changed_something() -> None:
    arc = arcs_of("operations", Tier.EASY)[0]
    for looks in (True, False):
        run = told_run(arc, ScriptedModel(looks=looks))
        assert {scored.verified for scored in of_kind([run], Kind.PROBE)} == {looks}
        assert {scored.verified for scored in of_kind([run], Kind.PLANT)} == {None}


def test_tokens_are_metered_and_dollars_are_unknown_without_a_price() -> None:
    arc = arcs_of("retail", Tier.EASY)[0]
    scored = run_arc(arc, lambda _: FixedMemory(), ScriptedModel(), condition="none").scored
    assert all(each.agent_tokens and each.memory_tokens == 0 and each.cost is None for each in scored)
    prices = {MODEL_NAME: Price(input=1.0, output=1.0)}
    priced = run_arc(arc, lambda _: FixedMemory(), ScriptedModel(), condition="none", prices=prices).scored
    assert [each.cost for each in priced] == pytest.approx([(each.agent_tokens or 0) / 1e6 for each in priced])


def test_the_step_limit_ends_a_session_of_a_model_that_never_ends() -> None:
    arc = arcs_of("retail", Tier.EASY)[0]

    def restless(request: object) -> dict[str, object]:
        call = {"id": "c", "function": {"name": "get_order", "arguments": "not JSON"}}
        return {"choices": [{"message": {"content": None, "tool_calls": [call]}}]}

    run = run_arc(arc, lambda _: FixedMemory(), restless, condition="none", step_limit=3)
    episodes = derive_log(run.recording).episodes
    assert {episode.last_step for episode in episodes} == {3}
    assert [e.outcome.detail for e in episodes if e.outcome and not e.outcome.success] == [
        "the step limit ended the session"
    ] * sum(episode.kind.acts for episode in arc.episodes)


def test_paraphrased_turns_are_what_is_said_and_recorded() -> None:
    arc = arcs_of("retail", Tier.EASY)[0]
    run = run_arc(
        arc, lambda _: FixedMemory(), ScriptedModel(), condition="none", paraphrase=lambda turn: f"Well. {turn}"
    )
    expected = paraphrased(arc, lambda turn: f"Well. {turn}")
    assert [start.task["text"] for start in run.recording.episodes] == ["\n\n".join(e.user) for e in expected.episodes]


def test_a_recorded_arc_replays_the_same_and_another_memory_or_world_is_told() -> None:
    arc = arcs_of("operations", Tier.HARD)[0]
    run = run_arc(arc, partial(_condition, "facts"), ScriptedModel(), condition="facts")

    def replayed(now: WorldArc, name: str) -> DriftKind:
        return replay_arc(spec_of(now), run.recording, partial(_condition, name), Redaction()).kind

    assert replayed(arc, "facts") is DriftKind.SAME
    assert replayed(arc, "retrieval") is DriftKind.DIFFERENT
    other = {**arc.tables, "config": arc.tables["config"][1:]}
    assert replayed(replace(arc, tables=other), "facts") is DriftKind.CHANGED_TASK


@pytest.mark.parametrize("domain", DOMAINS)
def test_of_a_revised_fact_retrieval_delivers_both_values_and_the_fact_store_the_present_one(domain: str) -> None:
    for name, stale in (("retrieval", True), ("facts", False)):
        for arc in arcs_of(domain, Tier.HARD):
            run = run_arc(arc, partial(_condition, name), ScriptedModel(), condition=name)
            assert [(scored.held, scored.stale) for scored in of_kind([run], Kind.PROBE)] == [(True, stale)] * 2


@contextmanager
def endpoint() -> Iterator[str]:
    """Serve the scripted model over HTTP."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps(ScriptedModel()(request)).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None: ...

    server = LocalServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_model_over_http_is_recorded_once_and_does_the_same() -> None:
    arc = arcs_of("retail", Tier.EASY)[0]
    with endpoint() as address:
        model = HttpChatModel(MODEL_NAME, address)
        over_http = told_run(arc, model)
        model.close()
    in_process = told_run(arc, ScriptedModel())
    assert [s.success for s in over_http.scored] == [s.success for s in in_process.scored]
    assert [replace(s, model="") for s in over_http.scored] == [replace(s, model="") for s in in_process.scored]
    asked, wanted = ([e.request["messages"] for e in run.recording.exchanges] for run in (over_http, in_process))
    assert asked == wanted
