"""A suite under planted faults, to the letter."""

from pytest_memuse.arcs.mutation import Catch, Control, FaultResult, Move, MutationReport, Touched
from pytest_memuse.memory.faults import Way
from pytest_memuse.reports.mutation import mutation_data, mutation_lines
from tests.reports.golden import golden, text

EVERYWHERE = Touched(36, 40, 120, 12)


def result(fault: str, title: str, **more: object) -> FaultResult:
    fields: dict[str, object] = {"visible": True, "touched": EVERYWHERE, **more}
    return FaultResult(fault, title, **fields)  # type: ignore[arg-type]


RESULTS = (
    result(
        "outage",
        "outage",
        moves=(Move("outcome_rate", Way.DOWN, 0.9, 0.4), Move("coverage_beneficial", Way.DOWN, 0.3, 0.0)),
        failed=("test_most_tasks_succeed", "test_memory_pays"),
        regressed=("outcome_rate", "coverage_beneficial"),
    ),
    result("cut", "entries cut", moves=(Move("outcome_rate", Way.DOWN, 0.9, 0.7),), failed=("test_memory_pays",)),
    result(
        "flood", "distractor flood", moves=(Move("delivered_tokens", Way.UP, 80.0, 300.0),), regressed=("harm_yield",)
    ),
    result(
        "late",
        "delivery after the decision",
        moves=(Move("outcome_rate", Way.DOWN, 0.9, 0.85, arcs_needed=41), Move("harm_yield", Way.UP, 1.0, None)),
    ),
    result("contradiction", "contradiction", moves=(Move("harm_yield", Way.UP, 1.5, 1.5),)),
    result("shuffled", "order shuffled", visible=False),
    result("stale", "stale version returned", touched=Touched(0, 40), refused="Another judge judged it."),
)
REPORT = MutationReport("shop", 12, 1.0, 0, "main", "memuse-scripted-1", Control(), RESULTS, ("scope_leak",))


def test_what_was_caught_and_what_got_through_on_one_screen() -> None:
    assert text(mutation_lines(REPORT)) == golden("mutation")


def test_what_fails_without_a_fault_is_told_before_anything_else() -> None:
    control = Control(failed=("test_memory_pays",), regressed=("outcome_rate",))
    lines = mutation_lines(MutationReport("shop", 12, 0.3, 7, "", "", control, ()))
    assert lines == [
        "planted faults, suite shop: 12 arcs, rate 0.3, seed 7, gate against the run without a fault",
        "  warning: without any fault these fail when the suite is recorded again, and count for nothing below: "
        "test_memory_pays, gate[outcome_rate]",
    ]


def test_the_gate_is_counted_apart_from_the_assertions() -> None:
    assert [one.catch for one in RESULTS] == [
        Catch.BOTH,
        Catch.ASSERTIONS,
        Catch.GATE,
        Catch.NOTHING,
        Catch.NOTHING,
        Catch.INVISIBLE,
        Catch.NOT_PLANTED,
    ]
    data = mutation_data(REPORT)
    assert {name: data[name] for name in ("counted", "caught", "by_assertions", "by_gate", "score")} == {
        "counted": 5,
        "caught": 3,
        "by_assertions": 2,
        "by_gate": 2,
        "score": 0.6,
    }
    assert data["results"][3]["moves"][0] == {
        "figure": "outcome_rate",
        "way": "down",
        "without": 0.9,
        "with_fault": 0.85,
        "arcs_needed": 41,
        "moved": True,
    }


def test_without_a_fault_to_catch_there_is_no_score() -> None:
    report = MutationReport("shop", 12, 1.0, 0, "", "", Control(), RESULTS[5:])
    assert report.score is None
    assert "caught: there was no fault to catch (none was planted that this judge can see)" in mutation_lines(report)
