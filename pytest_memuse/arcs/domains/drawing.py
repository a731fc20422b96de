"""Drawing the values of one arc from a seeded generator, none of them twice."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random

_FIRST_DAY = date(2027, 3, 1)
_YEARS = range(1900, 2101)


class Draw:
    """Draws for one arc. What one draw gave no later one gives; equal seeds give equal draws."""

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)
        self._drawn: set[str] = set()

    def amount(self, low: int, high: int) -> str:
        """Return an amount of money of so many units, with cents that nobody would guess."""
        return self._new(lambda: f"{self.random.randrange(low, high)}.{self.random.choice(_CENTS):02}")

    def number(self, low: int = 1103, high: int = 9900) -> str:
        """Return a number that is neither round nor a year."""
        return self._new(lambda: str(self.random.randrange(low, high)), lambda n: int(n) % 10 and int(n) not in _YEARS)

    def version(self) -> str:
        """Return a version of three parts."""
        pick = self.random.randrange
        return self._new(lambda: f"{pick(2, 10)}.{pick(11, 60)}.{pick(2, 40)}")

    def day(self) -> str:
        """Return a day as YYYY-MM-DD."""
        return self._new(lambda: (_FIRST_DAY + timedelta(days=self.random.randrange(300))).isoformat())

    def time(self) -> str:
        """Return a time of day as HH:MM, at no full five minutes."""
        pick = self.random.randrange
        return self._new(lambda: f"{pick(17, 22)}:{pick(60):02}", lambda time: int(time[3:]) % 5)

    def code(self, letter: str) -> str:
        """Return an identifier of a letter and four digits."""
        return self._new(lambda: f"{letter}-{self.random.randrange(1000, 10000)}")

    def address(self) -> str:
        """Return a street address."""
        pick = self.random
        return self._new(lambda: f"{pick.randrange(11, 190)} {pick.choice(_STREETS)}, {pick.choice(_TOWNS)}")

    def of(self, names: Sequence[str]) -> str:
        """Return one of the names."""
        return self._new(lambda: self.random.choice(names))

    def some(self, names: Sequence[str], count: int) -> list[str]:
        """Return so many of the names."""
        return [self.of(names) for _ in range(count)]

    def _new(self, drawn: Callable[[], str], fits: Callable[[str], object] = bool) -> str:
        """Draw until something new comes; the pools are many times larger than an arc needs."""
        for _ in range(10_000):
            value = drawn()
            if value not in self._drawn and fits(value):
                self._drawn.add(value)
                return value
        raise ValueError("there is nothing left to draw")


_CENTS = [cents for cents in range(11, 100) if cents % 10]
_STREETS = (
    "Alder Row", "Birch Lane", "Cobbler Street", "Dunmore Road", "Elmgate", "Ferry Close", "Granary Walk",
    "Hollow Road", "Ivy Terrace", "Juniper Way", "Kestrel Drive", "Larch Avenue", "Mill Bank", "Nettle Lane",
    "Orchard Rise", "Priory Court", "Quarry Hill", "Rowan Street", "Saddler Yard", "Tannery Lane",
)  # fmt: skip
_TOWNS = (
    "Ashby", "Brackley", "Corsham", "Dursley", "Evesham", "Frome", "Girton", "Hexham", "Ilminster", "Kelso",
    "Ledbury", "Melrose", "Nairn", "Oakham", "Pershore", "Ripon", "Settle", "Tetbury", "Usk", "Whitby",
)  # fmt: skip
