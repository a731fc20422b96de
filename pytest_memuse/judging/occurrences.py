"""Where memory-specific content stands in a text, and how surely it is that content."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pytest_memuse.judging.content import Content, Kind
from pytest_memuse.judging.measures import Dimension, Weight
from pytest_memuse.judging.reading import Reading, words_of
from pytest_memuse.judging.vocabulary import FILE_ENDINGS


class Grade(StrEnum):
    """How surely content stands in a text: in a form that only this content has, or in one that it may share."""

    FULL = "full"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place where content stands in a reading."""

    grade: Grade
    start: int
    end: int


MOST_PLACES = 40
"""Places of one content that are looked at in one text."""


def occurrences(content: Content, reading: Reading) -> list[Occurrence]:
    """Return the places where content stands in a text, at most `MOST_PLACES`."""
    found: list[Occurrence] = []
    for occurrence in _quantity(content, reading) if content.quantity else _words(content, reading):
        found.append(occurrence)
        if len(found) == MOST_PLACES:
            break
    return found


def _quantity(content: Content, reading: Reading) -> Iterator[Occurrence]:
    assert content.quantity is not None
    for quantity in reading.find_quantity(content.quantity):
        shared = not content.purpose.isdisjoint(reading.around(quantity.start, quantity.end))
        weight = content.quantity.weight
        # Full hours are common to all calendars, so that two of them are alike by chance.
        telling = content.quantity.dimension not in (Dimension.PLAIN, Dimension.TIME)
        same_dimension = telling and quantity.dimension is content.quantity.dimension
        if weight is Weight.DISTINCTIVE or (weight is Weight.SHARED and (shared or same_dimension)):
            grade = Grade.FULL if shared or not quantity.alternate else Grade.PARTIAL
        elif weight is Weight.SHARED or shared:
            grade = Grade.PARTIAL
        else:
            continue
        yield Occurrence(grade, quantity.start, quantity.end)
    for quantity in reading.find_possible(content.quantity):
        shared = not content.purpose.isdisjoint(reading.around(quantity.start, quantity.end))
        if shared or Weight.DISTINCTIVE in (quantity.weight, content.quantity.weight):
            yield Occurrence(Grade.PARTIAL, quantity.start, quantity.end)


def _words(content: Content, reading: Reading) -> Iterator[Occurrence]:
    words = content.words
    for place in reading.find(words):
        yield Occurrence(_grade(content, reading, place.start, place.end, place.tight), place.start, place.end)
    if content.kind is not Kind.PATH:
        return
    has_ending = len(words) > 1 and words[-1] in FILE_ENDINGS
    if has_ending and len(words) > 2:
        # A module is its file without the ending: ``svc.paging.window``.
        for place in reading.find(words[:-1]):
            dotted = place.tight and "." in reading.text[place.start : place.end]
            yield Occurrence(Grade.FULL if dotted else Grade.PARTIAL, place.start, place.end)
        base = words_of(content.written.rstrip("/").rpartition("/")[2])
        if base != words:
            for place in reading.find(base):
                if place.tight:
                    yield Occurrence(Grade.PARTIAL, place.start, place.end)


def _grade(content: Content, reading: Reading, start: int, end: int, tight: bool) -> Grade:
    """Say whether words in this spelling can only be the content."""
    if content.kind is Kind.OPTION:
        return Grade.FULL if tight and reading.text[max(0, start - 2) : start] == "--" else Grade.PARTIAL
    if content.kind is Kind.TERM:
        if len(content.words) > 1:
            return Grade.FULL
        # In an identifier capitals are lost; the word before it must then be the same too (``retry_with_get``).
        joined = reading.text[start - 1 : start] == "_" and next(reading.before(start, 1), "") == content.before
        return Grade.FULL if reading.text[start:end] == content.written or joined else Grade.PARTIAL
    if content.kind in (Kind.QUOTED, Kind.COMMAND):
        return Grade.FULL
    return Grade.FULL if tight or len(content.words) > 2 else Grade.PARTIAL
