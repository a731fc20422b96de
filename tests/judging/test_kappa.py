from collections.abc import Hashable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.kappa import cohen_kappa, kappa_of
from tests.cases.episodes import OWN_CASES, load_documents

LABELS = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.sampled_from("abc")), max_size=40)


def test_two_readers_of_the_conditional_utility_paper() -> None:
    numbers = {
        key: value for document in load_documents("paper_numbers.yaml", OWN_CASES) for key, value in document.items()
    }
    for row in numbers["cohen_kappa"]:
        counts: dict[tuple[Hashable, Hashable], int] = {
            (i, j): count for i, line in enumerate(row["table"]) for j, count in enumerate(line)
        }
        assert sum(counts.values()) == row["n"]
        assert cohen_kappa(counts) == pytest.approx(row["kappa"], abs=0.005)


def test_kappa_is_undefined_where_chance_explains_all_or_nothing_was_labelled() -> None:
    assert cohen_kappa({("a", "a"): 7}) is None
    assert cohen_kappa({}) is None
    assert kappa_of([("case", "a", "a")] * 9).lower is None


def test_one_case_gives_a_value_and_no_bound() -> None:
    found = kappa_of([("case", "a", "a"), ("case", "b", "b")])
    assert (found.value, found.lower, found.labels, found.cases) == (1, None, 2, 1)


def test_full_agreement_on_few_cases_is_no_certainty() -> None:
    few = kappa_of([(case, "ab"[case % 2], "ab"[case % 2]) for case in range(6)])
    many = kappa_of([(case, "ab"[case % 2], "ab"[case % 2]) for case in range(400)])
    assert few.value == many.value == 1
    assert few.lower is not None
    assert many.lower is not None
    assert few.lower < 0.5 < 0.98 < many.lower < 1


def test_labels_of_one_case_count_as_one_observation() -> None:
    pairs = [("a", "a"), ("b", "b"), ("a", "b"), ("b", "b")]
    apart = kappa_of([(number, *pair) for number, pair in enumerate(pairs * 9)])
    together = kappa_of([(number // 9, *pair) for number, pair in enumerate(sorted(pairs * 9))])
    assert apart.value == together.value
    assert apart.lower is not None
    assert together.lower is not None
    assert together.lower < apart.lower


def test_the_bound_of_a_plain_table_is_at_most_the_textbook_one() -> None:
    # Fleiss, Cohen and Everitt's standard error of this table's kappa, 0.1304, is 0.0987.
    table = {("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}
    labels = [pair for pair, count in table.items() for _ in range(count)]
    found = kappa_of([(number, *pair) for number, pair in enumerate(labels)])
    assert found.value == pytest.approx(0.1304, abs=1e-4)
    assert found.lower is not None
    assert found.lower <= 0.1304 - 1.6449 * 0.0987
    assert found.lower == pytest.approx(0.1304 - 1.6449 * 0.0987, abs=0.03)


@given(LABELS, st.randoms(use_true_random=False))
def test_order_changes_nothing_and_the_bound_lies_below(labels: list[tuple[int, str, str]], random: Random) -> None:
    found = kappa_of(labels)
    assert kappa_of(random.sample(labels, len(labels))) == found
    if found.lower is not None:
        assert found.value is not None
        assert -1 <= found.lower <= max(found.value, -1)


@given(LABELS)
def test_readers_may_change_places(labels: list[tuple[int, str, str]]) -> None:
    turned = kappa_of([(case, second, first) for case, first, second in labels])
    found = kappa_of(labels)
    assert turned.value == found.value
    assert turned.lower == pytest.approx(found.lower)
