"""Scored episodes as a test reads them: ``merit.ignore_rate``, ``merit.stale_harm("stale", 0.3).upper``."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_memuse.arcs import controls, economics, metrics
from pytest_memuse.arcs.figure import MeritFigure, MeritSpec, undefined
from pytest_memuse.arcs.inference import Comparison, Family, Method, SeedSpread, family, seed_spread
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import Kind
from pytest_memuse.model.errors import MemuseError, nearest, printable

_Metric = Callable[[Sequence[ScoredEpisode], str], MeritFigure]

METRICS: Mapping[str, _Metric] = {
    "dependent_success": metrics.dependent_success,
    "independent_success": metrics.independent_success,
    "utilization": metrics.utilization,
    "ignore_rate": metrics.ignore_rate,
    "holding": metrics.holding,
    "stale_held": metrics.stale_held,
    "untraceable": metrics.untraceable,
    "satisfied_on_arrival": metrics.satisfied_on_arrival,
    "verified": metrics.verified,
    "exposed": metrics.exposed,
    "tokens": metrics.tokens,
    "memory_tokens": metrics.memory_tokens,
    "cost": metrics.cost,
}
"""Every metric of one condition by its name, in the order in which reports show them."""

_SETTING = ("condition", "variant", "model")
_FIELDS = ("domain", "tier", "seed", *_SETTING)


@dataclass(frozen=True, repr=False)
class Merit:
    """The metrics of one memory over arcs with known truth. Every name in `METRICS` is an attribute.

    A figure is of one condition, variant and agent model; where ``episodes`` hold several, `where` chooses, and until
    then every figure is undefined and says so. Domains, tiers and seeds are pooled. Success, tracing and cost are those
    of clean memory; corrupted episodes serve `stale_harm`. ``floor`` are the episodes without memory that `gain` and
    `utility` are counted from; they need not be chosen.
    """

    episodes: tuple[ScoredEpisode, ...]
    floor: tuple[ScoredEpisode, ...] = ()

    @classmethod
    def of(cls, episodes: Iterable[ScoredEpisode]) -> "Merit":
        """Return the metrics of scored episodes; those of the condition ``none`` are their floor."""
        found = tuple(episodes)
        return cls(found, tuple(metrics.clean([e for e in found if e.condition == controls.FLOOR])))

    def where(self, **chosen: object) -> "Merit":
        """Return the metrics of those episodes whose fields have these values.

        Fields are domain, tier, seed, condition, variant and model; a tuple, list or set of values takes any of them.
        Raises `MemuseError` for a field or a value that the episodes do not have.
        """
        kept, floor = self.episodes, self.floor
        for field, wanted in chosen.items():
            if field not in _FIELDS:
                raise MemuseError(
                    f"scored episodes cannot be chosen by {field!r}{nearest(field, _FIELDS)}",
                    reason="merit",
                    mend=f"choose by {', '.join(_FIELDS)}",
                )
            values = set(wanted) if isinstance(wanted, (tuple, list, set, frozenset)) else {wanted}
            _known(field, values, self.episodes)
            kept = tuple(episode for episode in kept if getattr(episode, field) in values)
            if field not in ("condition", "variant"):
                floor = tuple(episode for episode in floor if getattr(episode, field) in values)
        return replace(self, episodes=kept, floor=floor)

    def __repr__(self) -> str:
        arcs = len({(e.domain, e.tier, e.seed, e.arc) for e in self.episodes})
        of = ", ".join(map(printable, self.conditions)) or "no condition"
        return f"<Merit of {of}: {arcs} arcs, {len(self.episodes)} episodes>"

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions, in order of first appearance."""
        return tuple(dict.fromkeys(episode.condition for episode in self.episodes))

    @property
    def clean(self) -> tuple[ScoredEpisode, ...]:
        """The episodes whose memory was not corrupted."""
        return tuple(metrics.clean(self.episodes))

    def __getattr__(self, name: str) -> MeritFigure:
        if name not in METRICS:
            raise AttributeError(f"there is no metric {printable(name)!r}{nearest(name, METRICS)}")
        return self.metric(name)

    def metric(self, name: str) -> MeritFigure:
        """Return a metric by its name. Raises `KeyError` with the nearest name for an unknown one."""
        if name not in METRICS:
            raise KeyError(f"no metric {printable(name)!r}{nearest(name, METRICS)}")
        several = self._several()
        return undefined(MeritSpec(name, name, ""), several) if several else METRICS[name](self.clean, name)

    def stale_harm(self, corruption: str = "stale", rate: float = metrics.RATES[-1]) -> MeritFigure:
        """Return SMH: what corrupting the memory at a rate takes from dependent success, on the same probes."""
        several = self._several()
        if several:
            return undefined(MeritSpec(f"stale_harm({corruption!r}, {rate:g})", "", ""), several)
        return metrics.harm(self.episodes, corruption, rate)

    def harms(self) -> Family:
        """Return every harm that was measured as one family, Holm-adjusted."""
        kinds = dict.fromkeys((e.corruption, e.rate) for e in self.episodes if e.corruption)
        return self.family("stale-memory harm", {f"{c} at {r:g}": self.stale_harm(c, r) for c, r in kinds})

    @property
    def gain(self) -> MeritFigure:
        """Dependent success less that without memory, on the same probes."""
        return self.utility().gain

    @property
    def camu(self) -> MeritFigure:
        """Points of dependent success per marginal dollar against no memory."""
        return self.utility().camu

    @property
    def break_even(self) -> MeritFigure:
        """What a solved task must be worth, in dollars, for memory to pay."""
        return self.utility().break_even

    def utility(self, unit: economics.Unit = economics.DOLLARS) -> economics.Utility:
        """Return what the memory gives and costs against none; in tokens with ``unit=economics.TOKENS``."""
        several = self._several()
        if several:
            nothing = undefined(MeritSpec("utility()", "marginal utility", ""), several)
            return economics.Utility(nothing, nothing, nothing, nothing, economics.Trade.UNKNOWN)
        return economics.utility(self.floor, self.clean, unit)

    def less(self, other: "Merit", name: str = "difference") -> MeritFigure:
        """Return this memory's dependent success less another's, on the same probes."""
        spec = MeritSpec(name, "difference of dependent task success", "difference of shares")
        several = self._several() or other._several()
        if several:
            return undefined(spec, several)
        mine, others = self._probes(), other._probes()
        return metrics.contrast(spec, others, mine, said=("solved by this one and failed by the other", "the other"))

    def seeds(self, name: str) -> SeedSpread:
        """Return a metric's mean over seeds with its spread; seeds in which it is undefined are left out."""
        found = [self.where(seed=seed).metric(name) for seed in dict.fromkeys(e.seed for e in self.episodes)]
        return seed_spread([float(figure) for figure in found if figure.defined])

    def band(self, condition: str) -> controls.Band:
        """Return how far a condition's success depends on its implementation, starter or real."""
        return controls.band(condition, self.clean)

    def models(self, at_least: float = controls.CONTROL_AT_LEAST) -> tuple[controls.ModelControl, ...]:
        """Return each agent model's success beside its own full-replay control."""
        return controls.model_controls(self.clean, at_least)

    @staticmethod
    def family(name: str, differences: Mapping[str, MeritFigure]) -> Family:
        """Return differences as one declared family, their p adjusted after Holm within it."""
        return family(name, {member: _comparison(figure) for member, figure in differences.items()})

    def _probes(self) -> list[ScoredEpisode]:
        return [episode for episode in self.clean if episode.kind is Kind.PROBE]

    def _several(self) -> str:
        """Return why no figure is of one memory; empty where all are."""
        for field in _SETTING:
            values = sorted({str(getattr(episode, field)) for episode in self.episodes})
            if len(values) > 1:
                return f"the episodes are of several {field}s ({', '.join(values)}): take one with where({field}=...)"
        return ""


def _comparison(figure: MeritFigure) -> Comparison:
    found = getattr(figure, "comparison", None)
    if isinstance(found, Comparison):
        return found
    return Comparison(None, None, None, None, 0, 0, Method.NONE, figure.reason)


def _known(field: str, values: set[object], episodes: Sequence[ScoredEpisode]) -> None:
    there = {getattr(episode, field) for episode in episodes}
    for value in values:
        if value not in there:
            known = sorted(map(str, there))
            raise MemuseError(
                f"no scored episode has the {field} {printable(str(value))!r}{nearest(str(value), known)}",
                reason="merit",
                mend=f"there are {', '.join(known) or 'no episodes at all'}",
            )
