"""What keeps comparisons honest: full replay as each model's control, and the band from starter to real (5.3, 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.arcs.figure import MeritFigure, MeritSpec, undefined
from pytest_memuse.arcs.metrics import contrast, dependent_success
from pytest_memuse.arcs.scores import ScoredEpisode
from pytest_memuse.arcs.types import Kind

FLOOR, CONTROL = "none", "replay"
"""The conditions that every other is read against: no memory, and full replay, which holds everything."""

CONTROL_AT_LEAST = 0.9
"""Dependent success under full replay below which a model's figures do not speak of memory alone.

MERIT 7 accepts controls of 1.00 and 0.95 on updated facts and disqualifies one of 0.75; the line between is our
reading.
"""


def memory_titles(episodes: Sequence[ScoredEpisode]) -> dict[tuple[str, str], str]:
    """Return what to call each memory, by condition and variant: the variant is named where there are several."""
    memories = list(dict.fromkeys((episode.condition, episode.variant) for episode in episodes))
    several = {condition for condition, _ in memories if sum(other == condition for other, _ in memories) > 1}
    return {memory: f"{memory[0]} ({memory[1]})" if memory[0] in several else memory[0] for memory in memories}


@dataclass(frozen=True, slots=True)
class ModelControl:
    """One agent model's success by memory (see `memory_titles`), beside its floor and its full-replay control.

    ``relative`` is each memory's success divided by the model's own control, which is what figures of different
    models may be compared by. ``warning`` is empty where the control holds.
    """

    model: str
    floor: MeritFigure
    control: MeritFigure
    success: Mapping[str, MeritFigure]
    relative: Mapping[str, MeritFigure]
    warning: str


def model_controls(episodes: Sequence[ScoredEpisode], at_least: float = CONTROL_AT_LEAST) -> tuple[ModelControl, ...]:
    """Return every agent model beside its own control, in order of first appearance."""
    models = dict.fromkeys(episode.model for episode in episodes)
    return tuple(_control(model, [e for e in episodes if e.model == model], at_least) for model in models)


def _control(model: str, episodes: Sequence[ScoredEpisode], at_least: float) -> ModelControl:
    titles = memory_titles(episodes)
    rates = {
        title: dependent_success([e for e in episodes if (e.condition, e.variant) == memory])
        for memory, title in titles.items()
    }
    control = rates[CONTROL] if CONTROL in rates else dependent_success(())
    others = {name: rate for name, rate in rates.items() if name not in (FLOOR, CONTROL)}
    return ModelControl(
        model,
        rates[FLOOR] if FLOOR in rates else dependent_success(()),
        control,
        others,
        {name: _relative(name, rate, control) for name, rate in others.items()},
        _warning(control, at_least),
    )


def _relative(condition: str, rate: MeritFigure, control: MeritFigure) -> MeritFigure:
    spec = MeritSpec(f"relative[{condition!r}]", f"{condition} relative to full replay", "share of the control")
    if not control.defined:
        return undefined(spec, "full replay was not run with this model")
    if not rate.defined or float(control) == 0:
        why = rate.reason if not rate.defined else "the model solved no probe under full replay"
        return undefined(spec, why, rate.counts)
    return MeritFigure(float(rate) / float(control), spec, rate.counts)


def _warning(control: MeritFigure, at_least: float) -> str:
    if not control.defined:
        return "no full-replay control: success may speak of the model's policy and not of memory"
    if float(control) >= at_least:
        return ""
    return (
        f"the full-replay control is {float(control):.2f}, below {at_least:g}: the model held everything and did not "
        "act on it, so success conflates use of memory with policy prudence; read it relative to the control only"
    )


@dataclass(frozen=True, slots=True)
class Band:
    """How far an architecture's success depends on its implementation: starter, real, and real less starter."""

    condition: str
    starter: MeritFigure
    real: MeritFigure
    difference: MeritFigure

    @property
    def width(self) -> float | None:
        """The band's width, None where a side is missing."""
        return abs(float(self.difference)) if self.difference.defined else None


def band(condition: str, episodes: Sequence[ScoredEpisode]) -> Band:
    """Return the band of one condition over episodes of both variants, on the task instances that both ran."""
    probes = [e for e in episodes if e.condition == condition and e.kind is Kind.PROBE]
    starter = [e for e in probes if e.variant == "starter"]
    real = [e for e in probes if e.variant == "real"]
    spec = MeritSpec(f"band({condition!r}).difference", "real less starter", "difference of dependent task success")
    return Band(
        condition,
        dependent_success(starter, f"band({condition!r}).starter"),
        dependent_success(real, f"band({condition!r}).real"),
        contrast(spec, starter, real, said=("solved by the real one and failed by the starter", "the starter")),
    )
