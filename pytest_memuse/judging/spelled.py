"""Quantities that are not written as one number: in words, as clock times, compound durations and grouped numbers."""

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

from pytest_memuse.judging.measures import Dimension, Quantity, Weight, form, is_unit_name, measured

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_SMALL = {word: number for number, word in enumerate(_ONES)}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_NUMBER = "|".join((*_SMALL, *_TENS, *_SCALES, "dozen"))
NUMBER_WORDS = frozenset((*_SMALL, *_TENS, *_SCALES, "dozen", "half", "quarter", "noon", "midnight"))
"""Words that a quantity is made of, and that therefore say nothing beside it."""

_IN_WORDS = re.compile(
    rf"(?<![\w-])(?P<words>(?:an? (?=hundred|thousand|million|dozen))?(?:{_NUMBER})"
    rf"(?:(?:[ -]| and )(?:{_NUMBER})(?!\w)){{0,9}})(?P<half> and a half)?(?!\w)"
    r"(?:[ -](?P<unit>[A-Za-z]{1,12})(?!\w))?",
    re.I,
)
_HALVES = re.compile(
    r"\b(?:(?P<half>half)(?: an?| of an?)?[ -](?P<a>hour|day|minute|week|litre|liter|metre|meter|kilo|mile)"
    r"|(?P<quarter>(?:a )?quarter) of an? (?P<b>hour)"
    r"|an? (?P<c>hour|day|minute|week|litre|liter|metre|meter|kilo|mile) and a half)\b",
    re.I,
)
_SINGLE = re.compile(r"\b(?:an?|one|per|each|every) (?P<unit>hour|minute|day|week|second)\b", re.I)
_HOUR = "|".join(list(_SMALL)[1:13])
_PART = r"(?: (?:in the (?P<part{n}>morning|afternoon|evening)|(?P<night{n}>at night)))"
_CLOCK_WORDS = re.compile(
    rf"\b(?:(?P<lead>half|(?:a )?quarter|ten|twenty|five) (?P<side>past|to) (?P<hour>{_HOUR}|1[0-2]|[1-9])"
    + _PART.format(n=1) + rf"?|(?P<full>{_HOUR}|1[0-2]|[1-9])(?: o['’]clock" + _PART.format(n=2) + "?|"
    + _PART.format(n=3) + r")|(?P<noon>noon|midday)|(?P<midnight>midnight))\b",
    re.I,
)  # fmt: skip
_AT_HOUR = re.compile(
    rf"\b(?:at|from|until|till|before|after) (?P<hour>{_HOUR}|1[0-2]|[1-9])(?![\w:%-]|[.,]\d| \d)", re.I
)
_AM_PM = re.compile(r"(?<![\w.:])(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b", re.I)
_ISO_TIME = re.compile(r"(?<=\d{4}-\d\d-\d\d[T ])(?P<clock>[0-2]\d:[0-5]\d(?::[0-5]\d)?)")
_ISO_DURATION = re.compile(
    r"(?<![^\W_])P(?=[\dT])(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9})S)?)?(?![^\W_])"
)
_AND = r"(?:,? (?:and )?|(?=\d))"
_COMPOUND = re.compile(
    rf"(?<![\w.])(?=\d{{1,6}} ?[dhm])(?:(\d{{1,6}}) ?(?:d|days?){_AND})?(?:(\d{{1,6}}) ?(?:h|hrs?|hours?){_AND})?"
    r"(?:(\d{1,6}) ?(?:m|mins?|minutes?))?(?:(?:,? (?:and )?)?(\d{1,6}) ?(?:s|secs?|seconds?))?(?<=[a-z])(?!\w)"
)
_PHONE = re.compile(r"(?<![\w.])(?:\+|00)(?P<country>\d{1,3})(?P<rest>(?:[ .()-]{0,2}\d){6,13})(?!\w)")
_GROUPS = re.compile(r"(?<![\w.,:/+-])\d{2,4}(?:[ -]\d{2,4}){2,5}(?![\w:/]|[.,-]\d| \d)")
_NUMBERED = re.compile(
    r"\b(?:(?:tele)?phone|tel|mobile|fax|call|dial|account|card|iban|number|answers|reach\w*)\b", re.I
)
_ACCOUNT = re.compile(r"(?<![^\W_])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![^\W_])")


def spelled_quantities(text: str) -> Iterator[Quantity]:
    """Yield the quantities of a text that are no single number in digits; pure, linear in the text's length."""
    yield from _clocks(text)
    yield from _durations(text)
    yield from _codes(text)
    for match in _IN_WORDS.finditer(text):
        value = number_in_words(match["words"])
        # "one" is an article and a pronoun before it is a number.
        if value is None or (value == 1 and not match["half"]):
            continue
        hyphen = text[match.end("words") : match.end("words") + 1] == "-"
        if hyphen and not is_unit_name((match["unit"] or "").lower()):
            # A two-step matter is no number of anything.
            continue
        exact = Decimal(value) + (Decimal("0.5") if match["half"] else 0)
        yield measured(match.start(), match.end("unit" if match["unit"] else "words"), "", exact, match["unit"] or "")
    for match in _SINGLE.finditer(text):
        yield replace(measured(match.start(), match.end(), "", Decimal(1), match["unit"]), alternate=True)
    for match in _HALVES.finditer(text):
        share = Decimal("0.5") if match["half"] else Decimal("0.25") if match["quarter"] else Decimal("1.5")
        yield measured(match.start(), match.end(), "", share, match["a"] or match["b"] or match["c"])


