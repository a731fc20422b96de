"""``--memuse-mutate``: a suite under planted faults, in real pytest runs."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_memuse.arcs.mutation import Control, FaultResult, Move, MutationReport, Touched
from pytest_memuse.gate.baseline import Baseline, Identity, JudgedBy, SuiteBaseline
from pytest_memuse.gate.store import write_baseline
from pytest_memuse.memory.faults import FAULTS, Way
from pytest_memuse.model import MemuseError
from pytest_memuse.plugin import gate_reports, mutating, mutation_store
from pytest_memuse.plugin.fault_runs import FaultRun, read_run
from pytest_memuse.plugin.mutating import shortfall
from pytest_memuse.plugin.options import settings_of
from pytest_memuse.plugin.planting import planted
from pytest_memuse.plugin.state import SessionState, SuiteResult
from pytest_memuse.profiles.rows import EpisodeRow, Run
from pytest_memuse.recording.files import load_recording, recording_path, save_recording
from pytest_memuse.recording.recording import Recording
from tests.plugin.project import Project

pytest_plugins = "pytester"

_STRICT = """

@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")
def test_every_task_is_solved(memuse):
    assert memuse.profile().outcome_rate > 0.9
"""


@pytest.mark.long
def test_faults_are_tried_reported_and_kept(project: Project) -> None:
    tests = project.folder / "test_shop.py"
    tests.write_text(tests.read_text() + _STRICT)
    # The processes that record take the project's own settings: plugins without a part in this take long to start.
    (project.folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:hypothesispytest -p no:anyio\n")
    before = project.recordings()

    ran = project.run("--memuse-baseline=main", "--memuse-mutate=flood,outage")
    assert ran.code == 0, ran.out
    assert project.recordings() == before
    assert "planted faults, suite shop: 6 arcs, rate 1, seed 0, gate against main" in ran.out
    lines = {line.split("  ")[0]: line for line in ran.out.splitlines()}
    assert "test_every_task_is_solved" in lines["outage"]
    assert lines["outage"].endswith("caught by assertions and gate")
    assert lines["distractor flood"].endswith("caught by the gate alone")
    assert "caught: 2 of 2 visible faults (100 %); by assertions 1, by the gate 2, by the gate alone 1" in ran.out
    # The cheaper one goes first.
    assert ran.out.index("fault 1/2 outage") < ran.out.index("fault 2/2 distractor flood")

    folder = project.folder / ".memuse" / "mutate" / "shop"
    told = json.loads((folder / "report.json").read_text())
    assert [(result["fault"], result["touched"]["arcs"]) for result in told["results"]] == [("outage", 6), ("flood", 6)]
    recording = load_recording(folder / "flood" / "cassettes" / "shop" / "arc-0.jsonl")
    assert any(operation.truth for operation in recording.operations)
    asked = json.dumps([exchange.request for exchange in recording.exchanges])
    assert "distractor" not in asked


class _Stopped:
    """Stands for the processes that record: leaves what they leave, and is interrupted at the call that is named."""

    def __init__(self, interrupted_at: int, broken: str = "") -> None:
        self.asked: list[str] = []
        self._interrupted_at = interrupted_at
        self._broken = broken

    def __call__(
        self, command: list[str], environment: dict[str, str], root: Path, folder: Path, suite: str, progress: object
    ) -> FaultRun:
        self.asked.append(environment["MEMUSE_FAULT"])
        if len(self.asked) == self._interrupted_at:
            raise KeyboardInterrupt
        if self.asked[-1] == self._broken:
            raise MemuseError("the model is gone", reason="fault-run", mend="start it")
        judge = JudgedBy("tracer", "1")
        run = Run(suite, (EpisodeRow("E1", "arc", "task", success=True),))
        stored = SuiteBaseline(run, Identity(judge), {}, "2026-01-01")
        write_baseline(folder / "baselines", "run", Baseline("1", {suite: stored}))
        (folder / "junit.xml").write_text("<testsuites/>")
        save_recording(recording_path(folder / "cassettes", suite, "arc"), Recording(suite, "arc", ()))
        return read_run(folder, suite)


@pytest.fixture
def tried(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[[_Stopped], list[str]]:
    """Return what tries three faults with a stand-in for the processes, and returns the lines of the report."""
    config = pytester.parseconfig("--memuse-mutate=outage,late,flood")
    session = SimpleNamespace(config=config, items=[], testscollected=0)
    monkeypatch.setattr(gate_reports, "publish", lambda session, report: published.append(report))
    published: list[pytest.TestReport] = []
    identity = dict.fromkeys(["memory", "agent", "judge"])

    def tried(recorder: _Stopped) -> list[str]:
        published.clear()
        monkeypatch.setattr(mutating, "record", recorder)
        state = SessionState(settings_of(config, {}))
        suite = SuiteResult("shop", "t.py::t", ("t.py", 1, "t"), {"episodes": []}, identity)
        under = mutating.SuiteUnderFaults.of(session, state, suite, {})  # type: ignore[arg-type]
        under.nodes = ("t.py::t",)
        try:
            under.run()
        except KeyboardInterrupt:
            state.reports.append("interrupted")
        return [*state.reports, *(f"report: {report.outcome}: {report.longrepr}" for report in published)]

    return tried


def test_ctrl_c_keeps_finished_faults_and_the_next_run_goes_on(tried: Callable[[_Stopped], list[str]]) -> None:
    first = _Stopped(interrupted_at=3)
    told = tried(first)
    assert first.asked == ["none", "outage", "late"]
    assert "not run: late, flood; the same command goes on with them" in told
    assert told[-1] == "interrupted"
    second = _Stopped(interrupted_at=0)
    told = tried(second)
    assert second.asked == ["late", "flood"]
    assert not any(line.startswith(("not run", "report")) for line in told)
    third = _Stopped(interrupted_at=0)
    tried(third)
    assert third.asked == []


def test_a_fault_that_cannot_be_recorded_fails_the_run_and_leaves_the_others(
    tried: Callable[[_Stopped], list[str]],
) -> None:
    broken = _Stopped(0, broken="late")
    told = tried(broken)
    assert broken.asked == ["none", "outage", "late", "flood"]
    assert "delivery after the decision: the model is gone" in told
    assert told[-1].startswith("report: failed: delivery after the decision: the model is gone")
    again = _Stopped(0)
    assert not any(line.startswith("report") for line in tried(again))
    assert again.asked == ["late"]
    nothing = _Stopped(0, broken="none")
    Path(".memuse/mutate/shop/results.jsonl").unlink()  # The tests of this folder run in an empty one.
    assert "the model is gone" in tried(nothing)
    assert nothing.asked == ["none"]


def _refused(pytester: pytest.Pytester, *flags: str, **environment: str) -> str:
    with pytest.raises(pytest.UsageError) as refused:
        settings_of(pytester.parseconfig(*flags), environment)
    return str(refused.value)


def test_what_cannot_be_done_is_said_before_anything_runs(pytester: pytest.Pytester) -> None:
    assert "refused because CI is set" in _refused(pytester, "--memuse-mutate", CI="true")
    assert "did you mean 'outage'" in _refused(pytester, "--memuse-mutate=outtage")
    assert "valid are numbers from 0 to 1" in _refused(pytester, "--memuse-mutate", "--memuse-mutate-rate=2")
    assert "valid are 0, 1, 2" in _refused(pytester, "--memuse-mutate", "--memuse-mutate-seed=x")
    both = ("--memuse-mutate", "--memuse-record-both=git:HEAD")
    assert "does not go with --memuse-record-both" in _refused(pytester, *both)


def test_without_names_every_fault_is_tried_the_cheapest_first(pytester: pytest.Pytester) -> None:
    mutation = settings_of(pytester.parseconfig("--memuse-mutate", "--memuse-mutate-rate=0.3"), {}).mutation
    assert mutation is not None
    assert mutation.faults == tuple(FAULTS)
    assert (mutation.rate, mutation.seed, mutation.require) == (0.3, 0, None)


def test_a_process_under_a_fault_tries_none(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig("--memuse-mutate")
    assert settings_of(config, {"MEMUSE_FAULT": "outage"}).mutation is None
    assert settings_of(pytester.parseconfig(), {}).mutation is None


def test_a_factory_is_wrapped_only_where_a_fault_is_named() -> None:
    def factory(folder: Path) -> Any:
        return object()

    assert planted(factory, {}) is factory
    assert planted(factory, {"MEMUSE_FAULT": "none"}) is factory
    wrapped = planted(factory, {"MEMUSE_FAULT": "flood", "MEMUSE_FAULT_RATE": "0.5"})
    assert type(wrapped(Path("."))).__name__ == "DistractorFlood"


_CAUGHT = FaultResult("outage", "outage", True, Touched(4, 4, 0, 2), failed=("test_a",), seconds=2.5)
_MISSED = FaultResult(
    "late", "late", True, Touched(4, 4, 4, 2), moves=(Move("harm_yield", Way.UP, None, 1.0, 41),), refused="no"
)


def test_what_is_kept_reads_back_and_a_broken_line_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    assert mutation_store.known(path) == {}
    for key, result in (("a", Control(("test_a",), (), 1.0)), ("b", _CAUGHT), ("c", _MISSED)):
        mutation_store.append(path, key, result)
    whole = path.read_bytes()
    assert mutation_store.known(path) == {"a": Control(("test_a",), (), 1.0), "b": _CAUGHT, "c": _MISSED}
    path.write_bytes(whole[:-20] + b'\n{"key":"d"}\n[]\n\xff\n')
    assert mutation_store.known(path) == {"a": Control(("test_a",), (), 1.0), "b": _CAUGHT}


def _report(*results: FaultResult, left: tuple[str, ...] = ()) -> MutationReport:
    return MutationReport("shop", 6, 1.0, 0, "", "", Control(), results, left)


def test_a_required_share_fails_the_run_where_it_is_missed_or_unknown() -> None:
    assert shortfall(_report(_CAUGHT, _MISSED), None) == ""
    assert shortfall(_report(_CAUGHT, _MISSED), 0.5) == ""
    assert "1 of 2 planted faults are caught (50%), and 60% are required; not caught: late" in shortfall(
        _report(_CAUGHT, _MISSED), 0.6
    )
    assert "1 planted fault not run" in shortfall(_report(_CAUGHT, left=("late",)), 0.5)
    assert "no planted fault touched anything" in shortfall(_report(), 0.0)
