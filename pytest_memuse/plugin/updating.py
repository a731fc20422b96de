"""Storing a session's suites as a baseline, where the session is one that may be stored."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_memuse import __version__
from pytest_memuse.gate.baseline import Baseline, SuiteBaseline, check_judge
from pytest_memuse.gate.extension import extend
from pytest_memuse.gate.promotion import MANY_ATTEMPTS, REJUDGED, promote
from pytest_memuse.gate.store import baseline_path, read_baseline, write_baseline
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.plugin.comparing import compared_with
from pytest_memuse.plugin.gate_reports import plain_report
from pytest_memuse.plugin.judging_options import Rejudging
from pytest_memuse.plugin.options import Settings
from pytest_memuse.plugin.pairs import identity_of
from pytest_memuse.plugin.state import SessionState, SuiteResult
from pytest_memuse.reports.numbers import counted

_LISTED = 5


def update(session: pytest.Session, state: SessionState, whole_reason: str) -> tuple[str, bool]:
    """Store the session's suites as the baseline, its other suites kept; return what to tell, and whether it was."""
    name, force = state.settings.update, state.settings.force
    reason = whole_reason or "; ".join(f"{suite}: {why}" for suite, why in state.partial.items())
    if not reason and session.testsfailed:
        reason = "the run failed"
    if not state.results:
        why = f": {reason}" if reason else ""
        return f"baseline {name}: not updated (no suite was evaluated{why})", False
    if reason and not force:
        return f"baseline {name}: not updated ({reason}); --memuse-force updates it all the same", False
    try:
        path = baseline_path(state.settings.baselines, name)
        before = read_baseline(state.settings.baselines, name) if path.exists() else Baseline(__version__)
        after, told = before, list[str]()
        for result in state.results.values():
            suite = suite_baseline(result)
            put = _put(state.settings)
            after, lines = put(after, suite, state.settings, forced=bool(reason))
            told += lines
        told += _left_alone(before, state)
        if after == before:
            return "\n".join([f"baseline {name}: left as it is", *told]), True
        path = write_baseline(state.settings.baselines, name, after)
    except MemuseError as error:
        return f"baseline {name}: not updated ({error})", False
    changed = [suite for suite, one in after.suites.items() if before.suites.get(suite) != one]
    return "\n".join([f"baseline {name}: stored {', '.join(changed)} in {short_path(path, session)}", *told]), True


def refused_update(name: str, told: str) -> pytest.TestReport:
    """Return the failing report of an update that was asked for and did not happen."""
    return plain_report(f"memuse::update[{name}]", ("memuse", None, f"update[{name}]"), told)


def short_path(path: Path, session: pytest.Session) -> str:
    """Return a path as it is told: from the root folder where it is inside."""
    root = session.config.rootpath
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def suite_baseline(result: SuiteResult) -> SuiteBaseline:
    """Return a suite's result as a baseline holds it, made today."""
    return SuiteBaseline(
        run=result.rows(),
        identity=identity_of(result.identity),
        recordings=result.identity["recordings"],
        created=datetime.now(UTC).date().isoformat(),
        attempts=int(result.identity.get("attempts", 0)),
        rulings=dict(result.rulings),
    )


def _put(settings: Settings) -> "Callable[..., tuple[Baseline, list[str]]]":
    """Return what puts a suite's run into a baseline."""
    if settings.judging.rejudging is Rejudging.BASELINE:
        return _rejudged
    return _extended if settings.new_only else _promoted


def _rejudged(
    stored: Baseline, suite: SuiteBaseline, settings: Settings, *, forced: bool
) -> tuple[Baseline, list[str]]:
    """Put the judgments of now in the place of the stored ones; everything else stays as it was stored."""
    name, old = printable(suite.run.suite), stored.suite(suite.run.suite, settings.update)
    judge = suite.identity.judge
    new = replace(old, run=suite.run, identity=replace(old.identity, judge=judge), created=suite.created, rulings={})
    if (new.run, new.identity) == (old.run, old.identity):
        return stored, [f"  {name} is what was stored"]
    regressed, not_compared = _worse(old, new, settings)
    changed = "; ".join(old.identity.judge.differences(judge)) or "the same judge"
    reason = f"judged by {old.identity.judge.name} before, by {judge.name} now ({changed})"
    after = promote(
        stored,
        new,
        how=_how(REJUDGED, forced),
        reason=f"{settings.reason}; {reason}" if settings.reason else reason,
        regressed=regressed,
        not_compared=not_compared,
        product=__version__,
    )
    return after, [f"  {name}: {printable(reason, 300)}; recordings and everything else as they were"]


