"""What a memory system and a harness say through the bridge comes out in the event log, proven or with its failure."""

import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model import MemuseError, OperationKind, Route
from pytest_memuse.recording.binding import ProofProblem, UnprovenPlacement
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.rendered import Change, Found
from pytest_memuse.recording.session import ArcRecorder
from pytest_memuse.spans.checks import recording_problems
from tests.recording.bridged import Bridged, system, tool_call, tool_result, user

PORT = Found("n-1", "port is 8081")
QUEUE = Found("n-2", "queue is q7")


def test_a_search_names_its_calls_and_the_delivery_names_the_search() -> None:
    made = Bridged()
    with made.bridge.episode("Use the port."):
        with made.bridge.work():
            made.embed()
            found = made.bridge.search("port", [PORT])
        made.bridge.deliver("Memory: port is 8081", operations=[found], slot="system")
        made.ask(system("You work.\nMemory: port is 8081"), user("Use the port."))
        made.bridge.outcome(True)
    (episode,) = made.episodes()
    (search,) = episode.operations
    assert (search.kind, search.query, search.results) == (OperationKind.SEARCH, "port", ("n-1",))
    assert search.calls == (episode.memory_calls[0].id,)
    (delivery,) = episode.deliveries
    assert (delivery.operations, delivery.route, delivery.form) == ((search.id,), Route.HOST, "search result")
    assert [(entry.item, entry.namespace) for entry in delivery.entries] == [("n-1", "shop")]
    assert delivery.placements[0].proofs[0].pointer == "/messages/0/content"
    assert (episode.step_of_call(delivery.call), episode.outcome and episode.outcome.success) == (1, True)
    assert recording_problems(episode) == ()


def test_a_delivery_may_combine_several_searches_and_entries_that_no_operation_gave() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        first, second = made.bridge.search("a", [PORT]), made.bridge.search("b", [QUEUE])
        made.bridge.deliver("port is 8081; queue is q7", operations=[first, second])
        made.bridge.deliver("persona: terse", entries=[Found(None, "persona: terse", key="persona")])
        made.ask(user("port is 8081; queue is q7\npersona: terse"))
    (episode,) = made.episodes()
    both, persona = episode.deliveries
    assert [entry.item for entry in both.entries] == ["n-1", "n-2"]
    assert both.operations == tuple(operation.id for operation in episode.operations)
    assert ([entry.identity for entry in persona.entries], persona.operations) == ([("shop", "persona")], ())


def test_no_entries_said_are_none_and_not_those_of_the_search() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.bridge.deliver("nothing fits", operations=[made.bridge.search("a", [PORT])], entries=[])
        made.ask(user("nothing fits"))
    assert made.episodes()[0].deliveries[0].entries == ()


def test_an_agent_directed_delivery_stands_in_the_result_of_its_tool_call() -> None:
    made = Bridged()
    asks = [tool_call("memory", "c1")]
    with made.bridge.episode("t"):
        made.ask(user("port is 8081?"), said="", calls=asks)
        found = made.bridge.search("port", [PORT], tool_call_id="c1")
        made.bridge.deliver("port is 8081", operations=[found], tool_call_id="c1")
        made.ask(
            user("port is 8081?"),
            {"role": "assistant", "content": "", "tool_calls": asks},
            tool_result("c1", "port is 8081"),
        )
    (episode,) = made.episodes()
    (delivery,) = episode.deliveries
    assert (delivery.route, episode.step_of_call(delivery.call)) == (Route.AGENT, 2)
    assert delivery.placements[0].proofs[0].pointer == "/messages/2/content"
    assert episode.operations[0].step == 1
    assert recording_problems(episode) == ()


def test_one_delivery_may_fill_several_slots() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        delivery = made.bridge.deliver({"system": "be terse", "user": "port is 8081"}, entries=[PORT])
        made.bridge.place(delivery, -1, slot="user")
        made.ask(system("You work; be terse"), user("Now port is 8081."))
    (episode,) = made.episodes()
    placements = episode.deliveries[0].placements
    assert [(p.slot, p.text, p.proofs[0].pointer) for p in placements] == [
        ("system", "be terse", "/messages/0/content"),
        ("user", "port is 8081", "/messages/1/content"),
    ]
    assert recording_problems(episode) == ()


def test_a_delivery_that_led_to_another_is_named_by_it() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        preview = made.bridge.deliver("[n-1] port", entries=[PORT])
        made.ask(user("[n-1] port"))
        made.bridge.deliver("port is 8081", entries=[PORT], follows=[preview])
        made.ask(user("[n-1] port"), user("port is 8081"))
    first, second = made.episodes()[0].deliveries
    assert second.selected_from == (first.id,)


