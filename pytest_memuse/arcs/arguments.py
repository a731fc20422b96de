"""Arguments of a world's tools: what may be given, how it is kept, and when two values are the same."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from pytest_memuse.arcs.types import Format, Parameter, Tool

LONGEST_ARGUMENT = 2_000
"""Characters of one argument."""

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_CENTS = Decimal("0.01")
_MOST_MONEY = Decimal("1e9")


class Refused(Exception):
    """A tool call that is refused; its text is what the agent is told."""


def same_value(given: str, wanted: str) -> bool:
    """Tell whether two values are the same but for case, spacing, and how a number is written."""
    a, b = folded(given), folded(wanted)
    if a == b:
        return True
    x, y = number_of(a), number_of(b)
    return x is not None and x == y


def folded(text: str) -> str:
    """Return a text without regard to case and spacing."""
    return " ".join(text.split()).casefold()


def storable(text: str) -> str:
    """Return a text that a database takes: halves of characters, which JSON may hold, become question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def checked(tool: Tool, arguments: Any) -> dict[str, str]:
    """Return a call's arguments as they are kept. What is wrong with them is refused."""
    if not isinstance(arguments, Mapping):
        raise Refused(f"the arguments of {tool.name} are no JSON object")
    known = {p.name: p for p in tool.parameters}
    for name in arguments:
        if name not in known:
            raise Refused(f"{tool.name} takes no {str(name)[:80]!r}; it takes {', '.join(known)}")
    given: dict[str, str] = {}
    for name, parameter in known.items():
        value = arguments.get(name)
        if value is None or value == "":
            if parameter.required and not parameter.within:
                raise Refused(f"{tool.name} needs {name}")
            if parameter.required:
                given[name] = ""
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise Refused(f"{name} must be a text")
        if isinstance(value, int) and value.bit_length() > 1_000:
            raise Refused(f"{name} has too many digits")
        given[name] = _formatted(parameter, str(value))
    return given


def _formatted(parameter: Parameter, text: str) -> str:
    text = storable(" ".join(text.split()))
    if len(text) > LONGEST_ARGUMENT:
        raise Refused(f"{parameter.name} has more than {LONGEST_ARGUMENT} characters")
    if parameter.format is Format.MONEY:
        amount = number_of(text.lstrip("$€£ "))
        if amount is None or not 0 < amount < _MOST_MONEY or amount != amount.quantize(_CENTS):
            raise Refused(f"{parameter.name} must be an amount such as 12.50, not {text[:80]!r}")
        return str(amount.quantize(_CENTS))
    if parameter.format is Format.DAY:
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise Refused(f"{parameter.name} must be a day as YYYY-MM-DD, not {text[:80]!r}") from None
    if parameter.format is Format.TIME:
        match = _TIME.fullmatch(text)
        if match is None:
            raise Refused(f"{parameter.name} must be a time as HH:MM, not {text[:80]!r}")
        return f"{int(match[1]):02}:{match[2]}"
    return text


_NUMBER = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d{1,9})?|-?\d{1,15}(\.\d{1,9})?", re.ASCII)


def number_of(text: str) -> Decimal | None:
    """Return the number that a text is, thousands parted by commas or not; None where it is none."""
    if not _NUMBER.fullmatch(text):
        return None
    try:
        return Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
