"""What keeps an action open: what it shares with an entry proves too little to claim and too much to deny."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pytest_memuse.judging.actions import Action
from pytest_memuse.judging.content import Content, contents_of
from pytest_memuse.judging.measures import Dimension
from pytest_memuse.judging.occurrences import Grade, occurrences
from pytest_memuse.judging.reading import Reading, stem, words_of
from pytest_memuse.judging.vocabulary import COMMON, STOPWORDS


@dataclass(frozen=True, slots=True)
class Heard:
    """A text that reached the agent from step ``step`` on; ``ordered`` where a user speaks, who can order an action."""

    step: int
    reading: Reading
    ordered: bool


def overheard(content: Content, action: Action, taken: Reading, entry: Reading, heard: Iterable[Heard]) -> bool:
    """Whether another source, which reached the agent after the delivery, can have given an action the same detail.

    What the agent reads by itself after the delivery is first recorded after exposure and competes with nothing. A
    user's order does, and so does a text whose own details the action took beside this one: it followed that text.
    """
    for source in heard:
        if source.step > action.step:
            continue
        places = occurrences(content, source.reading)
        if places and (source.ordered or any(_led(source.reading, p.start, p.end, taken, entry) for p in places)):
            return True
    return False


def _led(source: Reading, start: int, end: int, taken: Reading, entry: Reading) -> bool:
    """Whether the sentence around a place has a detail that the action took and the entry does not have."""
    low, high = source.sentence(start, end)
    return any(
        any(place.grade is Grade.FULL for place in occurrences(other, taken)) and not occurrences(other, entry)
        for other in contents_of(source.text[low:high])
    )


def word_doubt(action: Action, words: frozenset[str], reading: Reading, heard: Iterable[Heard]) -> str | None:
    """Two new words of the entry in one action; ``words`` are the stems of its words that nothing before holds."""
    shared = sorted(_unheard(words & reading.stems, action, heard))
    if len(shared) < 2:
        return None
    return f"step {action.step} shares the words {', '.join(shared[:3])} with the entry, which may be chance"


_SHORT = 6
"""Words of an argument up to which it is a value; a longer one is prose."""

_MOST_VALUES = 200


def argument_doubt(
    action: Action, entry: Reading, words: frozenset[str], others: Iterable[Reading], heard: Iterable[Heard]
) -> str | None:
    """An argument that is a plain word or phrase of the entry, which nothing before the delivery holds."""
    others, heard = list(others), list(heard)
    for value in action.values[:_MOST_VALUES]:
        if len(value) > 200 or not 1 <= len(parts := words_of(value)) <= _SHORT:
            continue
        new = sorted(_unheard({s for w in parts if len(w) > 3 and (s := stem(w)) in words}, action, heard))
        if new:
            return f"step {action.step} has the entry's word {new[0]!r} as an argument, which may be chance"
        if _telling(parts) and _stands(parts, entry):
            known = [*others, *(h.reading for h in heard if h.step <= action.step)]
            if not any(_stands(parts, reading) for reading in known):
                return f"step {action.step} has {value!r} as an argument, which the entry says as well"
    return None


_MANNER = re.compile(
    r"\b(?:writ(?:e|es|ing|ten)|repl(?:y|ies)|answer(?:s|ed)?|greet\w*|tone|(?:in)?formal\w*|polite\w*|language"
    r"|wording|worded|phrase[ds]?|emojis?|bullets?|briefly|concise\w*|upper ?case|lower ?case"
    r"|in (?:[A-Z][a-z]+(?:ian|ish|ese|ch)|German|Greek|Dutch|Arabic|Hindi|Hebrew|Czech|Thai|Korean))\b"
)
_PROSE = 5


def manner_doubt(action: Action, entry: Reading) -> str | None:
    """An entry that asks for a manner of writing leaves no words of its own in what is written that way."""
    if action.commands or not _MANNER.search(entry.text):
        return None
    if not any(len(value.split()) >= _PROSE for value in action.values[:_MOST_VALUES]):
        return None
    return f"step {action.step} writes a text, and whether in the manner that the entry asks for cannot be traced"


_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:tomorrow|weekends?|fortnight\w*)\b", re.I)
_ZONED = re.compile(
    r"\b(?:UTC|GMT|CES?T|EES?T|WES?T|BST|[ECMP][SD]T|time ?zone|local time)\b|\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d)"
)


def calendar_doubt(action: Action, entry: Reading, taken: Reading, others: Iterable[Reading]) -> str | None:
    """A weekday became a date, or an hour that of another zone; no arithmetic tells whether from the entry."""
    zoned = any(_ZONED.search(reading.text) for reading in (entry, taken))
    kinds = {Dimension.DATE} if _WEEKDAY.search(entry.text) else set()
    if zoned and any(q.dimension is Dimension.TIME for q in entry.quantities):
        kinds.add(Dimension.TIME)
    others = list(others)
    for quantity in taken.quantities:
        if quantity.dimension not in kinds or quantity.alternate:
            continue
        if not any(True for reading in others for _ in reading.find_quantity(quantity)):
            where = taken.text[quantity.start : quantity.end]
            return f"step {action.step} has {where!r}, which can be what the entry says in another form"
    return None


def _telling(words: tuple[str, ...]) -> bool:
    said = [w for w in words if w not in STOPWORDS and len(w) > 2 and not w.isdigit()]
    return bool(said) and (len(words) > 1 or words[0] not in COMMON)


def _stands(words: tuple[str, ...], reading: Reading) -> bool:
    return any(True for _ in reading.find(words))


def _unheard(stems: Iterable[str], action: Action, heard: Iterable[Heard]) -> Iterator[str]:
    known = [h.reading.stems for h in heard if h.step <= action.step]
    return (s for s in stems if not any(s in seen for seen in known))
