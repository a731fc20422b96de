"""Novelty: what an entry adds to the task and the visible prior context (MemUse A.2.2)."""

import re
from itertools import islice

from pytest_memuse.judging.answers import Novelty
from pytest_memuse.judging.content import Content, significant_words
from pytest_memuse.judging.occurrences import occurrences
from pytest_memuse.judging.prior import Origin, PriorSources, Source
from pytest_memuse.judging.reading import Reading, stem
from pytest_memuse.judging.stances import denies
from pytest_memuse.model.errors import printable

_MOSTLY = 0.6
"""Share of an entry's significant words that must be new for the whole to be, where it has no detail to trace."""

_COVERED = 0.75
"""Share of them that one prior source must hold for the entry's claim, beside its details, to count as established."""


def novelty_of(
    contents: tuple[Content, ...], text: str, prior: PriorSources, complete: bool
) -> tuple[Novelty | None, str]:
    """Return the novelty of an entry and the reason; None where tracing cannot tell.

    ``complete`` is False where part of the prior context was lost: absence is then no evidence.
    """
    words = significant_words(text)
    absent, unsure, unsettled = [], [], []
    for content in contents:
        known = prior.of(content)
        if not (known.established or known.open or known.unsure):
            absent.append(content)
        elif known.open:
            unsettled.append(content)
        elif not known.established:
            unsure.append(content)
    if absent and not complete:
        return None, "part of the prior context was lost or not recorded"
    if absent:
        return Novelty.NOVEL, f"no visible prior source states {absent[0].kind} {absent[0].written!r}"
    if unsure:
        return None, f"a prior source may state {unsure[0].kind} {unsure[0].written!r}"
    visible = [s for s in prior.sources if s.visible]
    stems = frozenset(stem(word) for word in words)
    covered = max((len(stems & s.reading.stems) / len(stems) for s in visible), default=0.0) if stems else 1.0
    fresh = [w for w in sorted(words) if not any(stem(w) in s.reading.stems for s in visible)]
    if contents and covered >= _COVERED and unsettled:
        return Novelty.CONFIRMING, f"the agent had only wondered about {unsettled[0].kind} {unsettled[0].written!r}"
    if covered >= _COVERED and (other := _other_claim(text, contents, stems, visible)):
        return None, f"a prior source speaks of it and may say something else: {printable(other)!r}"
    if contents and covered >= _COVERED and not fresh:
        return Novelty.REDUNDANT, "every detail was established before"
    named = {stem(word) for content in contents for word in content.words}
    beside = {stem(word) for word in words} - named
    if contents and not unsettled and complete and len(fresh) >= 2 and len(fresh) >= _MOSTLY * len(beside):
        return Novelty.NOVEL, f"no visible prior source speaks of {', '.join(fresh[:3])}"
    if not contents and complete and len(fresh) >= 2 and len(fresh) >= _MOSTLY * len(words):
        return Novelty.NOVEL, f"no visible prior source speaks of {', '.join(fresh[:3])}"
    if not contents and len(stems) >= 3 and covered == 1.0:
        doubtful = any(stems <= s.reading.stems and s.origin in (Origin.PROSE, Origin.QUERY) for s in visible)
        return (
            (None, "the agent's earlier words hold all of it")
            if doubtful
            else (Novelty.REDUNDANT, "all was said before")
        )
    return None, "its details were known, and whether its claim was cannot be traced"


_MOST_SENTENCES = 1000
"""Sentences of one source that are compared; what stands after them establishes nothing, which is the safe side."""


def _other_claim(text: str, contents: tuple[Content, ...], stems: frozenset[str], sources: list[Source]) -> str:
    """Return what speaks of the same and states something else, empty where some source states it as the text does.

    A source that forbids what the text advises, or asks what the text tells, does not establish it.
    """
    other = ""
    for source in sources:
        for sentence in islice(_SENTENCE.findall(source.reading.text), _MOST_SENTENCES):
            reading = Reading(sentence)
            same = stems and len(stems & reading.stems) >= _COVERED * len(stems)
            if not same and not any(occurrences(content, reading) for content in contents):
                continue
            if denies(sentence) == denies(text) and not sentence.rstrip().endswith("?"):
                return ""
            other = other or sentence.strip()
    return other


_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s|\Z)[^.!?\n]*)*[.!?]?")
