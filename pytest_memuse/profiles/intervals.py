"""95 % intervals of figures over arcs, for reading; the gate has a procedure of its own.

A share gets the exact binomial (Clopper-Pearson) interval at its effective sample size (Korn and Graubard 1998): the
variance of the ratio is taken over arcs, what it says of the units' independence shrinks their number, and Student's
quantile for the arcs replaces that for the units. No event among few entries thus still has an upper bound above 0. A
count of entries and any other amount get the linearised ratio variance over arcs with Student's quantile, cut at 0; a
count that found nothing gets the Poisson bound for no events, widened in the same way. All need two arcs with something
in the denominator.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from pytest_memuse.profiles.figures import Contribution, Kind

LEVEL = 0.95
_TAIL = (1 - LEVEL) / 2


def interval(clusters: Sequence[Contribution], kind: Kind, scale: float) -> tuple[float, float] | None:
    """Return the lower and upper bound of ``scale * sum(num) / sum(den)``, None for fewer than two clusters.

    ``clusters`` holds the summed contributions of each arc; arcs that contribute nothing to the denominator say
    nothing of a ratio and are passed over.
    """
    pairs = [pair for pair in clusters if pair[1] > 0]
    count = len(pairs)
    if count < 2:
        return None
    total = sum(den for _, den in pairs)
    ratio = sum(num for num, _ in pairs) / total
    residual = sum((num - ratio * den) ** 2 for num, den in pairs)
    variance = count / (count - 1) * residual / total**2
    student = student_quantile(1 - _TAIL, count - 1)
    if kind is Kind.SHARE:
        lower, upper = _share_interval(min(max(ratio, 0.0), 1.0), variance, total, student)
    elif ratio == 0 and kind is Kind.COUNT:
        widening = (student / NormalDist().inv_cdf(1 - _TAIL)) ** 2
        lower, upper = 0.0, -math.log(_TAIL) * widening / total
    else:
        half = student * math.sqrt(variance)
        lower, upper = max(0.0, ratio - half), ratio + half
    return scale * lower, scale * upper


def _share_interval(share: float, variance: float, units: float, student: float) -> tuple[float, float]:
    effective = units
    if 0 < share < 1 and variance > 0:
        effective = min(units, share * (1 - share) / variance)
    effective *= min(1.0, (student_quantile(1 - _TAIL, max(units - 1, 1)) / student) ** 2)
    events = share * effective
    lower = 0.0 if events <= 0 else beta_quantile(_TAIL, events, effective - events + 1)
    upper = 1.0 if events >= effective else beta_quantile(1 - _TAIL, events + 1, effective - events)
    return lower, upper


def student_quantile(probability: float, freedom: float) -> float:
    """Return a quantile of Student's distribution."""
    # Imported here because only a reader of an interval needs it, and it takes a while.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return a quantile of the beta distribution."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))