def number_in_words(words: str) -> int | None:
    """Return the number that English words say, None where they say none or several."""
    total, current, last = 0, 0, 10**9
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in ("and", "a", "an"):
            continue
        if word == "dozen":
            current, last = (current or 1) * 12, 0
        elif word in _SCALES:
            scale = _SCALES[word]
            if scale == 100:
                current = (current or 1) * 100
                last = 100
            else:
                total, current, last = total + (current or 1) * scale, 0, scale
        else:
            number = _SMALL.get(word, _TENS.get(word, 0))
            size = 10 if word in _SMALL else 100
            # Twenty-one is a number, one-twenty and two three are several.
            if last < size or (word in _SMALL and last == 100 and number >= 10 and current % 100):
                return None
            current, last = current + number, 1 if word in _SMALL else 10
    return total + current


def is_duration(token: str) -> bool:
    """Whether a token is an ISO 8601 duration, and so no identifier."""
    match = _ISO_DURATION.fullmatch(token)
    return match is not None and any(match.groups())


def _clocks(text: str) -> Iterator[Quantity]:
    for match in _CLOCK_WORDS.finditer(text):
        if match["noon"] or match["midnight"]:
            yield _time(match, {(12 if match["noon"] else 0, 0)})
            continue
        part = (match["part1"] or match["part2"] or match["part3"] or "").lower()
        if match["night1"] or match["night2"] or match["night3"]:
            part = "evening"
        written = (match["hour"] or match["full"]).lower()
        hour = _SMALL.get(written) or int(written)
        lead = (match["lead"] or "").lower().removeprefix("a ")
        minutes = {"half": 30, "quarter": 15, "": 0}.get(lead, _SMALL.get(lead, 20))
        if match["side"] and match["side"].lower() == "to":
            hour, minutes = hour - 1, 60 - minutes
        halves = {0} if part == "morning" else {12} if part else {0, 12}
        yield _time(match, {(hour % 12 + half, minutes) for half in halves})
    for match in _AM_PM.finditer(text):
        half = 12 if match["half"].lower() == "p" else 0
        yield _time(match, {(int(match["hour"]) % 12 + half, int(match["minute"] or 0))})
    for match in _AT_HOUR.finditer(text):
        # "At ten" can be a clock time; it can also be anything else that is ten.
        hour = _SMALL.get(match["hour"].lower()) or int(match["hour"])
        yield replace(_time(match, {(hour % 12 + half, 0) for half in (0, 12)}), alternate=True)
    for match in _ISO_TIME.finditer(text):
        forms = frozenset({clock_form(match["clock"])})
        yield Quantity(*match.span(), Dimension.TIME, forms, clock_weight(forms))


def _time(match: re.Match[str], readings: set[tuple[int, int]]) -> Quantity:
    forms = frozenset(clock_form(f"{hour:02}:{minute:02}") for hour, minute in readings)
    return Quantity(match.start(), match.end(), Dimension.TIME, forms, clock_weight(forms))


def clock_weight(forms: frozenset[str]) -> Weight:
    """Return what a clock time says by itself: full and half hours are everywhere."""
    return Weight.SHARED if any(f.endswith((":00", ":30")) for f in forms) else Weight.DISTINCTIVE


def clock_form(clock: str) -> str:
    """Return the normal form of a clock time: two digits each, seconds only where there are any."""
    return "time " + ":".join(part.zfill(2) for part in clock.split(":")).removesuffix(":00" * (clock.count(":") == 2))


def _durations(text: str) -> Iterator[Quantity]:
    for match in _ISO_DURATION.finditer(text):
        if any(match.groups()):
            yield _duration(match, (604800, 86400, 3600, 60, 1))
    for match in _COMPOUND.finditer(text):
        if sum(group is not None for group in match.groups()) > 1:
            yield _duration(match, (86400, 3600, 60, 1))


def _duration(match: re.Match[str], factors: tuple[int, ...]) -> Quantity:
    seconds = sum(int(group or 0) * factor for group, factor in zip(match.groups(), factors, strict=True))
    return measured(match.start(), match.end(), "", Decimal(seconds), "s")


def _codes(text: str) -> Iterator[Quantity]:
    """Yield telephone and account numbers; their groups say nothing, so that the digits alone are the form."""
    for match in _PHONE.finditer(text):
        rest = re.sub(r"\D", "", match["rest"])
        forms = {form(Decimal(match["country"] + rest))}
        yield _code(match, forms)
    for match in _GROUPS.finditer(text):
        digits = re.sub(r"\D", "", match.group())
        is_date = re.fullmatch(r"\d{4}-\d\d-\d\d|\d\d-\d\d-\d{4}", match.group())
        thousands = re.fullmatch(r"\d{1,3}( \d{3})+", match.group())
        if len(digits) >= 7 and not is_date and not thousands and len(set(re.findall(r"[ -]", match.group()))) == 1:
            # Numbers in a row are one number only where the text says what number it is.
            said = _NUMBERED.search(text, max(0, match.start() - 40), match.start()) is not None
            yield replace(_code(match, {form(Decimal(digits))}), alternate=not said)
    for match in _ACCOUNT.finditer(text):
        joined = match.group().replace(" ", "")
        if sum(c.isdigit() for c in joined) >= 8:
            yield _code(match, {f"code {joined.lower()}"})


def _code(match: re.Match[str], forms: set[str]) -> Quantity:
    return Quantity(match.start(), match.end(), Dimension.PLAIN, frozenset(forms), Weight.DISTINCTIVE)
