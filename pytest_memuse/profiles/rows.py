"""Plain results of a suite's run: what profiles are computed from, workers publish and baselines store."""

from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.model.tokens import estimated_tokens

TEXT_KEPT = 240
"""Characters of an entry's exposed text that a row keeps, on one line."""


class RowOutcome(StrEnum):
    """Outcome class of a span after judging (MemUse A.4.1)."""

    JUDGED = "judged"
    NEUTRAL = "neutral"
    EMPTY = "empty"
    UNASSESSABLE = "unassessable"
    ERROR = "error"
    UNJUDGED = "unjudged"


class Usage(StrEnum):
    """Usage label of an entry (MemUse 3.5)."""

    USED = "used"
    UNPRODUCTIVE = "unproductive"
    MISUSED = "misused"
    UNCLEAR = "unclear"
    SELECTED = "selected"
    NOTED = "noted"
    IGNORED = "ignored"
    AMBIGUOUS = "ambiguous"


class Triage(StrEnum):
    """Triage label of a span (MemUse 3.5, equation 2)."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    NEUTRAL = "neutral"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One entry of a span. Signals and ``usage`` are None unless the span was judged; ``text`` is cut to a line.

    ``item`` is what a person can find it by; ``ordinal`` is the item's order of creation in its arc, which stays the
    same where a memory system makes identifiers at random (None where the creation was not recorded). ``exposed``
    counts the characters of its exposed text, None where the exposure is unknown.
    """

    item: str
    namespace: str = ""
    ordinal: int | None = None
    text: str = ""
    exposure: str = ""
    window: tuple[int, int] | None = None
    relevance: bool | None = None
    accuracy: str | None = None
    novelty: str | None = None
    influence: str | None = None
    effect: str | None = None
    anchors: tuple[int, ...] = ()
    usage: Usage | None = None
    exposed: int | None = None


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One span. ``characters`` includes restatements; ``determines`` names the signals that the judge determined.

    ``corrected`` counts effects that a judge stated without an action and that the rules reset (a compliance figure).
    """

    id: str
    outcome: RowOutcome
    characters: int
    entries: tuple[EntryRow, ...] = ()
    triage: Triage | None = None
    first: int | None = None
    last: int | None = None
    deliveries: int = 1
    route: str = ""
    form: str = ""
    redacted: bool = False
    determines: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    corrected: int = 0

    @property
    def tokens(self) -> int:
        """Estimated delivered tokens: a quarter of the characters, rounded down per span (A.4.4)."""
        return estimated_tokens(self.characters)


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One episode. ``success`` is None where no check came to a result; ``steps`` counts completed agent calls."""

    id: str
    arc: str
    task: str
    task_digest: str = ""
    position: int = 0
    success: bool | None = None
    steps: int = 0
    spans: tuple[SpanRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A suite's run: every recorded episode, those without deliveries included.

    ``outside`` are the spans outside every recorded episode: they keep their delivery cost and establish nothing else
    (A.4.2).
    """

    suite: str
    episodes: tuple[EpisodeRow, ...]
    outside: tuple[SpanRow, ...] = ()

    @property
    def spans(self) -> tuple[SpanRow, ...]:
        """Every span of every episode, in order; those outside every episode are not among them."""
        return tuple(span for episode in self.episodes for span in episode.spans)

    @property
    def arcs(self) -> tuple[str, ...]:
        """The arcs, in order of first appearance."""
        return tuple(dict.fromkeys(e.arc for e in self.episodes))
