"""Putting a suite's run in the place of the stored one, with a record of what it replaced and why."""

from collections.abc import Sequence
from dataclasses import replace

from pytest_memuse.gate.baseline import Baseline, Promotion, SuiteBaseline, run_digest

KEPT = 50
"""Promotions of a suite that are kept, the newest; of the older ones only the number stays."""

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


def attempts_behind(stored: SuiteBaseline) -> int:
    """Return after how many recordings of the suite its run became the baseline."""
    # What only added tasks says nothing of how the others came to be there.
    replacing = [promotion.attempts for promotion in stored.promotions if not promotion.added]
    return replacing[-1] if replacing else stored.attempts


def _attempts(old: SuiteBaseline | None, new: SuiteBaseline) -> int:
    """Return how often recordings were made since the old run; recordings begun afresh count from one again."""
    if old is None or new.attempts < old.attempts:
        return new.attempts
    return new.attempts - old.attempts
