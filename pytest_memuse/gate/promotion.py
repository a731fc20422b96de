"""Putting a suite's run in the place of the stored one, with a record of what it replaced and why."""

from collections.abc import Sequence
from dataclasses import replace

from pytest_memuse.gate.baseline import Baseline, Promotion, SuiteBaseline, run_digest
from pytest_memuse.gate.suite_diff import delivery_only
from pytest_memuse.profiles.rows import EpisodeRow, RowOutcome

KEPT = 50
"""Promotions of a suite that are kept, the newest; of the older ones only the number stays."""

REJUDGED = "--memuse-rejudge"
"""How a run came to be stored of which only the judgments are new."""

MANY_ATTEMPTS = 3
"""From so many attempts on, a reader is told that the figures were picked."""


def promote(
    stored: Baseline,
    suite: SuiteBaseline,
    *,
    how: str,
    reason: str = "",
    regressed: Sequence[str] = (),
    not_compared: str = "",
    added: int = 0,
    product: str,
) -> Baseline:
    """Return the baseline with a suite put in, every other suite as it was.

    The suite keeps the promotions of the one that it replaces and gets one more, of the date that it was created.
    ``regressed``, ``not_compared`` and ``added`` say how it compares with the one that it replaces (`Promotion`).
    """
    old = stored.suites.get(suite.run.suite)
    promotion = Promotion(
        created=suite.created,
        how=how,
        reason=reason,
        replaced="" if old is None else run_digest(old.run),
        attempts=_attempts(old, suite),
        regressed=tuple(regressed),
        not_compared=not_compared,
        added=added,
    )
    history = (*(old.promotions if old is not None else ()), promotion)
    forgotten = (old.forgotten if old is not None else 0) + max(0, len(history) - KEPT)
    return stored.with_suite(replace(suite, promotions=history[-KEPT:], forgotten=forgotten), product)


def judged_again(before: SuiteBaseline, after: SuiteBaseline) -> bool:
    """Return whether a stored suite is another one with the judgments of another judge, and nothing else changed."""
    then, now = before.identity, after.identity
    return (
        bool(then.judge.differences(now.judge))
        and replace(then, judge=now.judge) == now
        and dict(before.recordings) == dict(after.recordings)
        and _delivered(before) == _delivered(after)
    )


def _delivered(suite: SuiteBaseline) -> tuple[EpisodeRow, ...]:
    """Return the rows with everything taken out that a judge said, why it said nothing included."""
    return tuple(
        replace(
            episode,
            spans=tuple(replace(s, problems=()) if s.outcome is RowOutcome.UNJUDGED else s for s in episode.spans),
        )
        for episode in delivery_only(suite.run).episodes
    )


def attempts_behind(stored: SuiteBaseline) -> int:
    """Return after how many recordings of the suite its run became the baseline."""
    # What only added tasks says nothing of how the others came to be there, and what only judged them again neither.
    replacing = [
        promotion.attempts
        for promotion in stored.promotions
        if not promotion.added and not promotion.how.startswith(REJUDGED)
    ]
    return replacing[-1] if replacing else stored.attempts


def _attempts(old: SuiteBaseline | None, new: SuiteBaseline) -> int:
    """Return how often recordings were made since the old run; recordings begun afresh count from one again."""
    if old is None or new.attempts < old.attempts:
        return new.attempts
    return new.attempts - old.attempts
