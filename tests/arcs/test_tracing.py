"""Value tracing of recorded episodes: what was held, what was acted on, what containment cannot see."""

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_memuse.arcs.episode_tracing import block_of, executed_of, gold_of, trace, traces
from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.merit import Merit
from pytest_memuse.arcs.running import run_arc
from pytest_memuse.arcs.scripted import ScriptedModel
from pytest_memuse.arcs.types import Kind, Tier
from pytest_memuse.memory.conditions import condition
from pytest_memuse.model import (
    Actor,
    Call,
    Delivery,
    Entry,
    Episode,
    Message,
    Placement,
    PlacementKind,
    Step,
    Task,
    ToolCall,
    ToolResult,
)
from pytest_memuse.model.episodes import Outcome, ReferenceFact
from pytest_memuse.recording.derivation import derive_log

REFUND = ReferenceFact("refund for order R-77", "41.50", ("38.00",))


def recorded(
    *calls: tuple[str, str, str | None],
    block: str | None = "Agreed: the refund for order R-77 is 41.50.",
    facts: Sequence[ReferenceFact] = (REFUND,),
    text: str = "Please refund order R-77 as agreed.",
    kind: PlacementKind = PlacementKind.MESSAGE,
    **fields: Any,
) -> Episode:
    """Return an episode of one step whose tool calls are given as name, arguments and result (None without one)."""
    said = Message(
        role="assistant",
        text="",
        tool_calls=tuple(ToolCall(f"t{n}", name, arguments) for n, (name, arguments, _) in enumerate(calls)),
    )
    results = [
        (f"t{n}", Message("tool", result, tool_call_id=f"t{n}"))
        for n, (_, _, result) in enumerate(calls)
        if result is not None
    ]
    call = Call("call-1", Actor.AGENT, response=said.digest)
    placement = Placement("memory", block, kind, characters=50)
    return Episode(
        id="billing/refund",
        arc="billing",
        suite="support",
        task=Task("refund", text, tuple(facts)),
        steps=(Step(1, call, tuple(ToolResult(name, message.digest) for name, message in results)),),
        deliveries=(Delivery("d1", (Entry("m1", block),), (placement,), "call-1"),),
        messages={said.digest: said} | {message.digest: message for _, message in results},
        **fields,
    )


def test_a_held_value_in_an_executed_call_was_acted_on() -> None:
    found = trace(recorded(("refund", '{"order": "R-77", "amount": "41.50"}', '{"done": true}')))
    assert found is not None
    assert (found.held, found.acted, found.untraceable) == (True, True, 0)
    assert (found.domain, found.kind, found.condition) == ("support", Kind.PROBE, "recorded")


def test_a_held_value_in_no_executed_call_was_ignored() -> None:
    found = trace(recorded(("refund", '{"order": "R-77", "amount": "38.00"}', "done")))
    assert found is not None
    assert (found.held, found.acted) == (True, False)


@pytest.mark.parametrize(
    "result", [None, '{"error": "amount may be at most 40"}'], ids=["without a result", "with an error"]
)
def test_a_call_that_was_not_carried_out_acts_on_nothing(result: str | None) -> None:
    found = trace(recorded(("refund", '{"amount": "41.50"}', result)))
    assert found is not None
    assert found.acted is False


def test_every_value_counts() -> None:
    facts = (REFUND, ReferenceFact("contact of order R-77", "Mara Lind"))
    found = trace(recorded(("refund", '{"amount": "41.50"}', "done"), facts=facts, block="41.50, ask Mara  lind"))
    assert found is not None
    assert (found.held, found.acted, found.tier) == (True, False, Tier.MEDIUM)


def test_a_reformatted_value_is_not_traced_and_is_counted() -> None:
    found = trace(recorded(("refund", '{"amount": "$41.5"}', "done"), block="The refund is 41.5 dollars."))
    assert found is not None
    assert (found.held, found.acted, found.untraceable) == (False, False, 1)


def test_arguments_are_read_to_their_leaves_and_numbers_as_they_are_written() -> None:
    fact = ReferenceFact("retries", "17")
    nested = '{"config": [{"retries": 17, "on": true, "off": null}]}'
    found = trace(recorded(("set", nested, "ok"), facts=(fact,), block="retries: 17"))
    assert found is not None
    assert found.acted is True


def test_arguments_that_are_no_json_are_one_text() -> None:
    found = trace(recorded(("shell", "refund --amount 41.50", "ok")))
    assert found is not None
    assert found.acted is True


def test_what_the_task_states_itself_needs_no_memory() -> None:
    assert gold_of(recorded(text="The refund for order R-77 is 41.50, but do nothing yet.")) == ()
    assert trace(recorded(text="The refund for order R-77 is 41.50, but do nothing yet.")) is None
    assert trace(recorded(facts=())) is None


def test_redacted_memory_text_leaves_open_what_was_held() -> None:
    episode = recorded(("refund", '{"amount": "41.50"}', "done"), block=None)
    found = trace(episode)
    assert block_of(episode) == ("", False)
    assert found is not None
    assert (found.held, found.acted) == (None, True)


def test_the_memory_tools_own_calls_are_no_actions() -> None:
    shown = "refund for order R-77: 41.50"
    episode = recorded(
        ("memory", '{"action": "search", "query": "refund 41.50"}', f"1 memory\n{shown}"),
        block=shown,
        kind=PlacementKind.TOOL_RESULT,
    )
    found = trace(episode)
    assert executed_of(episode) == ()
    assert found is not None
    assert (found.held, found.acted) == (True, False)


def test_unknown_usage_and_outcome_stay_unknown() -> None:
    found = trace(recorded())
    assert found is not None
    assert (found.agent_tokens, found.cost, found.success, found.verified) == (None, None, None, None)
    solved = trace(recorded(outcome=Outcome(True)))
    assert solved is not None
    assert solved.success is True


def test_a_suites_episodes_give_an_ignore_rate() -> None:
    acting, idle = recorded(("refund", '{"amount": "41.50"}', "done")), recorded()
    merit = Merit.of(traces([acting, idle, idle, recorded(facts=())]))
    assert merit.ignore_rate == pytest.approx(2 / 3)


@pytest.mark.parametrize("tier", list(Tier))
def test_the_log_of_an_arc_is_traced_as_its_session_was(tier: Tier) -> None:
    """The recording alone gives what running the arc gave: two ways to the same figures."""
    (arc,) = generate("operations", tier, seed=3, arcs=1)
    for name in ("none", "retrieval", "facts"):
        run = run_arc(arc, lambda folder, name=name: condition(name), ScriptedModel(), condition=name)  # type: ignore[misc]
        of_log = {episode.episode.rpartition("/")[2]: episode for episode in traces(derive_log(run.recording).episodes)}
        probes = [episode for episode in run.scored if episode.kind is Kind.PROBE]
        assert {e.episode.rpartition("/")[2] for e in probes} == set(of_log)
        for scored in probes:
            found = of_log[scored.episode.rpartition("/")[2]]
            assert (found.held, found.acted, found.untraceable, found.success, found.agent_tokens) == (
                scored.held,
                scored.acted,
                scored.untraceable,
                scored.success,
                scored.agent_tokens,
            )
