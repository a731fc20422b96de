"""The files that a session writes: one that cannot be is found at its start, one that is not written fails it."""

import os
import platform
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_memuse.plugin.state import SessionState, state_of

if TYPE_CHECKING:
    from pytest_memuse.reports.json_report import SessionOutput

INSTALL = "install it with `pip install pytest-memuse[junit]`"


def check(config: pytest.Config, state: SessionState) -> None:
    """Raise `pytest.UsageError` where a file that was asked for cannot be written, as far as that can be known."""
    wanted = _wanted(config, state)
    # Found, not imported: the session may turn out to have no part in it.
    if "--memuse-junit" in wanted and find_spec("junit_xml") is None:
        raise pytest.UsageError(f"--memuse-junit needs the package junit-xml: {INSTALL}")
    taken: dict[Path, str] = {}
    if getattr(config.option, "xmlpath", None):
        taken[_path(config, str(config.option.xmlpath))] = "--junitxml"
    for switch, path in wanted.items():
        problem = _problem(path, state)
        if path in taken:
            problem = f"it is the file of {taken[path]} already"
        if problem:
            raise pytest.UsageError(f"{switch}: {path} cannot be written: {problem}")
        taken[path] = switch


def write(session: pytest.Session) -> None:
    """Write the files that were asked for; one that cannot be written becomes a failing report."""
    state = state_of(session.config)
    wanted = _wanted(session.config, state)
    from pytest_memuse.plugin.turns import VARIABLE

    if os.environ.get(VARIABLE):
        # This process records one side for another session, which writes the files.
        return
    from pytest_memuse.plugin.gate_reports import plain_report, publish
    from pytest_memuse.storage import write_whole

    started = datetime.fromtimestamp(state.started, UTC)
    for switch, path in wanted.items():
        try:
            write_whole(path, [_render(switch, _session_output(session.config, state), started)])
        except Exception as error:
            # Whatever it was: a file of an earlier run stands there, or none, and nobody may take it for this run's.
            told = f"{switch}: {path} was not written: {error}"
            state.reports += ["", told]
            name = switch.removeprefix("--memuse-")
            publish(session, plain_report(f"memuse::output[{name}]", ("memuse", None, f"output[{name}]"), told))


def _render(switch: str, output: "SessionOutput", started: datetime) -> bytes:
    from pytest_memuse.reports.json_report import json_report
    from pytest_memuse.reports.junit import junit_report

    if switch == "--memuse-json":
        return json_report(output).encode("ascii")
    return junit_report(output, started, platform.node())


def _wanted(config: pytest.Config, state: SessionState) -> dict[str, Path]:
    given = {"--memuse-json": state.settings.json, "--memuse-junit": state.settings.junit}
    return {switch: _path(config, name) for switch, name in given.items() if name}


def _path(config: pytest.Config, name: str) -> Path:
    """Return a file from the folder where pytest was started, as ``--junitxml`` takes it; links are followed."""
    return Path(os.path.realpath(config.invocation_params.dir / Path(name).expanduser()))


def _problem(path: Path, state: SessionState) -> str:
    """Return why a file cannot be written, or must not be; empty where nothing speaks against it."""
    if path.is_dir():
        return "it is a folder"
    if path.exists() and not path.is_file():
        return "it is no plain file"
    for folder, what in ((state.settings.baselines, "baselines"), (state.settings.cassettes, "recordings")):
        if path.is_relative_to(os.path.realpath(folder)):
            return f"it lies in the folder of the {what}"
    above = next(folder for folder in path.parents if folder.exists())
    if not above.is_dir():
        return f"{above} is no folder"
    return "" if os.access(above, os.W_OK | os.X_OK) else f"nothing may be written in {above}"


def _session_output(config: pytest.Config, state: SessionState) -> "SessionOutput":
    from pytest_memuse import __version__
    from pytest_memuse.profiles.profile import Profile
    from pytest_memuse.reports.gate_data import not_evaluated
    from pytest_memuse.reports.json_report import BaselineRead, SessionOutput, SuiteOutput

    suites, incomplete = [], state.incomplete
    for name in sorted({*state.results, *state.partial, *state.gates}):
        result = state.results.get(name)
        gate = state.gates.get(name) or not_evaluated(incomplete or state.partial.get(name) or "none of its tests ran")
        if result is None:
            suites.append(SuiteOutput(name, gate))
            continue
        profile = Profile.of(result.rows())
        notes = tuple(line for note in result.notes for line in note.splitlines())
        suites.append(SuiteOutput(name, gate, result.nodeid, profile, result.identity, notes))
    settings, warnings = state.settings, [note for note in state.baseline_notes if note.startswith("warning: ")]
    read = None
    if settings.baseline:
        name = settings.baseline
        read = BaselineRead(name, state.read_as or name, state.merge_base, tuple(state.baseline_notes))
    return SessionOutput(
        product=__version__,
        options=options_in_force(config, state),
        suites=tuple(suites),
        baseline=read,
        incomplete=incomplete or ("" if suites else "no test that uses memuse ran"),
        warnings=tuple(warning.removeprefix("warning: ") for warning in warnings),
    )


def options_in_force(config: pytest.Config, state: SessionState) -> dict[str, Any]:
    """Return every option as it is in force; paths from the root folder."""
    from pytest_memuse.reports.data import plain

    def value_of(value: Any) -> Any:
        if isinstance(value, Path):
            inside = value.is_relative_to(config.rootpath)
            return (value.relative_to(config.rootpath) if inside else value).as_posix()
        if isinstance(value, dict):
            return {name: value_of(one) for name, one in value.items()}
        return [value_of(one) for one in value] if isinstance(value, list) else value

    found: dict[str, Any] = value_of(plain(state.settings))
    return found
