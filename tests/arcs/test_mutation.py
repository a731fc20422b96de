"""What becomes of a fault: counts by ground truth, figures that moved, arcs that a gate would need."""

from dataclasses import replace

from pytest_memuse.arcs.mutation import Move, Touched, gate_on, moves_of, visible_to
from pytest_memuse.memory.faults import FAULTS, Way
from pytest_memuse.profiles.rows import EpisodeRow, Run
from pytest_memuse.recording.recording import MemoryOperation, Recording
from tests.profiles.runs import judged, misused, used

STRUCK = {"fault": "flood", "touched": [{"what": "distractor", "item": "x"}, {"what": "distractor", "item": "y"}]}


def test_what_a_fault_did_is_counted_by_its_truth() -> None:
    operations = (
        MemoryOperation(1, "recall", "s", {"query": "q"}, truth=STRUCK),
        MemoryOperation(2, "offer", "s", {}),
        MemoryOperation(3, "tool", "s", {"arguments": {}, "query": "q"}),
        MemoryOperation(4, "tool", "s", {"arguments": {}}),
        MemoryOperation(5, "extract", "s", {}),
    )
    struck, spared = Recording("s", "a", operations), Recording("s", "b", operations[1:])
    assert Touched.of([struck, spared]) == Touched(struck=1, deliveries=3, entries=2, arcs=1)


def run(solved: int, *, harmed: int = 0, arcs: int = 12) -> Run:
    """Return a run of an episode an arc, the first ``solved`` of which solve their task."""
    return Run(
        "suite",
        tuple(
            EpisodeRow(
                f"E{n}",
                f"arc-{n}",
                f"task-{n}",
                success=n < solved,
                spans=(judged(misused() if n < harmed else used()),),
            )
            for n in range(arcs)
        ),
    )


def test_a_figure_moved_only_the_declared_way() -> None:
    moves = {move.figure: move for move in moves_of(FAULTS["contradiction"], run(12), run(9, harmed=2))}
    assert moves["outcome_rate"].moved
    assert moves["harm_yield"].moved
    assert (moves["harm_yield"].without, moves["harm_yield"].way) == (0.0, Way.UP)
    assert not moves["corroboration_share"].moved
    assert not Move("harm_yield", Way.UP, 2.0, 1.0).moved
    assert not Move("harm_yield", Way.UP, 0.0, None).moved


def test_a_change_that_the_arcs_cannot_show_says_how_many_would() -> None:
    moves = {move.figure: move for move in moves_of(FAULTS["cut"], run(12), run(9))}
    needed = moves["outcome_rate"].arcs_needed
    assert needed is not None
    assert needed > 12


def test_the_gate_leaves_out_what_regresses_without_a_fault_too() -> None:
    assert gate_on(run(12), run(0)) == (("outcome_rate",), "")
    assert gate_on(run(12), run(0), control=["outcome_rate"]) == ((), "")


def test_a_gate_that_cannot_compare_says_why() -> None:
    other = replace(run(12), episodes=tuple(replace(e, task="other") for e in run(12).episodes))
    caught, refused = gate_on(run(12), other)
    assert caught == ()
    assert refused.startswith("Only 0 of the baseline's 12 tasks")


def test_a_judge_that_reads_for_meaning_sees_what_the_tracer_does_not() -> None:
    assert visible_to(FAULTS["outage"], "tracer")
    assert not visible_to(FAULTS["shuffled"], "tracer")
    assert visible_to(FAULTS["shuffled"], "llm")
