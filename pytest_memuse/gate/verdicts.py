"""From the procedure's decisions to a verdict, with its reason, for each gated figure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from pytest_memuse.gate.exchange import RESAMPLES, Pair
from pytest_memuse.gate.power import arcs_for, arcs_needed, smallest_detectable
from pytest_memuse.gate.resampling import ALPHA, Bound, Decision, decide, too_few_arcs
from pytest_memuse.gate.sides import FigureSides
from pytest_memuse.gate.tolerance import NO_TOLERANCE, Tolerance
from pytest_memuse.profiles.figures import Worse

ROUGH_BELOW = 15
"""Differing arcs below which a bound is labelled rough, and nothing is called *held* on it.

Measured, not derived: ``docs/statistics.md`` has the coverage with and without the label.
"""


class Verdict(StrEnum):
    """What the gate says of a figure."""

    REGRESSED = "regressed"
    HELD = "held"
    IMPROVED = "improved"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class FigureResult:
    """One gated figure's verdict. Differences are current minus baseline, in the figure's unit.

    ``lower`` and ``upper`` are simultaneous one-sided bounds of the difference, each with the confidence 1 - alpha
    over all gated figures; None where the arcs support none. Where ``lower_excluded`` or ``upper_excluded`` is set,
    the test rejected the bound's own value. ``p`` is adjusted for the number of figures and one-sided in the worse
    direction. ``smallest_detectable`` is the change for the worse that this suite finds with 80 % power, and
    ``arcs_needed`` the arcs that would settle an inconclusive difference with 80 % power; both are approximations and
    None where nothing supports one. ``differing`` counts the arcs that differ between the sides (`Pair.differing`), and
    ``rough`` marks bounds that rest on so few of them that they hold only roughly. The counts are how much was counted,
    among how much, in the words of the figure's specification.
    """

    name: str
    title: str
    unit: str
    worse: Worse
    verdict: Verdict
    reason: str
    baseline: float | None
    current: float | None
    baseline_counts: tuple[int, int]
    current_counts: tuple[int, int]
    arcs: int
    tolerance: float = 0.0
    lower: float | None = None
    upper: float | None = None
    lower_excluded: bool = False
    upper_excluded: bool = False
    p: float | None = None
    smallest_detectable: float | None = None
    arcs_needed: int | None = None
    differing: int = 0
    rough: bool = False

    @property
    def difference(self) -> float | None:
        """Current minus baseline, None where either is undefined."""
        return None if self.baseline is None or self.current is None else self.current - self.baseline


@dataclass(frozen=True, slots=True)
class NotGated:
    """A figure that was asked for and is not gated, with the reason."""

    name: str
    title: str
    reason: str


def verdicts(
    figures: Sequence[FigureSides],
    arcs: int,
    rng: np.random.Generator,
    *,
    tolerances: Mapping[str, Tolerance] | None = None,
    same_recordings: bool = False,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
) -> tuple[tuple[FigureResult, ...], tuple[NotGated, ...]]:
    """Return a result for each gated figure, and those that are not gated, in the given order.

    ``arcs`` counts the matched arcs. ``same_recordings`` says that every matched arc was computed from the same
    recording on both sides.
    """
    gated = [figure for figure in figures if not _why_not(figure)]
    pairs = [(figure, figure.pair) for figure in gated if figure.pair is not None]
    limits = [
        (tolerances or {}).get(figure.spec.name, NO_TOLERANCE).of(figure.baseline.value or 0.0) for figure, _ in pairs
    ]
    decided = decide(
        [pair for _, pair in pairs],
        [figure.spec.worse for figure, _ in pairs],
        rng,
        tolerances=limits,
        alpha=alpha,
        resamples=resamples,
    )
    tested = {
        figure.spec.name: _tested(figure, pair, decision, limit, arcs, same_recordings, alpha)
        for (figure, pair), decision, limit in zip(pairs, decided, limits, strict=True)
    }
    results = [tested.get(figure.spec.name) or _half_defined(figure, arcs) for figure in gated]
    ungated = [NotGated(figure.spec.name, figure.spec.title, why) for figure in figures if (why := _why_not(figure))]
    return tuple(results), tuple(ungated)


def _why_not(figure: FigureSides) -> str:
    """Return why a figure is not gated, an empty text where it is."""
    if figure.spec.worse is Worse.NEITHER:
        return "it gets worse in neither direction"
    if figure.baseline.value is None and figure.current.value is None:
        return f"undefined on both sides: {figure.current.undefined}"
    return ""


def _half_defined(figure: FigureSides, arcs: int) -> FigureResult:
    if figure.current.value is None:
        verdict = Verdict.REGRESSED
        reason = f"defined in the baseline, undefined now: {figure.current.undefined}"
    else:
        verdict = Verdict.INCONCLUSIVE
        reason = f"new: undefined in the baseline ({figure.baseline.undefined}), defined now"
    return FigureResult(
        name=figure.spec.name,
        title=figure.spec.title,
        unit=figure.spec.unit,
        worse=figure.spec.worse,
        verdict=verdict,
        reason=reason,
        baseline=figure.baseline.value,
        current=figure.current.value,
        baseline_counts=figure.baseline.counts,
        current_counts=figure.current.counts,
        arcs=arcs,
    )


def _tested(
    figure: FigureSides, pair: Pair, decision: Decision, limit: float, arcs: int, same_recordings: bool, alpha: float
) -> FigureResult:
    few = too_few_arcs(arcs, alpha)
    verdict, reason = _verdict(figure, pair, decision, limit, arcs, same_recordings, alpha)
    least, most = (Bound(None), Bound(None)) if few else (decision.at_least, decision.at_most)
    low, high = (least, most) if figure.spec.worse is Worse.HIGHER else (_negated(most), _negated(least))
    return FigureResult(
        name=figure.spec.name,
        title=figure.spec.title,
        unit=figure.spec.unit,
        worse=figure.spec.worse,
        verdict=verdict,
        reason=reason,
        baseline=figure.baseline.value,
        current=figure.current.value,
        baseline_counts=figure.baseline.counts,
        current_counts=figure.current.counts,
        arcs=arcs,
        tolerance=limit,
        lower=low.value,
        upper=high.value,
        lower_excluded=low.excluded,
        upper_excluded=high.excluded,
        p=None if few else decision.p_worse,
        smallest_detectable=None if few else smallest_detectable(decision, limit, arcs),
        arcs_needed=arcs_needed(decision, limit, arcs, alpha) if verdict is Verdict.INCONCLUSIVE else None,
        differing=decision.differing,
        rough=decision.differing < ROUGH_BELOW,
    )


def _verdict(
    figure: FigureSides, pair: Pair, decision: Decision, limit: float, arcs: int, same_recordings: bool, alpha: float
) -> tuple[Verdict, str]:
    if too_few_arcs(arcs, alpha):
        return Verdict.INCONCLUSIVE, f"too few arcs: {_count(arcs)}, and at least {arcs_for(alpha)} are needed"
    if same_recordings and decision.differing == 0:
        return Verdict.HELD, "nothing has changed: every arc is the same recording on both sides"
    more = "more than chance explains" if limit == 0 else "more than the tolerance, chance allowed for"
    most = decision.at_most.value
    if decision.regressed:
        if figure.baseline.only_a_bound:
            return Verdict.INCONCLUSIVE, "worse, but redacted text makes the baseline's figure a mere bound"
        return Verdict.REGRESSED, f"worse by {more}"
    within = limit > 0 and most is not None and most <= limit
    held = within and decision.differing >= ROUGH_BELOW
    if (decision.improved or held) and figure.current.only_a_bound:
        return Verdict.INCONCLUSIVE, "redacted text makes the figure a mere bound, and it may be worse than that"
    if decision.improved:
        return Verdict.IMPROVED, f"better by {more}"
    if held:
        return Verdict.HELD, "no worse than the tolerance"
    return Verdict.INCONCLUSIVE, _why_open(pair, decision, limit, arcs, alpha, within)


def _why_open(pair: Pair, decision: Decision, limit: float, arcs: int, alpha: float, within: bool) -> str:
    if not pair.baseline_numerator.any() and not pair.current_numerator.any():
        return "no event on either side"
    if decision.differing == 0:
        return "no arc differs, so nothing tells chance from change"
    if too_few_arcs(decision.differing, alpha):
        return f"only {decision.differing} of {arcs} arcs differ, and at least {arcs_for(alpha)} are needed"
    if within:
        return f"within the tolerance by a rough bound only: {decision.differing} arcs differ, fewer than {ROUGH_BELOW}"
    if decision.worse > limit:
        return "worse, but within what chance explains"
    if decision.worse < -limit:
        return "better, but within what chance explains"
    return "no difference that the arcs can tell from chance"


def _negated(bound: Bound) -> Bound:
    return Bound(None if bound.value is None else -bound.value, bound.excluded)


def _count(arcs: int) -> str:
    return "1 arc" if arcs == 1 else f"{arcs} arcs"
