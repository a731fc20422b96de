"""What makes two deliveries one, and what an unresolved proof spoils (MemUse A.1.3, A.1.4)."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.model import Episode, Proof
from pytest_memuse.model.digests import text_digest
from pytest_memuse.spans import ProblemKind, build_spans, recording_problems
from tests.spans.episodes import built, delivery, episode, grouped, windows

TEXTS = {"a": "1 use uv", "b": "2 use uv"}


def unread(**entry: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        delivery("d1", None, "a", "use uv", entry=entry),
        delivery("d2", None, "a", "use uv", entry=entry),
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"item": None},
        {"item": None, "key": "op-1", "local_version": "op-1"},
        {"version": None, "value": None},
    ],
)
def test_what_was_not_recorded_makes_no_entries_equal(entry: dict[str, Any]) -> None:
    assert grouped(built([["a"]], TEXTS, *unread())) == [["d1", "d2"]]
    assert grouped(built([["a"]], TEXTS, *unread(**entry))) == [["d1"], ["d2"]]


@pytest.mark.parametrize(("digest", "spans"), [("none", [["d1", "d2"]]), ("some", [["d1"], ["d2"]])])
def test_a_digest_stands_for_text_that_is_unresolved(digest: str, spans: list[list[str]]) -> None:
    """Of two equal searches without a result the second was redacted, and only its digest is left."""
    texts = {"a": "none"}
    both = (delivery(f"d{n}", n, "a", "none") | {"entries": []} for n in (1, 2))
    whole = episode([["a"], ["a"]], texts, *both)
    first, second = whole.deliveries
    redacted = replace(second.placements[0], text=None, text_digest=text_digest(digest))
    second = replace(second, placements=(redacted,))
    assert grouped(build_spans(replace(whole, deliveries=(first, second)))) == spans


def test_a_version_of_another_scheme_is_the_same_item() -> None:
    texts = {"a": "use uv", "b": "use uv only"}
    wider = delivery("d2", 2, "b", "use uv only", entry={"scheme": "rows"})
    assert windows(built([["a"], ["a", "b"]], texts, delivery("d1", 1, "a", "use uv"), wider)) == [[(1, 1)], [(2, 2)]]


def with_stray(stray: Proof) -> Episode:
    whole = episode([["a", "b"]], TEXTS, delivery("d1", 1, "a", "use uv"))
    first = whole.deliveries[0]
    placement = replace(first.placements[0], proofs=(*first.placements[0].proofs, stray))
    return replace(whole, deliveries=(replace(first, placements=(placement,)),))


@pytest.mark.parametrize(
    ("stray", "problems"),
    [
        (Proof("elsewhere", "wrong", pointer="/messages/0"), [ProblemKind.CONTESTED_HOST]),
        (Proof("elsewhere", "wrong", pointer="/messages/1"), []),
        (Proof("elsewhere", text_digest(TEXTS["a"]), pointer="/messages/0"), []),
        (Proof("elsewhere", "wrong"), []),
        (Proof("elsewhere", "wrong", pointer="/messages/7"), []),
    ],
)
def test_an_unresolved_proof_for_another_slot_contests_the_host_that_it_names(
    stray: Proof, problems: list[ProblemKind]
) -> None:
    assert [problem.kind for problem in recording_problems(with_stray(stray))] == problems
