"""What memory's success costs: CAMU and the break-even task value (MERIT 3.5, 5.6)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.arcs.figure import ArcKey, MeritFigure, MeritSpec, arc_of, by_arc, difference, undefined
from pytest_memuse.arcs.metrics import contrast, tokens_of
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import Kind
from pytest_memuse.profiles.figure import Counts
from pytest_memuse.profiles.figures import Contribution


class Trade(StrEnum):
    """What a memory gives for what it costs, each against no memory. Only a *price* is a ratio worth quoting."""

    PRICE = "success at a price"
    FREE_GAIN = "free gain"
    NO_GAIN = "cost without gain"
    LOSS = "cost and loss"
    SAVING = "saving without loss"
    SAVING_AT_A_LOSS = "saving at a loss"
    NOTHING = "no difference"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Utility:
    """The marginal utility of a memory against none, on the same arcs.

    ``gain`` is the difference of dependent task success, ``extra`` that of the cost per episode, over every kind of
    episode. ``camu`` is their ratio: success per marginal unit of cost, where 1 is a task solved for certain;
    ``break_even`` is its inverse, the value that a solved task must have for memory to pay.
    """

    gain: MeritFigure
    extra: MeritFigure
    camu: MeritFigure
    break_even: MeritFigure
    trade: Trade


@dataclass(frozen=True, slots=True)
class Unit:
    """What cost is counted in, one of it, and what an episode cost in it (None where that is not known)."""

    name: str
    one: str
    of: Callable[[ScoredEpisode], float | None]


def _thousands(episode: ScoredEpisode) -> float | None:
    tokens = tokens_of(episode)
    return None if tokens is None else tokens / 1000


DOLLARS = Unit("dollars", "dollar", lambda episode: episode.cost)
TOKENS = Unit("thousand tokens", "thousand tokens", _thousands)


def utility(floor: Sequence[ScoredEpisode], memory: Sequence[ScoredEpisode], unit: Unit = DOLLARS) -> Utility:
    """Return what ``memory`` gives and costs against ``floor``, the episodes without memory, on the arcs of both.

    Cost that any episode does not tell is unknown, and CAMU with it.
    """
    shared = {arc_of(episode) for episode in floor} & {arc_of(episode) for episode in memory}
    floor = [episode for episode in floor if arc_of(episode) in shared]
    memory = [episode for episode in memory if arc_of(episode) in shared]
    gain = contrast(
        MeritSpec("gain", "gain over no memory", "difference of dependent task success"),
        [episode for episode in floor if episode.kind is Kind.PROBE],
        [episode for episode in memory if episode.kind is Kind.PROBE],
        said=("solved with memory and failed without", "no memory"),
    )
    extra = _extra(floor, memory, unit)
    trade = _trade(gain, extra)
    camu, break_even = _ratios(gain, extra, trade, unit)
    return Utility(gain, extra, camu, break_even, trade)


def _extra(floor: Sequence[ScoredEpisode], memory: Sequence[ScoredEpisode], unit: Unit) -> MeritFigure:
    spec = MeritSpec("extra_cost", "cost above no memory", f"{unit.name} per episode")
    both = [*floor, *memory]
    unknown = sum(unit.of(episode) is None for episode in both)
    counts = Counts(len(both) - unknown, f"episodes with known {unit.name}", len(both), "episodes of both sides")
    if unknown:
        return undefined(spec, f"{unknown} of {len(both)} episodes do not tell their {unit.name}", counts)

    def amounts(side: Sequence[ScoredEpisode]) -> dict[ArcKey, Contribution]:
        keys = dict.fromkeys(arc_of(episode) for episode in side)
        return dict(zip(keys, by_arc(side, lambda episode: (unit.of(episode) or 0.0, 1.0)), strict=True))

    without, with_it = amounts(floor), amounts(memory)
    sides = [(part, with_it[key]) for key, part in without.items()]
    return difference(spec, sides, counts, empty="no arc was run with memory and without", bounded=False)


def _trade(gain: MeritFigure, extra: MeritFigure) -> Trade:
    if not gain.defined or not extra.defined:
        return Trade.UNKNOWN
    success, cost = float(gain), float(extra)
    if success > 0:
        return Trade.PRICE if cost > 0 else Trade.FREE_GAIN
    if success < 0:
        return Trade.SAVING_AT_A_LOSS if cost < 0 else Trade.LOSS
    if cost == 0:
        return Trade.NOTHING
    return Trade.NO_GAIN if cost > 0 else Trade.SAVING


def _ratios(gain: MeritFigure, extra: MeritFigure, trade: Trade, unit: Unit) -> tuple[MeritFigure, MeritFigure]:
    camu = MeritSpec("camu", "cost-adjusted marginal utility", f"points of success per marginal {unit.one}")
    value = MeritSpec("break_even", "break-even task value", f"{unit.name} per solved task")
    if trade is Trade.UNKNOWN:
        why = next(figure.reason for figure in (gain, extra) if not figure.defined)
        return undefined(camu, why, extra.counts), undefined(value, why, extra.counts)
    success, cost = float(gain), float(extra)
    why = _WHY.get(trade, "" if cost else "success fell and cost stayed, so there is nothing to divide by")
    ratio = undefined(camu, why, gain.counts) if why else MeritFigure(success / cost, camu, gain.counts)
    if trade is Trade.PRICE:
        return ratio, MeritFigure(cost / success, value, gain.counts)
    pays = "memory pays at any task value" if trade is Trade.FREE_GAIN else "no task value makes memory pay by success"
    return ratio, undefined(value, f"{trade}: {pays}", gain.counts)


_WHY = {
    Trade.FREE_GAIN: "free gain: success rose and cost did not, so there is no price to divide by",
    Trade.SAVING: "saving without loss: cost fell and success stayed, so there is no gain to price",
    Trade.SAVING_AT_A_LOSS: "saving at a loss: success and cost both fell, and their ratio would read as a gain",
    Trade.NOTHING: "neither success nor cost differs from no memory",
}
