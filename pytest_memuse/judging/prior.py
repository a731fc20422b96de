"""Prior sources: what could explain an action without the entry (MemUse A.2.2, A.1.3)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from pytest_memuse.judging.actions import Action, Deed
from pytest_memuse.judging.content import Content, leading
from pytest_memuse.judging.copies import Copies
from pytest_memuse.judging.measures import Dimension
from pytest_memuse.judging.occurrences import Grade, occurrences
from pytest_memuse.judging.reading import Reading, stem
from pytest_memuse.judging.stances import Stance, hedged, stance_at
from pytest_memuse.judging.vocabulary import STOPWORDS
from pytest_memuse.model import Episode, Message
from pytest_memuse.spans import Span, prior_context


class Origin(StrEnum):
    """Who a prior source is. A message that is none of the others is a *record*: a tool result, a host's text."""

    TASK = "the task"
    PROSE = "the agent's earlier words"
    ACTION = "an earlier action"
    QUERY = "an earlier search"
    USER = "the user"
    RECORD = "an earlier message"


class Readings:
    """The readings of an episode's texts, each made once."""

    def __init__(self) -> None:
        self._made: dict[str, Reading] = {}

    def __call__(self, text: str) -> Reading:
        reading = self._made.get(text)
        if reading is None:
            reading = self._made[text] = Reading(text)
        return reading


@dataclass(frozen=True, slots=True)
class Source:
    """One prior source. ``visible`` says whether it stood in the consuming input, where novelty looks."""

    origin: Origin
    reading: Reading
    visible: bool = True


class Known(IntEnum):
    """What the prior sources make of one piece of content, in order of precedence for influence."""

    ABSENT = 0
    UNSURE = 1
    STATED = 2
    OPEN = 3
    EXPLAINED = 4


@dataclass(frozen=True, slots=True)
class Prior:
    """``known`` decides influence; ``established``, ``open`` and ``unsure`` tell novelty; ``quote`` is the source."""

    known: Known
    quote: str = ""
    origin: Origin | None = None
    established: bool = False
    open: bool = False
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class PriorSources:
    """The prior sources of a span: for influence without copies of the entry's own item, for novelty with them."""

    sources: tuple[Source, ...]
    competing: tuple[Source, ...] = field(default=())

    def of(self, content: Content, siblings: Iterable[Reading] = ()) -> Prior:
        """Return what these sources, and the other entries of the same delivery, make of one piece of content."""
        influence = [found for source in self.competing for found in _found(content, source)]
        for sibling in siblings:
            influence += _found(content, Source(Origin.RECORD, sibling))
        visible = [source for source in self.sources if source.visible and not _foreign(content, source)]
        novelty = [found for source in visible for found in _found(content, source)]
        known, quote, origin = max(influence, key=lambda f: f[0], default=(Known.ABSENT, "", None))
        hidden = not novelty and any(source.origin is not Origin.RECORD for source in self._hidden(content))
        return Prior(
            known,
            quote,
            origin,
            established=any(f[0] in (Known.STATED, Known.EXPLAINED) for f in novelty),
            open=any(f[0] is Known.OPEN and f[2] in (Origin.PROSE, Origin.QUERY) for f in novelty),
            unsure=hidden or any(f[0] is Known.UNSURE for f in novelty),
        )

    @property
    def unrecorded(self) -> bool:
        """Whether a source says of itself that the record lacks its content: what is absent may have stood there."""
        return any(_UNRECORDED.search(source.reading.text) for source in self.sources)

    def explains(self, content: Content, action: Reading) -> bool:
        """Whether every place of the content in an action is how a task, a user or an earlier action put it.

        A number is put for one purpose where it follows the same word; other content, where it is written alike.
        """
        put = [
            _put(content, source.reading, place.start, place.end)
            for source in self.competing
            if source.origin in (Origin.TASK, Origin.USER, Origin.ACTION)
            for place in occurrences(content, source.reading)
            if _known(source, place.start, place.end)[0] is Known.EXPLAINED
        ]
        places = occurrences(content, action)
        return bool(put) and bool(places) and all(_put(content, action, p.start, p.end) in put for p in places)

    def _hidden(self, content: Content) -> Iterator[Source]:
        return (s for s in self.sources if not s.visible and occurrences(content, s.reading))


def _foreign(content: Content, source: Source) -> bool:
    """Whether a source has a plain number only in sentences which speak of nothing that the entry's sentence does."""
    if content.quantity is None or content.quantity.dimension is not Dimension.PLAIN:
        return False
    for place in occurrences(content, source.reading):
        low, high = source.reading.sentence(place.start, place.end)
        words = [w for w in source.reading.words_between(low, high) if w not in STOPWORDS and not w.isdigit()]
        if len(words) < _SPEAKS or any(stem(word) in content.purpose for word in words):
            return False
    return True


_SPEAKS = 3
"""Words that a sentence must have to show what it speaks of."""


def _found(content: Content, source: Source) -> list[tuple[Known, str, Origin]]:
    found = []
    for place in occurrences(content, source.reading):
        known, quote = _known(source, place.start, place.end)
        if content.quantity is None:
            sure = place.grade is Grade.FULL
        elif place.grade is Grade.FULL:
            sure = _same_purpose(content, source.reading, place.start, place.end)
        else:
            # A small number says something where it counts or names the same: gate 2, job 9.
            exact = any(q.start == place.start for q in source.reading.find_quantity(content.quantity))
            sure = exact and bool(content.before) and leading(source.reading, place.start) == content.before
        if not sure:
            known = Known.UNSURE
        found.append((known, quote, source.origin))
    return found


