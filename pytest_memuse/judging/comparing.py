"""Whether two values of one fact contradict each other, or can be the same in other units or formats."""

import re
from decimal import Decimal
from itertools import product

from pytest_memuse.judging.measures import Dimension, Quantity
from pytest_memuse.judging.reading import Reading, stem
from pytest_memuse.judging.vocabulary import STOPWORDS

_FACTORS = frozenset(
    Decimal(f) for f in (60, 3600, 86400, 604800, 24, 168, 1440, 7, 100, 1000, 1024, 10**6, 1024**2, 10**9, 1024**3)
)
"""Ratios of units that people leave out: of time, of size, of money, of per cent, of metric prefixes."""

_CONVERTED = Decimal("0.05")
_ROUNDING = Decimal("0.01")
"""Share by which two measures of one thing differ where one of them was converted, or only rounded."""

_ABOUT = re.compile(
    r"(?:\b(?:about|around|approx\w*|roughly|nearly|almost|circa|ca|some|at (?:most|least)|up to|over|under|below|above"
    r"|(?:more|less|fewer|no more) than|between|from|until|minimum|maximum|min|max)\b\.?|[~≈<>≤≥])\s*(?:\S+\s+)?$",
    re.I,
)
_ASSERTS = frozenset(
    [
        "is",
        "are",
        "be",
        "equals",
        "to",
        "at",
        "on",
        "has",
        "have",
        "uses",
        "use",
        "set",
        "needs",
        "takes",
        "demands",
        "requires",
        "runs",
        "listens",
    ]
)
_ZONE = re.compile(r"\b(?:UTC|GMT|[A-Z]{1,3}[SD]T|CET|CEST|EET|WET|BST)\b|[+-]\d\d:?\d\d\b")


def can_be_same(a: Quantity, b: Quantity) -> bool:
    """Whether two quantities can be the same thing, said in other units, formats or precision; symmetric."""
    if a.may_equal(b):
        return True
    if Dimension.MONEY is a.dimension is b.dimension:
        return a.other_currency(b)
    if _shorter_version(a, b):
        return True
    if a.dimension is not b.dimension and Dimension.PLAIN not in (a.dimension, b.dimension):
        # A distance and a weight are no two values of one fact; nothing follows from them.
        return True
    first, second = a.base(), b.base()
    plain = Dimension.PLAIN in (a.dimension, b.dimension)
    if plain and _other_unit(a, b):
        return True
    if first is None or second is None:
        return a.dimension is not b.dimension
    if not first or not second:
        return False
    if not plain:
        rounding = _CONVERTED if a.imperial is not b.imperial else _ROUNDING
        return abs(first - second) <= rounding * max(abs(first), abs(second)) and a.unit != b.unit
    numbers = [[Decimal(f) for f in q.forms if f.replace(".", "", 1).isdecimal()] for q in (a, b)]
    return any(x and y and max(x, y) / min(x, y) in _FACTORS for x, y in product(*numbers))


def contradicting(
    value: Quantity, reading: Reading, sentences: list[tuple[int, int]], named: frozenset[str]
) -> str | None:
    """Return the one other value that sentences about a fact assert, empty where there is none.

    None where they state a value which can be the fact's own: in a unit of its own, rounded, as a bound, denied, or not
    as the fact's value at all. ``named`` are the words of the fact's subject; a number among them is its name.
    """
    others = [
        q
        for q in reading.quantities
        if not q.alternate
        and any(low <= q.start and q.end <= high for low, high in sentences)
        and q.dimension is not Dimension.DATE
        and not (q.dimension is Dimension.PLAIN and q.forms & named)
    ]
    if len(others) != 1 or others[0].same_as(value):
        return ""
    other = others[0]
    text = reading.text
    lead = text[max(0, other.start - 40) : other.start]
    asserted = re.search(r"[:=]\W*$", lead) or _ASSERTS.intersection(reading.before(other.start))
    zoned = other.dimension is Dimension.TIME and _ZONE.search(text[other.end : other.end + 8])
    if not asserted or zoned or _ABOUT.search(lead) or can_be_same(value, other):
        return None
    return text[other.start : other.end]


def _other_unit(a: Quantity, b: Quantity) -> bool:
    """Whether both count something, and not the same: three sacks are no contradiction of two tons."""
    units = [stem(q.unit) for q in (a, b) if q.unit and (len(q.unit) == 1 or q.unit not in STOPWORDS)]
    return len(units) == 2 and units[0] != units[1]


def _shorter_version(a: Quantity, b: Quantity) -> bool:
    versions = [[f.partition(" ")[2] for f in q.forms if f.startswith("version ")] for q in (a, b)]
    return any(x.startswith(y + ".") or y.startswith(x + ".") for x, y in product(*versions))
