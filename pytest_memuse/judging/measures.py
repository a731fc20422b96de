"""What a quantity is, and the forms that it has in every unit it can be written in."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum


class Dimension(StrEnum):
    """What a quantity measures; a plain number can stand for any of the others."""

    PLAIN = "number"
    DURATION = "duration"
    SIZE = "size"
    LENGTH = "length"
    MASS = "mass"
    VOLUME = "volume"
    TEMPERATURE = "temperature"
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

    ``forms`` are its normal forms. ``possible`` are numbers that it has in units which its text does not name: a plain
    number that is one of them can be the same quantity. ``alternate`` marks a second reading of the same characters
    (``80,443`` as two numbers), which can contradict a claim of novelty but never make one. ``unit`` is the folded
    word that the number counts, as far as one follows or a field before it names one.
    """

    start: int
    end: int
    dimension: Dimension
    forms: frozenset[str]
    weight: Weight
    alternate: bool = False
    possible: frozenset[str] = frozenset()
    unit: str = ""

    def same_as(self, other: "Quantity") -> bool:
        """Whether both are the same quantity, as far as their texts say."""
        if self.dimension is not other.dimension or self.dimension not in _MEASURED:
            return self._comparable(other) and not self.forms.isdisjoint(other.forms)
        # 90 days and 90 hours share a number; with both units known only the measure counts.
        return not (self.measures().isdisjoint(other.measures()) or self.other_currency(other))

    def measures(self) -> frozenset[str]:
        """Return the forms that name a unit."""
        return frozenset(f for f in self.forms if f.partition(" ")[0] in _BASES)

    def other_currency(self, other: "Quantity") -> bool:
        """Whether both are money and name currencies that differ."""
        mine, its = ({f.partition(" ")[0] for f in q.forms} & _CODES for q in (self, other))
        return bool(mine and its) and mine != its

    def may_equal(self, other: "Quantity") -> bool:
        """Whether both can be the same quantity, where one leaves out its unit or its year."""
        if self.same_as(other):
            return True
        if self.dimension is other.dimension and self.dimension in _MEASURED:
            return False
        shared = self.forms | self.possible
        return self._comparable(other) and not (
            shared.isdisjoint(other.forms) and self.forms.isdisjoint(other.possible)
        )

    def base(self) -> Decimal | None:
        """Return the value in the unit of its dimension, where there is one such value, else the bare number."""
        if self.dimension in (Dimension.DATE, Dimension.TIME, Dimension.VERSION):
            return None
        named = [f.partition(" ")[2] for f in self.measures()]
        bare = [f for f in self.forms if f.replace(".", "", 1).isdecimal()]
        chosen = named if self.dimension is not Dimension.PLAIN else bare
        return Decimal(chosen[0]) if len(chosen) == 1 else None

    @property
    def imperial(self) -> bool:
        """Whether the unit is one that metric units render only by rounding."""
        return self.unit in _IMPERIAL

    def _comparable(self, other: "Quantity") -> bool:
        return self.dimension is other.dimension or Dimension.PLAIN in (self.dimension, other.dimension)


_BASES = frozenset({"seconds", "metres", "grams", "litres", "bytes", "percent", "minor", "celsius"})


def _table(rows: dict[str, str]) -> dict[str, Decimal]:
    return {unit: Decimal(factor) for factor, units in rows.items() for unit in units.split()}


_SECONDS = _table({
    "0.000000001": "ns nanosecond nanoseconds",
    "0.000001": "us µs μs microsecond microseconds",
    "0.001": "ms msec msecs millis millisecond milliseconds",
    "1": "s sec secs second seconds",
    "60": "min mins minute minutes",
    "3600": "h hr hrs hour hours",
    "86400": "d day days",
    "604800": "week weeks",
    "1209600": "fortnight fortnights",
})  # fmt: skip
_METRES = _table({
    "0.001": "mm millimetre millimetres millimeter millimeters",
    "0.01": "cm centimetre centimetres centimeter centimeters",
    "1": "m metre metres meter meters",
    "1000": "km kilometre kilometres kilometer kilometers",
    "0.0254": "inch inches",
    "0.3048": "ft foot feet",
    "0.9144": "yd yard yards",
    "1609.344": "mile miles",
})  # fmt: skip
_GRAMS = _table({
    "0.001": "mg milligram milligrams",
    "1": "gram grams gramme grammes",
    "1000": "kg kgs kilo kilos kilogram kilograms",
    "1000000": "tonne tonnes",
    "453.59237": "lb lbs",
    "28.349523125": "oz ounce ounces",
})  # fmt: skip
_LITRES = _table({
    "0.001": "ml millilitre millilitres milliliter milliliters",
    "0.01": "cl",
    "0.1": "dl",
    "1": "l litre litres liter liters",
})  # fmt: skip
_SYSTEMS = {
    Dimension.DURATION: ("seconds", _SECONDS),
    Dimension.LENGTH: ("metres", _METRES),
    Dimension.MASS: ("grams", _GRAMS),
    Dimension.VOLUME: ("litres", _LITRES),
}
_SISTERS = {
    Dimension.DURATION: ("0.001", "1", "60", "3600", "86400"),
    Dimension.LENGTH: ("0.001", "0.01", "1", "1000"),
    Dimension.MASS: ("1", "1000", "1000000"),
    Dimension.VOLUME: ("0.001", "0.01", "0.1", "1"),
    Dimension.SIZE: ("1", "1000", "1000000", "1000000000", "1024", "1048576", "1073741824"),
}
"""The units that a bare number may be in, as factors."""


