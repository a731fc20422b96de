"""A judge's own noise: what repeated judging of the same spans makes of a figure, apart from what arcs do to it.

The model is the one-way random effects model: the value of an arc is the mean, what the arc adds, and what the judge
adds in this repeat. Its two variances are estimated from mean squares (the analysis of variance estimator, with the
usual correction for arcs that were judged a different number of times). It is unbiased, and may come out negative for
arcs; it is told as it is, and never as zero.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.model import MemuseError

ESTIMATOR = "one-way random effects over arcs, analysis of variance estimator"


@dataclass(frozen=True, slots=True)
class VarianceSplit:
    """What the variance of a figure from one judging is made of.

    ``judge`` and ``agent`` are the variances of one arc's value between repeats and between arcs; ``agent`` may be
    negative, which says that arcs differ by less than the judge's noise would make them differ. ``arcs`` were judged
    ``repeats`` times on average. ``value`` is the figure over all repeats.
    """

    value: float
    arcs: int
    repeats: float
    judge: float
    agent: float

    @property
    def variance(self) -> float:
        """The variance of the figure as one judging gives it: both parts, by the number of arcs."""
        return (self.judge + self.agent) / self.arcs

    @property
    def judge_deviation(self) -> float:
        """The figure's standard deviation over judgings of the same spans."""
        return math.sqrt(self.judge / self.arcs)

    @property
    def judge_share(self) -> float | None:
        """The judge's share of the variance; 1 where the agent's estimate is negative, None where nothing varies."""
        total = self.judge + max(self.agent, 0.0)
        return self.judge / total if total > 0 else None


def one_way(groups: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the variances within groups and between them. The second may be negative.

    Raises `MemuseError` for fewer than two groups, an empty one, or no group with two values.
    """
    sizes = [len(group) for group in groups]
    if len(groups) < 2 or min(sizes) < 1 or max(sizes) < 2:
        raise MemuseError(
            "the judge's noise cannot be told from the arcs': it takes two arcs, and two judgments of one of them",
            reason="noise",
            mend="judge the same spans at least twice",
        )
    total = sum(sizes)
    means = [math.fsum(group) / len(group) for group in groups]
    grand = math.fsum(size * mean for size, mean in zip(sizes, means, strict=True)) / total
    within = math.fsum((value - mean) ** 2 for group, mean in zip(groups, means, strict=True) for value in group)
    between = math.fsum(size * (mean - grand) ** 2 for size, mean in zip(sizes, means, strict=True))
    per_group = (total - sum(size**2 for size in sizes) / total) / (len(groups) - 1)
    error = within / (total - len(groups))
    return error, (between / (len(groups) - 1) - error) / per_group


def split_variance(repeats: Sequence[Mapping[str, tuple[float, float]]], scale: float = 1.0) -> VarianceSplit:
    """Split the variance of a figure, a ratio of sums over arcs, from repeated judgings of the same spans.

    Each repeat gives every arc's numerator and denominator. The ratio is linearised about its value over all repeats;
    an arc's value is its residual by the mean denominator, so that the mean of the values moves as the figure does.
    Raises `MemuseError` for repeats of other arcs, an empty denominator, and what `one_way` refuses.
    """
    arcs = list(repeats[0]) if repeats else []
    if any(set(repeat) != set(arcs) for repeat in repeats):
        raise MemuseError("the judgments are of different arcs", reason="noise", mend="judge the same spans each time")
    below = math.fsum(repeat[arc][1] for repeat in repeats for arc in arcs)
    if not below:
        raise MemuseError("the figure's denominator is empty in every judgment", reason="noise")
    value = math.fsum(repeat[arc][0] for repeat in repeats for arc in arcs) / below
    mean = below / (len(repeats) * len(arcs))
    groups = [[scale * (above - value * under) / mean for above, under in (r[arc] for r in repeats)] for arc in arcs]
    judge, agent = one_way(groups)
    return VarianceSplit(scale * value, len(arcs), float(len(repeats)), judge, agent)
