"""What a test asserts on: a figure with its counts and interval, or an undefined one that says why."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, Protocol

from pytest_memuse.model import MemuseError
from pytest_memuse.profiles.figures import Bound
from pytest_memuse.profiles.rows import Usage


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


class UndefinedFigure(MemuseError):
    """A test asked for the value of a figure that has none; undefined is never zero. ``figure`` is its name."""

    def __init__(self, figure: str, reason: str, holder: str = "profile") -> None:
        super().__init__(
            f"{figure} is undefined: {reason}",
            reason="undefined_figure",
            mend=f"assert on a figure that this run defines, or check `{holder}.{figure}.defined` first",
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


@dataclass(frozen=True, slots=True)
class Responsible:
    """One entry that a figure's value is owed to: where it is and what the agent did with it.

    ``step`` is the entry's first anchor, or the span's first consuming step where it has none. Of an episode without
    any entry to name (a failed task, say) ``span`` and ``item`` are empty; with ``told``, ``item`` is the memory that
    served it and ``told`` what came of it.
    """

    arc: str
    episode: str
    task: str
    span: str = ""
    step: int | None = None
    item: str = ""
    text: str = ""
    usage: Usage | None = None
    told: str = ""


class Figure(float):
    """A defined figure: a float, with what a reader needs to judge it.

    ``lower`` and ``upper`` are its 95 % interval over arcs, None for fewer than two arcs (see `profiles.intervals`);
    they and ``responsible`` are worked out when first asked for. ``bound`` is set where redacted text makes the value a
    bound, and ``reason`` then says so.
    """

    spec: Described
    counts: Counts
    bound: Bound | None
    reason: str
    _find: Callable[[], tuple[Responsible, ...]]
    _span: Callable[[], tuple[float, float] | None]

    defined = True

    def __new__(
        cls,
        value: float,
        spec: Described,
        counts: Counts,
        bound: Bound | None = None,
        interval: Callable[[], tuple[float, float] | None] = lambda: None,
        find: Callable[[], tuple[Responsible, ...]] = tuple,
    ) -> "Figure":
        figure = super().__new__(cls, value)
        figure.spec = spec
        figure.counts = counts
        figure.bound = bound
        figure.reason = "" if bound is None else f"{bound.value} this: some delivered text has no recorded size"
        figure._span = interval
        figure._find = find
        return figure

    @property
    def name(self) -> str:
        return self.spec.name

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval over arcs, None for fewer than two arcs."""
        return self._span()

    @property
    def lower(self) -> float | None:
        return None if self.interval is None else self.interval[0]

    @property
    def upper(self) -> float | None:
        return None if self.interval is None else self.interval[1]

    @cached_property
    def responsible(self) -> tuple[Responsible, ...]:
        """The entries that the value is owed to, worst first."""
        return self._find()

    def __eq__(self, other: object) -> bool:
        # Stated here so that type checkers allow `profile.steps == 4`, as they do for a plain float.
        return float(self) == other

    def __hash__(self) -> int:
        return hash(float(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # A figure that leaves its process does so as the number that it is; runs travel as plain data.
        return (float, (float(self),))


class UndefinedValue:
    """Stands for a figure without a value: every use as a number or in a comparison raises `UndefinedFigure`."""

    defined = False
    interval = None
    lower = None
    upper = None
    bound = None
    responsible: tuple[Responsible, ...] = ()

    def __init__(self, spec: Described, counts: Counts, reason: str) -> None:
        self.spec = spec
        self.counts = counts
        self.reason = reason

    @property
    def name(self) -> str:
        return self.spec.name

    def __repr__(self) -> str:
        return f"<{self.name} is undefined: {self.reason}>"

    def _refuse(self, *_: object) -> NoReturn:
        raise UndefinedFigure(self.name, self.reason, self.spec.holder)

    __float__ = __int__ = __bool__ = __round__ = __neg__ = __abs__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse

    def __format__(self, spec: str) -> str:
        return "undefined"
