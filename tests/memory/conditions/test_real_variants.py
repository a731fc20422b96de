"""Real variants ask their models over HTTP: what is asked, what of the answers is taken, and what it costs."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.agents.scripted import MODEL_NAME, ScriptedModel
from pytest_memuse.episodes.drift import DriftKind
from pytest_memuse.episodes.replaying import replay_arc
from pytest_memuse.episodes.running import record_arc
from pytest_memuse.episodes.specs import ArcSpec
from pytest_memuse.memory.conditions import Condition, RefusedByModel, condition
from pytest_memuse.model import Actor
from pytest_memuse.profiles.call_costs import Purpose, Rates, ledger
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.recording import Recording
from pytest_memuse.recording.redaction import Redaction
from tests.episodes.small_world import chat_agent, live_runner
from tests.memory.conditions.talking import SCOPE, held, said, write
from tests.recording.servers import Reply, http_server, json_server

_USAGE = {"prompt_tokens": 100, "completion_tokens": 20}


def _chat(text: object, finish: str = "stop") -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {"model": "m", "choices": [{"message": message, "finish_reason": finish}], "usage": _USAGE}


def _facts(**facts: str) -> str:
    return json.dumps({"facts": [{"subject": subject, "value": value} for subject, value in facts.items()]})


def _embedded(body: Mapping[str, Any]) -> dict[str, Any]:
    """Embed texts by how often some letters occur in them."""
    rows = [
        {"index": i, "embedding": [text.lower().count(c) + 0.5 for c in "aeiou"]}
        for i, text in enumerate(body["input"])
    ]
    return {"model": "e", "data": rows[::-1], "usage": {"prompt_tokens": 7 * len(rows)}}


def _made(name: str, **settings: Any) -> Condition:
    return condition(name, "real", llm_model="m", embedder_model="e", **settings)


def _asking(name: str, answer: Callable[[Mapping[str, Any]], Any], **settings: Any) -> Condition:
    return _made(name, chat=answer, embedder=_embedded, **settings)


def test_the_fact_store_gives_the_model_what_it_holds_and_overwrites_what_is_revised() -> None:
    asked: list[Any] = []
    answers = iter([_facts(refund="41.37", room="Heron Room"), f"```json\n{_facts(refund='58.92')}\n```"])

    def model(request: Mapping[str, Any]) -> Any:
        asked.append(request)
        return _chat(next(answers))

    memory = _asking("facts", model, llm_parameters={"temperature": 0, "seed": 7})
    assert [c.value for c in write(memory, "refund 41.37, Heron Room")] == ["refund: 41.37", "room: Heron Room"]
    assert [c.value for c in write(memory, "refund 58.92", "Noted.")] == ["refund: 58.92"]
    assert held(memory) == ["refund: 58.92", "room: Heron Room"]
    assert (asked[1]["model"], asked[1]["temperature"], asked[1]["seed"]) == ("m", 0, 7)
    assert json.loads(asked[1]["messages"][-1]["content"]) == {
        "known": [{"subject": "refund", "value": "41.37"}, {"subject": "room", "value": "Heron Room"}],
        "conversation": said("refund 58.92", "Noted."),
    }


def test_the_summary_is_rewritten_from_the_one_before() -> None:
    def model(request: Mapping[str, Any]) -> Any:
        asked = json.loads(request["messages"][-1]["content"])
        return _chat(f"({asked['summary']})\n{asked['conversation'][0]['content']}")

    memory = _asking("summary", model)
    write(memory, "one")
    write(memory, "two")
    assert held(memory) == ["(() one) two"]


def test_embedding_retrieval_delivers_the_nearest_messages_stale_and_fresh() -> None:
    memory = _asking("retrieval", lambda request: _chat("unused"), count=2)
    write(memory, "iii", "aaa")
    write(memory, "uuu", "aaaa")
    assert held(memory, "aaaaa") == ["aaaa", "aaa"]
    assert held(memory, "  ") == []


def test_models_and_settings_are_in_the_identity_and_keys_and_addresses_are_not() -> None:
    made = condition(
        "hybrid",
        "real",
        llm_model="gpt-x",
        embedder_model="embed-y",
        llm_base_url="http://secret-host/v1",
        api_key="very-secret",
    )
    told = made.identity()
    assert {"gpt-x", "embed-y", '{"temperature":0}'} <= set(told.values())
    assert "secret" not in repr(told)
    assert (
        told
        != condition(
            "hybrid", "real", llm_model="gpt-z", embedder_model="embed-y", llm_base_url="http://localhost/v1"
        ).identity()
    )


_BAD_CHAT: list[tuple[Any, str]] = [
    ("no object", "gave str"),
    ({}, "holds no text"),
    ({"choices": []}, "holds no text"),
    ({"choices": [7]}, "holds no text"),
    (_chat(None), "holds no text"),
    (_chat(" "), "holds no text"),
    (_chat([{"type": "text"}]), "holds no text"),
    (_chat(_facts(a="b"), "length"), "broke off (length)"),
    (_chat(_facts(a="b"), "content_filter"), "broke off (content_filter)"),
]
_BAD_FACTS: list[tuple[str, str]] = [
    ("I found no facts.", "no JSON"),
    ("[]", 'one key "facts"'),
    ('{"facts": {}}', 'one key "facts"'),
    ('{"facts": [], "more": 1}', 'one key "facts"'),
    ('{"facts": [], "facts": []}', "a key stands twice"),
    ('{"facts": ["refund: 5"]}', "fact 1 of the model"),
    ('{"facts": [{"subject": "s"}]}', "fact 1 of the model"),
    ('{"facts": [{"subject": "s", "value": "v", "extra": 1}]}', "fact 1 of the model"),
    ('{"facts": [{"subject": "s", "value": "v"}, {"subject": "s", "value": 5}]}', "fact 2 of the model: its value"),
    ('{"facts": [{"subject": " ", "value": "v"}]}', "its subject is no text"),
    (_facts(s="v" * 1001), "its value is no text"),
    (_facts(**{f"s{i}": "v" for i in range(51)}), "gave 51 facts"),
    ("[" * 100_000, "has 100,000 characters"),
    ("[" * 50_000, "no JSON"),
]


@pytest.mark.parametrize(
    ("answer", "told"), [*_BAD_CHAT, *((_chat(text), told) for text, told in _BAD_FACTS)], ids=range(23)
)
@pytest.mark.parametrize("name", ["facts", "hybrid"])
def test_an_answer_that_is_not_what_was_asked_for_writes_nothing(name: str, answer: Any, told: str) -> None:
    answers = iter([_chat(_facts(refund="41.37")), answer])
    memory = _asking(name, lambda request: next(answers))
    write(memory, "refund 41.37")
    before = memory.recall("refund", scope=SCOPE)
    with pytest.warns(RefusedByModel, match="nothing was written"):
        assert write(memory, "refund 58.92") == []
    assert told in memory.refusals[0]
    assert memory.recall("refund", scope=SCOPE) == before


def test_a_summary_that_is_too_long_is_not_taken() -> None:
    memory = _asking("summary", lambda request: _chat("x" * 201), words=10)
    with pytest.warns(RefusedByModel, match="has 201 characters, and may have 200"):
        assert write(memory, "anything") == []


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"data": []},
        {"data": [7]},
        {"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]},
        {"data": [{"index": 1, "embedding": [1.0]}]},
        {"data": [{"index": True, "embedding": [1.0]}]},
        {"data": [{"embedding": []}]},
        {"data": [{"embedding": [1.0] * 8193}]},
        {"data": [{"embedding": ["1"]}]},
        {"data": [{"embedding": [float("nan")]}]},
        {"data": [{"embedding": [10**400]}]},
        {"data": [{"embedding": "AAAA"}]},
        {"data": [{"embedding": [1.0, 2.0]}]},
    ],
)
def test_vectors_that_are_none_write_nothing_and_deliver_nothing(answer: Any) -> None:
    answers: list[Any] = [{"data": [{"embedding": [1.0, 2.0, 3.0]}]}, answer, answer]
    memory = _made("retrieval", embedder=lambda request: answers.pop(0))
    write(memory, "kept")
    with pytest.warns(RefusedByModel, match="nothing was written"):
        assert write(memory, "lost") == []
    with pytest.warns(RefusedByModel, match="nothing was delivered"):
        refused = memory.recall("kept", scope=SCOPE)
    assert (refused.text, refused.entries, refused.failed) == ("", (), True)


def test_a_callable_that_raises_does_not_end_the_episode() -> None:
    def model(request: Mapping[str, Any]) -> Any:
        raise RuntimeError("no credit\nleft")

    memory = _asking("facts", model)
    with pytest.warns(RefusedByModel, match="RuntimeError: no credit left"):
        assert write(memory, "anything") == []


def test_many_messages_are_embedded_in_batches_in_order() -> None:
    sizes: list[int] = []

    def embedder(request: Mapping[str, Any]) -> Any:
        sizes.append(len(request["input"]))
        return _embedded(request)

    memory = _made("retrieval", embedder=embedder, count=1)
    write(memory, *("o" * n + "a" for n in range(130)))
    assert sizes == [64, 64, 2]
    assert held(memory, "aaaaa") == ["a"]


_REPLIES: list[tuple[Reply, str]] = [
    (Reply(b"{}", status=500), "status 500"),
    (Reply(b'{"error": {"message": "slow down"}}', status=429), 'status 429: {"error": {"message": "slow down"}}'),
    (Reply(b"", status=302, headers=[("location", "http://127.0.0.1:9/")]), "status 302"),
    (Reply(b"<html>"), "no JSON"),
    (Reply(b"[]"), "no JSON object"),
    (Reply(b"\xff\xfe"), "not UTF-8"),
    (Reply(b'{"choices": NaN}'), "NaN is no JSON number"),
    (Reply(b'{"choices"', breaks=True), "cannot be asked"),
    (Reply([b" " * 1_000_000] * 9), "more than 8,388,608 bytes"),
]


@pytest.mark.parametrize(("reply", "told"), _REPLIES, ids=range(len(_REPLIES)))
def test_an_endpoint_that_misbehaves_writes_nothing(reply: Reply, told: str) -> None:
    with http_server(lambda sent: reply) as (origin, _):
        memory = _made("facts", llm_base_url=f"{origin}/v1")
        with pytest.warns(RefusedByModel) as warned:
            assert write(memory, "refund 41.37") == []
        memory.close()
    assert told in str(warned[0].message)
    assert held(memory) == []


def test_an_endpoint_that_is_not_there_writes_nothing() -> None:
    memory = _made("facts", llm_base_url="http://127.0.0.1:9/v1")
    with pytest.warns(RefusedByModel, match="cannot be asked: ConnectError"):
        assert write(memory, "refund 41.37") == []


def test_the_key_goes_with_every_request_and_halves_of_characters_too() -> None:
    with http_server(lambda sent: Reply(json.dumps(_chat(_facts(a="b"))).encode())) as (origin, received):
        memory = _made("facts", llm_base_url=f"{origin}/v1/", api_key="k-1")
        write(memory, "half \ud83d")
        memory.close()
    (sent,) = received
    assert (sent.path, sent.headers["authorization"]) == ("/v1/chat/completions", "Bearer k-1")
    assert "half \ud83d" in json.loads(sent.body)["messages"][-1]["content"]


_ARC = ArcSpec.model_validate(
    {
        "id": "refund",
        "episodes": [
            {"id": "plant", "scope": "shop", "task": "The refund is 41.37."},
            {"id": "update", "scope": "shop", "task": "The refund is now 58.92."},
            {"id": "probe", "scope": "shop", "task": "Carry out the refund."},
        ],
    }
)


def _endpoint(path: str, body: Any) -> Any:
    if path.endswith("/embeddings"):
        return _embedded(body)
    if body["model"] != "m-memory":
        return {**_chat("Done."), "model": "m-agent"}
    asked = json.loads(body["messages"][-1]["content"])
    task = asked["conversation"][0]["content"]
    facts = _facts(refund=task.split()[-1].strip(".")) if "The refund" in task else _facts()
    usage = {**_USAGE, "cost": 0.0005}
    return {**_chat(facts), "model": "m-memory", "usage": usage}


@contextmanager
def _recorded(answer: Callable[[str, Any], Any]) -> Iterator[tuple[Recording, Callable[[Path], Condition]]]:
    with json_server(answer) as (base, _), live_runner() as runner:

        def made(folder: Path) -> Condition:
            return condition("hybrid", "real", llm_model="m-memory", embedder_model="e", llm_base_url=base)

        yield record_arc("shop", _ARC, replace(runner, memory=made, agent=chat_agent(base))), made


def test_a_recorded_arc_holds_what_was_delivered_and_every_memory_side_call_with_its_cost() -> None:
    with _recorded(_endpoint) as (recording, made):
        pass
    episodes = derive_log(recording).episodes
    delivered = [[entry.value for d in episode.deliveries for entry in d.entries] for episode in episodes]
    assert [values[:1] for values in delivered] == [[], ["refund: 41.37"], ["refund: 58.92"]]
    book = ledger(episodes, {"m-memory": Rates(0.4, 1.6), "e": Rates(0.02, 0.0)})
    extraction = book.costs(actor=Actor.MEMORY, purpose=Purpose.GENERATION)
    assert (extraction.calls, extraction.input.value, extraction.output.value) == (3, 300, 60)
    assert extraction.reported.value == pytest.approx(0.0015)
    assert extraction.computed.value == pytest.approx(3 * (100 * 0.4 + 20 * 1.6) / 1e6)
    assert book.costs(actor=Actor.EMBEDDING, purpose=Purpose.GENERATION).input.value == 7 * 2 * 3
    assert book.costs(actor=Actor.EMBEDDING, purpose=Purpose.SEARCH).input.value == 7 * 2
    assert book.costs(purpose=Purpose.UNASSIGNED).calls == 0
    # The servers are gone by now.
    assert replay_arc(_ARC, recording, made, Redaction()).kind is DriftKind.SAME


def test_a_refused_extraction_is_recorded_with_its_call_and_the_arc_goes_on() -> None:
    def endpoint(path: str, body: Any) -> Any:
        spoiled = body.get("model") == "m-memory" and "is now" in body["messages"][-1]["content"]
        return _chat("Sorry?") if spoiled else _endpoint(path, body)

    with pytest.warns(RefusedByModel, match="no JSON"), _recorded(endpoint) as (recording, made):
        pass
    _, update, probe = derive_log(recording).episodes
    assert [o.kind for o in update.operations] == ["search", "generation"]
    assert next(entry.value for d in probe.deliveries for entry in d.entries) == "refund: 41.37"
    book = ledger(derive_log(recording).episodes)
    assert book.costs(actor=Actor.MEMORY, purpose=Purpose.GENERATION).calls == 3
    assert book.costs(purpose=Purpose.UNASSIGNED).calls == 0
    with pytest.warns(RefusedByModel, match="no JSON"):
        assert replay_arc(_ARC, recording, made, Redaction()).kind is DriftKind.SAME


@pytest.mark.parametrize(
    ("name", "delivered"),
    [
        ("facts", ["refund for order R-1: 58.92", "billing.port: 8081"]),
        ("summary", ["The refund for order R-1 is now 58.92. `billing.port` is `8081`."]),
    ],
)
def test_the_scripted_model_can_be_the_memory_side_model(name: str, delivered: list[str]) -> None:
    with ScriptedModel() as model:
        memory = condition(name, "real", llm_model=MODEL_NAME, llm_base_url=model.base_url)
        write(memory, "The refund for order R-1 is 41.37. Do nothing yet.", "Noted.")
        write(memory, "`billing.port` is `8081`.", "Noted. The refund for order R-1 is 41.37.")
        write(memory, "There is a change. The refund for order R-1 is now 58.92.", "Noted.")
        memory.close()
    assert held(memory) == delivered
