"""Relevance and accuracy from a task's reference facts (the reference-solution mode, MemUse A.2.3)."""

from collections.abc import Iterator, Sequence

from pytest_memuse.judging.answers import Accuracy
from pytest_memuse.judging.comparing import contradicting
from pytest_memuse.judging.content import Content, Kind
from pytest_memuse.judging.measures import Quantity, Weight
from pytest_memuse.judging.reading import Place, Reading, words_of
from pytest_memuse.judging.stances import clauses_against
from pytest_memuse.judging.vocabulary import COMMON
from pytest_memuse.model import ReferenceFact

_NOTHING = "states no reference fact"
_FIRMNESS = (Accuracy.UNCONTRADICTED, Accuracy.CORROBORATED, None, Accuracy.CONTRADICTED)


def assess_references(facts: Sequence[ReferenceFact], text: str) -> tuple[bool, Accuracy | None, str]:
    """Return relevance and accuracy of an exposed text, and the fact that decided.

    A text is about a fact where it states its subject, or one of its values that says something by itself. A fact that
    is contradicted outweighs one that is left open (None), and that one outweighs one that is confirmed.
    """
    reading = Reading(text)
    relevant, note = False, _NOTHING
    accuracy: Accuracy | None = Accuracy.UNCONTRADICTED
    for fact in facts:
        subject = _subjects(fact.subject, reading)
        current = _places(fact.value, reading, subject)
        old = {
            v: places for v in fact.superseded if not _same(v, fact.value) and (places := _places(v, reading, subject))
        }
        if not subject and not current and not old:
            continue
        relevant = True
        found, why = _accuracy(fact, reading, subject, current, old)
        if _FIRMNESS.index(found) > _FIRMNESS.index(accuracy) or note == _NOTHING:
            accuracy, note = found, why
    return relevant, accuracy, note


_Places = list[tuple[int, int]]


def _accuracy(
    fact: ReferenceFact, reading: Reading, subject: _Places, current: _Places, old: dict[str, _Places]
) -> tuple[Accuracy | None, str]:
    denied = clauses_against(reading.text, past=False)
    held = [place for place in current if not _inside(place, denied)]
    if held:
        return Accuracy.CORROBORATED, f"states {fact.subject} as {fact.value}"
    against = clauses_against(reading.text)
    for value, places in old.items():
        if any(not _inside(place, against) for place in places):
            return Accuracy.CONTRADICTED, f"states {fact.subject} as {value}, which {fact.value} superseded"
    if current or old:
        return None, f"names a value of {fact.subject} as what does not or did not hold"
    quantity = _quantity(fact.value)
    other = contradicting(quantity, reading, subject, frozenset(words_of(fact.subject))) if quantity else ""
    if other:
        return Accuracy.CONTRADICTED, f"states {fact.subject} as {other}, not {fact.value}"
    if other is None:
        return None, f"is about {fact.subject} and names a number that can be {fact.value} or something else"
    return Accuracy.UNCONTRADICTED, f"is about {fact.subject} and states no value of it"


def stated_values(facts: Sequence[ReferenceFact], text: str) -> tuple[Content, ...]:
    """Return the values of facts that a text states, where they are words and not numbers, as content to trace.

    A value that its fact names is a detail even where it is a plain word (a region, a colour).
    """
    reading = Reading(text)
    values = dict.fromkeys(value for fact in facts for value in (fact.value, *fact.superseded))
    return tuple(
        Content(Kind.QUOTED, value, words)
        for value in values
        if _quantity(value) is None
        and (words := words_of(value)[:12])
        and any(word not in COMMON and len(word) > 2 for word in words)
        and any(True for _ in reading.find(words))
    )


def _subjects(subject: str, reading: Reading) -> list[tuple[int, int]]:
    """Return the sentences that state a subject: its words in a row, in any spelling, or all in one sentence."""
    words = words_of(subject)
    if not words:
        return []
    places = [reading.sentence(p.start, p.end) for p in _first(reading.find(words))]
    if places or len(words) == 1:
        return places
    telling = max(words, key=len)
    return [
        (low, high)
        for place in _first(reading.find((telling,)))
        for low, high in [reading.sentence(place.start, place.end)]
        if set(words) <= set(reading.words_between(low, high))
    ]


def _places(value: str, reading: Reading, subject: _Places) -> _Places:
    """Return where a value stands in a subject's sentence, or anywhere if it says something by itself."""
    quantity = _quantity(value)
    if quantity is not None:
        places = [(q.start, q.end) for q in reading.find_quantity(quantity)]
        alone = quantity.weight is Weight.DISTINCTIVE
    else:
        words = words_of(value)
        places = [(p.start, p.end) for p in _first(reading.find(words))]
        alone = any(w not in COMMON and len(w) > 2 for w in words)
    return places if alone else [place for place in places if _inside(place, subject)]


def _inside(place: tuple[int, int], sentences: list[tuple[int, int]]) -> bool:
    return any(low <= place[0] and place[1] <= high for low, high in sentences)


def _quantity(value: str) -> Quantity | None:
    """Return the quantity that a value is, None where it is more than one."""
    reading = Reading(value.strip())
    found = [q for q in reading.quantities if not q.alternate]
    whole = len(found) == 1 and len(reading.words) <= 3 and not found[0].start > 1
    return found[0] if whole and len(reading.text) - (found[0].end - found[0].start) <= 10 else None


def _same(a: str, b: str) -> bool:
    return words_of(a) == words_of(b)


def _first(places: Iterator[Place]) -> list[Place]:
    """Return the first places of a search; a text that repeats a word a million times says it no better."""
    found: list[Place] = []
    for place in places:
        found.append(place)
        if len(found) == 40:
            break
    return found
