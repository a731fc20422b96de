"""Recording checks: each way to fail is told apart (MemUse A.1.3)."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_memuse.model import Episode, Placement, Proof, Task
from pytest_memuse.model.digests import text_digest
from pytest_memuse.spans import ProblemKind, SpanOutcome, build_spans, recording_problems
from tests.spans.episodes import built, delivery, episode

TEXTS = {"u": "go", "m": "MEM(retry 3 times) end", "n": "other"}


def with_proofs(*proofs: Proof, text: str | None = "MEM(retry 3 times)", text_digest: str | None = None) -> Episode:
    """Return a one-step episode whose only placement carries these proofs."""
    whole = episode([["u", "m", "u"]], TEXTS, delivery("d1", 1, "m", "MEM(retry 3 times)"))
    placement = Placement("host", text, proofs=proofs, text_digest=text_digest)
    return replace(whole, deliveries=(replace(whole.deliveries[0], placements=(placement,)),))


def kinds(whole: Episode) -> list[ProblemKind]:
    return [problem.kind for problem in recording_problems(whole)]


HOST = text_digest(TEXTS["m"])
BY_POINTER = Proof("host", HOST, pointer="/messages/1/content")
MESSAGE = next(d for d, m in with_proofs().messages.items() if m.text == TEXTS["m"])
USER = next(d for d, m in with_proofs().messages.items() if m.text == TEXTS["u"])


@pytest.mark.parametrize(
    "proof",
    [
        BY_POINTER,
        Proof("host", HOST, pointer="/messages/1"),
        Proof("host", HOST, message=MESSAGE),
        Proof("host", HOST, pointer="/messages/1", message=MESSAGE),
    ],
)
def test_a_pointer_or_a_message_with_the_text_s_digest_is_a_proof(proof: Proof) -> None:
    assert kinds(with_proofs(proof)) == []


@pytest.mark.parametrize(
    ("proofs", "kind"),
    [
        ((), ProblemKind.MISSING_PROOF),
        ((replace(BY_POINTER, slot="elsewhere"),), ProblemKind.MISSING_PROOF),
        ((BY_POINTER, BY_POINTER), ProblemKind.DUPLICATE_PROOF),
        ((Proof("host", HOST),), ProblemKind.UNLOCATED_PROOF),
        ((Proof("host", HOST, pointer="/tools/0"),), ProblemKind.UNLOCATED_PROOF),
        ((Proof("host", HOST, pointer="/messages/01"),), ProblemKind.UNLOCATED_PROOF),
        ((Proof("host", HOST, pointer="/messages/-1"),), ProblemKind.UNLOCATED_PROOF),
        ((Proof("host", HOST, pointer="/messages/7"),), ProblemKind.ABSENT_MESSAGE),
        ((Proof("host", HOST, message="nowhere"),), ProblemKind.ABSENT_MESSAGE),
        ((Proof("host", text_digest("go"), message=USER),), ProblemKind.AMBIGUOUS_MESSAGE),
        ((Proof("host", HOST, pointer="/messages/0"),), ProblemKind.INVALID_PROOF),
        ((Proof("host", HOST, pointer="/messages/1", message=USER),), ProblemKind.INVALID_PROOF),
        ((Proof("host", text_digest("go"), pointer="/messages/0"),), ProblemKind.TEXT_ABSENT),
    ],
)
def test_each_way_in_which_a_proof_fails_is_told_apart(proofs: tuple[Proof, ...], kind: ProblemKind) -> None:
    assert kinds(with_proofs(*proofs)) == [kind]


def test_a_problem_names_delivery_slot_and_reason() -> None:
    (problem,) = recording_problems(with_proofs())
    assert (problem.delivery, problem.slot) == ("d1", "host")
    assert str(problem) == "missing_proof: delivery d1, slot host: 0 proofs match the slot, exactly one must"


def test_overlapping_occurrences_are_not_unique() -> None:
    whole = episode([["m"]], {"m": "ababa"}, delivery("d1", 1, "m", "aba"))
    assert kinds(whole) == [ProblemKind.TEXT_REPEATED]


def test_redacted_text_is_placed_only_where_it_is_the_whole_message() -> None:
    assert kinds(with_proofs(BY_POINTER, text=None)) == [ProblemKind.TEXT_UNRESOLVED]
    assert kinds(with_proofs(BY_POINTER, text=None, text_digest=HOST)) == []


def test_an_unresolved_proof_contests_the_host_that_it_names() -> None:
    whole = episode(
        [["m"]],
        {"m": "one two"},
        delivery("d1", 1, "m", "one"),
        delivery("d2", 1, "m", "two", item="B", place={"proof": "invalid"}),
    )
    assert kinds(whole) == [ProblemKind.CONTESTED_HOST, ProblemKind.INVALID_PROOF]


@pytest.mark.parametrize("task", [None, Task("t", "  ")])
def test_a_missing_task_is_a_problem_where_there_is_something_to_judge(task: Task | None) -> None:
    whole = episode([["m"]], {"m": "use uv"}, delivery("d1", 1, "m", "use uv"))
    assert kinds(replace(whole, task=task)) == [ProblemKind.MISSING_TASK]
    empty = replace(whole, task=task, deliveries=(replace(whole.deliveries[0], entries=()),))
    assert kinds(empty) == []
    assert kinds(replace(whole, task=task, deliveries=(replace(whole.deliveries[0], call=None),))) == []


def test_unresolved_boundaries_make_error_spans() -> None:
    spans = built([["m"]], {"m": "use uv"}, delivery("d1", 1, "m", "use uv"), resolved=False)
    assert [span.outcome for span in spans] == [SpanOutcome.ERROR]
    assert spans[0].problems == ("unresolved_boundary: the boundaries of the episode could not be established",)


def test_an_input_that_was_not_recorded_is_told_from_one_with_a_gap() -> None:
    whole = episode([["m"]], {"m": "use uv"}, delivery("d1", 1, "m", "use uv"))
    lost = replace(whole.steps[0].call, input=())
    assert ProblemKind.INPUT_UNOBSERVED in kinds(replace(whole, steps=(replace(whole.steps[0], call=lost),)))
    assert kinds(replace(whole, messages={})) == [ProblemKind.INPUT_GAP, ProblemKind.ABSENT_MESSAGE]


def test_a_gap_in_the_input_of_an_empty_delivery_does_no_harm() -> None:
    texts = {"m": "use uv", "n": "none"}
    empty: dict[str, Any] = delivery("d2", 2, "n", "none") | {"entries": []}
    whole = episode([["m"], ["m", "n"]], texts, delivery("d1", 1, "m", "use uv"), empty, gaps=[2])
    assert kinds(whole) == []


def test_a_bad_proof_of_an_empty_delivery_spoils_the_episode_but_not_its_own_span() -> None:
    empty: dict[str, Any] = delivery("d2", 1, "n", "none", place={"proof": "missing"}) | {"entries": []}
    spans = built([["m", "n"]], {"m": "use uv", "n": "none"}, delivery("d1", 1, "m", "use uv"), empty)
    assert [span.outcome for span in spans] == [SpanOutcome.ERROR, SpanOutcome.EMPTY]
    assert spans[1].problems == ()


def test_a_call_that_completed_no_step_leaves_its_delivery_unassessable() -> None:
    whole = episode([["m"]], {"m": "use uv"}, delivery("d1", 1, "m", "use uv", place={"proof": "missing"}))
    whole = replace(whole, deliveries=(replace(whole.deliveries[0], call="call-that-failed"),))
    assert [span.outcome for span in build_spans(whole)] == [SpanOutcome.UNASSESSABLE]
    assert kinds(whole) == []


def test_an_error_span_repeats_a_few_problems_and_counts_the_rest() -> None:
    many = [delivery(f"d{n}", 1, "m", "use uv", item=f"I{n}", place={"proof": "missing"}) for n in range(20)]
    spans = built([["m"]], {"m": "use uv"}, *many)
    assert len(spans[0].problems) == 9
    assert spans[0].problems[-1] == "and 12 more failed recording checks"


def test_a_text_that_is_empty_has_nothing_to_separate() -> None:
    whole = episode([["n"]], {"n": ""}, delivery("d1", 1, "n", "") | {"entries": []})
    assert kinds(whole) == []
