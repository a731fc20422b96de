"""By how much each task moved a figure, and how much of such movement is large for the figure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from pytest_memuse.gate.matching import TaskKey
from pytest_memuse.gate.sides import FigureSides
from pytest_memuse.profiles.figures import Contribution, FigureSpec, Worse
from pytest_memuse.profiles.rows import EpisodeRow

Episodes = Mapping[TaskKey, Sequence[EpisodeRow]]
_Sums = Mapping[TaskKey, Contribution]


@dataclass(frozen=True, slots=True)
class Movement:
    """How a figure moved. ``by_task`` says by how much each task moved it, positive for the worse.

    The tasks' shares add up to the figure's difference. Of a figure that is undefined now, a task's share is that of
    the baseline's denominator which it held; of one that is new there is none.

    ``unit`` is what such a movement is measured by, so that movements of different figures can be added: the largest
    of three standard errors over arcs, each linearised, of the figure then, of the figure now, and of the difference
    where there is none in truth (the root of the summed squares of what each arc moved). So a figure of which all arcs
    moved a little does not weigh as much as one that moved far, and a figure that stood still then, as harm at zero, is
    measured by how it moved. With one arc the last alone is left: the difference. Zero where nothing moved.
    """

    by_task: Mapping[TaskKey, float]
    unit: float


def movement(sides: FigureSides, before: Episodes, now: Episodes) -> Movement:
    """Return how a figure moved between the two runs, both holding the same tasks."""
    then_sums, now_sums = _sums(sides.spec, before), _sums(sides.spec, now)
    by_task = _by_task(sides, then_sums, now_sums)
    arcs: dict[str, float] = {}
    for key, amount in by_task.items():
        arcs[key.arc] = arcs.get(key.arc, 0.0) + amount
    unit = sqrt(sum(amount**2 for amount in arcs.values()))
    if sides.pair is not None:
        unit = max(unit, _spread(sides.spec, then_sums), _spread(sides.spec, now_sums))
    return Movement(by_task, unit)


def _by_task(sides: FigureSides, then_sums: _Sums, now_sums: _Sums) -> dict[TaskKey, float]:
    spec = sides.spec
    then_total, now_total = _denominator(then_sums.values()), _denominator(now_sums.values())
    if sides.current.value is None or sides.baseline.value is None:
        return {key: denominator / then_total for key, (_, denominator) in then_sums.items()} if then_total else {}
    ratio = sides.baseline.value / spec.scale
    sign = 1.0 if spec.worse is Worse.HIGHER else -1.0
    out = {}
    for key, (numerator, denominator) in then_sums.items():
        numerator_now, denominator_now = now_sums[key]
        moved = (numerator_now - ratio * denominator_now) / now_total - (numerator - ratio * denominator) / then_total
        out[key] = sign * spec.scale * moved
    return out


def _spread(spec: FigureSpec, sums: _Sums) -> float:
    """Return the standard error of one run's figure: the spread over arcs around the ratio itself."""
    arcs: dict[str, Contribution] = {}
    for key, (numerator, denominator) in sums.items():
        summed = arcs.get(key.arc, (0.0, 0.0))
        arcs[key.arc] = summed[0] + numerator, summed[1] + denominator
    total = _denominator(arcs.values())
    if not total:
        return 0.0
    ratio = sum(numerator for numerator, _ in arcs.values()) / total
    return spec.scale * sqrt(sum((n - ratio * d) ** 2 for n, d in arcs.values())) / total


def _denominator(sums: Iterable[Contribution]) -> float:
    return sum(denominator for _, denominator in sums)


def _sums(spec: FigureSpec, episodes: Episodes) -> dict[TaskKey, Contribution]:
    out = {}
    for key, of in episodes.items():
        parts = [spec.contribution(episode) for episode in of]
        out[key] = parts[0] if len(parts) == 1 else (sum(part[0] for part in parts), sum(part[1] for part in parts))
    return out