def _byte_units() -> dict[str, tuple[Decimal, ...]]:
    """Return every unit of size with its factors: two where the prefix is written for powers of 1000 and of 1024."""
    units: dict[str, tuple[Decimal, ...]] = {"bytes": (Decimal(1),), "byte": (Decimal(1),)}
    for power, prefix in enumerate(("kilo", "mega", "giga", "tera"), 1):
        letter, both = prefix[0], (Decimal(1000) ** power, Decimal(1024) ** power)
        units |= dict.fromkeys((letter, f"{letter}b", f"{prefix}byte", f"{prefix}bytes"), both)
        units |= dict.fromkeys((f"{letter}i", f"{letter}ib", f"{prefix[:2]}bibytes"), both[1:])
    return units


_BYTES = _byte_units()
_CURRENCIES = {
    "$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur",
    "£": "gbp", "gbp": "gbp", "¥": "jpy", "jpy": "jpy", "chf": "chf", "nok": "nok", "sek": "sek", "dkk": "dkk",
}  # fmt: skip
_CODES = frozenset(_CURRENCIES.values())
_MEASURED = frozenset({*_SYSTEMS, Dimension.SIZE, Dimension.PERCENT, Dimension.MONEY, Dimension.TEMPERATURE})
_IMPERIAL = frozenset(
    {"inch", "inches", "ft", "foot", "feet", "yd", "yard", "yards", "mile", "miles", "lb", "lbs", "oz", "ounce", "°f"}
)
_MINOR = frozenset({"cent", "cents", "pence", "øre"})
_PERCENT = frozenset({"%", "percent", "pct"})
_ROUND = frozenset({1024, 2048, 4096, 8192, 16384, 32768, 65535, 65536})


def is_unit_name(word: str) -> bool:
    """Whether a word of its own, before a number, tells the unit: ``days: 90``; letters alone are too little."""
    named = word in _BYTES or word in _MINOR or word in _PERCENT or any(word in units for _, units in _SYSTEMS.values())
    return (named and len(word) > 2) or word in ("ms", "kb", "mb", "gb", "cm", "mm", "km", "kg")


def measured(start: int, end: int, run: str, value: Decimal, unit: str, money: str = "") -> Quantity:
    """Return a number with its unit; the bare number stays among the forms, for code rarely repeats a unit."""
    forms = {form(value)}
    if "." in run:
        forms.add(f"version {run}")
    possible: frozenset[str] = frozenset()
    lower = unit.lower()
    dimension, weight = Dimension.PLAIN, weight_of(value)
    system = next(((d, name, table) for d, (name, table) in _SYSTEMS.items() if lower in table), None)
    currency = _CURRENCIES.get(money) or _CURRENCIES.get(lower)
    if currency:
        dimension = Dimension.MONEY
        forms |= {f"{currency} {form(value)}", f"minor {form(value * 100)}"}
        possible = _telling([value * 100])
    elif lower in _MINOR:
        dimension = Dimension.MONEY
        forms |= {f"minor {form(value)}"}
        possible = _telling([value / 100])
    elif system is not None and (unit != "M" or lower not in _BYTES):
        dimension, name, table = system
        base = value * table[lower]
        forms.add(f"{name} {form(base)}")
        if dimension is Dimension.DURATION:
            forms |= _telling([base, base * 1000])
        possible = _telling(base / Decimal(factor) for factor in _SISTERS[dimension]) - forms
        weight = _at_least_shared(weight) if value != 0 else Weight.TRIVIAL
    elif lower in _BYTES:
        dimension = Dimension.SIZE
        sizes = [value * factor for factor in _BYTES[lower]]
        forms |= {f"bytes {form(size)}" for size in sizes} | {form(size) for size in sizes}
        possible = _telling(size / Decimal(factor) for size in sizes for factor in _SISTERS[dimension]) - forms
        weight = _at_least_shared(weight) if value != 0 else Weight.TRIVIAL
    elif lower in _PERCENT:
        dimension = Dimension.PERCENT
        forms |= {f"percent {form(value)}"} | _telling([value / 100])
    elif lower in ("st", "nd", "rd", "th"):
        forms.add(f"dom {form(value)}")
    elif lower in ("°c", "°f"):
        dimension = Dimension.TEMPERATURE
        celsius = value if lower == "°c" else (value - 32) * 5 / 9
        forms.add(f"celsius {form(celsius.quantize(Decimal('0.1')))}")
    return Quantity(start, end, dimension, frozenset(forms), weight, possible=possible, unit=lower)


def form(value: Decimal) -> str:
    """Return the normal form of a number."""
    return f"{value.normalize():f}" if value else "0"


def weight_of(value: Decimal) -> Weight:
    """Return what a bare number says by itself: small and round numbers and years are everywhere."""
    if value == value.to_integral_value():
        return weight_of_integer(int(value))
    digits = len(value.normalize().as_tuple().digits)
    return Weight.SHARED if digits <= 2 else Weight.DISTINCTIVE


def weight_of_integer(value: int) -> Weight:
    """Return what a bare whole number says by itself."""
    if value < 10:
        return Weight.TRIVIAL
    everyday = value < 1000 or len(str(value).rstrip("0")) == 1 or 1900 <= value <= 2100 or value in _ROUND
    return Weight.SHARED if everyday else Weight.DISTINCTIVE


def _at_least_shared(weight: Weight) -> Weight:
    return Weight.SHARED if weight is Weight.TRIVIAL else weight


def _telling(values: Iterable[Decimal]) -> frozenset[str]:
    """Return the forms of numbers that say something, and can be written down in full."""
    short = (v for v in values if len(v.normalize().as_tuple().digits) <= 18)
    return frozenset(form(v) for v in short if weight_of(v) is not Weight.TRIVIAL)
