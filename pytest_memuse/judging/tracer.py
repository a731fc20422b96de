"""The tracer: a judge without a model, which follows memory-specific content into later actions (MemUse 3.4, A.2.2)."""

from dataclasses import dataclass, field

from pytest_memuse.judging.actions import Action, actions_of
from pytest_memuse.judging.answers import (
    Accuracy,
    Assessment,
    Effect,
    Influence,
    JudgeIdentity,
    Judgment,
    Signal,
)
from pytest_memuse.judging.attribution import Attribution, Trail
from pytest_memuse.judging.content import contents_of
from pytest_memuse.judging.copies import copies_of
from pytest_memuse.judging.effects import Consequences
from pytest_memuse.judging.novelty import novelty_of
from pytest_memuse.judging.prior import PriorSources, Readings, prior_sources
from pytest_memuse.judging.reference import assess_references, stated_values
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span, SpanEntry

TRACED = frozenset({Signal.INFLUENCE, Signal.NOVELTY, Signal.EFFECT})
"""What the tracer determines without reference facts."""


class _Read:
    """The actions and readings of the episode that was judged last, so that its spans share them.

    Judgments do not depend on it; a copy in another process starts empty.
    """

    def __init__(self) -> None:
        self._last: tuple[Episode, tuple[Action, ...], Readings] | None = None

    def of(self, episode: Episode) -> tuple[tuple[Action, ...], Readings]:
        last = self._last
        if last is None or last[0] is not episode:
            last = self._last = (episode, actions_of(episode), Readings())
        return last[1:]

    def __reduce__(self) -> tuple[type["_Read"], tuple[()]]:
        return (_Read, ())


@dataclass(frozen=True, slots=True)
class Tracer:
    """Determines influence and novelty by tracing, and effect where the record forces it.

    Relevance and accuracy are determined only for a task with reference facts. It claims only what it can show:
    whatever the record leaves open is None. Two calls with equal arguments give equal judgments.
    """

    identity: JudgeIdentity = field(default=JudgeIdentity(kind="tracer", version="2"))
    _read: _Read = field(default_factory=_Read, init=False, repr=False, compare=False)

    def judge(self, episode: Episode, spans: tuple[Span, ...], span: Span) -> Judgment:
        """Return the judgment of one eligible span; ``spans`` are all spans of the episode."""
        actions, readings = self._read.of(episode)
        copies = copies_of(episode, spans, span)
        prior = prior_sources(episode, span, actions, copies, readings)
        references = episode.task.references if episode.task else ()
        determines = frozenset(Signal) if references else TRACED
        trail = Trail(episode, span, actions, prior, copies, readings)
        assessments = tuple(self._assess(episode, trail, entry, prior, actions) for entry in span.entries)
        return Judgment(span.id, assessments, determines)

    def _assess(
        self, episode: Episode, trail: Trail, entry: SpanEntry, prior: PriorSources, actions: tuple[Action, ...]
    ) -> Assessment:
        text = entry.exposure.text
        if text is None:
            influence = Influence.NONE if entry.window is None else None
            why = "the exposed text is unknown, so nothing can be traced"
            return Assessment(None, None, None, influence, None, notes=dict.fromkeys(TRACED, why))
        notes: dict[Signal, str] = {}
        facts = episode.task.references if episode.task else ()
        traced = {content.name: content for content in (*contents_of(text), *stated_values(facts, text))}
        contents = tuple(traced.values())
        novelty, notes[Signal.NOVELTY] = novelty_of(contents, text, prior, trail.complete)
        attribution = trail.follow(entry, contents)
        notes[Signal.INFLUENCE] = attribution.note
        effect, notes[Signal.EFFECT] = _effect(episode, attribution, actions)
        relevance: bool | None = None
        accuracy: Accuracy | None = None
        if facts:
            relevance, accuracy, why = assess_references(facts, text)
            notes[Signal.RELEVANCE] = notes[Signal.ACCURACY] = why
        return Assessment(relevance, accuracy, novelty, attribution.influence, effect, attribution.anchors, notes=notes)


def _effect(episode: Episode, attribution: Attribution, actions: tuple[Action, ...]) -> tuple[Effect | None, str]:
    if attribution.influence is not Influence.ACTED_ON:
        return None, "assessed only for an entry that was acted on"
    responses = {step.number: episode.messages.get(step.call.response or "") for step in episode.steps}
    prose = {number: response.text for number, response in responses.items() if response is not None}
    return Consequences(actions, attribution.acted, attribution.used, prose).effect()
