"""What each planted fault does."""

from collections.abc import Mapping

from pytest_memuse.memory.faults import (
    BestHitDropped,
    Contradiction,
    CutEntries,
    DistractorFlood,
    HarmfulAdvice,
    LateDelivery,
    OrderShuffled,
    Outage,
    Paraphrase,
    Restated,
    ScopeLeak,
    StaleVersion,
    superseded_values,
)
from pytest_memuse.recording.rendered import TRUTH, Rendered, RenderedEntry
from tests.memory.faults.shelf import CRON, PORT, SEARCH, Shelf, shown, update

NEW = PORT.replace("8081", "9091")


def test_a_stale_version_is_the_one_before_the_stored_one() -> None:
    memory = StaleVersion(Shelf(PORT, CRON))
    assert shown(memory.recall("q", scope="shop")) == [PORT, CRON]
    memory.call_tool(update("m1", NEW), scope="shop")
    stale = memory.recall("q", scope="shop")
    assert shown(stale) == [PORT, CRON]
    assert [entry.value for entry in stale.entries] == [PORT, CRON]
    assert stale.extra[TRUTH]["touched"] == [{"what": "stale version", "item": "m1", "was": NEW, "now": PORT}]
    assert "8081" in memory.call_tool(SEARCH, scope="shop").text


def test_a_stale_version_is_known_from_changes_that_were_never_delivered() -> None:
    memory = StaleVersion(Shelf())
    memory.extract([{"role": "user", "content": PORT}], scope="shop")
    memory.call_tool(update("m1", NEW), scope="shop")
    assert shown(memory.recall("q", scope="shop")) == [PORT]


def test_a_system_that_only_adds_is_stale_where_old_values_are_told() -> None:
    plain, told = StaleVersion(Shelf(NEW)), StaleVersion(Shelf(NEW), older=superseded_values({"9091": "8081"}))
    assert shown(plain.recall("q", scope="shop")) == [NEW]
    assert shown(told.recall("q", scope="shop")) == [PORT]


def test_a_contradicted_item_says_the_same_wrong_value_every_time() -> None:
    memory = Contradiction(Shelf(PORT, CRON, "Nothing here says a thing."))
    first, again = memory.recall("q", scope="shop"), memory.call_tool(SEARCH, scope="shop")
    assert shown(first) == shown(again)
    port, cron, nothing = shown(first)
    assert port.startswith(PORT[: PORT.index("8081")])
    assert "8081" not in port
    assert cron != CRON
    assert nothing == "Nothing here says a thing."
    assert len(first.extra[TRUTH]["touched"]) == 2


def test_a_cut_entry_shows_a_beginning_of_what_is_stored() -> None:
    cut = CutEntries(Shelf(PORT, "Short."), characters=12).recall("q", scope="shop")
    assert shown(cut) == [PORT[:12], "Short."]
    assert [entry.value for entry in cut.entries] == [PORT, "Short."]


def test_a_paraphrase_keeps_every_value_in_its_order() -> None:
    given = Paraphrase(Shelf(PORT, CRON)).recall("q", scope="shop")
    port, cron = shown(given)
    assert port == "Our proxy talks to it straight, so `billing.port` is `8081`."
    assert cron == "`invoices.cron` is `15 3 * * *`, invoices go out at night."


def test_distractors_look_like_the_entries_that_are_there() -> None:
    given = DistractorFlood(Shelf(PORT, CRON), entries=3).call_tool(SEARCH, scope="shop")
    lines = given.text.splitlines()
    assert lines[0] == "5 memories found:"
    assert lines[1:3] == [f"[m1] {PORT}", f"[m2] {CRON}"]
    assert all(line.startswith(f"[{entry.key}] ") for line, entry in zip(lines[1:], given.entries, strict=True))
    assert len({entry.item for entry in given.entries}) == 5
    assert {entry.namespace for entry in given.entries} == {"shop"}
    assert not any("distractor" in line for line in lines)
    assert DistractorFlood(Shelf()).recall("q", scope="shop").text == ""


def test_the_best_hit_goes_out_with_its_line() -> None:
    memory = BestHitDropped(Shelf(PORT, CRON))
    assert memory.call_tool(SEARCH, scope="shop").text == f"1 memories found:\n[m2] {CRON}"
    alone = BestHitDropped(Shelf(PORT)).recall("q", scope="shop")
    assert (alone.text, alone.entries) == ("", ())


def test_shuffling_moves_whole_lines() -> None:
    given = OrderShuffled(Shelf(PORT, CRON)).call_tool(SEARCH, scope="shop")
    assert given.text.splitlines()[1:] == [f"[m2] {CRON}", f"[m1] {PORT}"]
    assert OrderShuffled(Shelf(PORT)).recall("q", scope="shop").extra == {}


