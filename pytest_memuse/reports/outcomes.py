"""Runs with memory set against runs without, for a terminal: resolve rates, gains and losses, strata."""

from pytest_memuse.model.errors import printable
from pytest_memuse.profiles.outcomes import OutcomeComparison, Stratum
from pytest_memuse.profiles.resolve_rates import RateDifference
from pytest_memuse.profiles.share import Share
from pytest_memuse.reports.numbers import counted, number, shared, signed
from pytest_memuse.reports.table import table

_LISTED = 5
_WORDS = ("received", "acted_on", "beneficial", "harmful")


def outcome_lines(found: OutcomeComparison, difference: RateDifference) -> list[str]:
    """Return a comparison with runs without memory (MemUse 4.3, Table 10)."""
    lines = [
        "",
        f"against {counted(len(found.baseline), 'run')} without memory: {counted(len(found.tasks), 'matched task')} in "
        f"{counted(len(found.memory), 'run')} with memory",
    ]
    lines += _unmatched(found)
    if not found.tasks:
        return lines
    lines += _rates(difference)
    changes, others = found.changes, found.baseline_changes
    lines.append(
        f"  tasks gained {number(changes.mean_gained)}, lost {number(changes.mean_lost)}, on average over "
        f"{counted(changes.pairs, 'pair')} of runs"
    )
    if others.pairs:
        lines.append(
            f"  runs without memory differ among themselves by {number(others.mean_gained)} tasks gained, on average "
            f"over {counted(others.pairs, 'pair')}"
        )
    if found.without_result:
        lines.append(f"  counted as not resolved, for no check came to a result: {found.without_result} episodes")
    return [*lines, *_strata(found)]


def _unmatched(found: OutcomeComparison) -> list[str]:
    if not found.unmatched:
        return []
    names = [printable("/".join(filter(None, name)), 60) for name in found.unmatched]
    more = f", and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return [f"  not matched, for not every run holds them in the same form: {', '.join(names[:_LISTED])}{more}"]


def _rates(difference: RateDifference) -> list[str]:
    memory, without = _rate(difference.memory), _rate(difference.baseline)
    interval = "no interval, fewer than two tasks"
    if difference.lower is not None and difference.upper is not None:
        interval = (
            f"95 % interval {_points(difference.lower)} to {_points(difference.upper)}, paired bootstrap over tasks, "
            f"{difference.replicates:,} replicates"
        )
    told = "undefined" if difference.difference is None else _points(difference.difference)
    return [
        f"  resolved: {memory} with memory, {without} without",
        f"  difference: {told} percentage points ({interval})",
    ]


def _rate(shares: tuple[Share, ...]) -> str:
    whole = sum(share.whole for share in shares)
    return shared(Share(sum(share.part or 0 for share in shares), whole))


def _points(value: float) -> str:
    return signed(100 * value)


def _strata(found: OutcomeComparison) -> list[str]:
    strata = found.strata
    rows = [row for stratum in strata.groups if stratum.tasks for row in _stratum(stratum, len(found.baseline))]
    head = ["solved without", "tasks", "memory episodes", "received memory", "acted on", "beneficial", "harmful"]
    lines = table(head, rows, frozenset(range(1, len(head))))
    undefined = next((stratum.all.undefined for stratum in strata.groups if stratum.all.undefined), "")
    if undefined:
        lines.append(f"undefined: {printable(undefined, 200)}")
    if strata.without_result:
        lines.append(f"left out of the strata: {counted(strata.without_result, 'memory episode')} without a result")
    if strata.unplaced:
        lines.append(
            f"left out of the strata: {counted(strata.unplaced, 'task')} without a result in a run without memory"
        )
    return lines


def _stratum(stratum: Stratum, runs: int) -> list[list[str]]:
    """Return the resolved and the failed memory episodes of a stratum, which is where gains and losses lie."""
    rows = []
    for word, counts in (("resolved", stratum.resolved), ("failed", stratum.failed)):
        if counts.episodes:
            shares = [shared(counts.share(name), short=True) for name in _WORDS]
            rows.append(
                [f"by {stratum.solved_by} of {runs}", f"{stratum.tasks:,}", f"{counts.episodes:,} {word}", *shares]
            )
    return rows or [[f"by {stratum.solved_by} of {runs}", f"{stratum.tasks:,}", "0", "–", "–", "–", "–"]]
