"""The profile of a run: every figure by name, and the counts and breakdowns beside them (MemUse 3.5, A.4)."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import cast

from pytest_memuse.model.errors import nearest, printable
from pytest_memuse.profiles import breakdowns, delivered
from pytest_memuse.profiles.axes import is_profiled
from pytest_memuse.profiles.delays import Delays, delays
from pytest_memuse.profiles.figure import Behind, Counts, Figure, Observer, Responsible, UndefinedValue
from pytest_memuse.profiles.figures import FIGURES, Contribution, FigureSpec, Worse
from pytest_memuse.profiles.intervals import interval, is_rough
from pytest_memuse.profiles.open_entries import open_entries
from pytest_memuse.profiles.outcomes import OutcomeComparison, compare_outcomes
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, Run, SpanRow, Usage

_SEVERITY: dict[Usage | None, int] = {Usage.MISUSED: 0, Usage.UNPRODUCTIVE: 1, Usage.UNCLEAR: 2}


def arc_contributions(run: Run, spec: FigureSpec) -> dict[str, Contribution]:
    """Return what each arc adds to a figure's numerator and denominator, in order of first appearance.

    The arc is the cluster of every interval and test, repeats of it included.
    """
    sums: dict[str, Contribution] = {}
    for episode in run.episodes:
        numerator, denominator = spec.contribution(episode)
        before = sums.get(episode.arc, (0.0, 0.0))
        sums[episode.arc] = (before[0] + numerator, before[1] + denominator)
    return sums


def figure_of(run: Run, spec: FigureSpec, observer: Observer | None = None) -> Figure | UndefinedValue:
    """Return one figure of a run, or the undefined value that says why there is none.

    ``observer`` is told of every comparison with a plain number.

    Spans outside every episode keep their delivery cost in it (A.4.2). They belong to no arc, so such a figure has no
    interval.
    """
    pairs = [spec.counts(episode) for episode in run.episodes]
    counts = Counts(sum(p[0] for p in pairs), spec.counted, sum(p[1] for p in pairs), spec.among)
    reason = spec.undefined_reason(run)
    arcs = list(arc_contributions(run, spec).values())
    outside = spec.outside_of(run)
    counts = Counts(counts.numerator + outside[0], spec.counted, counts.denominator + outside[1], spec.among)
    value = spec.value_of([*arcs, outside])
    if reason is not None or value is None:
        return UndefinedValue(spec, counts, reason or spec.empty)
    clusters = [arc for arc in arcs if arc[1] > 0]
    behind = Behind(
        find=partial(responsible, run, spec),
        highest=partial(_highest, run, spec, observer),
        open=open_entries(run.spans, spec.axis),
    )
    if not any(outside):
        behind = replace(
            behind,
            interval=partial(interval, arcs, spec.kind, spec.scale),
            rough=partial(is_rough, arcs, spec.kind),
            kind=spec.kind,
            clusters=len(clusters),
        )
    return Figure(value, spec, counts, spec.bound_of(run), behind, observer)


def _highest(run: Run, spec: FigureSpec, observer: Observer | None) -> Figure | None:
    """Return the figure with every entry counted that could be, None where every entry is determined."""
    if spec.highest is None or not open_entries(run.spans, spec.axis).signals:
        return None
    found = figure_of(run, spec.highest, observer)
    return found if isinstance(found, Figure) else None


def responsible(run: Run, spec: FigureSpec, counted: bool | None = None) -> tuple[Responsible, ...]:
    """Return the entries that a figure's value is owed to, the gravest usage first, then in order of the run.

    They are the entries counted, or those of profiled spans that are not; unless said, those that make it worse. Of the
    outcome rate they are the failed episodes. Figures of volume name none.
    """
    if spec.name == "outcome_rate":
        if counted:
            return ()
        return tuple(Responsible(e.arc, e.id, e.task) for e in run.episodes if e.success is False)
    holds = spec.entry
    if holds is None:
        return ()
    wanted = spec.worse is not Worse.LOWER if counted is None else counted
    found = [
        _responsible(episode, span, entry)
        for episode in run.episodes
        for span in episode.spans
        if is_profiled(span)
        for entry in span.entries
        if holds(entry) is wanted
    ]
    return tuple(sorted(found, key=lambda entry: _SEVERITY.get(entry.usage, len(_SEVERITY))))


def _responsible(episode: EpisodeRow, span: SpanRow, entry: EntryRow) -> Responsible:
    step = entry.anchors[0] if entry.anchors else span.first
    return Responsible(episode.arc, episode.id, episode.task, span.id, step, entry.item, entry.text, entry.usage)


@dataclass(frozen=True, repr=False)
class Profile:
    """The profile of a run. Every figure of `figures.FIGURES` is an attribute: ``profile.harm_share``.

    A figure that the run does not define is an object that raises `UndefinedFigure` when it is compared or used as a
    number, so that no assertion on it can pass. ``observer`` is told of every comparison of a figure with a number.
    """

    run: Run
    observer: Observer | None = field(default=None, compare=False)

    @classmethod
    def of(cls, run: Run, observer: Observer | None = None) -> "Profile":
        """Return the profile of a run."""
        return cls(run, observer)

    def __repr__(self) -> str:
        return f"<Profile of {printable(self.run.suite)}: {len(self.run.arcs)} arcs, {len(self.run.episodes)} episodes>"

    def __getattr__(self, name: str) -> Figure:
        if name not in FIGURES:
            raise AttributeError(f"a profile has no figure {name!r}{nearest(name, FIGURES)}")
        return self.figure(name)

    def figure(self, name: str) -> Figure:
        """Return a figure by its name. Raises `KeyError` with the nearest name for an unknown one."""
        if name not in FIGURES:
            raise KeyError(f"no figure {name!r}{nearest(name, FIGURES)}")
        if name not in self._figures:
            self._figures[name] = figure_of(self.run, FIGURES[name], self.observer)
        # An undefined value is no number on purpose; to a type checker it is the figure that the test asks for.
        return cast(Figure, self._figures[name])

    @cached_property
    def _figures(self) -> dict[str, Figure | UndefinedValue]:
        return {}

    def __iter__(self) -> Iterator[Figure]:
        return (self.figure(name) for name in FIGURES)

    @cached_property
    def triage_counts(self) -> dict[str, int]:
        """Spans by triage label (automatic neutral ones included), then by the outcome classes without a label."""
        return breakdowns.triage_counts(self.run)

    @property
    def profiled_spans(self) -> int:
        """How many spans have an entry-share profile."""
        return sum(is_profiled(span) for span in self.run.spans)

    @property
    def tokens(self) -> int:
        """Estimated delivered tokens over all spans, whatever became of them, those outside every episode included."""
        return sum(span.tokens for span in (*self.run.spans, *self.run.outside))

    @property
    def tokens_by_span(self) -> tuple[tuple[str, str, int], ...]:
        """Episode, span and estimated delivered tokens, restatements included, for every span of an episode."""
        return tuple((episode.id, span.id, span.tokens) for episode in self.run.episodes for span in episode.spans)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know of the run's volume: spans of unknown size, and spans outside every episode."""
        return breakdowns.warnings(self.run)

    @cached_property
    def volumes(self) -> dict[str, delivered.Volume]:
        """Delivered text by triage label or outcome class, and ``outside`` every recorded episode (A.4.4)."""
        return delivered.volumes(self.run)

    @cached_property
    def forms(self) -> tuple[delivered.FormShares, ...]:
        """Delivery volume and entry outcomes by delivery form (Table 11); `delivery_shares` groups otherwise."""
        return delivered.delivery_shares(self.run)

    @cached_property
    def routes(self) -> tuple[delivered.FormShares, ...]:
        """Delivery volume and entry outcomes by route (A.6.5)."""
        return delivered.delivery_shares(self.run, delivered.delivery_route)

    @cached_property
    def delays(self) -> Delays:
        """Steps from an entry's first consumption to the first action that it shaped (A.6.3)."""
        return delays(self.run)

    def against(self, *without_memory: Run, match_arcs: bool = True) -> OutcomeComparison:
        """Return this run's outcomes set against those of runs of the same tasks without memory (4.3, A.6.4)."""
        return compare_outcomes([self.run], without_memory, match_arcs=match_arcs)

    @property
    def corrected_effects(self) -> int:
        """Effects without an action that the rules reset: a statistic of the judge's compliance."""
        return sum(span.corrected for span in self.run.spans)

    @cached_property
    def recurring(self) -> breakdowns.Recurring:
        """Items delivered in many episodes, and the relevance without them (A.4.2)."""
        return breakdowns.recurring(self.run)

    @cached_property
    def unused(self) -> breakdowns.Unused:
        """Ignored entries, by irrelevance and otherwise by novelty (A.4.1)."""
        return breakdowns.unused(self.run)

    @cached_property
    def conditional_effects(self) -> breakdowns.ConditionalEffects:
        """Effects of acted-on entries, the undetermined ones apart (A.4.1)."""
        return breakdowns.conditional_effects(self.run)

    @cached_property
    def hidden_by_outcomes(self) -> breakdowns.HiddenByOutcomes:
        """Episodes whose outcome says the opposite of an observed effect in them (4.3)."""
        return breakdowns.hidden_by_outcomes(self.run)

    @cached_property
    def effects_by_accuracy(self) -> breakdowns.EffectsByAccuracy | None:
        """Harm without a false claim, and help from one; None where the judge does not give the signals (4.4)."""
        return breakdowns.effects_by_accuracy(self.run)
