"""95 % intervals of figures over arcs, for reading; the gate has a procedure of its own.

A share gets the exact binomial (Clopper-Pearson) interval at its effective sample size (Korn and Graubard 1998): the
variance of the ratio is taken over arcs, what it says of the units' independence shrinks their number, and Student's
quantile for the arcs replaces that for the units. A count of entries gets the exact Poisson (Garwood) interval at the
exposure that is found in the same way. Neither is empty for nothing counted. Any other amount gets the linearised ratio
variance over arcs with Student's quantile, on the logarithm's scale. All need two arcs with a denominator.

How alike the units of an arc are cannot be read off a few arcs with an event, and not at all where there is no event:
the variance is then small by chance, and the interval too narrow just where a rare harm comes in clusters. Therefore a
correlation of `ASSUMED` within arcs is taken for granted, the less the more arcs have an event. docs/assertions.md has
the coverage with the command that measures it.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from pytest_memuse.profiles.figures import Contribution, Kind

LEVEL = 0.95
ASSUMED = 0.1
"""Correlation of the units of an arc that is assumed where too few arcs have an event to tell it."""
_STRENGTH = (1 - ASSUMED) / ASSUMED
"""Of that correlation, the sum of the parameters of the beta distribution of the arcs' rates. Of ``n`` units of one arc
about as much is to be learnt, if none has an event, as of ``1 + _STRENGTH * log(1 + (n - 1) / _STRENGTH)`` others."""
_LEAST = 0.25
"""The least that the variance over arcs is taken for, of that of independent units: equal arcs are a chance, too."""
TELLING = 10
"""Arcs with an event from which on the variance over arcs may be below that of independent units."""
FEWEST = 12
"""Arcs below which the interval of an amount is rough in any case."""
UNEVEN = 120
"""Arcs that the interval of an amount takes for each unit of the arcs' squared relative spread."""
_HALF = 8
"""Arcs with an event at which the assumed correlation begins to fade."""
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
    if kind is Kind.AMOUNT:
        return _positive(scale * ratio, student * scale * math.sqrt(variance))
    if kind is Kind.SHARE:
        share = min(max(ratio, 0.0), 1.0)
        effect = max(1.0, _design_effect(pairs, kind, variance, share * (1 - share) / total))
        widening = (student / student_quantile(1 - _TAIL, max(total - 1, 1))) ** 2
        lower, upper = _binomial(share, total / effect / max(1.0, widening))
    else:
        effect = _design_effect(pairs, kind, variance, ratio / total)
        widening = (student / NormalDist().inv_cdf(1 - _TAIL)) ** 2
        lower, upper = _poisson(ratio, total / effect / widening)
    return scale * lower, scale * upper


def is_rough(clusters: Sequence[Contribution], kind: Kind) -> bool:
    """Return whether the interval of these clusters holds less often than it says: in less than 93 % of runs.

    That is so of an amount over few uneven arcs, of which others may be far above these, and of a rate with few events.
    """
    told = [pair for pair in clusters if pair[1] > 0]
    if kind is Kind.AMOUNT:
        return len(told) < max(FEWEST, UNEVEN * _unevenness(told))
    return kind is Kind.RATE and sum(num > 0 for num, _ in told) < TELLING


def _design_effect(pairs: Sequence[Contribution], kind: Kind, variance: float, independent: float) -> float:
    """Return by how much the variance over arcs exceeds that of independent units, as far as the arcs can tell it."""
    events = sum(num > 0 for num, _ in pairs)
    if kind is Kind.SHARE:
        # What is rare is what tells little, be it that an entry counts or that it does not.
        events = min(events, sum(num < den for num, den in pairs))
    found = variance / independent if independent > 0 else 1.0
    size = sum(den * den for _, den in pairs) / sum(den for _, den in pairs)
    # Of an amount without units, nothing says how many would be alike.
    size = 1.0 if kind is Kind.RATE else max(size, 1.0)
    alike = size / (1 + _STRENGTH * math.log1p((size - 1) / _STRENGTH)) - 1
    return max(found, 1.0 if events < TELLING else _LEAST) + alike * min(1.0, _HALF / (events + 1))


def _unevenness(pairs: Sequence[Contribution]) -> float:
    """Return the squared spread of what the arcs add, beyond what their denominators explain, relative to its mean."""
    total = sum(num for num, _ in pairs)
    ratio = total / sum(den for _, den in pairs)
    return len(pairs) * sum((num - ratio * den) ** 2 for num, den in pairs) / total**2 if total else 0.0


def _positive(amount: float, half: float) -> tuple[float, float]:
    """Return an interval on the logarithm's scale: amounts are above 0, and far more often far above than far below."""
    if amount <= 0:
        return max(0.0, amount - half), amount + half
    factor = math.exp(min(half / amount, 50.0))
    return amount / factor, amount * factor


def _binomial(share: float, units: float) -> tuple[float, float]:
    events = share * units
    lower = 0.0 if events <= 0 else beta_quantile(_TAIL, events, units - events + 1)
    upper = 1.0 if events >= units else beta_quantile(1 - _TAIL, events + 1, units - events)
    return lower, upper


def _poisson(rate: float, exposure: float) -> tuple[float, float]:
    events = rate * exposure
    lower = 0.0 if events <= 0 else gamma_quantile(_TAIL, events) / exposure
    return lower, gamma_quantile(1 - _TAIL, events + 1) / exposure


def student_quantile(probability: float, freedom: float) -> float:
    """Return a quantile of Student's distribution."""
    # Imported here because only a reader of an interval needs it, and it takes a while.
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return a quantile of the beta distribution."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, probability))


def gamma_quantile(probability: float, shape: float) -> float:
    """Return a quantile of the gamma distribution of scale 1."""
    from scipy.special import gammaincinv

    return float(gammaincinv(shape, probability))
