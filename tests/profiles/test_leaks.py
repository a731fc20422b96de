"""Items that hold the answer of the very task that they are delivered to (MemUse A.6.7)."""

import pytest

from pytest_memuse.profiles import JudgedEpisode, leakage
from tests.profiles.stores import CREATE, HELPED, IDLE, change, search, span, told

ANSWER = {"fallback of the link checker": "TooManyRedirects"}
TEXT = "catch TooManyRedirects, then use GET"


def sources(*episodes: JudgedEpisode) -> list[str]:
    return [leak.source.value for leak in leakage(episodes).found]


def test_an_item_of_unobserved_origin_that_states_the_task_s_answer_is_a_leak() -> None:
    check = leakage([told(0, spans=(span(("card", TEXT, HELPED), ("other", "use GET", IDLE)),), answers=ANSWER)])
    (leak,) = check.found
    assert (leak.item, leak.episode, leak.span, leak.step, leak.source) == ("card", "E0", "S1", 1, "unobserved origin")
    assert (leak.fact.value, leak.entry.effect) == ("TooManyRedirects", "improved")
    assert (check.checked, check.unknown_text, check.without_answer) == (2, 0, 0)


def test_what_an_earlier_episode_of_another_task_wrote_is_experience() -> None:
    recalled = told(1, spans=(span(("A", TEXT, HELPED)),), answers=ANSWER)
    assert sources(told(0, change(CREATE, "A")), recalled) == []


def test_what_an_earlier_attempt_at_the_task_or_the_episode_itself_wrote_is_told_apart() -> None:
    recalled = told(1, spans=(span(("A", TEXT, HELPED)),), answers=ANSWER, task="T")
    assert sources(told(0, change(CREATE, "A"), task="T"), recalled) == ["another episode of the same task"]
    note = span(("A", TEXT, HELPED), operations=("search",))
    assert sources(told(0, change(CREATE, "A"), search("A"), spans=(note,), answers=ANSWER)) == ["the same episode"]


@pytest.mark.parametrize(
    ("value", "text", "leaks"),
    [
        ("81", "port 81.", True),
        ("81", "port 8181", False),
        ("81", "version 81.2", False),
        ("3.1", "needs 3.1", True),
        ("3.1", "needs 3.1.4", False),
        ("1.4", "needs 3.1.4", False),
        ("uv", "use (uv)", True),
        ("uv", "uvloop", False),
        ("--all", "pass --all", True),
        (" ", "anything", False),
        ("(a+)+$", "match (a+)+$ here", True),
    ],
)
def test_an_answer_stands_in_the_text_as_a_whole(value: str, text: str, leaks: bool) -> None:
    found = sources(told(0, spans=(span(("A", text, IDLE)),), answers={"it": value}))
    assert found == (["unobserved origin"] if leaks else [])


def test_an_answer_that_the_task_states_is_none() -> None:
    check = leakage([told(0, spans=(span(("A", TEXT, IDLE)),), answers=ANSWER, text="catch TooManyRedirects")])
    assert (check.found, check.checked, check.without_answer) == ((), 0, 1)


def test_what_cannot_be_checked_is_counted() -> None:
    check = leakage(
        [
            told(0, spans=(span(("A", TEXT, IDLE)),)),
            told(1, spans=(span(("A", None, IDLE), ("B", "no", IDLE)),), answers=ANSWER),
        ]
    )
    assert (check.found, check.checked, check.unknown_text, check.without_answer) == ((), 1, 1, 1)
