"""Seeded variation of the scripted model: two versions of a model that do the same work a little differently."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pytest_memuse.model import MemuseError

RATE_VARIABLE = "MEMUSE_SCRIPTED_VARIATION"
MISSES_VARIABLE = "MEMUSE_SCRIPTED_MISSES"
SEED_VARIABLE = "MEMUSE_SCRIPTED_SEED"

_T = TypeVar("_T")
_HINTS_PER_CHOICE = 4
_OPENINGS = ("All right.", "Let me go on.", "Next step.", "Here is what I do now.", "Right.")


@dataclass(frozen=True, slots=True)
class Variation:
    """How much a model varies, and which of its versions it is; rate 0 is the model without any variation.

    At ``rate`` (0 to 1) each choice falls otherwise than usual: the order of reading and exploring, and the wording. A
    hint from memory is missed at the rate ``misses``, a quarter of ``rate`` where it is not given. What happens in a
    conversation follows from the seed and from how the conversation opens, so that the same request always has the same
    answer.
    """

    rate: float = 0.0
    seed: int = 0
    misses: float | None = None

    def __post_init__(self) -> None:
        for rate, told in ((self.rate, "vary"), (self.misses or 0.0, "miss hints")):
            if not 0.0 <= rate <= 1.0:
                raise MemuseError(
                    f"the scripted model cannot {told} at rate {rate!r}",
                    reason="scripted-variation",
                    mend="give a number from 0 (always the same) to 1",
                )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Variation":
        """Return the variation that ``MEMUSE_SCRIPTED_VARIATION``, ``…_MISSES`` and ``…_SEED`` name; without them none.

        Raises `MemuseError` where one of them is no number, or a rate is not from 0 to 1.
        """
        given = {name: environment.get(name, "") for name in (RATE_VARIABLE, MISSES_VARIABLE, SEED_VARIABLE)}
        try:
            misses = float(given[MISSES_VARIABLE]) if given[MISSES_VARIABLE] else None
            return cls(float(given[RATE_VARIABLE] or 0), int(given[SEED_VARIABLE] or 0), misses)
        except ValueError:
            told = ", ".join(f"{name}={value!r}" for name, value in given.items() if value)
            raise MemuseError(
                f"{told}: the scripted model needs numbers",
                reason="scripted-variation",
                mend=f"give the rates a number from 0 to 1 and {SEED_VARIABLE} a whole number, or unset them",
            ) from None

    @property
    def suffix(self) -> str:
        """What is put behind the model's name to tell one behaviour from another; empty without variation."""
        if not self.rate and not self.misses:
            return ""
        misses = "" if self.misses is None else f"-misses-{self.misses:g}"
        return f"-variation-{self.rate:g}{misses}-seed-{self.seed}"

    def choices(self, conversation: str) -> "Choices":
        """Return the choices of one conversation, named by the digest of how it opens."""
        misses = self.rate / _HINTS_PER_CHOICE if self.misses is None else self.misses
        return Choices(self.rate, misses, random.Random(f"{self.seed}:{conversation}:choices"))

    def worded(self, text: str, conversation: str, turn: int) -> str:
        """Return what is said in a turn of a conversation, in this version's words."""
        if not self.rate:
            return text
        chance = random.Random(f"{self.seed}:{conversation}:words:{turn}")
        if chance.random() >= self.rate:
            return text
        return f"{_OPENINGS[int(chance.random() * len(_OPENINGS))]} {text}"


class Choices:
    """The choices of one conversation, to be asked for in the order of the work: going through it again repeats them.

    Only ``random()`` is drawn from the generator: its sequence is the same in every version of Python.
    """

    def __init__(self, rate: float = 0.0, misses: float = 0.0, chance: random.Random | None = None) -> None:
        self._rate, self._misses = (rate, misses) if chance is not None else (0.0, 0.0)
        self._chance = chance or random.Random(0)

    def otherwise(self) -> bool:
        """Whether a choice falls otherwise than usual."""
        return bool(self._rate) and self._chance.random() < self._rate

    def misses(self) -> bool:
        """Whether a hint from memory goes unseen."""
        return bool(self._misses) and self._chance.random() < self._misses

    def order(self, values: Sequence[_T]) -> list[_T]:
        """Return the values in the order in which they are taken up."""
        if not self.otherwise():
            return list(values)
        keys = [self._chance.random() for _ in values]
        return [value for _, value in sorted(zip(keys, values, strict=True), key=lambda pair: pair[0])]
