import pytest

from pytest_memuse.judging.reading import Reading
from pytest_memuse.judging.stances import Stance, stance_at


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("I will wait X between retries.", Stance.DECIDED),
        ("Let me set X.", Stance.DECIDED),
        ("Using X for now.", Stance.DECIDED),
        ("Perhaps X?", Stance.OPEN),
        ("It is X. Not sure.", Stance.OPEN),
        ("I wonder whether X holds.", Stance.OPEN),
        ("I will not use X.", Stance.REFUSED),
        ("The value is X.", Stance.STATED),
        ("Could this be slow? I will use X and measure how long that takes on this machine.", Stance.DECIDED),
    ],
)
def test_a_sentence_stands_to_what_it_says(text: str, stance: Stance) -> None:
    at = text.index("X")
    assert stance_at(Reading(text), at, at + 1)[0] is stance
