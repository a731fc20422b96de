"""`memuse diff`: what changed since a baseline, entry by entry, and how a reviewed change is accepted."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_memuse.cli.diff_sides import Side
    from pytest_memuse.gate.suite_diff import SuiteDiff
    from pytest_memuse.profiles.figures import FigureSpec

_DESCRIPTION = """\
Set a run against a stored baseline, task by task: every entry that memory
delivered then or now, what the agent did with it, and what that led to. What
moved the gated figures most comes first; newly harmful entries are always
shown. It is no verdict: that is the gate's, in pytest.
"""

_EXAMPLES = """\
examples:
  memuse diff main                          the last pytest run against baselines/main.json
  memuse diff main --recordings             the recordings as they are, judged offline
  memuse diff git:origin/main               against the baseline as the main branch has it
  memuse diff main --task changed-port/probe --all
  memuse diff main --accept --reason "prices moved to another module, agreed in review"
"""


def add_diff(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    diff = commands.add_parser(
        "diff",
        help="show what changed since a baseline, entry by entry, and accept it",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    diff.add_argument(
        "baseline",
        metavar="BASELINE",
        help="a name in the baselines folder, the path of a .json file, or git:REF[:NAME] for the file at a commit",
    )
    diff.add_argument(
        "now",
        metavar="NOW",
        nargs="?",
        default="",
        help="what to set against it, named as the baseline is; by default the last evaluated pytest run "
        "(.memuse/last.json), or the recordings where there is none",
    )
    diff.add_argument(
        "--recordings",
        action="store_true",
        help="set the recordings in the cassettes folder against it, judged here and now: by the kept answers of the "
        "stored side's judge where they lie beside the recordings, else by the tracer",
    )
    diff.add_argument("--suite", metavar="NAME", help="this suite only")
    diff.add_argument("--task", metavar="ARC/TASK", help="this task only, with every entry of it")
    diff.add_argument("--all", action="store_true", help="everything: no list is cut, and what did not change is shown")
    diff.add_argument("--figure", metavar="NAME", help="order by this figure alone, not by the default gated figures")
    diff.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    diff.add_argument(
        "--exit-code", action="store_true", help="exit with 1 where anything changed (2 is an error, as always)"
    )
    diff.add_argument(
        "--force",
        action="store_true",
        help="compare judgments of different judges all the same; with --accept: do so with CI set, too",
    )
    diff.add_argument(
        "--accept", action="store_true", help="store the last run as the baseline, with its reason; see --reason"
    )
    diff.add_argument("--reason", metavar="TEXT", default="", help="why the change is accepted, one line; kept with it")
    diff.add_argument("--cassettes", type=Path, default=Path("cassettes"), metavar="DIR", help="folder of recordings")
    diff.add_argument("--baselines", type=Path, default=Path("baselines"), metavar="DIR", help="folder of baselines")
    diff.set_defaults(run=_diff)


def _diff(options: argparse.Namespace) -> tuple[int, list[str]]:
    """Return the exit code and what to print. Raises `MemuseError` where a side cannot be read."""
    from pytest_memuse.cli import accepting
    from pytest_memuse.cli.diff_sides import baseline_side, common_suites, current_side

    if options.accept or options.reason:
        accepting.check(options)
    stored = baseline_side(options.baselines, options.baseline)
    current = current_side(options, stored)
    suites = common_suites(stored, current, options.suite)
    diffs = _chosen([_compared(stored, current, suite, options) for suite in suites], options.task)
    changed = any(not diff.same for diff, _ in diffs)
    code = int(changed and options.exit_code)
    if options.json:
        return code, _json(stored, current, diffs)
    lines = [line for diff, notes in diffs for line in _told(stored, current, diff, notes, options)]
    if options.accept:
        lines += accepting.accept(stored, current, suites, options)
    elif changed:
        lines += _next(options, stored, current)
    return code, lines


def _compared(
    stored: "Side", current: "Side", suite: str, options: argparse.Namespace
) -> "tuple[SuiteDiff, list[str]]":
    """Return a suite's diff, and the lines that say in what its two runs were made differently."""
    from pytest_memuse.gate.baseline import check_judge
    from pytest_memuse.gate.errors import BaselineError
    from pytest_memuse.gate.suite_diff import diff_suites
    from pytest_memuse.reports.diff_heading import identity_lines, judge_line

    then, now = stored.suites[suite], current.suites[suite]
    notes = [*current.notes.get(suite, ()), *identity_lines(then.identity, now.identity)]
    same = True
    try:
        check_judge(then, now.identity.judge, options.baseline)
    except BaselineError:
        same = False
        notes.append(judge_line(then.identity.judge, now.identity.judge, forced=options.force))
    judged = same or options.force
    return diff_suites(then.run, now.run, figures=_figures(options.figure, judged), judged=judged), notes


