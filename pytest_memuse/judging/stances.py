"""How a sentence stands to what it says: decided, open, refused, or simply stated."""

import re
from enum import StrEnum

from pytest_memuse.judging.reading import Reading


class Stance(StrEnum):
    """A *decided* direction explains a later action; an *open* question leaves its attribution undetermined (A.2.2)."""

    DECIDED = "decided"
    OPEN = "open"
    REFUSED = "refused"
    STATED = "stated"


_OPEN = re.compile(
    r"\?|\b(?:perhaps|maybe|might|could|possibly|probably|presumably|apparently|tentative\w*|possib\w+|candidates?|idea"
    r"|not (?:yet )?(?:sure|certain|clear|known)|unsure|uncertain|unclear|unverified|can['’]t tell|cannot tell"
    r"|wonder\w*|guess\w*|hypothes\w*|suspect\w*|whether|assum\w+|seems?|likely|i think|i believe|consider\w*"
    r"|worth (?:trying|checking|a try)|may (?:be|need|have)|should (?:we|i|it))\b",
    re.I,
)
_REFUSED = re.compile(
    r"\b(?:not|never|no longer|without|instead of|rather than|avoid\w*|except|unlike|leave|wrong|rejected?)\b|n['’]t\b",
    re.I,
)
_DECIDED = re.compile(
    r"\b(?:i|we)(?: will|['’]ll| am going to| are going to| shall| plan to| have decided| decided"
    r"| decide| now| am| must| need to)\b|\b(?:i['’]m|let me|let['’]s|going to|the plan|decision|decided|next step)\b"
    r"|^\W{0,4}(?:next|plan|todo|now)\b"
    r"|^\W{0,4}(?:take|book|send|call|order|choose|pick|use|set|add|change|run|open|make|fix|edit|update|replace|start|apply|put|write|move|rename|delete"
    r"|remove|switch|bump|increase|reduce|create)\b"
    r"|^\W{0,4}(?!during|string|(?:some|any|every|no)thing)[a-z]{2,12}ing\b",
    re.I | re.M,
)
_SHORT = 60


def clauses_against(text: str, *, past: bool = True) -> list[tuple[int, int]]:
    """Return the clauses that name what not to use or what does not hold; with ``past``, also what was before."""
    patterns = (_AGAINST, _MOVED, _WAS) if past else (_AGAINST, _MOVED)
    return [match.span() for pattern in patterns for match in pattern.finditer(text)]


_AGAINST = re.compile(
    r"\b(?:never|not|don['’]t|do not|isn['’]t|aren['’]t|avoid|instead of|rather than|no longer|without)\b"
    r"(?:[ \t]+(?!but\b)[^\s,;:()]+){1,4}",
    re.I,
)
_MOVED = re.compile(
    r"\b(?:moved|changed|renamed|switched|migrated|went|raised|lowered) from\b(?:[ \t]+(?!to\b)[^\s,;:()]+){1,4}", re.I
)
_WAS = re.compile(
    r"\b(?:was|were|used to be|formerly|previously)\b(?:[ \t]+(?!(?:but|and|now|is)\b)[^\s,;:()]+){1,4}", re.I
)


def denies(text: str) -> bool:
    """Whether a text forbids or denies what it speaks of."""
    return bool(_DENIED.search(text))


_DENIED = re.compile(
    r"(?<![\w-])(?:not|never|no|no longer|without|avoid\w*|forbid\w*|forbidden|prohibit\w*|cannot|nothing|none|nobody"
    r"|disallow\w*|stop|don['’]?t|refuse\w*|except|unless|instead of|rather than)\b|n['’]t\b",
    re.I,
)


def hedged(sentence: str) -> bool:
    """Whether a sentence leaves open what it says."""
    return bool(_OPEN.search(_POLITE.sub("", sentence)))


_POLITE = re.compile(r"\b(?:can|could|would|will) you\b", re.I)


def stance_at(reading: Reading, start: int, end: int) -> tuple[Stance, str]:
    """Return the stance of the sentence at a place, and the sentence. A short doubt right after it belongs to it."""
    low, high = reading.sentence(start, end)
    sentence = reading.text[low:high]
    following_end = reading.sentence(min(high + 1, len(reading.text)), min(high + 1, len(reading.text)))[1]
    following = reading.text[high:following_end]
    if _OPEN.search(sentence) or (len(following) <= _SHORT and _OPEN.search(following)):
        return Stance.OPEN, sentence.strip()
    if _REFUSED.search(sentence):
        return Stance.REFUSED, sentence.strip()
    return (Stance.DECIDED if _DECIDED.search(sentence) else Stance.STATED), sentence.strip()
