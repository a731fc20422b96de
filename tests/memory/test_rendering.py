"""How memories are written into a model input."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.memory.rendering import RECALL_HEADING, Memory, one_line, recall_text, search_text

FIRST = Memory("id-1", "`a` is `1`.", "repo:shop")
SECOND = Memory("id-2", "`b`\n is\t`2`.", "repo:shop")


def test_a_recall_frames_the_memories_in_order_and_shows_no_identifier() -> None:
    rendered = recall_text([FIRST, SECOND], query="q", limit=4000)
    assert rendered.text == RECALL_HEADING + "- `a` is `1`.\n- `b` is `2`."
    assert [e.key for e in rendered.entries] == [None, None]
    assert [e.item for e in rendered.entries] == ["id-1", "id-2"]


def test_a_search_result_shows_the_identifiers() -> None:
    rendered = search_text([FIRST], query="q", limit=4000)
    assert rendered.text == "1 memory found:\n[id-1] `a` is `1`."
    assert rendered.entries[0].key == "id-1"
    assert rendered.query == "q"


def test_no_memories_put_nothing_into_the_input_and_are_told_to_a_searcher() -> None:
    assert recall_text([], query="q", limit=4000).text == ""
    assert search_text([], query="q", limit=4000).text == "No memories found."


def test_an_entry_cut_by_the_limit_keeps_its_whole_value() -> None:
    room = len(RECALL_HEADING) + len("- `a` is `1`.\n- `b` i")
    rendered = recall_text([FIRST, SECOND, FIRST], query="q", limit=room)
    assert len(rendered.text) == room
    assert len(rendered.entries) == 2
    cut = rendered.entries[1]
    assert rendered.text[cut.start : cut.end] == "`b` i"
    assert cut.value == "`b` is `2`."


def test_a_limit_within_the_frame_puts_nothing_into_the_input() -> None:
    rendered = recall_text([FIRST], query="q", limit=len(RECALL_HEADING) + 2)
    assert (rendered.text, rendered.entries) == ("", ())


@given(
    texts=st.lists(st.text(min_size=1, max_size=40).filter(lambda t: one_line(t)), max_size=6),
    limit=st.integers(0, 500),
)
def test_every_entry_stands_where_it_is_said_to_and_the_limit_holds(texts: list[str], limit: int) -> None:
    rendered = recall_text([Memory(str(i), t) for i, t in enumerate(texts)], query="q", limit=limit)
    assert len(rendered.text) <= limit
    assert bool(rendered.text) == bool(rendered.entries)
    for entry in rendered.entries:
        shown = rendered.text[entry.start : entry.end]
        assert shown
        assert entry.value.startswith(shown)
        assert entry.value == one_line(texts[int(entry.item)])
    assert all(e.value == rendered.text[e.start : e.end] for e in rendered.entries[:-1])
