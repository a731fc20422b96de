"""`memuse profile` and `memuse items`: figures, breakdowns and items of logs and recordings."""

import argparse
import itertools
import json
from collections.abc import Sequence
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from pytest_memuse.cli.judges import announce, asking, check_options, chosen_judge, judged_by_records
from pytest_memuse.cli.reading import JudgedLog, assembled_logs, judged_log, judged_logs, read_any, run_of
from pytest_memuse.judging.answers import Judge
from pytest_memuse.model.errors import MemuseError, nearest, printable
from pytest_memuse.profiles.call_costs import Ledger, ledger
from pytest_memuse.profiles.histories import ItemHistory, item_histories, revise_or_remove
from pytest_memuse.profiles.leaks import LeakageCheck, leakage
from pytest_memuse.profiles.outcomes import OutcomeComparison, compare_outcomes, split_repeats
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.resolve_rates import RateDifference
from pytest_memuse.profiles.rows import Run
from pytest_memuse.reports.breakdowns import breakdown_lines
from pytest_memuse.reports.costs import cost_lines
from pytest_memuse.reports.data import costs_data, harmful_data, history_data, outcomes_data, plain, profile_data
from pytest_memuse.reports.items import harmful_lines, item_lines, leak_lines
from pytest_memuse.reports.outcomes import outcome_lines
from pytest_memuse.reports.profile import profile_lines
from pytest_memuse.spans import build_spans

SEED = 20_260_302
"""Seed of the bootstrap over tasks: the same files give the same interval."""


def profile(options: argparse.Namespace) -> list[str]:
    """Judge the episodes of logs and recordings and print their profile."""
    judge = chosen_judge(options.judge, options)
    logs = judged_as_told(options.logs, judge, options)
    found = Profile.of(run_of(logs))
    identity = {"recorded_against": _models(logs), "judge": judge.identity.to_data()}
    costs, harmful, leaks = _costs(logs), revise_or_remove(_histories(logs)), _leaks(logs)
    against = _against(found.run, options.without, options.any_arc) if options.without else None
    if options.json:
        data = profile_data(found, identity) | {
            "costs": costs_data(costs),
            "revise_or_remove": harmful_data(harmful),
            "leakage": plain(leaks),
        }
        if against is not None:
            data["without_memory"] = outcomes_data(*against)
        return _json(data)
    everything: bool = options.all
    lines = profile_lines(found, identity, everything=everything)
    if against is not None:
        lines += outcome_lines(*against)
    lines += breakdown_lines(found, everything=everything)
    lines += cost_lines(costs)
    lines += harmful_lines(harmful, everything=everything)
    return lines + leak_lines(leaks, everything=everything)


def judged_as_told(paths: Sequence[Path], judge: Judge, options: argparse.Namespace) -> list[JudgedLog]:
    """Judge files together, having told before what that will take; progress is told on the way."""
    check_options([judge], options)
    read = [read_any(path) for path in paths]
    episodes = [episode for log in read for episode in log.episodes]
    known = judged_by_records(options.judge, episodes, options)
    if known is not None:
        return assembled_logs(read, iter(known))
    announce([judge], ((episode, build_spans(episode)) for episode in episodes), options)
    with asking(options) as lines:
        return judged_logs(read, judge, lines)


def items(options: argparse.Namespace) -> list[str]:
    """Show each item's history: who wrote, changed and deleted it, where it was delivered, and what came of it."""
    logs = [judged_log(path) for path in options.logs]
    found = _histories(logs)
    if options.item is not None:
        names = list(dict.fromkeys(history.item for history in found))
        found = [history for history in found if history.item == options.item]
        if not found:
            raise MemuseError(
                f"no item {printable(options.item)!r} was written or delivered{nearest(options.item, names)}",
                reason="no-item",
                mend="`memuse items` without `--item` shows them all",
            )
    if options.json:
        return _json([history_data(history) for history in found])
    return [line for history in found for line in item_lines(history)] or ["no item was written or delivered"]


def _json(data: Any) -> list[str]:
    return [json.dumps(data, indent=1, sort_keys=True)]


def _models(logs: Sequence[JudgedLog]) -> str:
    return ", ".join(dict.fromkeys(log.recorded_against for log in logs if log.recorded_against))


def _costs(logs: Sequence[JudgedLog]) -> Ledger:
    books = [ledger(judged.episode for judged in log.episodes) for log in logs]
    return reduce(add, books)


def _histories(logs: Sequence[JudgedLog]) -> list[ItemHistory]:
    """Each file has stores of its own: two files of one arc are repeats of it."""
    return list(itertools.chain.from_iterable(item_histories(log.episodes) for log in logs))


def _leaks(logs: Sequence[JudgedLog]) -> LeakageCheck:
    checks = [leakage(log.episodes) for log in logs]
    return LeakageCheck(
        tuple(leak for check in checks for leak in check.found),
        sum(check.checked for check in checks),
        sum(check.unknown_text for check in checks),
        sum(check.without_answer for check in checks),
    )


def _against(run: Run, paths: Sequence[Path], any_arc: bool) -> tuple[OutcomeComparison, RateDifference]:
    without = run_of(judged_log(path) for path in paths)
    found = compare_outcomes(split_repeats(run), split_repeats(without), match_arcs=not any_arc)
    return found, found.difference(np.random.default_rng(SEED))
