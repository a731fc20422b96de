"""How people state and revise the facts of MERIT's three domains, and what the starter fact store makes of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.memory.conditions import condition
from pytest_memuse.memory.conditions.patterns import stated_facts
from pytest_memuse.memory.conditions.sentences import sentences
from pytest_memuse.memory.conditions.subjects import subject_key
from tests.memory.conditions.talking import held, write

_UPDATED = [
    (
        "We agreed on a partial refund of $42.50 for order R-1042. Please don't process it yet.",
        "The refund for order R-1042 has changed: it is now $57.25 instead of $42.50.",
        ["partial refund for order R-1042: $57.25"],
    ),
    (
        "I'm calling about order R-1042. We agreed on a refund of $42.50.",
        "About order R-1042: make the refund $57.25.",
        ["refund of order R-1042: $57.25"],
    ),
    (
        "My new shipping address for order R-7 is 14 Birch Lane, Apt. 3, Springfield.",
        "Correction: the address for order R-7 is 9 Mill Bank, Oakham, not 14 Birch Lane.",
        ["My new shipping address for order R-7: 9 Mill Bank, Oakham"],
    ),
    (
        "The customer's refund will be 12.34 euros for order R-9, don't send it.",
        "The agreed refund for order R-9 was raised to 15.99.",
        ["customer's refund for order R-9: 15.99"],
    ),
    (
        "The fix for the outage is to set pool_limit of billing-api to 4431.",
        "Use 5120 for pool_limit of billing-api.",
        ["pool_limit of billing-api: 5120"],
    ),
    (
        "Set `retry_backoff_ms` for mail-relay to 4431 when I say so.",
        "We found that retry_backoff_ms for mail-relay should be 5127 rather than 4431.",
        ["retry_backoff_ms for mail-relay: 5127"],
    ),
    (
        "If checkout fails again, roll back billing-api to 3.14.2.",
        "The safe rollback version of billing-api is 3.11.9 now, no longer 3.14.2.",
        ["rollback version of billing-api: 3.11.9"],
    ),
    (
        "3.14.2 is the safe rollback version for billing-api.",
        "billing-api: the safe rollback version changed from 3.14.2 to 3.11.9.",
        ["safe rollback version for billing-api: 3.11.9"],
    ),
    (
        "I prefer Heron Room for my budget reviews.",
        "From now on, use Lynx Studio for my budget reviews instead of Heron Room.",
        ["my budget reviews: Lynx Studio"],
    ),
    (
        "My preferred meeting room is Heron Room.",
        "My preferred meeting room has moved to Lynx Studio.",
        ["My preferred meeting room: Lynx Studio"],
    ),
    (
        "The dinner with Amira is at Casa Brisa on 2027-04-01 at 19:13.",
        "The dinner with Amira is at Nordlys on 2027-04-02 at 20:15 instead.",
        [
            "place of dinner with Amira: Nordlys",
            "day of dinner with Amira: 2027-04-02",
            "time of dinner with Amira: 20:15",
        ],
    ),
    (
        "For the dinner with Amira: the place is Casa Brisa, the day is 2027-04-01 and the time is 19:13.",
        "The dinner with Amira: the time is now 20:31.",
        [
            "place of dinner with Amira: Casa Brisa",
            "day of dinner with Amira: 2027-04-01",
            "time of dinner with Amira: 20:31",
        ],
    ),
    ("The wine for Amira is red wine.", "It is `Chianti` instead of red wine.", ["wine for Amira: Chianti"]),
    ("The wine for Amira is red wine.", "It is `Chianti` now.", ["wine for Amira: red wine"]),
    ("The wine for Amira is red wine.", "Amira's drink is `Chianti` instead of red wine.", ["wine for Amira: Chianti"]),
    (
        "The function `load` should be renamed to `load_config`.",
        'The function `load` should be renamed to "read_config", not `load_config`.',
        ['function load: renamed to "read_config"'],
    ),
    ("`billing.port` is `8081`", "`billing.port` is now `9090`", ["billing.port: 9090"]),
]


@pytest.mark.parametrize(("plant", "update", "facts"), _UPDATED)
def test_an_update_in_other_words_takes_the_place_of_what_was_planted(
    plant: str, update: str, facts: list[str]
) -> None:
    memory = condition("facts")
    write(memory, plant, "Understood.")
    write(memory, update, "Understood.")
    assert held(memory) == facts


@pytest.mark.parametrize(
    "sentence",
    [
        "Which address does order R-1 have?",
        "The refund for order R-9 is not 12.34.",
        "The refund for order R-9 is settled.",
        "Please refund order R-55 in full.",
        "Please set pool_limit of mail-relay to the value that cart-cache has.",
        "Please set the preference 'budget review default' to what the preference 'seat' says.",
        "Please put the dinner with Amira on 2027-04-01 at 19:13 into my calendar, at the place that we settled.",
        "Please carry out the agreed refund for order R-4821.",
        "billing-api is failing again. Please deploy the safe rollback version of billing-api.",
        "Leave everything as it is until I ask.",
        "There is a change. What I told you before no longer holds.",
        "Don't do anything about it for now. Thank you, that is all.",
    ],
)
def test_questions_requests_denials_and_states_are_no_facts(sentence: str) -> None:
    assert stated_facts([sentence]) == []


def test_what_the_assistant_says_is_no_fact() -> None:
    memory = condition("facts")
    assert write(memory, "Hello.", "The refund for order R-1 is 41.37.") == []


def test_as_for_another_one_it_is_the_same_property() -> None:
    found = stated_facts(["Regarding order R-3, the agreed refund is 40.10. As for order R-4, it is 50.20."])
    assert [(s.subject, s.value) for s in found] == [
        ("agreed refund of order R-3", "40.10"),
        ("agreed refund of order R-4", "50.20"),
    ]


def test_an_update_that_names_a_value_of_two_facts_overwrites_neither() -> None:
    memory = condition("facts")
    write(memory, "The tea for Amira is green tea. The tea for Noor is green tea.")
    write(memory, "The drink for both is `mint` instead of green tea.")
    assert held(memory) == ["tea for Amira: green tea", "tea for Noor: green tea", "drink for both: mint"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("agreed refund for order R-1", "Order R-1's refund", True),
        ("delivery address of order R-1", "new address for order R-1", True),
        ("safe rollback version of mail-relay", "rollback version for mail-relay", True),
        ("refund for order R-1", "refund for order R-2", False),
        ("refund for order R-1", "address for order R-1", False),
        ("pool_limit of mail-relay", "queue_depth of mail-relay", False),
        ("time of the dinner with Amira", "day of the dinner with Amira", False),
    ],
)
def test_subjects_are_told_apart_by_their_telling_words(one: str, other: str, same: bool) -> None:
    assert (subject_key(one) == subject_key(other)) is same


def test_no_sentence_ends_inside_an_abbreviation_or_a_number() -> None:
    text = "It is 14 Elm St. in Oakham, Apt. 3. Pay 42.50 to Mr. Keller! Is `a. B` right?\nYes"
    assert list(sentences(text)) == [
        "It is 14 Elm St. in Oakham, Apt. 3.",
        "Pay 42.50 to Mr. Keller!",
        "Is `a. B` right?",
        "Yes",
    ]


@given(st.lists(st.text(max_size=200), max_size=4))
def test_nothing_is_found_that_does_not_stand_in_the_conversation(texts: list[str]) -> None:
    there = " ".join(" ".join(texts).split())
    for statement in stated_facts(texts):
        assert " ".join(statement.value.split()) in there


@pytest.mark.parametrize(
    "piece", ["is ", "the a of 1 ", "to from ", ", and the x is ", "please ", "if a, ", "` ", "not ", "at 1 "]
)
def test_long_and_repetitive_text_is_read_within_bounds(piece: str) -> None:
    assert len(stated_facts([piece * 20_000, "The staging port is 8081."])) <= 200