def _figures(name: str | None, judged: bool) -> "list[FigureSpec]":
    from pytest_memuse.gate.suite_diff import rests_on_deliveries
    from pytest_memuse.model.errors import MemuseError, nearest, printable
    from pytest_memuse.profiles.figures import FIGURES

    if name is None:
        return []
    if name not in FIGURES:
        raise MemuseError(
            f"there is no figure {printable(name)!r}{nearest(name, FIGURES)}",
            reason="no-figure",
            mend=f"use one of {', '.join(FIGURES)}",
        )
    if not judged and not rests_on_deliveries(FIGURES[name]):
        fitting = [other for other, spec in FIGURES.items() if rests_on_deliveries(spec)]
        raise MemuseError(
            f"{name} rests on judgments, and those of the two sides come from different judges",
            reason="another-judge",
            mend=f"order by one of {', '.join(fitting)}, or compare the judgments all the same with --force",
        )
    return [FIGURES[name]]


def _chosen(diffs: "list[tuple[SuiteDiff, list[str]]]", task: str | None) -> "list[tuple[SuiteDiff, list[str]]]":
    """Return the diffs with the task that was asked for alone. Raises `MemuseError` where no suite has it."""
    from pytest_memuse.gate.suite_diff import only_task
    from pytest_memuse.model.errors import MemuseError, nearest, printable

    if task is None:
        return diffs
    found = [(only_task(diff, task), notes) for diff, notes in diffs]
    kept = [(diff, notes) for diff, notes in found if diff.tasks]
    if not kept:
        known = [str(key.key) for diff, _ in diffs for key in diff.tasks]
        beside = [str(key) for diff, _ in diffs for key in (*diff.matching.gone, *diff.matching.changed)]
        why = "is not the same task any more, or in one run only" if task in beside else "is in neither run"
        raise MemuseError(
            f"task {printable(task)!r} {why}{nearest(task, known)}",
            reason="no-task",
            mend="`--all` without `--task` shows every task; name one as arc/task",
        )
    return kept


def _told(
    stored: "Side", current: "Side", diff: "SuiteDiff", notes: list[str], options: argparse.Namespace
) -> Iterator[str]:
    from pytest_memuse.reports.diff import Heading, diff_lines

    heading = Heading(stored.told(diff.suite), current.told(diff.suite), notes)
    yield from diff_lines(diff, heading, everything=options.all, only_task=options.task is not None)
    yield ""


def _next(options: argparse.Namespace, stored: "Side", current: "Side") -> list[str]:
    from pytest_memuse.reports.diff import next_line

    return [next_line(options.baseline, acceptable=stored.writable and current.accepted_whole)]


def _json(stored: "Side", current: "Side", diffs: "list[tuple[SuiteDiff, list[str]]]") -> list[str]:
    import json

    from pytest_memuse.reports.diff_data import diff_data

    data = [
        diff_data(diff) | {"baseline": stored.told(diff.suite), "run": current.told(diff.suite), "notes": notes}
        for diff, notes in diffs
    ]
    return [json.dumps({"suites": data}, indent=1, sort_keys=True)]