def _left_alone(stored: Baseline, state: SessionState) -> list[str]:
    """Return a line for the suites that a session does not judge again and that another judge has judged."""
    if state.settings.judging.rejudging is not Rejudging.BASELINE:
        return []
    left = ", ".join(printable(name) for name in stored.suites if name not in state.results)
    return [f"  not part of this run and left as they were: {left}"] if left else []


def _promoted(
    stored: Baseline, suite: SuiteBaseline, settings: Settings, *, forced: bool
) -> tuple[Baseline, list[str]]:
    """Put a suite in the place of the stored one; where it is the same one, nothing is promoted."""
    name = printable(suite.run.suite)
    old = stored.suites.get(suite.run.suite)
    if old is not None and (old.run, old.identity, old.recordings) == (suite.run, suite.identity, suite.recordings):
        return stored, [f"  {name} is what was stored"]
    regressed, not_compared = _worse(old, suite, settings)
    after = promote(
        stored,
        suite,
        how=_how("--memuse-update", forced),
        reason=settings.reason,
        regressed=regressed,
        not_compared=not_compared,
        product=__version__,
    )
    return after, list(_told(after.suites[suite.run.suite]))


def _told(suite: SuiteBaseline) -> Iterator[str]:
    promotion, name = suite.promotions[-1], printable(suite.run.suite)
    if promotion.regressed:
        yield f"  {name} replaces better figures: {', '.join(promotion.regressed)}"
    elif promotion.not_compared:
        yield f"  {name} was not compared with what it replaces: {promotion.not_compared}"
    if promotion.attempts >= MANY_ATTEMPTS:
        yield (
            f"  {name} was recorded {promotion.attempts} times before this: figures picked by trying are optimistic, "
            "and the gate will say so"
        )
    if promotion.regressed and not promotion.reason:
        yield "  say why with `--memuse-reason=TEXT`, which is kept in the baseline"


def _extended(
    stored: Baseline, suite: SuiteBaseline, settings: Settings, *, forced: bool
) -> tuple[Baseline, list[str]]:
    """Add what the stored suite does not hold. Raises `MemuseError` where the rows would not go together."""
    how, reason, name = _how("--memuse-update-new-only", forced), settings.reason, printable(suite.run.suite)
    old = stored.suites.get(suite.run.suite)
    if old is None:
        return promote(stored, suite, how=how, reason=reason, product=__version__), [f"  {name} is new"]
    check_judge(old, suite.identity.judge, settings.update)
    found = extend(old, suite)
    told = []
    for keys, why in (
        (found.waiting, "left out, since stored tasks of their arcs read differently now"),
        (found.changed, "left as stored, though they are other tasks now"),
    ):
        if keys:
            listed = ", ".join(printable(str(key), 60) for key in keys[:_LISTED])
            more = f" and {len(keys) - _LISTED} more" if len(keys) > _LISTED else ""
            told.append(f"  {name}: {counted(len(keys), 'task')} {why}: {listed}{more}")
    if not found.added:
        return stored, [f"  {name} holds nothing new that can be added", *told]
    differences = old.identity.differences(suite.identity)
    if differences and not settings.force:
        raise MemuseError(
            f"suite {name}: its stored tasks were made by something else ({printable('; '.join(differences), 300)}), "
            "and tasks that only the new one has done would show no change for ever",
            reason="another-identity",
            mend="add the tasks before the change, store the whole suite with --memuse-update, or add --memuse-force",
        )
    added = len(found.added)
    after = promote(stored, found.suite, how=how, reason=reason, added=added, product=__version__)
    return after, [f"  {name}: {counted(added, 'task')} added, the others as they were", *told]


def _worse(old: SuiteBaseline | None, new: SuiteBaseline, settings: Settings) -> tuple[tuple[str, ...], str]:
    """Return the gated figures that are worse than those of the replaced run, and why that is not known."""
    from pytest_memuse.gate.comparison import Refusal

    if old is None:
        return (), ""
    try:
        compared = compared_with(old, settings.update, new.run, new.identity.judge, new.recordings, settings)
    except MemuseError as error:
        return (), printable(str(error).partition("\n")[0], 300)
    if isinstance(compared, Refusal):
        return (), compared.message
    return tuple(figure.name for figure in compared.regressed), ""


def _how(flag: str, forced: bool) -> str:
    return f"{flag} --memuse-force" if forced else flag
