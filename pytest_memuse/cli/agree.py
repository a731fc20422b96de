"""`memuse agree`: how two judges agree on the same deliveries, and what their disagreements move."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_memuse.judging.answers import Judge
    from pytest_memuse.model import Episode
    from pytest_memuse.profiles.rows import Run

_DESCRIPTION = """\
Set two judges against each other, signal by signal: how often they agree,
Cohen's kappa with its lower bound by arc, the table of who says what, and which
figures move, and by how much, where B's signals stand in place of A's.

A and B are judges (tracer, annotations:FILE or a YAML file, llm:MODEL, several
joined by +), which judge the logs that are named, or stored runs that hold their signals: a
baseline by name, the path of a .json file, or last for the last pytest run.
Where both come from one judge, its own noise is told as well.
"""

_EXAMPLES = """\
examples:
  memuse agree tracer annotations:labels/shop.yaml cassettes/shop/*.jsonl
  memuse agree main last
"""


def add_agree(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    agree = commands.add_parser(
        "agree",
        help="measure how two judges agree, and what their disagreements move in the profile",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    agree.add_argument("first", metavar="A", help="a judge or a stored run")
    agree.add_argument("second", metavar="B", help="a judge or a stored run")
    agree.add_argument(
        "logs",
        type=Path,
        nargs="*",
        metavar="LOG",
        help="event logs, recordings or labelled sets (YAML), which the judges judge",
    )
    agree.add_argument("--suite", metavar="NAME", help="this suite of stored runs that hold several")
    agree.add_argument("--baselines", type=Path, default=Path("baselines"), metavar="DIR", help="folder of baselines")
    agree.add_argument("-v", "--verbose", action="store_true", help="list every disagreement")
    agree.add_argument("--json", action="store_true", help="print everything as JSON, for programs")
    agree.set_defaults(run=_agree)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side: what judged it, in words and as its identity, and the run."""

    name: str
    identity: dict[str, Any]
    run: "Run"


def _agree(options: argparse.Namespace) -> list[str]:
    """Report the agreement of two judges. Raises `MemuseError` where a side cannot be read."""
    import json

    from pytest_memuse.model.errors import MemuseError
    from pytest_memuse.profiles.agreement import JudgesAgreement
    from pytest_memuse.profiles.judge_noise import judge_noise
    from pytest_memuse.reports.agreement import agreement_data, agreement_lines, noise_data, noise_lines

    first, second = _sides(options)
    found = JudgesAgreement.of(first.name, first.run, second.name, second.run)
    if not found.spans:
        raise MemuseError(
            f"no span was judged on both sides (A: {found.only_first}, B: {found.only_second})",
            reason="nothing-to-compare",
            mend="name judgings of the same recordings; `memuse annotate LOG -o FILE` writes the form for labels",
        )
    noise = None
    if first.identity == second.identity:
        try:
            noise = judge_noise([first.run, second.run])
        except MemuseError as error:
            if error.reason != "noise":
                raise
    if options.json:
        data = agreement_data(found) | ({"noise": noise_data(noise)} if noise is not None else {})
        return [json.dumps(data, indent=1, sort_keys=True)]
    lines = agreement_lines(found, verbose=options.verbose)
    return lines if noise is None else [*lines, "", *noise_lines(noise, 2)]


def _sides(options: argparse.Namespace) -> tuple[_Side, _Side]:
    from pytest_memuse.cli.judges import is_judge, spelled_out
    from pytest_memuse.model.errors import MemuseError

    names = (spelled_out(options.first), spelled_out(options.second))
    if any(map(is_judge, names)) and not options.logs:
        judges = " and ".join(name for name in names if is_judge(name))
        raise MemuseError(
            f"{judges} has nothing to judge", reason="usage", mend="name event logs or recordings behind the judges"
        )
    if not any(map(is_judge, names)) and options.logs:
        raise MemuseError(
            "both sides are stored runs, which no log is judged for",
            reason="usage",
            mend=f"leave the logs out, or name a judge: {', '.join(_forms())}",
        )
    stored = [None if is_judge(name) else _stored(name, options) for name in names]
    suite = next((side.run.suite for side in stored if side is not None), options.suite)
    sides = [_judging(name, options.logs) if side is None else side for name, side in zip(names, stored, strict=True)]
    for side in sides:
        if suite is not None and side.run.suite != suite:
            raise MemuseError(
                f"the sides are of different suites: {suite!r} and {side.run.suite!r}",
                reason="no-suite",
                mend="name logs of the stored run's suite, or another suite of it with --suite",
            )
    return sides[0], sides[1]


def _forms() -> Sequence[str]:
    from pytest_memuse.cli.judges import FORMS

    return FORMS


def _judging(name: str, logs: Sequence[Path]) -> _Side:
    import sys

    from pytest_memuse.cli.judges import cost_lines, judge_named
    from pytest_memuse.spans import build_spans

    judge = judge_named(name)
    for line in cost_lines(judge, ((episode, build_spans(episode)) for path in logs for episode in _episodes(path))):
        print(line, file=sys.stderr)
    identity = judge.identity
    plain = {
        "kind": identity.kind,
        "version": identity.version,
        "model": identity.model,
        "settings": dict(identity.settings),
    }
    return _Side(str(identity), plain, _run(judge, logs))


def _run(judge: "Judge", logs: Sequence[Path]) -> "Run":
    from pytest_memuse.cli.labels import is_set
    from pytest_memuse.cli.reading import JudgedLog, judged, judged_log, run_of

    return run_of(
        JudgedLog("cases", "", judged(_episodes(path), judge)) if is_set(path) else judged_log(path, judge)
        for path in logs
    )


def _episodes(path: Path) -> "Sequence[Episode]":
    from pytest_memuse.cli.labels import is_set, read_sets
    from pytest_memuse.cli.reading import read_any

    if is_set(path):
        return [case.episode for cases in read_sets([path]).values() for case in cases]
    return read_any(path).episodes


def _stored(name: str, options: argparse.Namespace) -> _Side:
    from dataclasses import asdict

    from pytest_memuse.gate.saved_runs import LAST, last_path
    from pytest_memuse.gate.store import read_baseline
    from pytest_memuse.model.errors import MemuseError, inert, nearest

    last = last_path(Path())
    baseline = read_baseline(last.parent, str(last)) if name == LAST else read_baseline(options.baselines, name)
    suites = list(baseline.suites)
    if options.suite is None and len(suites) > 1:
        raise MemuseError(
            f"{inert(name)} holds {len(suites)} suites: {', '.join(inert(each, 60) for each in suites[:10])}",
            reason="no-suite",
            mend="name one with --suite",
        )
    wanted = options.suite if options.suite is not None else next(iter(suites), "")
    if wanted not in baseline.suites:
        raise MemuseError(
            f"{inert(name)} holds no suite {wanted!r}{nearest(wanted, suites)}",
            reason="no-suite",
            mend="name one that it holds",
        )
    suite = baseline.suites[wanted]
    judge = suite.identity.judge
    return _Side(f"{judge}, in {inert(name)}", asdict(judge), suite.run)