def test_of_several_messages_that_hold_the_text_the_new_one_is_the_deliverys() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        for messages in ([user("port is 8081")], [user("port is 8081"), user("Again: port is 8081")]):
            made.bridge.deliver("port is 8081", entries=[PORT])
            made.ask(*messages)
    first, second = made.episodes()[0].deliveries
    assert [d.placements[0].proofs[0].pointer for d in (first, second)] == [
        "/messages/0/content",
        "/messages/1/content",
    ]


@pytest.mark.parametrize("place", [1, -1, "/messages/1", "/messages/1/content"])
def test_a_place_may_be_said_by_position_or_by_pointer(place: int | str) -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        delivery = made.bridge.deliver("port is 8081", entries=[PORT])
        made.bridge.place(delivery, place)
        made.ask(system("port is 8081"), user("port is 8081"))
    (episode,) = made.episodes()
    (proof,) = episode.deliveries[0].placements[0].proofs
    assert (proof.pointer, proof.problem) == ("/messages/1/content", "")


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        (7, ProofProblem.MISSING_MESSAGE),
        ("/messages/7", ProofProblem.MISSING_MESSAGE),
        ("/tools/0", ProofProblem.MISSING_MESSAGE),
        (0, ProofProblem.TEXT_ABSENT),
        (1, ProofProblem.NOT_UNIQUE),
    ],
)
def test_a_place_that_does_not_verify_is_a_failed_proof_and_a_warning(place: int | str, problem: ProofProblem) -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.bridge.place(made.bridge.deliver("port is 8081", entries=[PORT]), place)
        with pytest.warns(UnprovenPlacement, match=f"delivery 1 is not proven: {problem} in exchange 1"):
            made.ask(system("You work."), user("port is 8081 and port is 8081"))
    (episode,) = made.episodes()
    (delivery,) = episode.deliveries
    assert episode.step_of_call(delivery.call) == 1
    assert delivery.placements[0].proofs[0].problem == problem
    assert len(recording_problems(episode)) == 1


def test_a_slot_whose_text_is_missing_fails_while_the_other_is_proven() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.bridge.deliver({"a": "port is 8081", "b": "queue is q7"}, entries=[PORT, QUEUE])
        with pytest.warns(UnprovenPlacement, match=ProofProblem.TEXT_ABSENT):
            made.ask(user("port is 8081"))
    (episode,) = made.episodes()
    problems = [p.proofs[0].problem for p in episode.deliveries[0].placements]
    assert problems == ["", ProofProblem.TEXT_ABSENT]


def test_a_delivery_that_no_call_carries_stays_unbound_and_is_warned_of() -> None:
    made = Bridged()
    made.bridge.begin("t")
    made.bridge.deliver("port is 8081", entries=[PORT])
    made.ask(user("something else"))
    with pytest.warns(UnprovenPlacement, match="delivery 1 is not proven: no agent call of the episode carried it"):
        made.bridge.end()
    (delivery,) = made.episodes()[0].deliveries
    assert (delivery.call, delivery.placements[0].proofs) == (None, ())


def test_a_delivery_that_a_call_has_carried_cannot_be_placed_again() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        delivery = made.bridge.deliver("port is 8081", entries=[PORT])
        with pytest.raises(MemuseError, match="no slot 'system'; it has 'memory'"):
            made.bridge.place(delivery, 0, slot="system")
        made.ask(user("port is 8081"))
        with pytest.raises(MemuseError, match="delivery 1: the delivery is not waiting for a call"):
            made.bridge.place(delivery, 0)


@pytest.mark.parametrize("text", ["", {"system": "a", "user": ""}, {}])
def test_a_delivery_without_text_is_refused(text: str | dict[str, str]) -> None:
    with pytest.raises(MemuseError, match="a delivery without text"):
        Bridged().bridge.deliver(text)


def test_writes_are_changes_and_one_that_changed_nothing_is_a_generation_with_its_calls() -> None:
    made = Bridged()
    with made.bridge.episode("t"):
        made.ask(user("t"))
        with made.bridge.work():
            made.ask(user("Which facts?"))
            made.bridge.write(
                [Change(OperationKind.CREATE, "n-1", "port is 8081"), Change(OperationKind.DELETE, "n-0", None)]
            )
            made.ask(user("Any more?"))
            made.bridge.write([])
    (episode,) = made.episodes()
    create, delete, nothing = episode.operations
    assert (create.kind, create.item, create.namespace, create.value) == ("create", "n-1", "shop", "port is 8081")
    assert (delete.kind, delete.item, delete.value, delete.calls) == ("delete", "n-0", None, ())
    assert (nothing.kind, nothing.calls) == (OperationKind.GENERATION, (episode.memory_calls[1].id,))
    assert create.calls == (episode.memory_calls[0].id,)
    assert len(episode.steps) == 1


