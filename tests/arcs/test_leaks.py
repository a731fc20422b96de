"""The leak check: a planted leak is found in every channel, in every form."""

from dataclasses import replace

import pytest

from pytest_memuse.arcs.generator import generate
from pytest_memuse.arcs.leaks import Channel, Haystack, Leak, Sought, find_leaks
from pytest_memuse.arcs.types import Action, GoldFact, Kind, Parameter, Tool, WorldArc, WorldEpisode


@pytest.fixture(scope="module")
def arc() -> WorldArc:
    """An arc without leaks, whose first probe needs a refund's amount or an address."""
    return generate("retail", "medium", seed=3, arcs=1)[0]


def probe_of(arc: WorldArc) -> WorldEpisode:
    return next(episode for episode in arc.episodes if episode.kind is Kind.PROBE)


def with_episode(arc: WorldArc, changed: WorldEpisode) -> WorldArc:
    return replace(arc, episodes=tuple(changed if e.id == changed.id else e for e in arc.episodes))


def with_row(arc: WorldArc, table: str, **row: str) -> WorldArc:
    return replace(arc, tables={**arc.tables, table: (*arc.tables[table], row)})


def channels(leaks: tuple[Leak, ...]) -> set[Channel]:
    return {leak.channel for leak in leaks}


def test_a_value_in_a_turn_of_the_probe_leaks_through_the_prompt(arc: WorldArc) -> None:
    probe = probe_of(arc)
    for fact in probe.gold:
        leaking = with_episode(arc, replace(probe, user=(*probe.user, f"I think that it was {fact.value}.")))
        (leak,) = find_leaks(leaking)
        assert (leak.channel, leak.subject, leak.value) == (Channel.PROMPT, fact.subject, fact.value)
        assert leak.where == f"episode {probe.id}, turn {len(probe.user) + 1}"


def test_a_value_in_the_system_prompt_or_in_a_tools_description_leaks_through_the_prompt(arc: WorldArc) -> None:
    value = probe_of(arc).gold[0].value
    assert channels(find_leaks(arc, prompt=f"The usual amount is {value}.")) == {Channel.PROMPT}
    described = replace(arc.tools[0], description=f"Look up an order, such as the one of {value}.")
    (leak,) = find_leaks(replace(arc, tools=(described, *arc.tools[1:])))
    assert (leak.channel, leak.where) == (Channel.PROMPT, "the schema of get_order")


def test_a_value_in_a_row_that_no_tool_reads_leaks_through_the_world_alone(arc: WorldArc) -> None:
    value = probe_of(arc).gold[0].value
    (leak,) = find_leaks(with_row(arc, "messages", customer="Somebody", text=f"Was it {value}?"))
    assert (leak.channel, leak.where) == (Channel.WORLD, "messages, row 1, text")


def test_a_value_that_a_tool_puts_together_from_cells_leaks_through_the_tool_alone(arc: WorldArc) -> None:
    address = next(fact.value for fact in probe_of(arc).gold if "," in fact.value)
    street, town = address.split(", ")
    (leak,) = find_leaks(with_row(arc, "policies", topic="stores", text=street, more=town))
    assert (leak.channel, leak.where) == (Channel.TOOL, "get_policy(topic='stores')")


def test_a_value_that_only_a_search_shows_behind_the_first_rows_leaks_through_the_tool() -> None:
    lines = [{"line": f"line {number}", "more": ""} for number in range(10, 80)]
    lines[-1] = {"line": "last entry", "more": "fifty-one kestrel"}
    search = Tool("search", "", Action.READ, "notes", (Parameter("text", "line", key=True, within=True),))
    probe = WorldEpisode("probe", Kind.PROBE, ("Do it.",), (GoldFact("word", "Kestrel, fifty-one"),))
    notes = generate("retail", "easy", seed=1, arcs=1)[0]
    leaking = replace(notes, tables={"notes": tuple(lines)}, tools=(search,), episodes=(probe,))
    assert [leak.where for leak in find_leaks(leaking) if leak.channel is Channel.TOOL] == ["search(text='last entry')"]


def test_a_superseded_value_may_not_reach_a_probe_either() -> None:
    hard = generate("operations", "hard", seed=3, arcs=1)[0]
    probe = probe_of(hard)
    (before,) = probe.gold[0].superseded
    (leak,) = find_leaks(with_episode(hard, replace(probe, user=(f"{probe.user[0]} It used to be {before}.",))))
    assert leak.value == before


def test_two_facts_with_one_value_are_found(arc: WorldArc) -> None:
    first, second = (episode for episode in arc.episodes if episode.kind is Kind.PROBE)
    taken = replace(second, gold=(replace(second.gold[0], value=first.gold[0].value), *second.gold[1:]))
    found = find_leaks(with_episode(arc, taken))
    assert {leak.subject for leak in found if leak.channel is Channel.EPISODE} >= {
        first.gold[0].subject,
        second.gold[0].subject,
    }


def test_a_value_that_an_independent_episode_mentions_is_found(arc: WorldArc) -> None:
    other = next(episode for episode in arc.episodes if episode.kind is Kind.INDEPENDENT)
    value = probe_of(arc).gold[0].value
    (leak,) = find_leaks(with_episode(arc, replace(other, user=(f"{other.user[0]} For instance {value}.",))))
    assert (leak.channel, leak.where) == (Channel.EPISODE, f"episode {other.id}, turn 1")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("1250.40", "1,250.40"),
        ("1250.40", "1 250,40"),
        ("1250", "$1,250.00"),
        ("1250.40", "125040 cents"),
        ("1,250.00", "1250"),
        ("37.45", "37 dollars and 45 cents"),
        ("2027-05-14", "14 May 2027"),
        ("2027-05-14", "May 14th, 2027"),
        ("2027-05-14", "the 14th of May"),
        ("2027-05-14", "14 May"),
        ("19:37", "7:37 pm"),
        ("19:37", "7:37pm"),
        ("3.14.2", "v3.14.2"),
        ("Heron Room", "heron_room"),
        ("Heron Room", "HeronRoom"),
        ("Heron Room", "the HERON  room"),
        ("17 Alder Row, Melrose", "Melrose (Alder Row 17)"),
        ("17 Alder Row, Melrose", '{"street": "17 Alder Row", "town": "Melrose"}'),
        ("8264", "no8264x"),
    ],
)
def test_a_value_is_found_in_another_form(value: str, written: str) -> None:
    assert Sought(value).stated_in(Haystack(f"So it is {written} then"))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("1250.40", "1250.41 and 125041"),
        ("2027-05-14", "2027-05-15 and 14 June 2027"),
        ("19:37", "7:37 am, 19:38"),
        ("3.14.2", "3.14.1 and 3.1.42"),
        ("Heron Room", "the heron sat in another room"),
        ("17 Alder Row, Melrose", "17 Alder Row, Ripon. 3 Mill Bank, Melrose."),
    ],
)
def test_what_is_like_a_value_is_not_taken_for_it(value: str, written: str) -> None:
    assert not Sought(value).stated_in(Haystack(written))
