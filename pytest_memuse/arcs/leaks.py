"""The leak check: no gold value may reach a probe by another way than memory (MERIT 3.2).

A value is looked for as it stands and reformatted: a number with other separators, a date or a time written otherwise,
the words of a name in another spelling or order.
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.arcs.types import GoldFact, Kind, Parameter, Tool, WorldArc, WorldEpisode
from pytest_memuse.arcs.worlds import MOST_ROWS, World
from pytest_memuse.judging.measures import Quantity
from pytest_memuse.judging.reading import Reading, words_of
from pytest_memuse.model.errors import MemuseError, printable

MOST_CALLS = 50_000
"""Calls of one reading tool that the check tries."""


class Channel(StrEnum):
    """By what way a gold value reaches a probe."""

    PROMPT = "prompt"
    WORLD = "world"
    TOOL = "tool"
    PARAPHRASE = "paraphrase"
    EPISODE = "other episode"


@dataclass(frozen=True, slots=True)
class Leak:
    """One gold value where it may not be: by which channel, where exactly, and the text that states it."""

    channel: Channel
    where: str
    subject: str
    value: str
    text: str

    def __str__(self) -> str:
        return f"{self.channel}: {self.where} states {self.subject!r} as {self.value!r}: {printable(self.text)}"


class LeakError(MemuseError):
    """An arc whose probes could be solved without memory. ``leaks`` are all that were found."""

    def __init__(self, arc: str, leaks: Sequence[Leak], source: str = "") -> None:
        shown = "".join(f"\n  {leak}" for leak in leaks[:10])
        more = f"\n  and {len(leaks) - 10} more" if len(leaks) > 10 else ""
        super().__init__(
            f"{source + ': ' if source else ''}arc {arc!r} leaks what its probes ask for:{shown}{more}",
            reason="leak",
            mend="give the fact another value, or take it from where it stands",
        )
        self.leaks = tuple(leaks)


class Haystack:
    """A text in which values are looked for."""

    __slots__ = ("folded", "reading")

    def __init__(self, text: str) -> None:
        self.reading = Reading(text)
        self.folded = " ".join(self.reading.text.split()).casefold()


class Sought:
    """A value that is looked for in texts, in every form that this module knows.

    A value that stands within a longer word or number counts as stated: tracing by containment would take it for that.
    """

    def __init__(self, value: str) -> None:
        self.value = value
        self._words = words_of(value)
        self._quantity = _whole_quantity(value)
        self._others = [words_of(form) for form in _other_forms(value)]
        self._folded = " ".join(value.split()).casefold()

    def stated_in(self, text: Haystack) -> bool:
        """Tell whether a text states the value."""
        reading = text.reading
        if self._folded in text.folded:
            return True
        if self._quantity is not None and any(True for _ in reading.find_quantity(self._quantity)):
            return True
        if any(True for words in (self._words, *self._others) for _ in reading.find(words)):
            return True
        return self._quantity is None and len(self._words) > 2 and self._scattered(reading)

    def _scattered(self, reading: Reading) -> bool:
        """Whether all words of the value stand in one sentence, in any order."""
        telling = max(self._words, key=len)
        return any(
            set(self._words) <= set(reading.words_between(*reading.sentence(place.start, place.end)))
            for place in itertools.islice(reading.find((telling,)), 40)
        )


def find_leaks(arc: WorldArc, *, prompt: str = "") -> tuple[Leak, ...]:
    """Return every way by which a gold value reaches a probe without memory, superseded values included.

    Looked at are the probes' user texts, ``prompt`` (what every model input holds) and the tools' schemas, every row of
    the world, what each reading tool gives for every argument that the world knows, and the texts of other episodes
    than those that plant or revise the fact: gold values are unique in an arc.
    """
    probes = [episode for episode in arc.episodes if episode.kind is Kind.PROBE]
    facts = _sought(fact for probe in probes for fact in probe.gold)
    if not facts:
        return ()
    with World.open(arc) as world:
        found = [
            *_in_texts(Channel.WORLD, tuple(world.texts()), facts),
            *_in_texts(Channel.TOOL, _tool_results(arc, world), facts),
        ]
        schemas = [(f"the schema of {schema['name']}", str(schema)) for schema in world.tools()]
    found += _in_texts(Channel.PROMPT, [("the system prompt", prompt), *schemas], facts)
    for probe in probes:
        found += _in_texts(Channel.PROMPT, user_texts(probe), facts)
    return (*found, *_in_other_episodes(arc, facts), *_shared_values(facts))


def leaks_of_paraphrase(arc: WorldArc, episode: WorldEpisode, turns: Sequence[str]) -> tuple[Leak, ...]:
    """Return the gold values that paraphrased turns of an episode state and may not state.

    In a probe and in an independent episode that is every gold value of the arc; in a plant or an update those of
    facts that are not its own.
    """
    own = {fact.subject for fact in episode.gold} if not episode.kind.acts else set()
    facts = [f for each in arc.episodes if each.kind is Kind.PROBE for f in each.gold if f.subject not in own]
    texts = [(f"episode {episode.id}, turn {n}", turn) for n, turn in enumerate(turns, 1)]
    return tuple(_in_texts(Channel.PARAPHRASE, texts, _sought(facts)))


def user_texts(episode: WorldEpisode) -> list[tuple[str, str]]:
    """Return what the user says in an episode, each turn with its place."""
    return [(f"episode {episode.id}, turn {number}", turn) for number, turn in enumerate(episode.user, 1)]


_Facts = Sequence[tuple[GoldFact, Sought]]
"""Facts, each as often as it has values, with one of them."""


def _sought(facts: Iterable[GoldFact]) -> _Facts:
    return [(fact, Sought(value)) for fact in dict.fromkeys(facts) for value in (fact.value, *fact.superseded)]


def _in_other_episodes(arc: WorldArc, facts: _Facts) -> Iterator[Leak]:
    for episode in arc.episodes:
        if episode.kind is Kind.PROBE:
            continue
        own = {fact.subject for fact in episode.gold}
        yield from _in_texts(Channel.EPISODE, user_texts(episode), [f for f in facts if f[0].subject not in own])


def _shared_values(facts: _Facts) -> Iterator[Leak]:
    """Find facts of different subjects with one value, and a value that was superseded by itself."""
    texts = [Haystack(sought.value) for _, sought in facts]
    for (place, (fact, sought)), (other_place, (other, stated)) in itertools.permutations(enumerate(facts), 2):
        if fact.subject == other.subject and (fact is not other or place > other_place):
            continue
        if sought.stated_in(texts[other_place]):
            yield Leak(Channel.EPISODE, f"the fact {other.subject!r}", fact.subject, sought.value, stated.value)


def _in_texts(channel: Channel, texts: Iterable[tuple[str, str]], facts: _Facts) -> Iterator[Leak]:
    kept = [(where, text) for where, text in texts if text]
    # Nearly always nothing is found, which one reading of everything shows.
    whole = Haystack("\n".join(text for _, text in kept))
    for fact, sought in facts:
        if sought.stated_in(whole):
            yield from (
                Leak(channel, where, fact.subject, sought.value, text)
                for where, text in kept
                if sought.stated_in(Haystack(text))
            )


def _tool_results(arc: WorldArc, world: World) -> list[tuple[str, str]]:
    """Return what reading tools give, once each, with the first call that gives it."""
    found: dict[str, str] = {}
    for tool in arc.tools:
        if tool.reads:
            for arguments in _arguments(tool, world):
                result = world.call(tool.name, arguments)
                told = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
                found.setdefault(result, f"{tool.name}({told})")
    return [(where, text) for text, where in found.items()]


def _arguments(tool: Tool, world: World) -> Iterator[Mapping[str, str]]:
    choices = [_choices(parameter, tool.table, world) for parameter in tool.parameters]
    if math.prod(len(each) for each in choices) > MOST_CALLS:
        raise MemuseError(
            f"the tool {tool.name!r} can be called in more than {MOST_CALLS:,} ways; they cannot all be tried",
            reason="arc",
            mend="give its table fewer rows, or the tool fewer parameters",
        )
    names = [p.name for p in tool.parameters]
    for values in itertools.product(*choices):
        yield dict(zip(names, values, strict=True))


def _choices(parameter: Parameter, table: str, world: World) -> tuple[str, ...]:
    """Return the arguments to try: the column's values, and none where a call may leave it out or empty.

    Whatever a search finds, the search for nothing finds, unless that is more than one call shows.
    """
    values = world.values(table, parameter.column)
    if parameter.within and world.size(table) <= MOST_ROWS:
        return ("",)
    return ("", *values) if parameter.within or not parameter.required else values


def _whole_quantity(value: str) -> Quantity | None:
    """Return the quantity that a value is as a whole, None where it is something else or more."""
    found = [q for q in Reading(value.strip()).quantities if not q.alternate]
    return found[0] if len(found) == 1 and found[0].end - found[0].start >= len(value.strip()) - 1 else None


_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])", re.ASCII)
_AMOUNT = re.compile(r"(\d{1,9})\.(\d\d)", re.ASCII)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def _other_forms(value: str) -> Iterator[str]:
    """Yield a time in twelve hours, a day without its year, and an amount in words for its units."""
    if match := _CLOCK.fullmatch(value):
        hour, half = int(match[1]), "am" if int(match[1]) < 12 else "pm"
        for apart in (" ", ""):
            yield f"{hour % 12 or 12}:{match[2]}{apart}{half}"
        yield f"{match[1]}h{match[2]}"
    elif match := _DAY.fullmatch(value):
        month, day = _MONTHS[int(match[1]) - 1], int(match[2])
        for name in (month, month[:3]):
            for number in (str(day), f"{day}{_ordinal(day)}"):
                yield f"{number} {name}"
                yield f"{name} {number}"
                yield f"{number} of {name}"
    elif match := _AMOUNT.fullmatch(value):
        yield f"{match[1]} dollars and {match[2]} cents"
        yield f"{match[1]} euros and {match[2]} cents"


def _ordinal(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
