"""What holds of every planted fault, whatever memory system it is wrapped around."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.memory.faults import CORRUPTIONS, FAULTS, Fault, Seen, Way, faults_named, touches_of
from pytest_memuse.memory.faults.chance import Chance
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import MemuseError
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.recording.rendered import TRUTH, Change, Rendered
from tests.memory.faults.shelf import CRON, PORT, SEARCH, Shelf, update

every_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
TEXTS = st.lists(
    st.sampled_from([PORT, CRON, "Nothing of note.", "`a` is `b`.", "Two\nlines, see docs/x.md.", "Ünïcode “x” 12"]),
    min_size=0,
    max_size=5,
)


def plant(fault: Fault, shelf: Shelf, *, rate: float = 1.0, seed: int = 0) -> MemorySystem:
    return fault.over(lambda folder: shelf, rate=rate, seed=seed)(None)  # type: ignore[arg-type]


def conversation(memory: MemorySystem) -> list[Rendered]:
    """Let a memory system go through everything that an arc asks of it."""
    memory.extract([{"role": "user", "content": "The drafts live in `/srv/drafts`."}], scope="blog")
    given = [memory.recall("blog", scope="blog"), memory.recall("port", scope="shop")]
    given.append(memory.call_tool(SEARCH, scope="shop"))
    memory.extract([{"role": "user", "content": "`retry.limit` is `7`."}], scope="shop")
    given.append(memory.recall("port again", scope="shop"))
    item = next(iter(given[-1].entries), None)
    if item is not None:
        given.append(memory.call_tool(update(item.item, "`retry.limit` is `9`."), scope="shop"))
    given += [memory.call_tool(SEARCH, scope="shop"), memory.recall("at last", scope="shop")]
    return given


@every_fault
@settings(max_examples=8)
@given(texts=TEXTS, rate=st.sampled_from([0.3, 1.0]), seed=st.integers(0, 3))
def test_every_entry_shows_what_stands_at_its_place(fault: Fault, texts: Sequence[str], rate: float, seed: int) -> None:
    for given_text in conversation(plant(fault, Shelf(*texts), rate=rate, seed=seed)):
        for entry in given_text.entries:
            assert 0 <= entry.start <= entry.end <= len(given_text.text)
            shown = given_text.text[entry.start : entry.end]
            # The system writes an entry on one line.
            whole = " ".join(entry.value.split())
            assert shown == whole or (fault.name == "cut" and whole.startswith(shown))
            assert entry.key is None or entry.key in given_text.text


@every_fault
def test_two_runs_are_the_same_whatever_the_items_are_called(fault: Fault) -> None:
    def told(prefix: str) -> list[str]:
        memory = plant(fault, Shelf(PORT, CRON, PORT + " Still.", prefix=prefix), rate=0.5, seed=3)
        return [given.text.replace(f"[{prefix}", "[m") for given in conversation(memory)]

    assert told("m") == told("m")
    assert [text for text in told("m") if "[" not in text] == [text for text in told("q-") if "[" not in text]


@every_fault
def test_at_rate_0_nothing_is_touched(fault: Fault) -> None:
    healthy = conversation(Shelf(PORT, CRON))
    assert conversation(plant(fault, Shelf(PORT, CRON), rate=0.0)) == healthy


@every_fault
def test_at_rate_1_something_is_touched_and_the_truth_says_what(fault: Fault) -> None:
    healthy = conversation(Shelf(PORT, CRON))
    broken = conversation(plant(fault, Shelf(PORT, CRON)))
    assert len(broken) >= 5
    for before, after in zip(healthy, broken, strict=False):
        changed = (before.text, before.entries) != (after.text, after.entries)
        assert changed <= bool(after.extra)
    truths = [given.extra[TRUTH] for given in broken if TRUTH in given.extra]
    assert truths
    assert all(truth["fault"] == fault.name and touches_of(truth) for truth in truths)


@every_fault
def test_what_is_stored_stays_as_it_is(fault: Fault) -> None:
    shelf, healthy = Shelf(PORT), Shelf(PORT)
    memory = plant(fault, shelf)
    for each in (memory, healthy):
        each.recall("port", scope="shop")
        each.call_tool(update("m1", PORT.replace("8081", "9091")), scope="shop")
        changes = each.extract([{"role": "user", "content": CRON}], scope="shop")
        assert [type(change) for change in changes] == [Change]
    assert shelf.items == healthy.items


@every_fault
def test_it_names_itself_and_leaves_tool_and_closing_to_the_system(fault: Fault) -> None:
    shelf = Shelf()
    memory = plant(fault, shelf, rate=0.3, seed=7)
    assert isinstance(memory, MemorySystem)
    assert memory.identity() == {"name": "shelf", "fault": fault.name, "fault_rate": "0.3", "fault_seed": "7"}
    assert memory.tool() == {"name": "shelf"}
    memory.close()
    assert shelf.asked == ["close"]


@every_fault
def test_it_declares_figures_that_there_are(fault: Fault) -> None:
    assert set(fault.moves) <= set(FIGURES)
    assert set(fault.moves.values()) <= set(Way)
    assert bool(fault.moves) == (fault.seen is Seen.TRACER)


@given(rate=st.floats(0, 1), more=st.floats(0, 1), seed=st.integers(), number=st.integers(1, 200))
def test_a_higher_rate_strikes_what_a_lower_one_strikes(rate: float, more: float, seed: int, number: int) -> None:
    low, high = sorted((rate, more))
    assert Chance("flood", low, seed, "arc").strikes("call", number) <= Chance("flood", high, seed, "arc").strikes(
        "call", number
    )


def test_a_rate_is_the_share_that_is_struck() -> None:
    for rate in (0.1, 0.3, 0.9):
        struck = sum(Chance("stale", rate, 1, f"arc-{n % 50}").strikes("item", n // 50) for n in range(5000))
        assert struck / 5000 == pytest.approx(rate, abs=0.02)


def test_arcs_and_seeds_are_struck_at_different_places() -> None:
    def struck(**of: object) -> list[bool]:
        return [Chance("stale", 0.5, **of).strikes("item", n) for n in range(60)]  # type: ignore[arg-type]

    assert struck(seed=1) != struck(seed=2)
    assert struck(arc="a") != struck(arc="b")


@given(st.integers(2, 40), st.integers())
def test_another_order_holds_the_same_and_is_never_the_same(length: int, seed: int) -> None:
    order = Chance("shuffled", seed=seed).order(length)
    assert sorted(order) == list(range(length))
    assert list(order) != sorted(order)


def test_a_rate_that_is_none_says_what_is_one() -> None:
    with pytest.raises(MemuseError, match=r"strike at rate 1\.5") as refused:
        Chance("stale", 1.5)
    assert "from 0 (never) to 1" in refused.value.mend


def test_faults_are_named_the_cheapest_first() -> None:
    assert [fault.name for fault in faults_named("flood, outage")] == ["outage", "flood"]
    assert [fault.name for fault in faults_named("")] == list(FAULTS)
    assert set(CORRUPTIONS) <= set(FAULTS)
    with pytest.raises(MemuseError, match="there is no fault 'outtage'; did you mean 'outage'"):
        faults_named("outtage")


@every_fault
def test_the_documentation_declares_what_it_declares(fault: Fault) -> None:
    text = (Path(__file__).parents[3] / "docs" / "faults.md").read_text(encoding="utf-8")
    moves = [f"{FIGURES[name].title} {'↑' if way is Way.UP else '↓'}" for name, way in fault.moves.items()]
    judge = "any judge" if fault.seen is Seen.TRACER else "the LLM judge only"
    assert f"| `{fault.name}` | {fault.text} | {', '.join(moves) or '–'} | {judge} |" in text
