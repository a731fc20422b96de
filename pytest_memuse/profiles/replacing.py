"""What a profile becomes where one judge's signals stand in place of another's."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_memuse.judging.answers import Accuracy, Assessment, Effect, Influence, Novelty, Signal
from pytest_memuse.profiles.figures import FIGURES, Contribution, FigureSpec
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, Run, SpanRow, Usage
from pytest_memuse.profiles.verdicts import triage_label, usage_label, without_unacted_effect

_ROUNDING = 1e-9
"""Relative difference below which a figure has not moved."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure before and after; ``after`` is None where it has no value any more, ``before`` where it had none."""

    figure: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """The difference, None where either has no value."""
        return None if self.before is None or self.after is None else self.after - self.before


class FigureSums:
    """The figures of a run as sums over episodes, so that a change of one episode costs that episode."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._specs = [spec for spec in FIGURES.values() if spec.undefined_reason(run) is None]
        self._parts: dict[str, list[Contribution]] = {
            spec.name: [spec.contribution(episode) for episode in run.episodes] for spec in self._specs
        }
        self._outside = {spec.name: spec.outside_of(run) for spec in self._specs}
        self._sums = {name: _sum(parts) for name, parts in self._parts.items()}

    def moved(self, changed: Mapping[int, EpisodeRow]) -> tuple[Moved, ...]:
        """Return the figures that move where these episodes stand in place of those at their positions."""
        found = []
        for spec in self._specs:
            before = self._value(spec, self._sums[spec.name])
            above, below = self._sums[spec.name]
            for place, episode in changed.items():
                old, new = self._parts[spec.name][place], spec.contribution(episode)
                above, below = above + (new[0] - old[0]), below + (new[1] - old[1])
            after = self._value(spec, (above, below))
            if not _same(before, after):
                found.append(Moved(spec.name, before, after))
        return tuple(found)

    def _value(self, spec: FigureSpec, sums: Contribution) -> float | None:
        return spec.value_of([sums, self._outside[spec.name]])


def with_signals(span: SpanRow, other: SpanRow, signals: Collection[Signal], entries: Collection[int]) -> SpanRow:
    """Return a span with these signals of these entries, counted from 0, as another judge gives them.

    Labels follow by the fixed rules: anchors come with the influence, and an effect without an action is reset.
    """
    rows = [
        _entry(mine, theirs, signals) if place in entries else (mine, False)
        for place, (mine, theirs) in enumerate(zip(span.entries, other.entries, strict=True))
    ]
    found = tuple(row for row, _ in rows)
    triage = triage_label(row.usage for row in found if row.usage is not None)
    return replace(span, entries=found, triage=triage, corrected=span.corrected + sum(reset for _, reset in rows))


def _entry(mine: EntryRow, theirs: EntryRow, signals: Collection[Signal]) -> tuple[EntryRow, bool]:
    values: dict[str, Any] = {
        signal.value: getattr(theirs if signal in signals else mine, signal.value) for signal in Signal
    }
    acting = theirs if Signal.INFLUENCE in signals else mine
    # Of an undetermined influence the usage alone tells whether the whole window was read.
    read = acting.influence is not None or acting.usage is not Usage.UNCLEAR
    stated = Assessment(
        relevance=values["relevance"],
        accuracy=_word(Accuracy, values["accuracy"]),
        novelty=_word(Novelty, values["novelty"]),
        influence=_word(Influence, values["influence"]),
        effect=_word(Effect, values["effect"]),
        window_read=read,
    )
    kept = without_unacted_effect(stated)
    values["effect"] = None if kept.effect is None else kept.effect.value
    return replace(mine, **values, anchors=acting.anchors, usage=usage_label(kept)), kept is not stated


def _word(kind: Any, value: str | None) -> Any:
    return None if value is None else kind(value)


def _sum(parts: Sequence[Contribution]) -> Contribution:
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


def _same(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return abs(after - before) <= _ROUNDING * max(abs(before), abs(after), _ROUNDING)