def _put(content: Content, reading: Reading, start: int, end: int) -> str:
    """Return how content is put at a place: the word that a number follows, the whole of what is written otherwise."""
    if content.quantity is not None:
        # Two numbers that follow no word are not put alike by that.
        return leading(reading, start) or f"at {start}"
    text = reading.text
    low = max(text.rfind(mark, 0, start) for mark in " \n\t\"'`(=") + 1
    return text[low:end].casefold()


def _same_purpose(content: Content, reading: Reading, start: int, end: int) -> bool:
    """Whether a number stands for the entry's purpose: a ticket 9443 is no port 9443.

    It does where it follows one of the entry's words and, if it tells what it measures, where its sentence holds most
    of them.
    """
    before = leading(reading, start)
    if before and before in content.purpose:
        return True
    if content.quantity is None or content.quantity.dimension is Dimension.PLAIN:
        return False
    low, high = reading.sentence(start, end)
    around = {stem(w) for w in reading.words_between(low, high)}
    told = content.said
    return bool(told) and len(told & around) >= _MOST * len(told)


_MOST = 0.6
"""Share of the words of an entry's sentence that speak of the same purpose."""

_UNRECORDED = re.compile(
    r"\b(?:content|text|body|image|page|file|attachment|output|result)s? (?:is |was |were |are )?not "
    r"(?:recorded|captured|logged|preserved|retained)\b"
    r"|(?<!\w)\[(?:image|attachment|binary|audio|video)(?: omitted| data)?\](?!\()"
    r"|\bomitted from the (?:record|recording|transcript|log)\b",
    re.I,
)


def _known(source: Source, start: int, end: int) -> tuple[Known, str]:
    stance, sentence = stance_at(source.reading, start, end)
    if source.origin is Origin.ACTION:
        return Known.EXPLAINED, sentence
    if source.origin is Origin.QUERY:
        return Known.OPEN, sentence
    if source.origin is Origin.RECORD:
        return Known.STATED, sentence
    if source.origin is Origin.TASK and stance is Stance.OPEN and _asks_for_work(sentence):
        return Known.EXPLAINED, sentence
    if stance is Stance.OPEN:
        return Known.OPEN, sentence
    if source.origin is Origin.TASK:
        return (Known.STATED if stance is Stance.REFUSED else Known.EXPLAINED), sentence
    return (Known.EXPLAINED if stance is Stance.DECIDED else Known.STATED), sentence


def _asks_for_work(sentence: str) -> bool:
    """Whether a task's question is an order, or asks about what it names as given (*why does x fail?*)."""
    return bool(_ORDER.match(sentence)) and not hedged(sentence.replace("?", "."))


_ORDER = re.compile(r"(?:please )?(?:why|how|when|where|who|what|(?:can|could|would|will) you)\b", re.I)


def prior_sources(
    episode: Episode, span: Span, actions: tuple[Action, ...], copies: Copies, readings: Readings
) -> PriorSources:
    """Return what the agent could know before the first consuming step.

    Copies of the span's own items compete for no action, though they count against novelty while they are visible.
    """
    first = span.first or 1
    seen = set(episode.steps[first - 1].call.input)
    visible = [message for digest in seen if (message := episode.messages.get(digest)) is not None]
    said = {message.text for message in visible if message.role == "assistant"}
    called = {call.id for message in visible for call in message.tool_calls}
    task = episode.task.text if episode.task else ""
    hosts = {result.message for step in episode.steps for result in step.results} | set(copies.hosts)
    found: list[tuple[Origin, str, str | None, bool]] = [(Origin.TASK, task, None, True)]
    for prior in prior_context(episode, span):
        found.append((_speaker(prior.message, task, hosts), prior.text, prior.message.digest, True))
    for step in episode.steps[: first - 1]:
        response = episode.messages.get(step.call.response or "")
        if response is not None and response.text not in said:
            found.append((Origin.PROSE, response.text, None, False))
        for result in step.results:
            message = episode.messages.get(result.message)
            if message is not None and result.message not in seen:
                found.append((Origin.RECORD, message.text, result.message, False))
    for action in actions:
        if action.step < first:
            found.append((_origin(action), action.text, None, action.id in called))
            found.append((Origin.PROSE, action.spoken, None, action.id in called))
    found = [source for source in found if source[1]]
    return PriorSources(
        tuple(Source(origin, readings(text), shown) for origin, text, _, shown in found),
        tuple(
            Source(origin, readings(copies.removed(message, text) if message else text), shown)
            for origin, text, message, shown in found
        ),
    )


def _speaker(message: Message, task: str, hosts: set[str]) -> Origin:
    """Say who speaks. A user's message that carries a delivery or a result is a host's text, not the user's words."""
    if message.role == "assistant":
        return Origin.PROSE
    states_task = message.role in ("user", "system") and task and task.strip() in message.text
    if states_task:
        return Origin.TASK
    return Origin.USER if message.role == "user" and message.digest not in hosts else Origin.RECORD


_SEARCHERS = frozenset({"grep", "rg", "ag", "ack", "find", "fd", "locate", "egrep", "fgrep", "which", "ls"})


def _origin(action: Action) -> Origin:
    """A search records an open possibility; other actions record a direction taken."""
    if action.deed in (Deed.RETRIEVAL, Deed.MAINTENANCE):
        return Origin.QUERY
    if action.commands:
        programs = {c.name if c.name != "git" else " ".join(c.words[:2]) for c in action.commands if c.words}
        searching = programs & (_SEARCHERS | {"git grep"})
        return (
            Origin.QUERY if searching and programs <= _SEARCHERS | {"git grep", "cd", "head", "sort"} else Origin.ACTION
        )
    return Origin.QUERY if any(word in action.tool.lower() for word in ("search", "grep", "find")) else Origin.ACTION
