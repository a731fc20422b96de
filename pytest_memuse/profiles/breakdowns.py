"""Counts and breakdowns of a run that no single figure holds (MemUse 4.2, 4.3, A.4.1, A.4.2)."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.profiles.axes import AXES, Axis, count_on, is_profiled, profiled, undetermined
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, RowOutcome, Run, Triage, Usage

_LABELLED = (RowOutcome.JUDGED, RowOutcome.NEUTRAL)
_UNLABELLED = (RowOutcome.ERROR, RowOutcome.EMPTY, RowOutcome.UNASSESSABLE, RowOutcome.UNJUDGED)

Item = tuple[str, str]
"""Namespace and item."""


def triage_counts(run: Run) -> dict[str, int]:
    """Count the spans by triage label (automatic neutral ones as neutral), then by the outcome classes without one."""
    labels = Counter(span.triage for span in run.spans if span.outcome in _LABELLED)
    outcomes = Counter(span.outcome for span in run.spans)
    return {triage.value: labels[triage] for triage in Triage} | {o.value: outcomes[o] for o in _UNLABELLED}


def _assessed(run: Run) -> Iterator[EntryRow]:
    return (entry for span in run.spans if is_profiled(span) for entry in span.entries)


def share(part: int, whole: int) -> float | None:
    """Return part of whole, None where the whole is empty: such a rate is undefined (A.4.1)."""
    return part / whole if whole else None


@dataclass(frozen=True, slots=True)
class Recurring:
    """Items delivered in at least ``threshold`` distinct episodes, and what relevance rests on them.

    ``relevant_recurring`` of the ``relevant`` entries are from these items; ``episodes_without`` of the recorded
    ``episodes`` are reached by a relevant entry of another item.
    """

    threshold: float
    items: tuple[Item, ...]
    relevant: int
    relevant_recurring: int
    episodes: int
    episodes_without: int

    @property
    def share_of_relevant_entries(self) -> float | None:
        return share(self.relevant_recurring, self.relevant)

    @property
    def relevance_coverage_without(self) -> float | None:
        return share(self.episodes_without, self.episodes)


def recurring(run: Run) -> Recurring:
    """Return the frequency diagnostic of A.4.2; a delivery counts whatever became of its span."""
    threshold = max(2.0, len(run.episodes) / 10)
    episodes: Counter[Item] = Counter()
    for episode in run.episodes:
        episodes.update({(entry.namespace, entry.item) for span in episode.spans for entry in span.entries})
    items = tuple(sorted(item for item, count in episodes.items() if count >= threshold))
    often = frozenset(items)
    relevant = [entry for entry in _assessed(run) if AXES["relevance"].holds(entry)]
    return Recurring(
        threshold=threshold,
        items=items,
        relevant=len(relevant),
        relevant_recurring=sum((entry.namespace, entry.item) in often for entry in relevant),
        episodes=len(run.episodes),
        episodes_without=sum(
            _reached(episode, lambda e: (e.namespace, e.item) not in often) for episode in run.episodes
        ),
    )


def _reached(episode: EpisodeRow, counts: Callable[[EntryRow], bool]) -> bool:
    relevant = AXES["relevance"].holds
    return any(relevant(entry) and counts(entry) for span in profiled(episode) for entry in span.entries)


@dataclass(frozen=True, slots=True)
class Unused:
    """Entries with the usage label *ignored*: ``irrelevant`` where relevance is false, by novelty otherwise (A.4.1).

    ``relevant`` counts those known to be relevant; with an undetermined relevance the novelty groups hold more.
    """

    relevant: int
    irrelevant: int
    novel: int
    confirming: int
    redundant: int
    undetermined: int


def unused(run: Run) -> Unused:
    """Group the ignored entries; the groups do not say why they went unused."""
    ignored = [entry for entry in _assessed(run) if entry.usage is Usage.IGNORED]
    novelty = Counter(entry.novelty for entry in ignored if entry.relevance is not False)
    return Unused(
        relevant=sum(entry.relevance is True for entry in ignored),
        irrelevant=sum(entry.relevance is False for entry in ignored),
        novel=novelty[Novelty.NOVEL],
        confirming=novelty[Novelty.CONFIRMING],
        redundant=novelty[Novelty.REDUNDANT],
        undetermined=novelty[None],
    )


@dataclass(frozen=True, slots=True)
class ConditionalEffects:
    """Observed effects of the ``acted_on`` entries; undetermined ones stay a category of their own.

    ``undefined`` says why the counts say nothing, where the judge does not determine influence.
    """

    acted_on: int
    improved: int
    harmed: int
    no_effect: int
    undetermined: int
    undefined: str = ""

    def share(self, effect: str) -> float | None:
        """Return an effect's share of the acted-on entries, None where there are none."""
        return share(int(getattr(self, effect)), self.acted_on)


