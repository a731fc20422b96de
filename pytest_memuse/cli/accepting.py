"""`memuse diff --accept`: a change that a person has reviewed becomes the baseline, with the reason given."""

import argparse
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from pytest_memuse import __version__
from pytest_memuse.cli.diff_sides import Side, outdated_arcs
from pytest_memuse.gate.baseline import SuiteBaseline, check_judge
from pytest_memuse.gate.comparison import Refusal, compare
from pytest_memuse.gate.errors import BaselineError
from pytest_memuse.gate.promotion import promote
from pytest_memuse.gate.store import write_baseline
from pytest_memuse.model.errors import MemuseError, inert, printable

HOW = "memuse diff --accept"
_LONGEST = 500


def check(options: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> None:
    """Raise `MemuseError` where nothing can be accepted with these options, before anything is read."""
    reason = options.reason.strip()
    if not options.accept:
        raise _refused("--reason is what --accept is given", "add --accept, or leave the reason out")
    if options.json or options.task is not None:
        raise _refused(
            "--accept stores whole suites and says what it did; it goes with neither --task nor --json",
            "look with these first, then accept without them",
        )
    if options.recordings:
        raise _refused(
            "recordings that were only judged here are not stored: whether the memory system still delivers what they "
            "hold is found out by a pytest run",
            "run pytest, and accept its run without --recordings",
        )
    if not reason:
        raise _refused("a baseline is replaced for a reason, and none is given", 'add --reason "TEXT", one line')
    if not reason.isprintable() or len(reason) > _LONGEST:
        raise _refused(
            f"the reason must be one line of at most {_LONGEST} printable characters",
            "shorten it to what a reviewer reads",
        )
    if environment.get("CI", "").lower() not in ("", "0", "false") and not options.force:
        raise _refused(
            "CI is set, and in CI no baseline is updated",
            "accept where the change was reviewed and commit the file; --force does it here all the same",
        )


def accept(stored: Side, current: Side, suites: Sequence[str], options: argparse.Namespace) -> list[str]:
    """Put the run's suites into the baseline's file; return what was done and the next command.

    Raises `MemuseError` where that cannot be, and then nothing is written. What is stored already stays as it is.
    """
    if not stored.writable:
        raise _refused(
            f"{stored.name} is history, which is not written",
            f"accept into a stored baseline: memuse diff main --accept --reason {shlex.quote(options.reason)}",
        )
    if not current.accepted_whole:
        raise _refused("there is no last run to accept (.memuse/last.json)", "run the whole suite with pytest first")
    suites = [suite for suite in suites if _differs(stored.suites[suite], current.suites[suite])]
    if not suites:
        return ["nothing to accept: what is stored is this run"]
    for suite in suites:
        _check_recordings(current.suites[suite], options)
    after, lines = stored.baseline, []
    today = datetime.now(UTC).date().isoformat()
    for suite in suites:
        run = replace(current.suites[suite], created=today)
        regressed, why = _regressed(stored.suites[suite], run, options)
        after = promote(
            after,
            run,
            how=f"{HOW} --force" if options.force else HOW,
            reason=options.reason.strip(),
            regressed=regressed,
            not_compared=why,
            product=__version__,
        )
        lines += [f"  {printable(suite)} {line}" for line in _said(stored.suites[suite], regressed, why)]
    path = write_baseline(options.baselines, options.baseline, after)
    told = ", ".join(printable(suite, 60) for suite in suites)
    return [
        f"accepted: {told} is stored in {inert(str(path))}, because: {printable(options.reason, _LONGEST)}",
        *lines,
        f"next: git add {shlex.quote(inert(str(path)))} && git commit, together with the recordings of the change",
    ]


def _differs(old: SuiteBaseline, new: SuiteBaseline) -> bool:
    return (old.run, old.identity, old.recordings) != (new.run, new.identity, new.recordings)


def _check_recordings(run: SuiteBaseline, options: argparse.Namespace) -> None:
    outdated = outdated_arcs(run, options.cassettes)
    if outdated:
        shown = ", ".join(printable(arc, 40) for arc in outdated[:5])
        more = f" and {len(outdated) - 5} more" if len(outdated) > 5 else ""
        raise _refused(
            f"the run of suite {printable(run.run.suite)!r} is not one of the recordings in "
            f"{inert(str(options.cassettes))}, which differ in {shown}{more}",
            "run pytest on the recordings as they are, review its diff, and accept that",
        )


def _regressed(old: SuiteBaseline, new: SuiteBaseline, options: argparse.Namespace) -> tuple[tuple[str, ...], str]:
    """Return the gated figures that are worse than the replaced run's, and why that is not known where it is not.

    Raises `BaselineError` for figures of another judge, unless forced.
    """
    try:
        check_judge(old, new.identity.judge, options.baseline)
    except BaselineError as error:
        if not options.force:
            raise
        return (), printable(str(error).partition("\n")[0], 300)
    compared = compare(old.run, new.run, recordings=(old.recordings, new.recordings))
    if isinstance(compared, Refusal):
        return (), compared.message
    return tuple(figure.name for figure in compared.regressed), ""


def _said(old: SuiteBaseline, regressed: Sequence[str], why: str) -> list[str]:
    if regressed:
        return [f"replaces the run of {printable(old.created, 20)}, whose figures were better: {', '.join(regressed)}"]
    if why:
        return [f"was not compared with the run of {printable(old.created, 20)} that it replaces: {why}"]
    return [f"replaces the run of {printable(old.created, 20)}; no gated figure had regressed"]


def _refused(problem: str, mend: str) -> MemuseError:
    return MemuseError(f"nothing is accepted: {problem}", reason="not-accepted", mend=mend)
