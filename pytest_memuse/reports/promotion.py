"""How a stored suite came to be the baseline, where a reader of the gate should know it."""

from pytest_memuse.gate.baseline import SuiteBaseline
from pytest_memuse.gate.promotion import MANY_ATTEMPTS, attempts_behind
from pytest_memuse.model.errors import printable


def promotion_lines(stored: SuiteBaseline, against: str, verbosity: int = 0) -> list[str]:
    """Return a warning where the baseline was reached after many recordings; when and why it was stored from 1 on."""
    lines, name = [], printable(against)
    attempts = attempts_behind(stored)
    if attempts >= MANY_ATTEMPTS:
        lines.append(
            f"warning: {name} was stored after {attempts} recordings of suite {printable(stored.run.suite)}: figures "
            "picked by trying are optimistic, and an honest run may look worse beside them"
        )
    if verbosity >= 1 and stored.promotions:
        newest = stored.promotions[-1]
        reason = f", because “{printable(newest.reason, 200)}”" if newest.reason else ""
        worse = f"; worse than before: {printable(', '.join(newest.regressed), 300)}" if newest.regressed else ""
        lines.append(f"{name} was stored on {printable(newest.created)} with {printable(newest.how)}{reason}{worse}")
    return lines
