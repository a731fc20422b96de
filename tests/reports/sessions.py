"""Sessions for the outputs: suites whose gates are in every state, and one whose texts are hostile."""

from collections.abc import Sequence
from typing import Any

from pytest_memuse.gate.comparison import Comparison, compare
from pytest_memuse.gate.rulings import Decided, Outcome, Ruled, usual_outcome
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, SpanRow, Triage, Usage
from pytest_memuse.reports.gate_data import SuiteGate, not_evaluated
from pytest_memuse.reports.json_report import BaselineRead, SessionOutput, SuiteOutput

SIGNALS = ("accuracy", "effect", "influence", "novelty", "relevance")


def run(
    *, harmful: bool, arcs: int = 8, text: str = "port is 8081", suite: str = "billing", judged: bool = True
) -> Run:
    """Return a run of one task an arc, in which memory helps or harms; ``text`` stands wherever text can."""
    entry = EntryRow(
        item=f"mem {text}",
        text=text,
        relevance=True,
        accuracy="contradicted" if harmful else "corroborated",
        novelty="novel",
        influence="acted_on",
        effect="harmed" if harmful else "improved",
        anchors=(1,),
        usage=Usage.MISUSED if harmful else Usage.USED,
    )
    triage = Triage.NEGATIVE if harmful else Triage.POSITIVE
    span = SpanRow(
        "S1", RowOutcome.JUDGED, 400, (entry,), triage, 1, 1, 1, text, text, determines=SIGNALS if judged else ()
    )
    names = [f"arc {number} {text}" for number in range(arcs)]
    rows = (EpisodeRow(f"{arc}/e", arc, f"task {text}", "d", 0, not harmful, 3, (span,)) for arc in names)
    return Run(suite, tuple(rows))


def compared(before: Run, now: Run, **options: Any) -> Comparison:
    found = compare(before, now, **options)
    assert isinstance(found, Comparison)
    return found


def decided(comparison: Comparison, **rulings: Ruled) -> tuple[Decided, ...]:
    return tuple(
        Decided(figure, usual_outcome(figure, "pass"), (rulings[figure.name],) if figure.name in rulings else ())
        for figure in comparison.figures
    )


def identity(text: str = "") -> dict[str, Any]:
    return {
        "judge": {"kind": "tracer", "version": "2", "model": text, "settings": {f"s{text}": text}},
        "memory": {"name": f"notes {text}"},
        "agent": {"name": f"agent {text}", "model": text},
        "recorded_against": text,
        "recordings": {f"arc 0 {text}": "0123"},
        "attempts": 1,
        "extra": {"index": text},
    }


def suite(name: str, before: Run | None, now: Run, text: str = "", **rulings: Ruled) -> SuiteOutput:
    """Return a suite that was compared with ``before``; without it, one whose gate was not evaluated."""
    gate = not_evaluated(f"no baseline was given {text}")
    if before is not None:
        found = compared(before, now)
        gate = SuiteGate.of(found, decided(found, **rulings), f"main {text}", [f"model: a {text} then, b now"])
    return SuiteOutput(name, gate, f"test_{name}.py::test", Profile.of(now), identity(text), (f"note {text}",))


def session(suites: Sequence[SuiteOutput], text: str = "") -> SessionOutput:
    return SessionOutput(
        product="0.1.0",
        options={"baseline": f"main {text}", "gated": ["outcome_rate", text], "jobs": 1, "mutation": None},
        suites=tuple(suites),
        baseline=BaselineRead(f"main {text}", f"main {text}", "", (f"warning: this change edits main.json {text}",)),
        warnings=(f"this change edits main.json {text}",),
    )


def worse_session() -> SessionOutput:
    """Return a session with every state of a gate: failed, passed, inconclusive, not evaluated, and ruled on."""
    good, bad = run(harmful=False), run(harmful=True)
    waived = Ruled(Outcome.PASS, "known, until the index is rebuilt", "conftest.py")
    strict = Ruled(Outcome.FAIL, "harm must be shown to hold", "conftest.py")
    few = run(harmful=False, arcs=3)
    names = ("outcome_rate", "coverage_beneficial", "harm_yield", "relevance_share", "token_efficiency")
    return session(
        [
            suite("worse", good, bad),
            suite("waived", good, bad, "", **dict.fromkeys((*names, "delivered_tokens"), waived)),
            suite("strict", few, few, harm_yield=strict),
            suite("few", few, few),
            suite("unjudged", good, run(harmful=False, judged=False)),
            suite("alone", None, good),
            SuiteOutput("partial", not_evaluated("-k selected some of the tests")),
        ]
    )


def hostile_session(text: str) -> SessionOutput:
    """Return a session in which a hostile text stands wherever text can."""
    before, now = run(harmful=False, text=text, suite=text), run(harmful=True, text=text, suite=text)
    ruled = Ruled(Outcome.FAIL, text, text)
    return session([suite(text, before, now, text, relevance_share=ruled)], text)
