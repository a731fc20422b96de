"""A share with the counts that it is made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """``part`` of ``whole``. ``value`` is None, never zero, where the whole is empty or the part is not known (A.4.1).

    ``part`` is None where it was not determined, and ``undefined`` then says why.
    """

    part: float | None
    whole: float
    undefined: str = ""

    @property
    def value(self) -> float | None:
        """The share as a number from 0 to 1, None where it is undefined."""
        return None if self.part is None or not self.whole else self.part / self.whole

    def __str__(self) -> str:
        if self.part is None:
            return f"undefined ({self.undefined})" if self.undefined else "undefined"
        counts = f"{self.part:g} of {self.whole:g}"
        return counts if self.value is None else f"{counts} ({100 * self.value:.1f} %)"
