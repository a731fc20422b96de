"""Limits of what recording may cost: calls, tokens, time or money, counted as the exchanges come in."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.dialects import read_call
from pytest_memuse.recording.recording import Exchange


class Unit(StrEnum):
    """What a budget counts. Embedding calls count as calls, and their tokens where the provider reports them."""

    CALLS = "calls"
    TOKENS = "tokens"
    MINUTES = "min"
    DOLLARS = "usd"


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be spent of one unit."""

    amount: float
    unit: Unit

    def __str__(self) -> str:
        shown = f"{self.amount:.2f}" if self.unit is Unit.DOLLARS else f"{self.amount:g}"
        return f"{shown} {self.unit.value}"


class BudgetUsedUp(BaseException):
    """Ends a recording from inside a call.

    No `Exception`, since an agent that tries failed calls again would take it for one. ``reason`` says what ran out;
    ``mend`` says what to do where the same budget would stop the next recording as well, and is empty elsewhere.
    """

    def __init__(self, reason: str, mend: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.mend = mend


_LIMIT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([a-z]{1,8})")
_UNITS = {
    **{unit.value: unit for unit in Unit},
    "call": Unit.CALLS,
    "token": Unit.TOKENS,
    "minutes": Unit.MINUTES,
}


def parse_budget(text: str) -> tuple[Budget, ...]:
    """Return the limits of a text such as ``200000tokens`` or ``500calls,10min``; empty for an empty text.

    Raises `MemuseError` for anything else.
    """
    return tuple(_limit(part.strip()) for part in text.split(",")) if text.strip() else ()


def _limit(part: str) -> Budget:
    found = _LIMIT.fullmatch(part.lower().replace("_", ""))
    if found is None or found[2] not in _UNITS or not float(found[1]) > 0:
        raise MemuseError(
            f"{part!r} is no budget",
            reason="budget",
            mend="give a number above 0 with its unit, one of 500calls, 200000tokens, 10min, 2.50usd; "
            "several are separated by commas",
        )
    return Budget(float(found[1]), _UNITS[found[2]])


class Spending:
    """Counts what was spent under some budgets; a `recording.meter.Meter`.

    ``clock`` gives seconds that only go forward; time is counted from when the first call or episode is asked for.
    """

    def __init__(self, budgets: tuple[Budget, ...], clock: Callable[[], float]) -> None:
        self._limits = {budget.unit: budget for budget in budgets}
        self._clock = clock
        self._begun: float | None = None
        self._spent = dict.fromkeys((Unit.CALLS, Unit.TOKENS, Unit.DOLLARS), 0.0)
        self._unmeasured = ""

    def allow(self) -> None:
        """Return where something is left of every budget, raise `BudgetUsedUp` where one is used up or unmeasurable."""
        if self._begun is None:
            self._begun = self._clock()
        if self._unmeasured:
            raise BudgetUsedUp(self._unmeasured, mend="give the budget in calls or minutes")
        for unit, limit in self._limits.items():
            spent = self._minutes() if unit is Unit.MINUTES else self._spent[unit]
            if spent >= limit.amount:
                raise BudgetUsedUp(f"the budget of {limit} is used up")

    def count(self, exchange: Exchange) -> None:
        """Add a call's tokens and cost. A model call that reports none leaves its budget unmeasurable."""
        if exchange.actor is None:
            return
        self._spent[Unit.CALLS] += 1
        if not 200 <= exchange.status < 300:
            return
        for unit, measured in ((Unit.TOKENS, _tokens(exchange)), (Unit.DOLLARS, _cost(exchange))):
            if measured is not None:
                self._spent[unit] += measured
            elif unit in self._limits and exchange.actor is not Actor.EMBEDDING:
                what = "its cost (`usage.cost`)" if unit is Unit.DOLLARS else "its tokens (`usage`)"
                self._unmeasured = (
                    f"the budget of {self._limits[unit]} cannot be measured: exchange {exchange.number} does not "
                    f"report {what}"
                )

    def _minutes(self) -> float:
        return 0.0 if self._begun is None else (self._clock() - self._begun) / 60


def _tokens(exchange: Exchange) -> float | None:
    usage = read_call(exchange).usage
    if usage.input is not None or usage.output is not None:
        return float((usage.input or 0) + (usage.output or 0))
    raw = _usage(exchange)
    return _number(raw.get("total_tokens", raw.get("prompt_tokens")))


def _cost(exchange: Exchange) -> float | None:
    return _number(_usage(exchange).get("cost"))


def _usage(exchange: Exchange) -> Mapping[str, Any]:
    found = exchange.response.get("usage") if isinstance(exchange.response, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        return None
    return float(value)
