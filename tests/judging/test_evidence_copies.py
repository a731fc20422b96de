"""What became of earlier copies of a delivered item (MemUse A.2.1)."""

from dataclasses import replace

import pytest

from pytest_memuse.judging.evidence import CopyState
from pytest_memuse.model import Episode
from pytest_memuse.spans import ExposureKind
from tests.judging.evidence_cases import (
    delivered,
    delivery,
    entry,
    episode,
    message,
    package,
)
from tests.judging.evidence_cases import packages as packages_of


def copied(*places: tuple[str, str | None], second: tuple[str, ...], value: str = "Wait between retries.") -> Episode:
    """Return an episode whose item is delivered at step 1 and again, in more words, at a third step.

    ``second`` is what the second step sees, the third step sees that and the fuller delivery ``full``.
    """
    messages = {
        "u": message("user", "task"),
        "full": message("user", f"{value} Ten seconds."),
        **{host: message("user", f"{host}: {text or 'withheld'}") for host, text in places},
    }
    hosts = [host for host, _ in places]
    return episode(
        messages,
        [{"sees": ["u", *hosts]}, {"sees": ["u", *second]}, {"sees": ["u", *second, "full"]}],
        [
            delivered(1, list(places), entry(value)),
            delivery(3, "full", f"{value} Ten seconds.", entry(f"{value} Ten seconds.")),
        ],
    )


def test_a_copy_whose_message_stayed_is_still_visible_and_tells_whether_it_holds_the_target() -> None:
    (copy,) = package(copied(("m", "Wait between retries."), second=("m",))).entries[0].copies
    assert (copy.delivery, copy.step) == ("delivery 1", 1)
    assert (copy.state, copy.exposure, copy.holds_target) == (CopyState.VISIBLE, ExposureKind.FULL, False)


def test_a_copy_whose_message_left_is_no_longer_visible() -> None:
    (copy,) = package(copied(("m", "Wait between retries."), second=())).entries[0].copies
    assert (copy.state, copy.exposure) == (CopyState.GONE, ExposureKind.FULL)


def test_a_copy_in_the_same_input_arrives_together() -> None:
    value = "Wait between retries."
    messages = {
        "u": message("user", "task"),
        "m": message("user", value),
        "full": message("user", f"{value} Ten seconds."),
    }
    made = episode(
        messages,
        [{"sees": ["u"]}, {"sees": ["u", "m", "full"]}],
        [delivery(2, "m", value, entry(value)), delivery(2, "full", f"{value} Ten seconds.", entry(value))],
    )
    first, second = (found.entries[0].copies for _, found in packages_of(made))
    assert [(copy.delivery, copy.state) for copy in first] == [("delivery 2", CopyState.TOGETHER)]
    assert [(c.delivery, c.state, c.holds_target) for c in second] == [("delivery 1", CopyState.TOGETHER, True)]


def test_a_message_that_left_and_comes_back_with_the_target_arrives_with_it() -> None:
    made = copied(("m", "Wait between retries."), second=())
    steps = [*made.steps[:2]]
    third = made.steps[2]
    back = replace(third.call, input=(made.steps[0].call.input[1], *third.call.input))
    moved = replace(made.deliveries[1].placements[0].proofs[0], pointer="/messages/2/content")
    placement = replace(made.deliveries[1].placements[0], proofs=(moved,))
    made = replace(
        made,
        steps=(*steps, replace(third, call=back)),
        deliveries=(made.deliveries[0], replace(made.deliveries[1], placements=(placement,))),
    )
    (copy,) = package(made).entries[0].copies
    assert copy.state is CopyState.TOGETHER


def test_of_a_partly_visible_copy_only_what_is_left_counts() -> None:
    value = "Wait between retries, and double the delay each time."
    made = copied(("whole", value), ("part", value[:21]), second=("part",), value=value)
    (copy,) = package(made).entries[0].copies
    assert (copy.state, copy.exposure) == (CopyState.VISIBLE, ExposureKind.CLIPPED)


@pytest.mark.parametrize(
    ("left", "state"),
    [(("a", "b"), CopyState.VISIBLE), (("a",), CopyState.UNDETERMINED), ((), CopyState.GONE)],
)
def test_a_copy_of_unknown_exposure_is_undetermined_where_only_some_slots_are_left(
    left: tuple[str, ...], state: CopyState
) -> None:
    made = copied(("a", "one half"), ("b", "other half"), second=left)
    (copy,) = package(made).entries[0].copies
    assert (copy.state, copy.exposure, copy.holds_target) == (state, ExposureKind.UNKNOWN, None)
