"""`memuse agree`: how two judges agree on the same deliveries, and what their disagreements move."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_memuse.cli.judge_options import judge_options

if TYPE_CHECKING:
    from pytest_memuse.profiles.rows import Run

_DESCRIPTION = """\
Set two judges against each other, signal by signal: how often they agree,
Cohen's kappa with its lower bound by arc, the table of who says what, and which
figures move, and by how much, where B's signals stand in place of A's.

A and B are judges (tracer, annotations:FILE or a YAML file, llm:MODEL, several
joined by +), which judge the logs that are named; records:DIR, the kept answers
of a judge, which asks nobody; or stored runs that hold their signals: a
baseline by name, the path of a .json file, or last for the last pytest run.
Where both come from one judge, its own noise is told as well. A judge that is
named twice judges twice, --times says how often: a model is asked anew each time.
"""

_EXAMPLES = """\
examples:
  memuse agree tracer annotations:labels/shop.yaml cassettes/shop/*.jsonl
  memuse agree main last
  memuse agree --times 3 llm:openai/gpt-5-mini llm:openai/gpt-5-mini cassettes/shop/*.jsonl
"""


def add_agree(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the command."""
    agree = commands.add_parser(
        "agree",
        help="measure how two judges agree, and what their disagreements move in the profile",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[judge_options()],
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
    agree.add_argument(
        "--times",
        type=int,
        default=2,
        metavar="N",
        help="where A and B are the same judge by name: judge N times in all (default: 2)",
    )
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

    first, second, *further = _sides(options)
    found = JudgesAgreement.of(first.name, first.run, second.name, second.run)
    if not found.spans:
        raise MemuseError(
            f"no span was judged on both sides (A: {found.only_first}, B: {found.only_second})",
            reason="nothing-to-compare",
            mend="name judgings of the same recordings; `memuse annotate LOG -o FILE` writes the form for labels",
        )
    noise, runs = None, [side.run for side in (first, second, *further)]
    if first.identity == second.identity:
        try:
            noise = judge_noise(runs)
        except MemuseError as error:
            if error.reason != "noise":
                raise
    if options.json:
        data = agreement_data(found) | ({"noise": noise_data(noise)} if noise is not None else {})
        return [json.dumps(data, indent=1, sort_keys=True)]
    lines = agreement_lines(found, verbose=options.verbose)
    return lines if noise is None else [*lines, "", *noise_lines(noise, len(runs))]


def _sides(options: argparse.Namespace) -> list[_Side]:
    """Return both sides, and behind them the judgings of one judge beyond these two."""
    from pytest_memuse.cli.judges import is_judge, spelled_out
    from pytest_memuse.model.errors import MemuseError

    names = (spelled_out(options.first), spelled_out(options.second))
    if options.times != 2 and not (is_judge(names[0]) and names[0] == names[1]):
        raise MemuseError(
            "--times is for one judge, named twice", reason="usage", mend="name it as A and as B, or leave --times out"
        )
    if options.times < 2:
        raise MemuseError(f"--times {options.times}: its noise takes at least two judgings", reason="usage")
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
    asked = [name for name, side in zip(names, stored, strict=True) if side is None]
    judged = iter(_judgings(asked + asked[:1] * (options.times - 2), options))
    sides = [*(next(judged) if side is None else side for side in stored), *judged]
    for side in sides:
        if suite is not None and side.run.suite != suite:
            raise MemuseError(
                f"the sides are of different suites: {suite!r} and {side.run.suite!r}",
                reason="no-suite",
                mend="name logs of the stored run's suite, or another suite of it with --suite",
            )
    return sides


def _forms() -> Sequence[str]:
    from pytest_memuse.cli.judges import FORMS

    return FORMS


def _judgings(names: Sequence[str], options: argparse.Namespace) -> list[_Side]:
    """Return what the judges of these names say of the logs, having told before what all of that will take.

    The limits of a judge that is named several times are for all of its judgings together.
    """
    from pytest_memuse.cli.judges import announce, asking, chosen_judge, with_records
    from pytest_memuse.cli.labels import log_or_set
    from pytest_memuse.cli.reading import judged_logs, run_of
    from pytest_memuse.spans import build_spans

    distinct = {name: chosen_judge(name, options) for name in names}
    judges = [with_records(distinct[name], options, names[: place + 1].count(name)) for place, name in enumerate(names)]
    logs = [log_or_set(path) for path in options.logs]
    announce(judges, ((episode, build_spans(episode)) for log in logs for episode in log.episodes), options)
    sides = []
    for judge in judges:
        with asking(options) as lines:
            run = run_of(judged_logs(logs, judge, lines))
        sides.append(_Side(str(judge.identity), judge.identity.to_data(), run))
    return sides


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