def conditional_effects(run: Run) -> ConditionalEffects:
    """Count the effects of the acted-on entries."""
    effects = Counter(entry.effect for entry in _assessed(run) if entry.influence == Influence.ACTED_ON)
    return ConditionalEffects(
        acted_on=sum(effects.values()),
        improved=effects[Effect.IMPROVED],
        harmed=effects[Effect.HARMED],
        no_effect=effects[Effect.NO_EFFECT],
        undetermined=effects[None],
        undefined=undetermined(run.spans, AXES["acted_on"].rests_on) or "",
    )


@dataclass(frozen=True, slots=True)
class HiddenByOutcomes:
    """Episodes with a beneficial entry that failed, and with a harmful entry that passed; shares None where undefined.

    An episode whose outcome is unknown is neither, and counts in ``unknown_outcomes`` only. ``undefined`` says why the
    counts say nothing, where the judge does not determine influence and effect.
    """

    beneficial: int
    beneficial_failed: int
    harmful: int
    harmful_passed: int
    unknown_outcomes: int
    undefined: str = ""

    @property
    def failed_share(self) -> float | None:
        return share(self.beneficial_failed, self.beneficial)

    @property
    def passed_share(self) -> float | None:
        return share(self.harmful_passed, self.harmful)


def hidden_by_outcomes(run: Run) -> HiddenByOutcomes:
    """Set the outcomes of episodes against the effects observed in them (4.3)."""
    known = [episode for episode in run.episodes if episode.success is not None]
    beneficial = [episode for episode in known if _has(episode, AXES["benefit"])]
    harmful = [episode for episode in known if _has(episode, AXES["harm"])]
    return HiddenByOutcomes(
        beneficial=len(beneficial),
        beneficial_failed=sum(episode.success is False for episode in beneficial),
        harmful=len(harmful),
        harmful_passed=sum(episode.success is True for episode in harmful),
        unknown_outcomes=len(run.episodes) - len(known),
        undefined=undetermined(run.spans, AXES["benefit"].rests_on | AXES["harm"].rests_on) or "",
    )


def _has(episode: EpisodeRow, axis: Axis) -> bool:
    return any(count_on(axis, span) for span in profiled(episode))


def warnings(run: Run) -> tuple[str, ...]:
    """Return what makes the run's text volume less than exact, a sentence each (A.4.2, A.4.4)."""
    found = []
    unknown = sum(span.redacted for span in (*run.spans, *run.outside))
    if unknown:
        found.append(
            f"{unknown} of {len(run.spans) + len(run.outside)} spans hold redacted text without a recorded size, which "
            "counts as nothing: delivered volume is a lower bound"
        )
    if run.outside:
        found.append(
            f"spans outside every recorded episode: {len(run.outside)}; they keep their delivery cost and establish no "
            "coverage"
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class EffectsByAccuracy:
    """Effects of acted-on entries against what the record says of their accuracy (MemUse 4.4).

    ``harmful_contradicted`` and, of the others, ``harmful_irrelevant`` are among the ``harmful`` entries;
    ``beneficial_contradicted`` are claims that the evidence contradicts and whose advice still helped.
    """

    harmful: int
    harmful_contradicted: int
    harmful_irrelevant: int
    beneficial: int
    beneficial_contradicted: int


def effects_by_accuracy(run: Run) -> EffectsByAccuracy | None:
    """Return why separate judgments of accuracy and effect are needed; None where the judge does not give them all."""
    signals = (Signal.RELEVANCE, Signal.ACCURACY, Signal.INFLUENCE, Signal.EFFECT)
    if undetermined(run.spans, signals) is not None:
        return None
    harmful = [entry for entry in _assessed(run) if AXES["harm"].holds(entry)]
    beneficial = [entry for entry in _assessed(run) if AXES["benefit"].holds(entry)]
    sound = [entry for entry in harmful if entry.accuracy != Accuracy.CONTRADICTED]
    return EffectsByAccuracy(
        harmful=len(harmful),
        harmful_contradicted=len(harmful) - len(sound),
        harmful_irrelevant=sum(entry.relevance is False for entry in sound),
        beneficial=len(beneficial),
        beneficial_contradicted=sum(entry.accuracy == Accuracy.CONTRADICTED for entry in beneficial),
    )
