import pytest

from pytest_memuse.judging import Accuracy
from pytest_memuse.judging.reference import assess_references
from pytest_memuse.model import ReferenceFact

SAME, OTHER, NOTHING = Accuracy.CORROBORATED, Accuracy.CONTRADICTED, Accuracy.UNCONTRADICTED


@pytest.mark.parametrize(
    ("fact", "text", "accuracy"),
    [
        (("depth of dock A", "4.10 m"), "the depth of dock A is 410 cm", SAME),
        (("depth of dock A", "4.10 m"), "the depth of dock A is 390 cm", OTHER),
        (("timeout", "30 s"), "the timeout is half a minute", SAME),
        (("timeout", "30 s"), "the timeout is 45 s", OTHER),
        (("opening hour", "14:00"), "the opening hour is 2 pm", SAME),
        (("opening hour", "14:00"), "the opening hour is 3 pm", OTHER),
        (("discount", "15 %"), "the discount is 0.15", SAME),
        (("discount", "15 %"), "the discount is 20 %", OTHER),
        (("fee", "37.40 EUR"), "the fee is 3740 cents", SAME),
        (("fee", "37.40 EUR"), "the fee is 40 EUR", OTHER),
        (("memory limit", "512 MiB"), "the memory limit is 0.5 GiB", SAME),
        (("lanes", "3"), "the lanes are three", SAME),
        (("port", "8080"), "the port is 8081", OTHER),
        (("python version", "3.11"), "the python version is 3.9", OTHER),
    ],
)
def test_a_value_in_another_unit_or_format_is_the_value(
    fact: tuple[str, str], text: str, accuracy: Accuracy | None
) -> None:
    assert assess_references([ReferenceFact(*fact)], text)[:2] == (True, accuracy)


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (("depth of dock A", "4.10 m"), "the depth of dock A is 13 ft"),
        (("depth of dock A", "4.10 m"), "the depth of dock A is 4100"),
        (("depth of dock A", "4.10 m"), "the depth of dock A is about 4 m"),
        (("depth of dock A", "4.10 m"), "the depth of dock A is at least 3 m"),
        (("depth of dock A", "4.10 m"), "the depth of dock A is 2 fathoms"),
        (("depth of dock A", "4.10 m"), "the depth of dock A filled 12 reports"),
        (("depth of dock A", "4.10 m"), "the depth of dock A is not 4.10 m"),
        (("fee", "37.40 EUR"), "the fee is 41 USD"),
        (("opening hour", "14:00"), "the opening hour is 13:00 UTC"),
        (("python version", "3.11"), "the python version is 3.11.4"),
    ],
)
def test_what_can_be_the_same_in_another_unit_or_means_something_else_is_left_open(
    fact: tuple[str, str], text: str
) -> None:
    assert assess_references([ReferenceFact(*fact)], text)[:2] == (True, None)


@pytest.mark.parametrize(
    ("text", "accuracy"),
    [
        ("the mole is lit by 60 lamps", OTHER),
        ("the mole was once lit by 40 lamps", SAME),
        ("the mole is no longer lit by 60 lamps", None),
        ("the mole was changed from 60 to 40 lamps", SAME),
        ("the mole was changed from 40 to 60 lamps", OTHER),
        ("the mole is white", NOTHING),
    ],
)
def test_a_value_that_a_text_denies_is_no_claim(text: str, accuracy: Accuracy | None) -> None:
    fact = ReferenceFact("mole", "40", ("60",))
    assert assess_references([fact], text)[:2] == (True, accuracy)


def test_a_number_in_the_subject_is_no_value_of_it() -> None:
    fact = ReferenceFact("gate of barge 3", "2")
    assert assess_references([fact], "the gate of barge 3 is shut")[1] is NOTHING


def test_an_open_fact_outweighs_a_confirmed_one_and_a_contradicted_one_outweighs_both() -> None:
    sure, open_, wrong = (
        ReferenceFact("width", "9 m"),
        ReferenceFact("depth", "4.10 m"),
        ReferenceFact("length", "70 m"),
    )
    text = "the width is 9 m. the depth is 13 ft. the length is 80 m."
    assert assess_references([sure], text)[1] is SAME
    assert assess_references([sure, open_], text)[1] is None
    assert assess_references([open_, sure, wrong], text)[1] is OTHER
