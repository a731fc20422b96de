"""``--memuse-mutate``: every suite of the session recorded again under each planted fault, to see what notices."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

import pytest

from pytest_memuse.arcs.mutation import Control, FaultResult, MutationReport, Touched, gate_on, moves_of, visible_to
from pytest_memuse.episodes.progress import Told
from pytest_memuse.gate.baseline import check_judge
from pytest_memuse.gate.saved_runs import work_folder
from pytest_memuse.memory.faults import FAULTS
from pytest_memuse.model import MemuseError
from pytest_memuse.model.json_text import json_line
from pytest_memuse.plugin import gate_reports, mutation_store, planting
from pytest_memuse.plugin.fault_runs import FaultRun, read_run, record
from pytest_memuse.plugin.live import on_terminal, printer_of
from pytest_memuse.plugin.local_servers import EMBEDDER, SCRIPTED_MODEL, embedder, scripted_model
from pytest_memuse.plugin.mutation_key import key_of
from pytest_memuse.plugin.mutation_options import MutationSettings
from pytest_memuse.plugin.pairs import other_command, other_environment
from pytest_memuse.plugin.state import SessionState, SuiteResult, state_of
from pytest_memuse.profiles.rows import Run
from pytest_memuse.reports.mutation import mutation_data, mutation_lines
from pytest_memuse.reports.numbers import counted
from pytest_memuse.storage import safe_name

if TYPE_CHECKING:
    from pytest_memuse.agents.scripted import ScriptedModel
    from pytest_memuse.memory.embedder import Embedder

_SERVERS: Mapping[str, "Callable[[], ScriptedModel | Embedder]"] = {SCRIPTED_MODEL: scripted_model, EMBEDDER: embedder}


def run(session: pytest.Session, *, finished: bool) -> None:
    """Try the faults on every suite that the session evaluated, and report; Ctrl-C keeps what is finished."""
    state = state_of(session.config)
    if not finished or getattr(session.config.option, "collectonly", False):
        state.reports += ["", "planted faults: not tried (the run was stopped before its end)"]
        return
    if not state.results:
        state.reports += ["", "planted faults: not tried (no suite was evaluated)"]
        return
    with ExitStack() as stack:
        endpoints: dict[str, str] = {}
        for variable in sorted(state.servers):
            server = _SERVERS[variable]()
            stack.enter_context(server)
            endpoints[variable] = server.base_url
        for result in list(state.results.values()):
            SuiteUnderFaults.of(session, state, result, endpoints).run()


@dataclass(slots=True)
class SuiteUnderFaults:
    """One suite while its faults are tried. ``folder`` is where everything of it is kept."""

    session: pytest.Session
    state: SessionState
    settings: MutationSettings
    suite: SuiteResult
    nodes: tuple[str, ...]
    endpoints: Mapping[str, str]
    folder: Path
    say: Callable[[Told], None]
    terminal: bool
    took: list[float] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    """Why faults could not be tried; they are tried again by the next run."""

    @classmethod
    def of(
        cls, session: pytest.Session, state: SessionState, suite: SuiteResult, endpoints: Mapping[str, str]
    ) -> "SuiteUnderFaults":
        settings, config = state.settings.mutation, session.config
        assert settings is not None
        nodes = tuple(
            item.nodeid.split("@memuse-")[0]
            for item in session.items
            if (marker := item.get_closest_marker("memuse")) and marker.kwargs.get("suite") == suite.suite
        )
        folder = work_folder(config.rootpath, "mutate", safe_name(suite.suite))
        return cls(session, state, settings, suite, nodes, endpoints, folder, printer_of(config), on_terminal(config))

    def run(self) -> None:
        """Try the faults that are not known yet, and report all."""
        if self.settings.restart:
            self._results.unlink(missing_ok=True)
        left = list(self.settings.faults)
        results: list[FaultResult] = []
        control, without = Control(), None
        interrupted: KeyboardInterrupt | None = None
        try:
            control, without = self._control()
            for result in self._tried(control, without):
                results.append(result)
                left.remove(result.fault)
        except MemuseError as error:
            self.troubles.append(str(error))
        except KeyboardInterrupt as stop:
            interrupted = stop
        self._report(control, without, results, left)
        if interrupted is not None:
            raise interrupted

    @property
    def _results(self) -> Path:
        return self.folder / "results.jsonl"

    def _control(self) -> tuple[Control, FaultRun]:
        """Return the suite's run without a fault: the one that is kept, or a new one."""
        key = self._key(planting.WITHOUT)
        kept = mutation_store.known(self._results).get(key)
        if isinstance(kept, Control):
            try:
                return kept, read_run(self.folder / planting.WITHOUT, self.suite.suite)
            except (MemuseError, OSError, ParseError):
                pass
        made = self._record(planting.WITHOUT, "without a fault")
        regressed, _ = self._gate(made, made)
        control = Control(made.failed, regressed, made.seconds)
        mutation_store.append(self._results, key, control)
        return control, made

    def _tried(self, control: Control, without: FaultRun) -> Iterator[FaultResult]:
        """Yield each fault's result, the kept ones without running them again."""
        kept = mutation_store.known(self._results)
        names = self.settings.faults
        for number, name in enumerate(names, 1):
            key = self._key(name)
            found = kept.get(key)
            if isinstance(found, FaultResult):
                self._say(f"fault {number}/{len(names)} {found.title}: {found.catch} (kept from before)")
                yield found
                continue
            try:
                result = self._tried_one(name, control, without, f"fault {number}/{len(names)}", len(names) - number)
            except MemuseError as error:
                self.troubles.append(f"{FAULTS[name].title}: {error}")
                continue
            mutation_store.append(self._results, key, result)
            self._say(f"fault {number}/{len(names)} {result.title}: {result.catch} ({result.seconds:.0f} s)")
            yield result

    def _tried_one(self, name: str, control: Control, without: FaultRun, place: str, left: int) -> FaultResult:
        fault = FAULTS[name]
        made = self._record(name, f"{place} {fault.title}", left)
        regressed, refused = self._gate(without, made, control)
        return FaultResult(
            fault=name,
            title=fault.title,
            visible=visible_to(fault, made.stored.identity.judge.kind),
            touched=Touched.of(made.recordings()),
            moves=moves_of(fault, without.stored.run, made.stored.run),
            failed=tuple(test for test in made.failed if test not in control.failed),
            regressed=regressed,
            refused=refused,
            seconds=made.seconds,
        )

    def _gate(self, without: FaultRun, made: FaultRun, control: Control | None = None) -> tuple[tuple[str, ...], str]:
        """Return what the gate says of a run: against the session's baseline, or against the run without a fault."""
        figures = self.state.settings.gated
        reference: Run = without.stored.run
        baseline = self.state.settings.baseline
        if self.state.baseline is not None:
            try:
                stored = self.state.baseline.suite(self.suite.suite, baseline)
                check_judge(stored, made.stored.identity.judge, baseline)
            except MemuseError as error:
                return (), str(error)
            reference = stored.run
        elif control is None:
            return (), ""
        return gate_on(
            reference,
            made.stored.run,
            figures,
            tolerances=self.state.settings.tolerances(),
            control=control.regressed if control else (),
        )

    def _record(self, fault: str, told: str, left: int | None = None) -> FaultRun:
        folder = self.folder / fault
        config = self.session.config
        command = other_command(config, self.nodes[0], folder / "cassettes")
        command += self.nodes[1:]
        if config.inipath is not None:
            command += ["-c", str(config.inipath)]
        if self.state.settings.jobs > 1:
            command.append(f"--memuse-jobs={self.state.settings.jobs}")
        if self.state.settings.budget:
            command.append(f"--memuse-budget={self.state.settings.budget}")
        command.append(f"--memuse-judge-mode={'new' if self.state.settings.judging.mode != 'none' else 'none'}")
        environment = other_environment((), self.endpoints) | {
            planting.FAULT: fault,
            planting.RATE: repr(self.settings.rate),
            planting.SEED: str(self.settings.seed),
            # One for all: where a fault changes no evidence, a judge's noise is not to look like its effect.
            planting.JUDGMENTS: str(self.folder / "judgments"),
        }
        arcs = len(dict.fromkeys(episode["arc"] for episode in self.suite.run["episodes"]))
        last = [""]

        def progress(recorded: int, seconds: float) -> None:
            line = f"{told}: {recorded} of {arcs} arcs recorded{self._time_left(left, seconds)}"
            # Where lines stay on the screen, one at the end says enough.
            if self.terminal and line != last[0]:
                self.say(Told(line, True))
            last[0] = line

        made = record(command, environment, config.rootpath, folder, self.suite.suite, progress)
        self.took.append(made.seconds)
        if left is None:
            self._say(f"{told}: recorded ({made.seconds:.0f} s)")
        return made

    def _time_left(self, left: int | None, seconds: float) -> str:
        if left is None or not self.took:
            return ""
        each = sum(self.took) / len(self.took)
        minutes = max(0.0, each * (left + 1) - seconds) / 60
        return f", about {max(1, round(minutes))} min left"

    def _say(self, text: str) -> None:
        self.say(Told(text, False))
        reporter = self.session.config.pluginmanager.getplugin("terminalreporter")
        if reporter is not None:
            # A fault takes minutes; a log that is not shown on a terminal would be told of it at the end only.
            reporter.flush()

    def _key(self, fault: str) -> str:
        stored = None if self.state.baseline is None else self.state.baseline.suites.get(self.suite.suite)
        return key_of(self.suite, self.nodes, self.state.settings, stored, self.session.config.rootpath, fault)

    def _report(
        self,
        control: Control,
        without: FaultRun | None,
        results: Sequence[FaultResult],
        left: Sequence[str],
    ) -> None:
        report = MutationReport(
            suite=self.suite.suite,
            arcs=len(without.stored.run.arcs) if without is not None else 0,
            rate=self.settings.rate,
            seed=self.settings.seed,
            against=self.state.settings.baseline if self.state.baseline is not None else "",
            recorded_against=without.stored.identity.recorded_against if without is not None else "",
            control=control,
            results=tuple(results),
            left=tuple(left),
        )
        path = self.folder / "report.json"
        path.write_text(json_line(mutation_data(report)), encoding="utf-8")
        root = self.session.config.rootpath
        config = self.session.config
        self.state.reports += ["", *mutation_lines(report, config.get_verbosity())]
        for trouble in self.troubles:
            self.state.reports += trouble.splitlines()
        self.state.reports.append(f"all of it as data: {path.relative_to(root) if path.is_relative_to(root) else path}")
        failure = "\n".join(self.troubles) or shortfall(report, self.settings.require)
        if failure or self.settings.require is not None:
            gate_reports.publish(self.session, gate_reports.suite_report(self.suite, "mutate", failure))


def shortfall(report: MutationReport, require: float | None) -> str:
    """Return why the run fails, an empty text where it does not."""
    if require is None:
        return ""
    if report.left:
        return f"{counted(len(report.left), 'planted fault')} not run, so the share that is caught is not known"
    if report.score is None:
        return "no planted fault touched anything that this judge can see, so there is no share that is caught"
    if report.score >= require:
        return ""
    missed = ", ".join(r.title for r in report.counted if not (r.failed or r.regressed))
    return (
        f"{report.caught} of {len(report.counted)} planted faults are caught ({report.score:.0%}), and "
        f"{require:.0%} are required; not caught: {missed}"
    )
