"""What a test asserts on: a number that knows its counts, its interval, and the entries that it is owed to."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from operator import eq, ge, gt, le, lt
from types import MappingProxyType
from typing import Any, Self, SupportsIndex, cast

from pytest_memuse.profiles.figures import Bound, Kind
from pytest_memuse.profiles.open_entries import OpenEntries
from pytest_memuse.profiles.responsible import Responsible
from pytest_memuse.profiles.undefined import (
    Counts,
    Described,
    Named,
    UndefinedFigure,
    UndefinedValue,
    enclosed,
    expression_of,
)

__all__ = ["Compared", "Counts", "Described", "Figure", "Observer", "Responsible", "UndefinedFigure", "UndefinedValue"]

LONGEST_EXPRESSION = 80
"""Characters of what a number was calculated by; one that took longer to write is a plain float."""

_MEND = (
    "have a judge determine it (a model, or annotations), give the tasks checks that actions flip, or assert on the "
    "most that it could be: `.highest`"
)
_TURNED = MappingProxyType({Bound.AT_LEAST: Bound.AT_MOST, Bound.AT_MOST: Bound.AT_LEAST})
_REFLECTED = MappingProxyType({"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="})
_HOLDS: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType({"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq})

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of a figure with a plain number: the figure stands on the left, ``held`` is how it came out."""

    figure: "Figure"
    op: str
    threshold: float
    held: bool


