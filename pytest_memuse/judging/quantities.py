"""Numbers, durations, sizes, money, dates and versions in a text, under forms that survive reformatting.

``8 080``, ``8,080`` and ``8080`` have one form; so have ``250 ms`` and ``0.25 s``, ``2024-03-01`` and ``1 March 2024``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum


class Dimension(StrEnum):
    """What a quantity measures; a plain number can stand for any of the others."""

    PLAIN = "number"
    DURATION = "duration"
    SIZE = "size"
    PERCENT = "percent"
    MONEY = "money"
    DATE = "date"
    TIME = "time of day"
    VERSION = "version"


class Weight(StrEnum):
    """How much a value says by itself: nothing, something where its purpose is shared, enough."""

    TRIVIAL = "trivial"
    SHARED = "needs a shared purpose"
    DISTINCTIVE = "distinctive"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text from ``start`` to ``end``.

    ``forms`` are its normal forms. ``alternate`` marks a second reading of the same characters (``80,443`` as two
    numbers), which can contradict a claim of novelty but never make one.
    """

    start: int
    end: int
    dimension: Dimension
    forms: frozenset[str]
    weight: Weight
    alternate: bool = False

    def same_as(self, other: "Quantity") -> bool:
        """Whether both can be the same quantity."""
        comparable = self.dimension is other.dimension or Dimension.PLAIN in (self.dimension, other.dimension)
        return comparable and not self.forms.isdisjoint(other.forms)


_LONGEST = 40
_RUN = re.compile(
    r"(?<![^\W_])(?P<money>[$€£¥]\s?)?(?P<v>[vV])?"
    r"(?P<run>\d+(?:[.,:_'’/-]\d+|[ \u00a0\u202f]\d{3}(?!\d))*)"
    r"(?:\s?(?P<unit>%|[€£]|[A-Za-zµμ]{1,12})(?![^\W_]))?"
)
_MONTHS = {
    m: i for i, m in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)
}
_MONTH = r"(?P<month>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\.?"
_NAMED_DATES = (
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH},?\s(?P<year>\d{{4}})\b", re.I),
    re.compile(rf"\b{_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}})\b", re.I),
)
_SECONDS = {
    unit: Decimal(seconds)
    for seconds, units in {
        "0.000000001": "ns nanosecond nanoseconds",
        "0.000001": "us µs μs microsecond microseconds",
        "0.001": "ms msec msecs millisecond milliseconds",
        "1": "s sec secs second seconds",
        "60": "min mins minute minutes",
        "3600": "h hr hrs hour hours",
        "86400": "d day days",
        "604800": "week weeks",
    }.items()
    for unit in units.split()
}
_BYTES = {
    **{f"{p}{s}": (Decimal(1000) ** n, Decimal(1024) ** n) for n, p in enumerate("kmgt", 1) for s in ("", "b", "ib")},
    "bytes": (Decimal(1), Decimal(1)),
}
_CURRENCIES = {
    "$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur",
    "£": "gbp", "gbp": "gbp", "¥": "jpy", "jpy": "jpy", "chf": "chf", "nok": "nok", "sek": "sek", "dkk": "dkk",
}  # fmt: skip
_ROUND = frozenset({1024, 2048, 4096, 8192, 16384, 32768, 65535, 65536})


def quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text in order of their start, alternate readings after the first one."""
    found: list[Quantity] = []
    for match in _RUN.finditer(text):
        found.extend(_read(match))
    for pattern in _NAMED_DATES:
        for match in pattern.finditer(text):
            year, day = int(match["year"]), int(match["day"])
            month = _MONTHS[match["month"][:3].lower()]
            found.extend(_date(match.start(), match.end(), {(year, month, day)}))
    found.sort(key=lambda q: (q.start, q.alternate))
    return found


def _read(match: re.Match[str]) -> Iterator[Quantity]:
    start, end, run = match.start("run"), match.end("run"), match["run"]
    unit = match["unit"] or ""
    if run.isdecimal() and len(run) < 8 and not (unit or match["money"] or match["v"]):
        # By far the commonest case, in logs and listings.
        number = int(run)
        yield Quantity(start, end, Dimension.PLAIN, frozenset((str(number),)), _weight_of_integer(number))
        return
    if len(run) > _LONGEST:
        yield from _pieces(start, run, alternate=False)
        return
    date = _numeric_date(run)
    if date:
        yield from _date(start, end, date)
        return
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", run):
        clock = ":".join(part.zfill(2) for part in run.split(":"))
        yield Quantity(start, end, Dimension.TIME, frozenset({f"time {clock}"}), Weight.DISTINCTIVE)
        yield from _pieces(start, run, alternate=True)
        return
    if re.search(r"[:/-]", run):
        offset = start
        for piece in re.split(r"([:/-])", run):
            if piece and piece[0].isdigit():
                yield from _number(offset, piece, "", "", match["v"])
            offset += len(piece)
        return
    yield from _number(start, run, unit, (match["money"] or "").strip(), match["v"])


def _number(start: int, run: str, unit: str, money: str, v: str | None) -> Iterator[Quantity]:
    end = start + len(run)
    if run.count(".") >= 2 and "," not in run and not re.fullmatch(r"\d{1,3}(\.000)+", run):
        yield Quantity(start, end, Dimension.VERSION, frozenset({f"version {run}"}), Weight.DISTINCTIVE)
        return
    value, grouped = _decimal(run)
    if value is None:
        yield from _pieces(start, run, alternate=False)
        return
    if v:
        weight = Weight.TRIVIAL if "." not in run else Weight.SHARED
        yield Quantity(start, end, Dimension.VERSION, frozenset({f"version {run}", _form(value)}), weight)
        return
    yield _measured(start, end, run, value, unit, money)
    if grouped:
        yield from _pieces(start, run, alternate=True)
    if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", run):
        thousands = Decimal(run.replace(".", ""))
        yield Quantity(start, end, Dimension.PLAIN, frozenset({_form(thousands)}), _weight(thousands), alternate=True)


def _measured(start: int, end: int, run: str, value: Decimal, unit: str, money: str) -> Quantity:
    """Return the quantity with its unit; the bare number stays among the forms, for code rarely repeats a unit."""
    forms = {_form(value)}
    if "." in run:
        forms.add(f"version {run}")
    lower = unit.lower()
    dimension, weight = Dimension.PLAIN, _weight(value)
    currency = _CURRENCIES.get(money) or _CURRENCIES.get(lower)
    if currency:
        dimension = Dimension.MONEY
        forms.add(f"{currency} {value.normalize():f}")
    elif lower in _SECONDS:
        seconds = value * _SECONDS[lower]
        dimension = Dimension.DURATION
        forms.add(f"seconds {seconds.normalize():f}")
        forms |= {_form(bare) for bare in (seconds, seconds * 1000) if _weight(bare) is not Weight.TRIVIAL}
        weight = max(weight, Weight.SHARED, key=list(Weight).index) if value != 0 else Weight.TRIVIAL
    elif lower in _BYTES and (lower != "m" or unit == "M"):
        dimension = Dimension.SIZE
        forms |= {f"bytes {(value * factor).normalize():f}" for factor in _BYTES[lower]}
        forms |= {_form(value * factor) for factor in _BYTES[lower]}
        weight = max(weight, Weight.SHARED, key=list(Weight).index) if value != 0 else Weight.TRIVIAL
    elif unit == "%":
        dimension = Dimension.PERCENT
        forms |= {f"percent {value.normalize():f}"}
        if _weight(value / 100) is not Weight.TRIVIAL:
            forms.add(_form(value / 100))
    return Quantity(start, end, dimension, frozenset(forms), weight)


def _pieces(start: int, run: str, *, alternate: bool) -> Iterator[Quantity]:
    for piece in re.finditer(r"\d+", run):
        if len(piece.group()) <= _LONGEST:
            value = Decimal(piece.group())
            yield Quantity(
                start + piece.start(),
                start + piece.end(),
                Dimension.PLAIN,
                frozenset({_form(value)}),
                _weight(value),
                alternate,
            )


def _decimal(run: str) -> tuple[Decimal | None, bool]:
    """Return the value of a written number, and whether another reading of its separators is possible."""
    plain = re.sub(r"[_'’ \u00a0\u202f]", "", run)
    grouped = len(plain) != len(run)
    if "," in plain and "." in plain:
        decimal = max(plain.rfind(","), plain.rfind("."))
        plain = re.sub(r"[.,]", "", plain[:decimal]) + "." + plain[decimal + 1 :]
    elif re.fullmatch(r"[1-9]\d{0,2}(,\d{3})+", plain) or re.fullmatch(r"[1-9]\d{0,2}(\.\d{3}){2,}", plain):
        plain, grouped = re.sub(r"[.,]", "", plain), True
    elif plain.count(",") == 1:
        plain, grouped = plain.replace(",", "."), True
    try:
        return Decimal(plain), grouped
    except InvalidOperation:
        return None, grouped


def _numeric_date(run: str) -> set[tuple[int, int, int]]:
    """Return the readings of a date written in digits; both orders of day and month where both are possible."""
    if match := re.fullmatch(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})", run):
        readings = {(int(match[1]), int(match[3]), int(match[4]))}
    elif match := re.fullmatch(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})", run):
        readings = {(int(match[4]), int(match[a]), int(match[b])) for a, b in ((1, 3), (3, 1))}
    elif match := re.fullmatch(r"((?:19|20)\d{2})(\d{2})(\d{2})", run):
        readings = {(int(match[1]), int(match[2]), int(match[3]))}
    else:
        return set()
    return {(y, m, d) for y, m, d in readings if 1900 <= y <= 2199 and 1 <= m <= 12 and 1 <= d <= 31}


def _date(start: int, end: int, readings: set[tuple[int, int, int]]) -> Iterator[Quantity]:
    forms = frozenset(f"date {y:04}-{m:02}-{d:02}" for y, m, d in readings)
    yield Quantity(start, end, Dimension.DATE, forms, Weight.DISTINCTIVE)


def _form(value: Decimal) -> str:
    return f"{value.normalize():f}" if value else "0"


def _weight(value: Decimal) -> Weight:
    """Return what a bare number says by itself: small and round numbers and years are everywhere."""
    if value == value.to_integral_value():
        return _weight_of_integer(int(value))
    digits = len(value.normalize().as_tuple().digits)
    return Weight.SHARED if digits <= 2 else Weight.DISTINCTIVE


def _weight_of_integer(value: int) -> Weight:
    if value < 10:
        return Weight.TRIVIAL
    everyday = value < 1000 or len(str(value).rstrip("0")) == 1 or 1900 <= value <= 2100 or value in _ROUND
    return Weight.SHARED if everyday else Weight.DISTINCTIVE
