"""Whether a planted fault strikes: a function of seed, fault and place, so that nothing depends on what went before."""

from dataclasses import dataclass

from pytest_memuse.model import MemuseError
from pytest_memuse.model.digests import text_digest

_DIGITS = 13
"""Hexadecimal digits of a digest that make a fraction; as many as a float holds exactly."""


@dataclass(frozen=True, slots=True)
class Chance:
    """The decisions of one fault in one arc, at a rate from 0 (never) to 1 (always).

    A decision is a function of ``seed``, ``fault``, ``arc`` and the key that it is asked for, and what a lower rate
    strikes a higher one strikes too. Raises `MemuseError` for a rate outside 0 to 1.
    """

    fault: str
    rate: float = 1.0
    seed: int = 0
    arc: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.rate <= 1.0:
            raise MemuseError(
                f"a fault cannot strike at rate {self.rate!r}",
                reason="fault-rate",
                mend="give a number from 0 (never) to 1 (always)",
            )

    def strikes(self, *key: int | str) -> bool:
        """Whether the fault strikes at the place that the key names."""
        return self._fraction("strikes", *key) < self.rate

    def below(self, limit: int, *key: int | str) -> int:
        """Return a number from 0 to ``limit`` - 1 for the key."""
        return int(self._fraction("below", *key) * limit)

    def order(self, length: int, *key: int | str) -> tuple[int, ...]:
        """Return the numbers from 0 to ``length`` - 1 in another order than their own, as far as there is one."""
        numbers = sorted(range(length), key=lambda number: self._fraction("order", *key, number))
        if numbers == list(range(length)):
            numbers = [*numbers[1:], *numbers[:1]]
        return tuple(numbers)

    def _fraction(self, *key: int | str) -> float:
        told = "\x1f".join(map(str, (self.seed, self.fault, self.arc, *key)))
        return int(text_digest(told)[:_DIGITS], 16) / float(16**_DIGITS)
