"""Items across episodes, those to revise or remove and those that hold an answer, to the letter."""

from dataclasses import replace

from pytest_memuse.profiles import JudgedEpisode, episode_row, item_histories, leakage, revise_or_remove
from pytest_memuse.reports.data import harmful_data, history_data
from pytest_memuse.reports.items import harmful_lines, item_lines, leak_lines
from tests.profiles.stores import CREATE, DELETE, HARMED, HELPED, IDLE, UNSURE, UPDATE, change, search, span, told
from tests.reports.golden import golden, text


def _story() -> list[JudgedEpisode]:
    return [
        told(0, change(CREATE, "A", "port is 8080")),
        told(
            1,
            search("A", step=2),
            change(UPDATE, "A", "port is 8081", step=3),
            spans=(span(("A", "port is 8080", HARMED), operations=("search",)),),
            success=False,
        ),
        told(2, replace(change(DELETE, "A"), net=True), success=None),
        told(3, spans=(span(("A", "port is 8081", IDLE), ("B", "use tabs", HARMED)),)),
        told(4, change(CREATE, "A", "port is 9"), spans=(span(("A", "port is 9", HELPED), operations=("create-A",)),)),
        told(5, spans=(span(("A", None, UNSURE)),)),
    ]


def test_a_history_tells_what_became_of_an_item_from_its_creation_on() -> None:
    history = item_histories(_story())[0]
    assert text(item_lines(history)) == golden("item")


def test_an_item_that_nobody_was_seen_to_write_has_an_unobserved_origin() -> None:
    assert item_lines(item_histories(_story())[1]) == [
        "arc/B: origin unobserved, delivered in 1 span, acted on 1 time (1 harmed)",
        "  delivered in T3 (solved), step 1, span S1: misused at step 2 “use tabs”",
    ]


def test_a_span_without_a_verdict_says_what_became_of_it() -> None:
    found, _ = span(("A", "x", IDLE))
    plain = told(0, spans=(span(("A", "x", IDLE)),)).episode
    unjudged = JudgedEpisode.of(plain, episode_row(plain, (found,), {}), (found,))
    assert item_lines(item_histories([unjudged])[0])[1] == "  delivered in T0 (solved), step 1, span S1: unjudged"


def test_items_to_revise_or_remove_say_where_they_harmed() -> None:
    assert harmful_lines(revise_or_remove(item_histories(_story()))) == [
        "",
        "revise or remove: every use of 1 item harmed",
        "  arc/B “use tabs”, harmed 1 time, origin unobserved",
        "    in T3 (solved), step 1",
    ]
    assert harmful_lines([]) == []


def test_a_long_list_is_cut_unless_everything_is_asked_for() -> None:
    many = [told(0, spans=(span(*((f"I{n}", f"text {n}", HARMED) for n in range(7))),))]
    found = revise_or_remove(item_histories(many))
    assert harmful_lines(found)[-1] == "  and 2 more"
    assert len(harmful_lines(found, everything=True)) == 2 + 2 * 7


def test_leaked_items_say_which_answer_they_hold_and_how_much_was_looked_at() -> None:
    answers = {"port": "8081"}
    check = leakage(
        [
            told(0, spans=(span(("A", "port is 8081", HELPED), ("B", None, IDLE)),), answers=answers),
            told(1, spans=(span(("A", "port is 8081", IDLE)),)),
        ]
    )
    assert leak_lines(check) == [
        "",
        "entries that hold the answer of their own task: 1 (1 entry checked, 1 of unknown text, 1 of tasks without an "
        "answer to look for)",
        "  arc/T0, step 1: A “port is 8081” states port = 8081 (unobserved origin)",
    ]


def test_where_no_task_states_an_answer_nothing_is_said_of_leaks() -> None:
    assert leak_lines(leakage([told(0, spans=(span(("A", "x", IDLE)),))])) == []


def test_a_history_for_programs_refers_to_the_operation_that_wrote_what_was_delivered() -> None:
    data = history_data(item_histories(_story())[0])
    assert data["origin"] == {"episode": "E0", "operation": "create-A"}
    assert [event["event"] for event in data["events"]] == [
        "created", "delivered", "updated", "deleted", "delivered", "recreated", "delivered", "delivered",
    ]  # fmt: skip


def test_an_item_to_revise_is_named_to_programs_with_the_places_of_its_harm() -> None:
    (found,) = harmful_data(revise_or_remove(item_histories(_story())))
    assert (found["item"], found["uses"], [place["episode"] for place in found["harmed_in"]]) == ("B", 1, ["E3"])
