"""What is true of every condition: places, scopes, order, stores that can be opened again."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.memory.conditions import CONDITIONS, Condition, condition
from pytest_memuse.memory.protocol import MemorySystem
from pytest_memuse.model import FormatError, MemuseError, OperationKind
from tests.memory.conditions.talking import SCOPE, held, said, values, write

_SUBJECTS = ("refund for order R-1", "refund for order R-2", "standing room for the budget review", "staging port")
_VALUES = ("41.37", "58.92", "Heron Room", "8081", "9090")
_SENTENCES = st.builds(
    "The {} is {}.".format,
    st.sampled_from(_SUBJECTS),
    st.sampled_from(_VALUES),
)
_TEXTS = st.one_of(_SENTENCES, st.text(min_size=1, max_size=60))
_SESSIONS = st.lists(st.lists(_TEXTS, min_size=1, max_size=4), max_size=4)
_NAMES = st.sampled_from(CONDITIONS)


def _after(name: str, sessions: list[list[str]], scope: str = SCOPE) -> Condition:
    memory = condition(name)
    for session in sessions:
        write(memory, *session, scope=scope)
    return memory


@pytest.mark.parametrize("name", CONDITIONS)
def test_each_is_a_memory_system_without_a_tool(name: str) -> None:
    memory: MemorySystem = condition(name)
    assert isinstance(memory, MemorySystem)
    assert memory.tool() is None
    assert memory.call_tool({"action": "search"}, scope=SCOPE).failed
    assert memory.identity() == {**memory.identity(), "name": f"merit-{name}", "variant": "starter"}


@pytest.mark.parametrize("name", CONDITIONS)
def test_nothing_is_delivered_before_anything_was_written(name: str) -> None:
    assert condition(name).recall("the refund for order R-1", scope=SCOPE).text == ""


def test_without_memory_nothing_is_ever_delivered() -> None:
    memory = condition("none")
    assert write(memory, "The refund for order R-1 is 41.37.") == []
    assert memory.recall("the refund for order R-1", scope=SCOPE).text == ""


@given(_NAMES, _SESSIONS, _TEXTS)
def test_every_entry_stands_where_the_block_says(name: str, sessions: list[list[str]], query: str) -> None:
    held(_after(name, sessions), query)


@given(_NAMES, _SESSIONS, _TEXTS, st.integers(1, 400))
def test_a_bounded_block_is_no_longer_than_its_bound(
    name: str, sessions: list[list[str]], query: str, characters: int
) -> None:
    memory = condition(name, characters=characters)
    for session in sessions:
        write(memory, *session)
    block = memory.recall(query, scope=SCOPE)
    assert len(block.text) <= characters
    assert bool(block.text) == bool(block.entries)
    for entry in block.entries:
        assert entry.value.startswith(block.text[entry.start : entry.end])


@given(_NAMES, _SESSIONS, _TEXTS)
def test_equal_episodes_give_equal_changes_and_equal_blocks(name: str, sessions: list[list[str]], query: str) -> None:
    one, other = condition(name), condition(name)
    assert [write(one, *s) for s in sessions] == [write(other, *s) for s in sessions]
    assert one.recall(query, scope=SCOPE) == other.recall(query, scope=SCOPE)


@given(_NAMES, _SESSIONS, _SESSIONS, _TEXTS)
def test_what_another_scope_writes_changes_nothing_here(
    name: str, ours: list[list[str]], theirs: list[list[str]], query: str
) -> None:
    mixed = condition(name)
    for number in range(max(len(ours), len(theirs))):
        for sessions, scope in ((theirs, "elsewhere"), (ours, SCOPE)):
            for session in sessions[number : number + 1]:
                write(mixed, *session, scope=scope)
    alone = _after(name, ours)
    assert mixed.recall(query, scope=SCOPE).text == alone.recall(query, scope=SCOPE).text
    assert {entry.namespace for entry in mixed.recall(query, scope=SCOPE).entries} <= {SCOPE}


@given(_NAMES, _SESSIONS, _TEXTS)
def test_the_changes_tell_the_whole_store(name: str, sessions: list[list[str]], query: str) -> None:
    memory, store = condition(name), dict[str, str | None]()
    for session in sessions:
        for change in write(memory, *session):
            assert (change.kind is OperationKind.UPDATE) == (change.item in store)
            store[change.item] = change.value
    for entry in memory.recall(query, scope=SCOPE).entries:
        assert store[entry.item] == entry.value


@given(_SESSIONS)
def test_full_replay_holds_every_written_message_in_order(sessions: list[list[str]]) -> None:
    memory = _after("replay", sessions)
    assert held(memory) == [text for session in sessions for text in session if text.strip()]


@given(_SESSIONS)
def test_the_fact_store_never_holds_two_values_of_one_subject(sessions: list[list[str]]) -> None:
    facts = held(_after("facts", sessions))
    for subject in _SUBJECTS:
        assert sum(fact.casefold().startswith(f"{subject}: ") for fact in facts) <= 1


@given(st.lists(st.tuples(st.sampled_from(_SUBJECTS), st.sampled_from(_VALUES)), min_size=1, max_size=8))
def test_the_fact_store_holds_the_latest_value_of_each_subject(stated: list[tuple[str, str]]) -> None:
    memory = _after("facts", [[f"The {subject} is {value}."] for subject, value in stated])
    assert sorted(held(memory)) == sorted(f"{subject}: {value}" for subject, value in dict(stated).items())


def test_an_updated_fact_keeps_its_item() -> None:
    memory = condition("facts")
    (made,) = write(memory, "The refund for order R-1 is 41.37.")
    (changed,) = write(memory, "The refund for order R-1 is now 58.92.")
    assert (made.kind, changed.kind) == (OperationKind.CREATE, OperationKind.UPDATE)
    assert made.item == changed.item
    assert changed.value == "refund for order R-1: 58.92"
    assert write(memory, "The refund for order R-1 is 58.92.") == []


def test_bounded_full_replay_leaves_out_whole_messages_from_the_beginning() -> None:
    whole = _after("replay", [["first message", "second message"], ["third message"]]).recall("", scope=SCOPE).text
    shorter = len(whole) - len("[session 1] user: first message\n")
    for characters, kept in ((len(whole), 3), (len(whole) - 1, 2), (shorter, 2), (shorter - 1, 1)):
        memory = condition("replay", characters=characters)
        write(memory, "first message", "second message")
        write(memory, "third message")
        assert held(memory) == ["first message", "second message", "third message"][-kept:]


def test_retrieval_delivers_the_messages_that_share_most_words_and_of_equals_the_earliest() -> None:
    memory = condition("retrieval", count=2)
    write(memory, "The kettle is in the kitchen.", "Noted: the kettle.")
    write(memory, "The tent is green.", "Noted: the tent of order R-7.")
    write(memory, "A kettle again.")
    assert held(memory, "Where is the kettle of order R-7?") == [
        "Noted: the tent of order R-7.",
        "The kettle is in the kitchen.",
    ]
    assert held(memory, "What is the weather?") == []


def test_the_starter_summary_forgets_what_does_not_fit() -> None:
    memory = condition("summary", budget=60)
    write(memory, "The port is 8081. It is new. The queue is q7.", "Understood.")
    assert held(memory) == ["user: The port is 8081. It is new.\nassistant: Understood."]
    (change,) = write(memory, "The room is Heron Room.")
    assert held(memory) == ["assistant: Understood.\nuser: The room is Heron Room."]
    assert change.kind is OperationKind.UPDATE


def test_the_hybrid_shows_its_facts_and_the_messages_it_retrieves() -> None:
    memory = condition("hybrid")
    write(memory, "The refund for order R-1 is 41.37.", "Noted.")
    write(memory, "The refund for order R-1 is now 58.92.", "Noted.")
    block = memory.recall("Carry out the refund for order R-1.", scope=SCOPE)
    assert values(block) == [
        "refund for order R-1: 58.92",
        "The refund for order R-1 is 41.37.",
        "The refund for order R-1 is now 58.92.",
    ]
    assert block.text.splitlines()[-5:-2] == ["Facts:", "- refund for order R-1: 58.92", "From earlier conversations:"]


def test_messages_of_other_roles_and_without_text_are_not_written() -> None:
    memory = condition("replay")
    odd: list[dict[str, str]] = [
        {"role": "system", "content": "secret instruction"},
        {"role": "tool", "content": "output"},
        {"role": "user", "content": "  "},
        {"role": "user"},
        {"content": "nobody"},
        *said("kept"),
    ]
    memory.extract(odd, scope=SCOPE)
    assert held(memory) == ["kept"]


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_store_with_a_folder_is_there_when_it_is_opened_again(name: str, tmp_path: Path) -> None:
    before = condition(name, folder=tmp_path)
    write(before, "The refund for order R-1 is 41.37. \ud800", "Noted.")
    before.close()
    after = condition(name, folder=tmp_path)
    asked = "refund for order R-1"
    assert after.recall(asked, scope=SCOPE) == before.recall(asked, scope=SCOPE)
    assert [c.item for c in write(after, "The refund for order R-2 is 58.92.")] == [
        c.item for c in write(before, "The refund for order R-2 is 58.92.")
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "no JSON"),
        ("[]", "no JSON object"),
        ('{"part": "message"}', "scope: missing"),
        ('{"parts": "message"}', "unknown; did you mean 'part'?"),
        (
            '{"part":"message","scope":"s","episode":true,"text":"t","number":1,"role":"user","subject":"","value":"",'
            '"vector":[]}',
            "episode: bool does not belong here",
        ),
    ],
)
def test_a_damaged_store_is_refused_by_line_and_field(line: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "replay.jsonl").write_text(line + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"replay\.jsonl:1") as error:
        condition("replay", folder=tmp_path)
    assert told in str(error.value)


def test_an_item_that_stands_twice_in_a_store_is_refused(tmp_path: Path) -> None:
    write(condition("replay", folder=tmp_path), "one")
    file = tmp_path / "replay.jsonl"
    file.write_text(file.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(FormatError, match="'message-1' stands twice"):
        condition("replay", folder=tmp_path)


def test_where_the_disk_refuses_nothing_is_written(tmp_path: Path) -> None:
    memory = condition("replay", folder=tmp_path / "store")
    (tmp_path / "store").write_text("a file in the folder's place", encoding="utf-8")
    with pytest.raises(OSError, match="store"):
        write(memory, "lost")
    assert held(memory) == []


@pytest.mark.parametrize(
    ("name", "variant", "settings", "told"),
    [
        ("fact", "starter", {}, "there is no condition 'fact'; did you mean 'facts'?"),
        ("facts", "start", {}, "there is no variant 'start'; did you mean 'starter'?"),
        ("facts", "starter", {"llm_modell": "m"}, "there is no setting 'llm_modell'; did you mean 'llm_model'?"),
        ("facts", "real", {}, "needs llm_model"),
        ("summary", "real", {"llm_model": "m"}, "needs llm_base_url"),
        ("retrieval", "real", {"llm_model": "m", "llm_base_url": "http://localhost/v1"}, "needs embedder_model"),
        ("facts", "real", {"llm_model": "m", "llm_base_url": "localhost"}, "'localhost' is no address"),
        ("retrieval", "starter", {"count": 0}, "count must be a whole number above 0, found 0"),
        ("retrieval", "starter", {"count": True}, "count must be a whole number above 0, found True"),
    ],
)
def test_a_wrong_name_or_setting_is_refused_with_what_would_be_right(
    name: str, variant: str, settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(MemuseError) as error:
        condition(name, variant, **settings)
    assert told in str(error.value)


def test_one_set_of_settings_serves_every_condition() -> None:
    settings: dict[str, Any] = {
        "count": 3,
        "llm_model": "m",
        "embedder_model": "e",
        "llm_base_url": "http://localhost:1/v1",
    }
    made = [condition(name, "real", **settings) for name in CONDITIONS]
    assert [memory.identity()["name"] for memory in made] == [f"merit-{name}" for name in CONDITIONS]
