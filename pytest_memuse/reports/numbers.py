"""Numbers as people read them: enough digits to compare, never more than were measured."""


def number(value: float | None) -> str:
    """Return a figure's value with about three significant digits; a dash where there is none."""
    if value is None:
        return "–"
    size = abs(value)
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


def _plain(value: float | None) -> str:
    return number(value).replace("-", "−")


def counted(amount: int, noun: str) -> str:
    """Return a count with its noun in the right number."""
    if amount == 1:
        return f"1 {noun}"
    return f"{amount:,} {noun[:-1]}ies" if noun.endswith("try") else f"{amount:,} {noun}s"