@settings(max_examples=25)
@given(st.text(min_size=1, max_size=12), st.lists(st.text(max_size=20), min_size=1, max_size=4), st.integers(0, 3))
def test_a_delivery_is_proven_where_its_text_stands_once_and_nowhere_else(
    text: str, others: list[str], place: int
) -> None:
    contents = [*others[: place % len(others)], f"<{text}>", *others[place % len(others) :]]
    made = Bridged()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnprovenPlacement)
        with made.bridge.episode("t"):
            made.bridge.deliver(text, entries=[Found("n", text)])
            made.ask(*map(user, contents))
    (episode,) = made.episodes()
    (placement,) = episode.deliveries[0].placements
    (proof,) = placement.proofs
    host = contents[int(str(proof.pointer).split("/")[2])]
    assert placement.text is not None
    assert placement.text in host
    assert (proof.problem == "") == (host.find(placement.text, host.find(placement.text) + 1) < 0)


def test_what_is_said_through_the_bridge_holds_no_secrets() -> None:
    secret = "hunter2-hunter2"
    made = Bridged()
    made.recorder = ArcRecorder(Redaction((secret,)))
    made.bridge = type(made.bridge)(made.recorder, "shop")
    made.bridge.lifecycle("opened", detail=secret)
    with made.bridge.episode(f"Use {secret}.", references=[{"subject": "key", "value": secret}]):
        made.bridge.snapshot({secret: f"key is {secret}"})
        made.bridge.write([Change(OperationKind.CREATE, "n", secret)], source={"said": secret})
        made.bridge.search(secret, [Found("n", secret)], text=secret)
        made.bridge.deliver({"a": f"key: {secret}", "b": f"again: {secret}"}, entries=[Found("n", secret)])
        made.ask(user("key: <redacted>"), user("again: <redacted>"))
    assert secret not in repr(made.recorder.events)


def test_an_episode_in_another_and_one_of_the_same_name_are_refused() -> None:
    made = Bridged()
    made.bridge.begin("t", id="one")
    with pytest.raises(MemuseError, match="episode 'one' has not ended yet"):
        made.bridge.begin("u")
    made.bridge.end()
    with pytest.raises(MemuseError, match="give this one another id"):
        made.bridge.begin("t", id="one")


def test_an_episode_that_raises_has_no_outcome() -> None:
    made = Bridged()

    def run() -> None:
        with made.bridge.episode("t"):
            made.bridge.outcome(True)
            raise RuntimeError("broke")

    with pytest.raises(RuntimeError, match="broke"):
        run()
    assert made.episodes()[0].outcome is None


def test_deliveries_between_episodes_are_outside_of_all_and_can_still_be_followed() -> None:
    made = Bridged()
    before = made.bridge.deliver("before", entries=[PORT])
    with made.bridge.episode("t", id="one"):
        made.bridge.deliver("port is 8081", entries=[PORT], follows=[before])
        made.ask(user("port is 8081"))
    between = made.bridge.deliver("between", entries=[QUEUE])
    with made.bridge.episode("u", id="two"):
        made.bridge.deliver("queue is q7", entries=[QUEUE], follows=[between])
        made.ask(user("queue is q7"))
    log = derive_log(made.recording())
    assert [(d.id, d.call, d.placements[0].text) for d in log.outside] == [
        ("outside-d1", None, "before"),
        ("outside-d2", None, "between"),
    ]
    assert [[(d.id, d.selected_from) for d in e.deliveries] for e in log.episodes] == [
        [("one-d1", ("outside-d1",))],
        [("two-d1", ("outside-d2",))],
    ]


_ANTHROPIC = {
    "system": [{"type": "text", "text": "You work; be terse"}],
    "messages": [
        {"role": "user", "content": "t"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "memory", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "port is 8081"}]},
    ],
}
_RESPONSES = {
    "instructions": "You work; be terse",
    "input": [
        {"role": "user", "content": "t"},
        {"type": "function_call", "call_id": "c1", "name": "memory", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "port is 8081"},
    ],
}


@pytest.mark.parametrize(
    ("path", "request_body", "answer", "pointer"),
    [
        ("/messages", _ANTHROPIC, {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}, "/system"),
        (
            "/responses",
            _RESPONSES,
            {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}]},
            "/instructions",
        ),
    ],
)
def test_deliveries_are_proven_in_requests_of_other_apis(
    path: str, request_body: dict[str, Any], answer: dict[str, Any], pointer: str
) -> None:
    for place in (0, pointer, None):
        made = Bridged()
        with made.bridge.episode("t"):
            terse = made.bridge.deliver("be terse", entries=[Found("s", "be terse")], slot="system")
            if place is not None:
                made.bridge.place(terse, place)
            made.bridge.deliver("port is 8081", entries=[PORT], tool_call_id="c1")
            made.recorder.exchange("POST", f"http://model/v1{path}", request_body, 200, "OK", answer, {})
        (episode,) = made.episodes()
        assert [d.placements[0].proofs[0].pointer for d in episode.deliveries] == [
            "/messages/0/content",
            "/messages/3/content",
        ]
        assert recording_problems(episode) == ()