Observer = Callable[[Compared], None]
"""Is told of every comparison of a figure with a plain number, in whatever thread it is made."""


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind a figure's value, each part worked out when it is first asked for.

    ``find`` is given whether the entries that were counted are wanted or the others, None for those that make it worse.
    ``clusters`` is the number of arcs that an interval would rest on, ``kind`` how it would be found; None where there
    is none to be found. ``rough`` says that the interval holds less often than it says, ``falls`` that the figure falls
    as what is counted rises.
    """

    interval: Callable[[], Interval | None] = lambda: None
    find: "Callable[[bool | None], tuple[Responsible, ...]]" = lambda counted: ()
    highest: "Callable[[], Figure | None]" = lambda: None
    rough: Callable[[], bool] = lambda: False
    open: OpenEntries = field(default_factory=OpenEntries)
    kind: Kind | None = None
    clusters: int = 0
    falls: bool = False


class Figure(float):
    """A defined figure: a float, with what a reader needs to judge it.

    ``bound`` is set where redacted text makes the value a bound, and ``reason`` then says so. A sum, difference,
    product or quotient with a plain number, the negative, the absolute value and a rounding to digits are figures with
    the same things behind them. A comparison that holds the value down (``<``, ``<=``, ``==``) raises `UndefinedFigure`
    where no entry of those that could count is determined: the value then says nothing of how high it is.
    """

    spec: Described
    counts: Counts
    bound: Bound | None
    reason: str
    behind: Behind
    observer: Observer | None

    defined = True

    def __new__(
        cls,
        value: float,
        spec: Described,
        counts: Counts,
        bound: Bound | None = None,
        behind: Behind | None = None,
        observer: Observer | None = None,
    ) -> Self:
        figure = super().__new__(cls, value)
        figure.spec = spec
        figure.counts = counts
        figure.bound = bound
        figure.reason = "" if bound is None else f"{bound.value} this: some delivered text has no recorded size"
        figure.behind = behind or Behind()
        figure.observer = observer
        return figure

    @property
    def name(self) -> str:
        return self.spec.name

    @cached_property
    def interval(self) -> Interval | None:
        """The 95 % interval over arcs (see `profiles.intervals`), None for fewer than two arcs."""
        return self.behind.interval()

    @property
    def lower(self) -> "Figure":
        """The lower end of the interval, a figure itself; undefined for fewer than two arcs."""
        return self._end("lower", 0)

    @property
    def upper(self) -> "Figure":
        """The upper end of the interval, a figure itself; undefined for fewer than two arcs."""
        return self._end("upper", 1)

    @cached_property
    def highest(self) -> "Figure":
        """The figure with every entry counted that could count and of which nothing is determined.

        It is the most that the value could be; the figure itself where every entry is determined.
        """
        return self.behind.highest() or self

    @cached_property
    def rough(self) -> bool:
        """Whether the interval holds the truth less often than it says (docs/assertions.md)."""
        return self.interval is not None and self.behind.rough()

    @cached_property
    def responsible(self) -> tuple[Responsible, ...]:
        """The entries that the value is owed to, worst first: those counted where more is worse, else the others."""
        return self.behind.find(None)

    def owed_to(self, *, too_high: bool) -> tuple[Responsible, ...]:
        """Return the entries for which the value is as high as it is, or as low, worst first."""
        return self.behind.find(too_high is not self.behind.falls)

    @property
    def possible(self) -> Interval:
        """The least and the most that the value could be, as far as entries are determined and text has a size."""
        least, most = sorted((float(self), float(self.highest)))
        return (-math.inf if self.bound is Bound.AT_MOST else least, math.inf if self.bound is Bound.AT_LEAST else most)

    def no_interval_reason(self) -> str:
        """Return why there is no interval."""
        return "an interval needs two arcs"

    def _end(self, side: str, which: int) -> "Figure":
        name, written = (enclosed(text) for text in (self.name, expression_of(self.spec)))
        title = f"{self.spec.title}, {side} bound"
        spec = Named(f"{name}.{side}", title, self.spec.unit, self.spec.holder, f"{written}.{side}")
        if self.interval is None:
            # An undefined value is no number on purpose; to a type checker it is the figure that the test asks for.
            return cast(Figure, UndefinedValue(spec, self.counts, self.no_interval_reason()))

        def highest() -> "Figure | None":
            return None if self.highest is self or self.highest.interval is None else self.highest._end(side, which)

        behind = Behind(find=self.behind.find, highest=highest, open=self.behind.open, falls=self.behind.falls)
        end = Figure(self.interval[which], spec, self.counts, self.bound, behind, self.observer)
        told = f"the {side} bound of {float(self):.3g}, 95 % interval over arcs{', rough' if self.rough else ''}"
        end.reason = f"{told}; {self.reason}" if self.reason else told
        return end

    # Comparisons

    def _compare(self, op: str, other: object) -> Any:
        result = _HOLDS[op](float(self), _plain(other))
        self._refuse_if_open(op, other)
        if isinstance(other, Figure):
            other._refuse_if_open(_REFLECTED[op], self)
        elif self.observer is not None and isinstance(other, Real):
            self.observer(Compared(self, op, float(other), bool(result)))
        return result

    def _refuse_if_open(self, op: str, other: object) -> None:
        refusal = self.behind.open.refusal
        if not refusal or other is None:
            return
        if op in (("==", ">", ">=") if self.behind.falls else ("==", "<", "<=")):
            could = f"so that it could be anything from {self.possible[0]:.3g} to {self.possible[1]:.3g}"
            raise UndefinedFigure(self.name, f"{refusal}, {could}", self.spec.holder, _MEND)

    def __lt__(self, other: Any) -> Any:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(">=", other)

    def __eq__(self, other: object) -> bool:
        # Whatever the other side makes of it, an array for instance; to type checkers it is what a float gives.
        return cast(bool, self._compare("==", other))

    def __ne__(self, other: object) -> bool:
        return cast(bool, float(self) != _plain(other))

    def __hash__(self) -> int:
        return hash(float(self))

    # Arithmetic

    def _made(self, value: Any, form: str, other: object, ends: Callable[[float], float]) -> Any:
        """Return a figure calculated from this one with a plain number, else the value as it is.

        ``form`` says how, and ``ends``, which rises or falls throughout, turns the ends of its interval.
        """
        if not (isinstance(value, float) and isinstance(other, Real) and math.isfinite(value)):
            return value
        if isinstance(other, Figure) or ends(0.0) == ends(1.0):
            return value
        form = form.replace("#", f"{float(other):g}")
        name, written = (enclosed(text) for text in (self.name, expression_of(self.spec)))
        spec = Named(form.format(name), self.spec.title, self.spec.unit, self.spec.holder, form.format(written))
        if len(spec.expression) > LONGEST_EXPRESSION:
            return value

        def interval() -> Interval | None:
            if self.interval is None:
                return None
            low, high = sorted((ends(self.interval[0]), ends(self.interval[1])))
            return low, high

        def highest() -> Figure | None:
            most = None if self.highest is self else self.highest._made(ends(float(self.highest)), form, 0.0, ends)
            return most if isinstance(most, Figure) else None

        turned = ends(0.0) > ends(1.0)
        bound = _TURNED[self.bound] if self.bound is not None and turned else self.bound
        behind = replace(self.behind, interval=interval, highest=highest, falls=self.behind.falls is not turned)
        found = Figure(value, spec, self.counts, bound, behind, self.observer)
        found.reason = self.reason if bound is self.bound else found.reason
        return found

    def __add__(self, other: Any) -> Any:
        return self._made(float(self) + _plain(other), "{} + #", other, lambda x: x + float(other))

    def __radd__(self, other: Any) -> Any:
        return self._made(_plain(other) + float(self), "# + {}", other, lambda x: x + float(other))

    def __sub__(self, other: Any) -> Any:
        return self._made(float(self) - _plain(other), "{} - #", other, lambda x: x - float(other))

    def __rsub__(self, other: Any) -> Any:
        return self._made(_plain(other) - float(self), "# - {}", other, lambda x: float(other) - x)

    def __mul__(self, other: Any) -> Any:
        return self._made(float(self) * _plain(other), "{} * #", other, lambda x: x * float(other))

    def __rmul__(self, other: Any) -> Any:
        return self._made(_plain(other) * float(self), "# * {}", other, lambda x: x * float(other))

    def __truediv__(self, other: Any) -> Any:
        return self._made(float(self) / _plain(other), "{} / #", other, lambda x: x / float(other))

    def __neg__(self) -> Any:
        return self._made(-float(self), "-{}", 0, lambda x: -x)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Any:
        # Of a value whose sign is not known the interval would have a fold in it.
        if self.interval is not None and self.interval[0] < 0 < self.interval[1]:
            return abs(float(self))
        return self if float(self) >= 0 else -self

    def __round__(self, digits: SupportsIndex | None = None) -> Any:
        if digits is None:
            return round(float(self))
        return self._made(round(float(self), digits), f"round({{}}, {int(digits)})", 0, lambda x: x)

    # What it looks like

    def __repr__(self) -> str:
        interval = "" if self.interval is None else f", 95 % interval {self.interval[0]:.3g} to {self.interval[1]:.3g}"
        return f"<{self.name} {float(self):.6g}: {self.counts}{interval}>"

    def __str__(self) -> str:
        return str(float(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # A figure that leaves its process does so as the number that it is; runs travel as plain data.
        return (float, (float(self),))


def _plain(other: Any) -> Any:
    """Return a figure's number, and anything else as it is: of two figures no single one is made."""
    return float(other) if isinstance(other, Figure) else other
