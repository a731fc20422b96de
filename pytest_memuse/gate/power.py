"""What a suite of this size can see: smallest detectable change, and arcs needed. Approximations, for planning."""

import math

from pytest_memuse.gate.resampling import ALPHA, Decision, too_few_arcs

POWER = 0.8
"""The power at which both are stated."""

_POWER_QUANTILE = 0.8416212335729143
_MOST = 10**9


def arcs_for(alpha: float = ALPHA) -> int:
    """Return the fewest arcs on which anything can be rejected at ``alpha``."""
    return next(arcs for arcs in range(1, 1_100) if not too_few_arcs(arcs, alpha))


def smallest_detectable(decision: Decision, limit: float, arcs: int) -> float | None:
    """Return the change for the worse that is called regressed with 80 % power; None without spread between arcs."""
    quantile = _quantile(decision, arcs)
    if quantile is None or decision.standard_error == 0.0:
        return None
    return limit + (quantile + _POWER_QUANTILE) * decision.standard_error


def arcs_needed(decision: Decision, limit: float, arcs: int, alpha: float = ALPHA) -> int | None:
    """Return the arcs on which the observed difference, were it the true one, would get a verdict with 80 % power.

    The spread between arcs is taken to stay as it is. A difference within the tolerance needs the arcs that show it to
    be so. None where nothing supports a number.
    """
    quantile = _quantile(decision, arcs)
    outside = abs(decision.worse) - limit
    gap = outside if outside > 0 else limit - decision.worse
    if decision.differing == 0 or decision.standard_error == 0.0 or quantile is None or gap <= 0:
        return arcs_for(alpha) if too_few_arcs(arcs, alpha) else None
    needed = arcs * ((quantile + _POWER_QUANTILE) * decision.standard_error / gap) ** 2
    return math.ceil(needed) if needed < _MOST else None


def _quantile(decision: Decision, arcs: int) -> float | None:
    """Return the critical value in standard errors about the mean; the procedure's own is in those about zero."""
    room = arcs - decision.critical**2
    return decision.critical * math.sqrt((arcs - 1) / room) if room > 1e-9 * arcs else None
