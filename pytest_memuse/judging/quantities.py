"""Numbers, durations, sizes, money, dates and versions in a text, under forms that survive reformatting.

``8 080``, ``8,080`` and ``8080`` have one form; so have ``250 ms`` and ``0.25 s``, ``2024-03-01`` and ``1 March 2024``.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from pytest_memuse.judging.measures import (
    Dimension,
    Quantity,
    Weight,
    form,
    is_unit_name,
    measured,
    weight_of,
    weight_of_integer,
)
from pytest_memuse.judging.spelled import clock_form, clock_weight, spelled_quantities

_LONGEST = 40
_RUN = re.compile(
    r"(?<![^\W_])(?P<money>[$€£¥]\s?)?(?P<v>[vV])?"
    r"(?P<run>\d+(?:[.,:_'’/-]\d+|[ \u00a0\u202f]\d{3}(?!\d))*)"
    r"(?:\s?(?P<unit>%|[€£]|°[CFcf]|[A-Za-zµμø]{1,12})(?![^\W_]))?"
)
_MONTHS = {
    m: i for i, m in enumerate(("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1)
}
_MONTH = r"(?P<month>(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})\.?"
_NAMED_DATES = (
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s(?:of\s)?{_MONTH},?\s(?P<year>\d{{4}})\b", re.I),
    re.compile(rf"\b{_MONTH}\s(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year>\d{{4}})\b", re.I),
)
_FULL_MONTH = (
    r"\b(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAYS = (
    re.compile(rf"\b(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th|\.)?\s(?:of\s)?{_FULL_MONTH}(?!,?\s\d{{4}})", re.I),
    re.compile(rf"{_FULL_MONTH}\s(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?\b(?!,?\s\d{{4}}|[:.]\d)", re.I),
)
"""Days of an unnamed year."""

_OTHER_UNIT = {"m": "min", "g": "gram", "t": "tonne"}


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
    spelled = [*spelled_quantities(text), *_days(text)]
    found = list(_with_spelled(found, sorted(spelled, key=lambda q: (q.start, -q.end))))
    found.sort(key=lambda q: (q.start, q.alternate))
    return found


def _days(text: str) -> Iterator[Quantity]:
    for pattern in _DAYS:
        for match in pattern.finditer(text):
            forms = frozenset({f"day {_MONTHS[match['month'][:3].lower()]:02}-{int(match['day']):02}"})
            yield Quantity(match.start(), match.end(), Dimension.DATE, forms, Weight.DISTINCTIVE)


def _with_spelled(found: list[Quantity], spelled: list[Quantity]) -> Iterator[Quantity]:
    """Yield all quantities; what stands inside a spelled one is another reading of a part of it."""
    inside = set[int]()
    end = -1
    for quantity in spelled:
        # Of two that begin together the longer one holds; a shorter one within it says no more.
        if quantity.start < end:
            continue
        if not quantity.alternate:
            end = quantity.end
            inside.update(range(quantity.start, quantity.end))
        yield quantity
    for quantity in found:
        yield replace(quantity, alternate=True) if quantity.start in inside else quantity


_FIELD = re.compile(r"(?<![^\W_])([A-Za-z]{2,12})[\"' ]{0,2}[:=_]?[\"' ]{0,2}$")


def _unit_before(match: re.Match[str]) -> str:
    """Return the unit that the field before a number names (``"days": 90``), else nothing."""
    field = _FIELD.search(match.string, max(0, match.start() - 18), match.start())
    return field[1].lower() if field and is_unit_name(field[1].lower()) else ""


def _read(match: re.Match[str]) -> Iterator[Quantity]:
    start, end, run = match.start("run"), match.end("run"), match["run"]
    unit = match["unit"] or ""
    unit = unit if unit and (is_unit_name(unit.lower()) or len(unit) < 4) else _unit_before(match) or unit
    if run.isdecimal() and len(run) < 8 and not (unit or match["money"] or match["v"]):
        # By far the commonest case, in logs and listings.
        number = int(run)
        yield Quantity(start, end, Dimension.PLAIN, frozenset((str(number),)), weight_of_integer(number))
        return
    if len(run) > _LONGEST:
        yield from _pieces(start, run, alternate=False)
        return
    date = _numeric_date(run)
    if date:
        yield from _date(start, end, date)
        return
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2})?", run):
        forms = frozenset({clock_form(run)})
        yield Quantity(start, end, Dimension.TIME, forms, clock_weight(forms))
        if run.count(":") == 2:
            hours, minutes, seconds = map(int, run.split(":"))
            lasted = Decimal(hours * 3600 + minutes * 60 + seconds)
            yield replace(measured(start, end, "", lasted, "s"), alternate=True)
        yield from _pieces(start, run, alternate=True)
        return
    if re.search(r"[:/-]", run):
        offset = start
        for piece in re.split(r"([:/-])", run):
            if piece and piece[0].isdigit():
                yield from _number(offset, piece, "", "", match["v"])
            offset += len(piece)
        return
    spaced = match.end("run") < match.start("unit")
    yield from _number(start, run, unit, (match["money"] or "").strip(), match["v"], spaced=spaced)


def _number(start: int, run: str, unit: str, money: str, v: str | None, *, spaced: bool = False) -> Iterator[Quantity]:
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
        yield Quantity(start, end, Dimension.VERSION, frozenset({f"version {run}", form(value)}), weight)
        return
    quantity = measured(start, end, run, value, unit, money)
    # Letters alone are ambiguous: 5m is a length and a time, 500g a mass and a size.
    if other := _OTHER_UNIT.get(unit):
        second = measured(start, end, run, value, other)
        if spaced and unit != "m":
            # A size is written without a space before its letter.
            quantity, second = second, quantity
        yield replace(second, alternate=True)
    if grouped:
        yield from _pieces(start, run, alternate=True)
    thousands = Decimal(run.replace(".", "")) if re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", run) else None
    yield quantity if thousands is None else replace(quantity, possible=quantity.possible | {form(thousands)})
    if thousands is not None:
        yield Quantity(start, end, Dimension.PLAIN, frozenset({form(thousands)}), weight_of(thousands), alternate=True)


def _pieces(start: int, run: str, *, alternate: bool) -> Iterator[Quantity]:
    for piece in re.finditer(r"\d+", run):
        if len(piece.group()) <= _LONGEST:
            value = Decimal(piece.group())
            yield Quantity(
                start + piece.start(),
                start + piece.end(),
                Dimension.PLAIN,
                frozenset({form(value)}),
                weight_of(value),
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
    parts = frozenset(part for _, m, d in readings for part in (f"day {m:02}-{d:02}", f"dom {d}"))
    yield Quantity(start, end, Dimension.DATE, forms, Weight.DISTINCTIVE, possible=parts)
