"""Observers rebuild from requests and store captures what a bridge would have said."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.model import MemuseError, Operation, OperationKind, Route
from pytest_memuse.recording.captures import ItemText
from pytest_memuse.recording.observers import BlockObserver, ToolResultObserver, entries, observer_note, observer_of
from pytest_memuse.recording.observers.entries import stored_entries
from pytest_memuse.recording.recording import ObserverNote
from pytest_memuse.recording.rendered import Found
from pytest_memuse.spans.checks import recording_problems
from tests.recording.bridged import Bridged, system, tool_call, tool_result, user

PERSONA = BlockObserver("<persona>", "</persona>", slot="persona")
SKILLS = BlockObserver("<skills>", "</skills>", slot="skills", pieces="lines", key=("- ", ":"))


def test_a_block_between_marks_is_a_host_scheduled_delivery_with_its_proof() -> None:
    made = Bridged()
    made.bridge.observe(PERSONA)
    with made.bridge.episode("t"):
        made.ask(system("You work.\n<persona>terse, likes tests</persona>"), user("t"))
        made.ask(system("You work.\n<persona>terse, likes tests</persona>"), user("t"), user("more"))
    (episode,) = made.episodes()
    (delivery,) = episode.deliveries
    assert (delivery.route, delivery.form, episode.step_of_call(delivery.call)) == (Route.HOST, "memory block", 1)
    assert delivery.placements[0].text == "<persona>terse, likes tests</persona>"
    assert [(e.item, e.value) for e in delivery.entries] == [("persona", "terse, likes tests")]
    assert delivery.operations == ()
    assert recording_problems(episode) == ()


def test_a_block_that_is_written_anew_into_each_request_is_a_delivery_each_time() -> None:
    made = Bridged()
    made.bridge.observe(BlockObserver("<persona>", "</persona>", slot="persona", every_request=True))
    with made.bridge.episode("t"):
        for _ in range(3):
            made.ask(system("<persona>terse</persona>"))
    assert len(made.episodes()[0].deliveries) == 3


def test_a_block_that_changes_is_a_new_version_of_the_same_item() -> None:
    made = Bridged()
    made.bridge.observe(PERSONA)
    with made.bridge.episode("t"):
        made.ask(system("<persona>terse</persona>"))
        made.ask(system("<persona>terse, likes tests</persona>"))
    first, second = (d.entries[0] for d in made.episodes()[0].deliveries)
    assert (first.identity, first.digest != second.digest) == (second.identity, True)


def test_pieces_are_called_after_the_identifiers_that_they_display_else_after_their_content() -> None:
    made = Bridged()
    made.bridge.observe(SKILLS)
    with made.bridge.episode("t"):
        made.ask(system("<skills>\n- orm-debug: Debug ORM queries\n\nno identifier here\n</skills>"))
    named, unnamed = made.episodes()[0].deliveries[0].entries
    assert (named.item, named.key, named.value) == ("orm-debug", "orm-debug", "Debug ORM queries")
    assert (unnamed.value, unnamed.key) == ("no identifier here", None)
    assert unnamed.item is not None
    assert unnamed.item.startswith("text ")


def test_with_captures_the_entries_are_the_stored_items_that_stand_in_the_block() -> None:
    made = Bridged()
    made.bridge.observe(SKILLS)
    with made.bridge.episode("t"):
        made.bridge.snapshot(
            {"s1": "port is 8081", "s2": 'say "hi"', "s3": "a rather long text about queues", "s4": "absent"}
        )
        made.ask(system('<skills>Read these:\n1. port is 8081\n2. say \\"hi\\"\n3. a rather long…</skills>'))
    (delivery,) = made.episodes()[0].deliveries
    assert [(e.item, e.namespace) for e in delivery.entries] == [("s1", "shop"), ("s2", "shop"), ("s3", "shop")]
    assert delivery.entries[2].value == "a rather long text about queues"


def test_an_item_that_only_the_capture_afterwards_shows_is_found_and_is_a_net_change() -> None:
    made = Bridged()
    made.bridge.observe(PERSONA)
    with made.bridge.episode("t"):
        made.bridge.snapshot({})
        made.ask(system("<persona>likes tests</persona>"))
        made.bridge.snapshot({"p": "likes tests"})
    (episode,) = made.episodes()
    assert [e.item for e in episode.deliveries[0].entries] == ["p"]
    assert [(o.kind, o.item, o.net) for o in episode.operations] == [("create", "p", True)]


def test_results_of_the_named_tools_are_searches_by_the_agent_and_deliveries() -> None:
    made = Bridged()
    made.bridge.observe(ToolResultObserver(("memory_search",), pieces="lines", key=("[", "] ")))
    asks = [tool_call("memory_search", "c1", '{"query": "port"}'), tool_call("shell", "c2")]
    said = {"role": "assistant", "content": "", "tool_calls": asks}
    with made.bridge.episode("t"):
        made.ask(user("t"), said="", calls=asks)
        made.ask(user("t"), said, tool_result("c1", "[n-1] port is 8081"), tool_result("c2", "[n-2] no memory"))
        made.ask(
            user("t"), said, tool_result("c1", "[n-1] port is 8081"), tool_result("c2", "[n-2] no memory"), user("u")
        )
    (episode,) = made.episodes()
    (search,) = episode.operations
    assert (search.kind, search.query, search.results, search.step) == (OperationKind.SEARCH, "port", ("n-1",), 1)
    (delivery,) = episode.deliveries
    assert (delivery.route, delivery.operations, episode.step_of_call(delivery.call)) == (Route.AGENT, (search.id,), 2)
    assert [(e.item, e.key, e.value) for e in delivery.entries] == [("n-1", "n-1", "port is 8081")]
    assert recording_problems(episode) == ()


def test_a_synthesized_answer_is_an_item_of_its_own() -> None:
    made = Bridged()
    asks = [tool_call("ask_memory", "c1", "not JSON")]
    with made.bridge.episode("t"):
        made.ask(user("t"), said="", calls=asks)
        made.ask(user("t"), {"role": "assistant", "tool_calls": asks}, tool_result("c1", "It was 8081, then 9091."))
    (episode,) = made.episodes(ToolResultObserver(("ask_memory",)))
    (entry,) = episode.deliveries[0].entries
    assert entry.value == "It was 8081, then 9091."
    assert str(entry.item).startswith("answer ")
    assert episode.operations[0].query == "not JSON"


def test_what_the_bridge_has_proven_is_not_found_again() -> None:
    made = Bridged()
    made.bridge.observe(PERSONA)
    with made.bridge.episode("t"):
        made.bridge.deliver("<persona>terse</persona>", entries=[Found("p", "terse")], slot="persona")
        made.ask(system("<persona>terse</persona>"), user("<persona>other</persona>"))
    deliveries = made.episodes()[0].deliveries
    assert [[e.item for e in d.entries] for d in deliveries] == [["p"], ["persona"]]


def test_observed_searches_never_take_the_name_of_a_reported_one() -> None:
    made = Bridged()
    made.bridge.observe(ToolResultObserver(("memory_search",)))
    asks = [tool_call("memory_search", "c1")]
    with made.bridge.episode("t"):
        made.ask(user("t"), said="", calls=asks)
        made.ask(user("t"), {"role": "assistant", "tool_calls": asks}, tool_result("c1", "port is 8081"))
        made.bridge.search("later", [])
    with made.bridge.episode("u"):
        made.ask(user("u"), said="", calls=asks)
        made.ask(user("u"), {"role": "assistant", "tool_calls": asks}, tool_result("c1", "port is 9091"))
        made.bridge.search("last", [])
    found: list[Operation] = [o for episode in made.episodes() for o in episode.operations]
    assert len({o.id for o in found}) == len(found) == 4


def test_a_mark_that_the_prose_before_a_block_names_is_not_its_beginning() -> None:
    made = Bridged()
    made.bridge.observe(PERSONA)
    with made.bridge.episode("t"):
        made.ask(system("What stands in <persona> is old.\n<persona>terse</persona>\n<persona>two</persona>"))
    one, two = made.episodes()[0].deliveries
    assert [d.placements[0].text for d in (one, two)] == ["<persona>terse</persona>", "<persona>two</persona>"]
    assert [d.placements[0].slot for d in (one, two)] == ["persona", "persona 2"]


def test_blocks_without_an_end_and_empty_ones_are_no_memory() -> None:
    made = Bridged()
    made.bridge.observe(PERSONA)
    with made.bridge.episode("t"):
        made.ask(system("<persona>never closed"))
        made.ask(system("<persona> </persona>"))
    (delivery,) = made.episodes()[0].deliveries
    assert delivery.entries == ()


@pytest.mark.parametrize("observer", [PERSONA, SKILLS, ToolResultObserver(("a", "b"), key=("[", "]"))])
def test_an_observer_is_remembered_by_its_settings(observer: BlockObserver | ToolResultObserver) -> None:
    note = observer_note(observer)
    stored = ObserverNote(note.observer, json.loads(json.dumps(note.settings)))
    assert observer_of(stored) == observer


@pytest.mark.parametrize(
    ("note", "problem"),
    [
        (ObserverNote("blocks", {}), r"observer 'blocks' that this release does not know; did you mean 'block'"),
        (
            ObserverNote("block", {"start": "a", "ends": "b"}),
            "a setting 'ends' that it does not have; did you mean 'end'",
        ),
        (ObserverNote("block", {"start": "a"}), "settings of an observer are damaged: .*'end'"),
        (ObserverNote("block", {"start": "", "end": "b"}), "needs a text for 'start'"),
        (ObserverNote("block", {"start": "a", "end": "b", "pieces": "line"}), "did you mean 'lines'"),
        (ObserverNote("block", {"start": "a", "end": "b", "key": [1]}), "needs for 'key'"),
        (ObserverNote("block", {"start": "a", "end": "b", "roles": "system"}), "needs a list of texts for 'roles'"),
        (ObserverNote("tool-result", {"tools": [1]}), "needs a list of texts for 'tools'"),
    ],
)
def test_damaged_settings_are_refused(note: ObserverNote, problem: str) -> None:
    with pytest.raises(MemuseError, match=problem):
        observer_of(note)


def test_a_refreshed_recording_has_the_observers_of_the_run_that_refreshes_it() -> None:
    old, new = Bridged(), Bridged()
    old.bridge.observe(PERSONA)
    with old.bridge.episode("t"):
        old.ask(system("<persona>terse</persona><skills>- orm: debug</skills>"))
    new.bridge.observe(SKILLS)
    new.recorder.go_on_from(old.recorder.events)
    assert [d.placements[0].slot for d in new.episodes()[0].deliveries] == ["skills"]
    assert [e for e in new.recorder.events if isinstance(e, ObserverNote)] == [observer_note(SKILLS)]


_STORED = st.lists(st.text(alphabet="ab 1", min_size=1, max_size=14), min_size=1, max_size=5, unique=True)


@settings(max_examples=25)
@given(_STORED, st.text(alphabet="ab 1…", max_size=60))
def test_found_entries_stand_in_the_text_and_never_on_each_others_place(values: list[str], text: str) -> None:
    stored = [ItemText("s", f"i{n}", value) for n, value in enumerate(values)]
    found = stored_entries(text, stored)
    shown = [e["value"] if e["value"] in text else e["value"][:8] for e in found]
    assert all(piece in text for piece in shown)
    assert len({e["item"] for e in found}) == len(found)
    assert sum(map(len, shown)) <= len(text)


def test_repetitive_text_costs_no_more_than_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    monkeypatch.setattr(entries, "_shared", lambda text, start, value: tried.append(start) or 8)
    assert stored_entries("a" * 100_000, [ItemText("s", "i", "a" * 50_000 + "b")]) == ()
    assert len(tried) == entries.MOST_PLACES


def test_a_text_that_is_part_of_a_longer_word_or_number_is_not_shown() -> None:
    stored = [ItemText("s", "i", "port 80")]
    assert stored_entries("port 8081, export 80", stored) == ()
    assert [e["item"] for e in stored_entries("port 8081, (port 80)", stored)] == ["i"]
    assert [e["item"] for e in stored_entries("用户喜欢短句。", [ItemText("s", "z", "喜欢短句")])] == ["z"]


_PROXY = Path(os.environ.get("MEMUSE_PROXY_REQUESTS", "nowhere"))
"""Requests of TencentDB's proxy, an object with ``body`` a line."""


@pytest.mark.skipif(
    not _PROXY.is_file(), reason="a real proxy's requests are not part of the project; MEMUSE_PROXY_REQUESTS names them"
)
def test_the_catalog_that_a_real_proxy_writes_into_the_system_message_is_found() -> None:
    made = Bridged()
    made.bridge.observe(
        BlockObserver("<available_skills>", "</available_skills>", slot="skills", pieces="lines", key=("- ", ":"))
    )
    with made.bridge.episode("Fix the bug."):
        for line in _PROXY.read_text(encoding="utf-8").splitlines():
            body: dict[str, Any] = json.loads(line)["body"]
            # The model's answers were not kept; the proxy's own extraction has no catalog in it.
            if not any("<available_skills>" in str(m.get("content")) for m in body["messages"]):
                continue
            made.ask(*body["messages"])
    (episode,) = made.episodes()
    assert {e.item for d in episode.deliveries for e in d.entries} == {"django-orm-debug"}
    assert {e.value for d in episode.deliveries for e in d.entries} == {"Debug Django ORM query bugs"}
    assert recording_problems(episode) == ()
