"""Properties for pytest's own JUnit file, and whoever else reads ``user_properties``: names and texts.

pytest writes them into the ``testcase`` element, where some strict schemas allow none; with
``memuse_junit_properties = off`` they are left out.
"""

from typing import TYPE_CHECKING

from pytest_memuse.model.errors import inert
from pytest_memuse.reports.gate_data import both_sides

if TYPE_CHECKING:
    from pytest_memuse.gate.rulings import Decided
    from pytest_memuse.profiles.profile import Profile

Properties = list[tuple[str, object]]

_LONGEST = 1_000
UNDEFINED = "undefined"
"""What stands for a number that there is none of; the reason stands beside it."""


def profile_properties(suite: str, profile: "Profile") -> Properties:
    """Return every figure of a suite's profile with its counts."""
    found: Properties = [("memuse.suite", inert(suite, _LONGEST))]
    for figure in profile:
        if figure.defined:
            bound = f"{figure.bound} " if figure.bound else ""
            found.append((f"memuse.{figure.name}", f"{bound}{float(figure)!r}"))
        else:
            found.append((f"memuse.{figure.name}", f"{UNDEFINED}: {inert(figure.reason, _LONGEST)}"))
        found.append((f"memuse.{figure.name}.counts", f"{figure.counts.numerator}/{figure.counts.denominator}"))
    return found


def gate_properties(suite: str, decided: "Decided", against: str) -> Properties:
    """Return a gated figure: both sides, difference and bounds, the verdict and what it does to the build."""
    figure = decided.figure
    texts = {
        "suite": suite,
        "figure": figure.name,
        "against": against,
        "verdict": figure.verdict.value,
        "reason": figure.reason,
        "outcome": decided.outcome.value,
        "ruling": decided.told,
        "unit": figure.unit,
    }
    numbers = both_sides(figure)
    return [
        *((f"memuse.{name}", inert(text, _LONGEST)) for name, text in texts.items() if text),
        *((f"memuse.{name}", UNDEFINED if value is None else repr(value + 0.0)) for name, value in numbers.items()),
    ]
