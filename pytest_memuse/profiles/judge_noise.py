"""A judge's own noise in every figure, from repeated judgings of the same spans."""

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_memuse.judging.noise import VarianceSplit, split_variance
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import nearest
from pytest_memuse.profiles.figures import FIGURES
from pytest_memuse.profiles.profile import arc_contributions
from pytest_memuse.profiles.rows import Run
from pytest_memuse.profiles.undefined import UndefinedFigure


@dataclass(frozen=True, slots=True)
class FigureNoise:
    """A figure's variance, split; ``split`` is None where it cannot be, for the reason given."""

    figure: str
    split: VarianceSplit | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class JudgeNoise:
    """A judge's noise over a number of judgings of the same spans, figure by figure: ``noise["benefit_share"]``."""

    judgings: int
    figures: tuple[FigureNoise, ...]

    def __getitem__(self, figure: str) -> VarianceSplit:
        """Return the split of a figure's variance. Raises `UndefinedFigure` with the reason where there is none."""
        found = {one.figure: one for one in self.figures}
        if figure not in found:
            raise UndefinedFigure(figure, f"it rests on no signal, or does not exist{nearest(figure, found)}", "noise")
        split = found[figure].split
        if split is None:
            raise UndefinedFigure(
                figure, found[figure].reason, mend="assert on a figure that the judge's signals define"
            )
        return split


def judge_noise(runs: Sequence[Run]) -> tuple[FigureNoise, ...]:
    """Return the noise in every figure that rests on signals, from runs that one judge judged one after the other.

    Raises `MemuseError` for runs of other arcs, and for fewer than two runs or two arcs.
    """
    if len(runs) < 2 or any(set(run.arcs) != set(runs[0].arcs) for run in runs) or len(runs[0].arcs) < 2:
        raise MemuseError(
            "a judge's noise takes two judgings of the same arcs, of which there must be two",
            reason="noise",
            mend="judge the same recordings at least twice",
        )
    found = []
    for name, spec in FIGURES.items():
        if not spec.rests_on:
            continue
        reason = next((why for run in runs if (why := spec.undefined_reason(run)) is not None), "")
        if reason:
            found.append(FigureNoise(name, None, reason))
            continue
        repeats = [dict(arc_contributions(run, spec)) for run in runs]
        found.append(FigureNoise(name, split_variance(repeats, spec.scale)))
    return tuple(found)
