"""`memuse runs`: the runs that were saved beside a project."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_memuse.gate.saved_runs import SavedRun

_SHOWN = 50


def add_runs(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    runs = commands.add_parser(
        "runs",
        help="list the runs that `pytest --memuse-save` stored",
        description=f"List the newest {_SHOWN} saved runs of a project, the newest last: number and name, time, commit "
        "where git knew one, suites. `pytest --memuse-compare=NUMBER` shows the next run beside one of them, and "
        "`memuse diff FILE` what has changed since, entry by entry.",
    )
    runs.add_argument("root", type=Path, nargs="?", default=Path(), metavar="DIR", help="the project (default: here)")
    runs.set_defaults(run=_runs)


def _runs(options: argparse.Namespace) -> list[str]:
    from pytest_memuse.gate.saved_runs import saved_runs
    from pytest_memuse.reports.table import table

    runs = saved_runs(options.root)
    if not runs:
        return [f"no run is saved in {options.root / '.memuse' / 'runs'}; save one with `pytest --memuse-save=NAME`"]
    older = [f"and {len(runs) - _SHOWN} older ones"] if len(runs) > _SHOWN else []
    return [*table(["run", "saved", "commit", "suites"], [_row(run) for run in runs[-_SHOWN:]]), *older]


def _row(run: "SavedRun") -> list[str]:
    from pytest_memuse.gate.errors import BaselineError
    from pytest_memuse.gate.saved_runs import read_run

    try:
        suites = read_run(run).suites
    except BaselineError as error:
        return [str(run), f"cannot be read: {error.reason}", "", ""]
    made = {suite.created for suite in suites.values()}
    commits = {suite.commit or "–" for suite in suites.values()}
    return [str(run), ", ".join(sorted(made)), ", ".join(sorted(commits)), ", ".join(suites)]
