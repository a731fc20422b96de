"""References: what the agent says of an entry without acting on it (MemUse A.2.2)."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from pytest_memuse.judging.actions import Action, Deed
from pytest_memuse.judging.answers import Influence
from pytest_memuse.judging.content import Content
from pytest_memuse.judging.occurrences import Grade, occurrences
from pytest_memuse.judging.prior import Readings
from pytest_memuse.judging.reading import Reading, stem, words_of
from pytest_memuse.model import Episode
from pytest_memuse.model.errors import printable
from pytest_memuse.spans import Span, SpanEntry

_MEMORY = re.compile(r"\b(?:memory|memories|recalled|remembered|recall block|stored note|memory note)\b", re.I)
_NOTE = re.compile(r"\b(?:that|this|the) (?:note|reminder|hint)\b(?! (?:in|on|at|of) )", re.I)
_CREDIT = re.compile(
    r"\b(?:according to|as|per|following|based on|thanks to|guided by) (?:the |my |our |this )?(?:recalled |stored )?"
    r"(?:memory|memories|note|recall)\b"
    r"|\b(?:memory|memories|recall) (?:says?|tells?|notes?|suggests?|states?|recommends?|warns?)\b",
    re.I,
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_POSITION = re.compile(
    r"\b(?:(?P<word>first|second|third|fourth|fifth) (?:memory|entry|card|note|hit)\b"
    r"|(?:memory|entry|card|note|hit) (?:no\.? ?|#)?(?P<number>\d{1,3})(?![\w.-]))\b",
    re.I,
)


def mention_of(
    episode: Episode,
    span: Span,
    entry: SpanEntry,
    fresh: Iterable[Content],
    new_words: frozenset[str],
    actions: tuple[Action, ...],
    readings: Readings,
) -> tuple[Influence | None, str]:
    """Return *referenced* with the words that show it, None where they leave it open, else *none*.

    ``fresh`` is the entry's content that no prior source states, ``new_words`` the stems of its words that none holds.
    """
    assert entry.window is not None
    alone = len(span.entries) == 1
    fresh = tuple(fresh)
    noted = episode.task is not None and "note" in readings(episode.task.text).stems
    heard: set[str] = set()
    doubt = ""
    for step in episode.steps[entry.window.first - 1 : entry.window.last]:
        spoken = list(_spoken(episode, step.call.response, step.number, actions))
        for text in spoken:
            reading = readings(text)
            for content in fresh:
                if content.name not in heard and any(p.grade is Grade.FULL for p in occurrences(content, reading)):
                    return Influence.REFERENCED, f"step {step.number} mentions {content.kind} {content.written!r}"
            if shown_key(entry, span) and _names(text, shown_key(entry, span)):
                return Influence.REFERENCED, f"step {step.number} names {shown_key(entry, span)}"
            if any(_position(match) == span.entries.index(entry) + 1 for match in _POSITION.finditer(text)):
                return Influence.REFERENCED, f"step {step.number} speaks of it by its position"
            if quoted := _quotes(reading, new_words - heard):
                return Influence.REFERENCED, f"step {step.number} repeats {printable(quoted)!r}"
            if alone and _CREDIT.search(text):
                doubt = f"step {step.number} credits the memory, and no detail shows for what: {printable(text)!r}"
            elif alone and not doubt and (_MEMORY.search(text) or (_NOTE.search(text) and not noted)):
                return Influence.REFERENCED, f"step {step.number} speaks of the memory, and it was the only one shown"
        for result in step.results:
            message = episode.messages.get(result.message)
            if message is not None:
                reading = readings(message.text)
                heard |= {stem(w) for w in new_words} & reading.stems
                heard |= {c.name for c in fresh if occurrences(c, reading)}
    for action in actions:
        maintains = action.step in entry.window and action.deed is Deed.MAINTENANCE
        if maintains and shown_key(entry, span) and _names(action.text, shown_key(entry, span)):
            return Influence.REFERENCED, f"step {action.step} maintains it in memory under {shown_key(entry, span)}"
    if doubt:
        return None, doubt
    return Influence.NONE, "no action uses its content and nothing mentions it"


def _spoken(episode: Episode, response: str | None, step: int, actions: tuple[Action, ...]) -> Iterator[str]:
    message = episode.messages.get(response or "")
    if message is not None and message.text:
        yield message.text
    yield from (a.spoken for a in actions if a.step == step and a.spoken and a.deed in (Deed.WORLD, Deed.SPEECH))


def shown_key(entry: SpanEntry, span: Span) -> str:
    """Return the identifier under which the entry was shown, empty where none was that says something by itself."""
    key = entry.entry.key or entry.entry.item or ""
    joined = "-" in key or "_" in key
    digits = any(c.isdigit() for c in key)
    telling = (len(key) >= 4 and (digits or joined)) or (len(key) == 3 and digits and joined)
    shown = any(key in (p.text or "") for d in span.deliveries[:1] for p in d.placements) if telling else False
    return key if shown else ""


def _names(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text))


def _position(match: re.Match[str]) -> int:
    return int(match["number"]) if match["number"] else _ORDINALS[match["word"].lower()]


def _quotes(reading: Reading, new_words: frozenset[str]) -> str:
    """Return a sentence that holds two of the entry's new words side by side, or three of them; else nothing."""
    if len(new_words) < 2:
        return ""
    for match in re.finditer(r"[^.!?\n]+", reading.text):
        words = [stem(word) for word in words_of(match.group())]
        known = [word in new_words for word in words]
        if len(new_words.intersection(words)) >= 3 or any(a and b for a, b in pairwise(known)):
            return match.group().strip()
    return ""
