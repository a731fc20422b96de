"""Worlds: tools validate what they are given, errors are texts, checks look at the end state."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.types import Action, Check, Format, Parameter, RowCheck, Tool
from pytest_memuse.arcs.worlds import World
from pytest_memuse.model.errors import MemuseError

_ID = Parameter("order_id", "order_id", key=True)
TOOLS = (
    Tool("get_order", "", Action.READ, "orders", (_ID,)),
    Tool("find", "", Action.READ, "orders", (Parameter("text", "item", key=True, within=True),)),
    Tool("refund", "", Action.UPDATE, "orders", (_ID, Parameter("amount", "paid", "", Format.MONEY, at_most="total"))),
    Tool("note", "", Action.INSERT, "notes", (_ID, Parameter("text", "text"))),
    Tool("plan", "", Action.PUT, "plans", (_ID, Parameter("day", "day", "", Format.DAY, required=False),
                                           Parameter("time", "time", "", Format.TIME, required=False))),
    Tool("ship", "", Action.UPDATE, "orders", (_ID, Parameter("by", "carrier")), {"status": "gone"},
         {"shipments": Action.INSERT}),
)  # fmt: skip
ROWS = (
    {"order_id": "R-1", "item": "Lamp 100%", "total": "80.00"},
    {"order_id": "R-2", "item": "Tent", "total": "9.50"},
)


@pytest.fixture
def world() -> Iterator[World]:
    with World.of({"orders": ROWS}, TOOLS) as made:
        yield made


def holds(world: World, table: str, where: dict[str, str], **expects: str) -> bool:
    return world.holds(Check((RowCheck(table, where, expects),)))


def test_a_reading_tool_shows_the_rows_that_its_argument_chooses(world: World) -> None:
    assert json.loads(world.call("get_order", {"order_id": "r-1"})) == {
        "orders": [{"order_id": "R-1", "item": "Lamp 100%", "total": "80.00"}]
    }
    assert json.loads(world.call("get_order", {"order_id": "R-3"})) == {"orders": []}


def test_a_search_takes_its_text_as_it_stands(world: World) -> None:
    found = {text: len(json.loads(world.call("find", {"text": text}))["orders"]) for text in ("", "LAMP", "%", "_")}
    assert found == {"": 2, "LAMP": 1, "%": 1, "_": 0}


def test_an_amount_is_kept_with_cents_however_it_is_written(world: World) -> None:
    for amount in ("12.5", "$12.50", "12.50", 12.5):
        world.call("refund", {"order_id": "R-1", "amount": amount})
        assert holds(world, "orders", {"order_id": "R-1"}, paid="12.50")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("refnud", {}, "did you mean 'refund'"),
        ("refund", None, "no JSON object"),
        ("refund", {"order_id": "R-1"}, "refund needs amount"),
        ("refund", {"order_id": "R-1", "amount": "5", "why": "x"}, "takes no 'why'"),
        ("refund", {"order_id": "R-1", "amount": "-5"}, "an amount such as"),
        ("refund", {"order_id": "R-1", "amount": "NaN"}, "an amount such as"),
        ("refund", {"order_id": "R-1", "amount": "1e3"}, "an amount such as"),
        ("refund", {"order_id": "R-1", "amount": "5.001"}, "an amount such as"),
        ("refund", {"order_id": "R-1", "amount": "80.01"}, "at most 80.00, the total"),
        ("refund", {"order_id": "R-9", "amount": "5"}, "no row with order_id 'R-9'"),
        ("refund", {"order_id": ["R-1"], "amount": "5"}, "order_id must be a text"),
        ("refund", {"order_id": "R-1", "amount": True}, "amount must be a text"),
        ("note", {"order_id": "R-1", "text": "x" * 2001}, "more than 2000 characters"),
        ("note", {"order_id": 10**5000, "text": "x"}, "too many digits"),
        ("plan", {"order_id": "R-1", "day": "14 May"}, "a day as YYYY-MM-DD"),
        ("plan", {"order_id": "R-1", "time": "25:00"}, "a time as HH:MM"),
    ],
)
def test_what_is_wrong_with_a_call_is_told_and_changes_nothing(
    world: World, tool: str, arguments: Any, said: str
) -> None:
    before, texts = world.changes, list(world.texts())
    assert said in json.loads(world.call(tool, arguments))["error"]
    assert (world.changes, list(world.texts())) == (before, texts)


def test_half_a_character_is_kept_as_a_question_mark(world: World) -> None:
    world.call("note", {"order_id": "R-1", "text": "half \ud800"})
    assert holds(world, "notes", {"order_id": "R-1"}, text="half ?")
    with World.of({"notes": ({"text": "half \ud800"},)}, ()) as other:
        assert other.values("notes", "text") == ("half ?",)


def test_a_put_changes_the_row_that_is_there_and_adds_one_that_is_not(world: World) -> None:
    world.call("plan", {"order_id": "R-1", "day": "2027-05-14"})
    world.call("plan", {"order_id": "R-1", "time": "9:05"})
    assert world.size("plans") == 1
    assert holds(world, "plans", {"order_id": "R-1"}, day="2027-05-14", time="09:05")


def test_a_tool_may_write_fixed_columns_and_further_tables(world: World) -> None:
    world.call("ship", {"order_id": "R-2", "by": "post"})
    assert holds(world, "orders", {"order_id": "R-2"}, carrier="post", status="gone")
    assert world.size("shipments") == 1


def test_a_check_wants_one_row_with_everything(world: World) -> None:
    world.call("note", {"order_id": "R-1", "text": "Call  Ada at 9"})
    assert world.holds(Check((RowCheck("notes", {"order_id": "r-1"}, contains={"text": "call ada"}),)))
    assert not holds(world, "orders", {"order_id": "R-1"}, total="9.50")
    assert holds(world, "orders", {"order_id": "R-1"}, total="80")
    both = (RowCheck("orders", {}, {"item": "Tent"}), RowCheck("notes", {}, {"text": "nothing"}))
    assert not world.holds(Check(both))


@pytest.mark.parametrize(("table", "column"), [("ordres", "total"), ("orders", "totla")])
def test_a_check_of_what_is_not_there_is_an_error(world: World, table: str, column: str) -> None:
    with pytest.raises(MemuseError, match="a check names the"):
        holds(world, table, {}, **{column: "1"})


@pytest.mark.parametrize("name", ['x"; DROP TABLE orders; --', "Orders", "1st", ""])
def test_a_table_or_column_with_any_other_name_is_refused(name: str) -> None:
    for tables in ({name: ({"a": "1"},)}, {"a": ({name: "1"},)}):
        with pytest.raises(MemuseError, match="cannot name a table or a column"):
            World.of(tables, ())


@settings(max_examples=50)
@given(
    st.sampled_from([tool.name for tool in TOOLS]),
    st.dictionaries(
        st.sampled_from(["order_id", "text", "amount", "day", "time", "by"]),
        st.one_of(
            st.text(max_size=40), st.integers(), st.floats(), st.none(), st.lists(st.text(max_size=3), max_size=2)
        ),
    ),
)
def test_whatever_a_tool_is_given_it_answers_with_json_and_other_rows_stand(
    name: str, arguments: dict[str, Any]
) -> None:
    with World.of({"orders": ROWS, "safe": ({"a": "1"},)}, TOOLS) as world:
        answer = json.loads(world.call(name, arguments))
        assert isinstance(answer, dict)
        assert world.values("safe", "a") == ("1",)
        assert world.size("orders") == 2


def test_the_world_of_an_arc_begins_anew_each_time_that_it_is_opened() -> None:
    arc = generate("operations", "easy", seed=1, arcs=1)[0]
    service = arc.tables["services"][0]["service"]
    with World.open(arc) as first:
        beginning = list(first.texts())
        first.call("deploy", {"service": service, "version": "9.9.9"})
        assert list(first.texts()) != beginning
    with World.open(arc) as second:
        assert list(second.texts()) == beginning
