"""Figures without a value: what stands for one, and the error with the reason that every use of it raises."""

import re
from dataclasses import dataclass
from typing import NoReturn, Protocol, Self

from pytest_memuse.model import MemuseError


class Described(Protocol):
    """What a figure says of itself: its name, its title for people, its unit, and what a test reads it from."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def holder(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Named:
    """What a figure says of itself that is made of others. ``name`` behind ``holder`` and a point is how to write it,
    unless ``expression`` says it otherwise.
    """

    name: str
    title: str
    unit: str
    holder: str = "profile"
    expression: str = ""


def expression_of(spec: Described) -> str:
    """Return how a test writes a figure."""
    return str(getattr(spec, "expression", "")) or f"{spec.holder}.{spec.name}"


def enclosed(expression: str) -> str:
    """Return an expression that an attribute or an operator may follow, in parentheses where it needs them."""
    return expression if re.fullmatch(r"[\w.]+(\([^()]*\)[\w.]*)?", expression) else f"({expression})"


class UndefinedFigure(MemuseError):
    """A test asked for the value of a figure that has none; undefined is never zero. ``figure`` is its name."""

    def __init__(self, figure: str, reason: str, holder: str = "profile", mend: str = "") -> None:
        super().__init__(
            f"{figure} is undefined: {reason}",
            reason="undefined_figure",
            mend=mend
            or f"assert on a figure that this run defines, or check `{holder}.{figure}.defined` first "
            "(`is None` says nothing of it)",
        )
        self.figure = figure


@dataclass(frozen=True, slots=True)
class Counts:
    """The raw counts beside a figure, and what they count."""

    numerator: int
    counted: str
    denominator: int
    among: str

    def __str__(self) -> str:
        return f"{self.numerator} {self.counted} / {self.denominator} {self.among}"


class UndefinedValue:
    """Stands for a figure without a value: every use as a number or in a comparison raises `UndefinedFigure`.

    Its ``lower``, ``upper`` and ``highest`` are itself. It can be shown, and ``defined`` is False.
    Identity (``is None``) and ``isinstance`` are all that it cannot refuse.
    """

    defined = False
    interval = None
    bound = None
    rough = False
    responsible: tuple[()] = ()

    def __init__(self, spec: Described, counts: Counts, reason: str) -> None:
        self.spec = spec
        self.counts = counts
        self.reason = reason

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def lower(self) -> Self:
        return self

    @property
    def upper(self) -> Self:
        return self

    @property
    def highest(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<{self.name} is undefined: {self.reason}>"

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise UndefinedFigure(self.name, self.reason, self.spec.holder)

    __float__ = __int__ = __bool__ = __complex__ = __index__ = __hash__ = __array__ = _refuse
    __round__ = __trunc__ = __floor__ = __ceil__ = __neg__ = __pos__ = __abs__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = _refuse

    def __format__(self, spec: str) -> str:
        return "undefined"