def test_another_scope_leaks_in_once_the_arc_has_met_it() -> None:
    shelf = Shelf(PORT)
    shelf.put("The drafts live in `/srv/drafts`.", "blog")
    memory = ScopeLeak(shelf)
    assert len(memory.recall("q", scope="shop").entries) == 1
    memory.recall("q", scope="blog")
    given = memory.recall("q", scope="shop")
    assert [entry.namespace for entry in given.entries] == ["shop", "blog"]
    assert shown(given)[1] == "The drafts live in `/srv/drafts`."


def test_a_recall_comes_with_the_next_result_of_the_tool() -> None:
    memory = LateDelivery(Shelf(PORT))
    assert memory.recall("q", scope="shop").text == ""
    late = memory.call_tool(update("m1", NEW), scope="shop")
    assert late.text.startswith("Updated.\n\n")
    assert shown(late) == [PORT]
    assert late.query == "q"
    assert len(memory.call_tool(SEARCH, scope="shop").entries) == 1


def test_a_recall_that_no_tool_call_follows_comes_with_the_next_recall_of_its_scope() -> None:
    shelf = Shelf(PORT)
    memory = LateDelivery(shelf)
    memory.recall("q", scope="shop")
    assert memory.recall("q", scope="blog").text == ""
    shelf.items["m1"] = ("shop", NEW)
    assert shown(memory.recall("q", scope="shop")) == [PORT]


def test_everything_is_restated_with_each_result_of_the_tool() -> None:
    memory = Restated(Shelf(PORT))
    assert shown(memory.recall("q", scope="shop")) == [PORT, PORT]
    assert shown(memory.call_tool(SEARCH, scope="shop")) == [PORT, PORT]
    updated = memory.call_tool(update("m1", NEW), scope="shop")
    assert shown(updated) == [PORT, PORT]
    assert updated.query == ""


def test_harmful_advice_stands_first_and_orders_another_value() -> None:
    given = HarmfulAdvice(Shelf("Nothing of note.", PORT)).recall("q", scope="shop")
    advice, nothing, port = shown(given)
    assert (nothing, port) == ("Nothing of note.", PORT)
    assert "`billing.port` is `" in advice
    assert "8081" not in advice
    without = HarmfulAdvice(Shelf("Nothing of note.")).recall("q", scope="shop")
    assert shown(without)[0].startswith("Leave the checks of this project out")


def test_an_outage_at_a_rate_lets_the_other_reads_through() -> None:
    shelf = Shelf(PORT)
    memory = Outage(shelf, rate=0.5, seed=1, arc="a")
    given = [memory.recall("q", scope="shop") for _ in range(40)]
    assert {bool(one.text) for one in given} == {True, False}
    assert len(shelf.asked) == sum(bool(one.text) for one in given)


class Captures(Shelf):
    def snapshot(self, scope: str) -> Mapping[str, str]:
        return {"m1": PORT}


def test_a_system_that_shows_its_store_shows_it_through_a_fault() -> None:
    assert Contradiction(Captures()).snapshot("shop") == {"m1": PORT}
    assert not hasattr(Contradiction(Shelf()), "snapshot")


class OneLine(Shelf):
    """A system that puts several entries on one line."""

    def recall(self, query: str, *, scope: str) -> Rendered:
        text = "Known: 12 apples; 30 pears; 7 plums."
        places = [(7, 16), (18, 26), (28, 35)]
        entries = tuple(RenderedEntry(f"e{low}", text[low:high], low, high) for low, high in places)
        return Rendered(text, entries, query=query)


def test_entries_on_one_line_are_edited_one_by_one() -> None:
    assert BestHitDropped(OneLine()).recall("q", scope="s").text == "Known: 30 pears; 7 plums."
    assert CutEntries(OneLine(), characters=2).recall("q", scope="s").text == "Known: 12; 30; 7 ."
    assert DistractorFlood(OneLine(), entries=1).recall("q", scope="s").text.startswith("Known: 12 apples; 30 pears; ")


class Tangled(Shelf):
    """A system whose entries overlap."""

    def recall(self, query: str, *, scope: str) -> Rendered:
        return Rendered("abcdef", (RenderedEntry("a", "abcd", 0, 4), RenderedEntry("b", "cdef", 2, 6)), query=query)


def test_entries_that_overlap_are_left_as_they_are() -> None:
    healthy = Tangled().recall("q", scope="s")
    assert CutEntries(Tangled(), characters=1).recall("q", scope="s") == healthy
    assert BestHitDropped(Tangled()).recall("q", scope="s") == healthy
