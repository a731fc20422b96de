"""Numbers as people read them: enough digits to compare, never more than were measured."""

from pytest_memuse.profiles.quantity import Knowledge, Quantity
from pytest_memuse.profiles.share import Share


def number(value: float | None) -> str:
    """Return a figure's value with about three significant digits; a dash where there is none."""
    if value is None:
        return "–"
    # Rounded first: 99.97 is 100 and not 100.0.
    size = float(f"{abs(value):.3g}")
    if size == 0:
        return "0"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}"
    if size >= 1:
        return f"{value:.2f}"
    return f"{value:.3f}" if size >= 0.001 else f"{value:.2g}"


def signed(value: float | None) -> str:
    """Return a difference with its sign; a dash where there is none."""
    if value is None:
        return "–"
    return f"+{number(value)}" if value > 0 else number(value).replace("-", "−")


def span(low: float | None, high: float | None) -> str:
    """Return an interval; an open side is said in words, an interval that does not exist is a dash."""
    if low is None and high is None:
        return "–"
    if low is None:
        return f"at most {_plain(high)}"
    if high is None:
        return f"at least {_plain(low)}"
    return f"{_plain(low)} to {_plain(high)}"


def bounds(low: float | None, high: float | None, *, above: bool = False, below: bool = False) -> str:
    """Return a figure's bounds, short enough for a table: ``0.1 to 0.4``, ``≥ 0.1``, ``≤ 0.4``; a dash for none.

    ``above`` and ``below`` say that the lower and the upper bound's own value is excluded: ``>0 to 0.4``, ``< 0.4``.
    """
    if low is None and high is None:
        return "–"
    if low is None:
        return f"{'<' if below else '≤'} {_plain(high)}"
    if high is None:
        return f"{'>' if above else '≥'} {_plain(low)}"
    return f"{'>' if above else ''}{_plain(low)} to {'<' if below else ''}{_plain(high)}"


def change(baseline: float | None, current: float | None) -> str:
    """Return a difference with its sign, 0 where it is the rounding of floating point, a dash where there is none."""
    if baseline is None or current is None:
        return "–"
    difference = current - baseline
    return signed(0.0 if abs(difference) <= 1e-9 * max(abs(baseline), abs(current)) else difference)


def _plain(value: float | None) -> str:
    return number(value).replace("-", "−")


def shared(share: Share, *, short: bool = False) -> str:
    """Return a share with its counts; a part without a whole has no percentage, an unknown part is undefined.

    ``short`` is for the cells of a table.
    """
    if share.part is None:
        return "undefined"
    counts = f"{share.part:,.0f}{'/' if short else ' of '}{share.whole:,.0f}"
    return counts if share.value is None else f"{counts} ({number(100 * share.value)} %)"


def quantity(found: Quantity) -> str:
    """Return a sum with what is known of it: unknown stays unknown, and nothing to measure is a dash."""
    if found.knowledge is Knowledge.ABSENT:
        return "–"
    if found.knowledge is Knowledge.UNREPORTED:
        return "unknown"
    total = f"{found.total:,}" if isinstance(found.total, int) else _amount(found.total)
    return total if found.knowledge is Knowledge.MEASURED else f"at least {total}"


def _amount(value: float) -> str:
    """Return an amount of money: four decimals, more where they would say nothing."""
    return f"{value:,.4f}" if value == 0 or value >= 0.001 else f"{value:.2g}"


def counted(amount: int, noun: str) -> str:
    """Return a count with its noun in the right number."""
    if amount == 1:
        return f"1 {noun}"
    if noun.endswith("try"):
        return f"{amount:,} {noun[:-1]}ies"
    return f"{amount:,} {noun}{'es' if noun.endswith('ch') else 's'}"
