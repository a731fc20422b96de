"""What keeps an answer from being accepted, and what the judge is told of it (MemUse A.3.1, A.3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ViolationCode(StrEnum):
    """The ways in which an answer fails its checks; statistics of repairs count them by these names."""

    INVALID_JSON = "invalid-json"
    WRONG_ENTRIES = "wrong-entries"
    BAD_VALUE = "bad-value"
    MISSING_ANCHOR = "missing-anchor"
    ANCHOR_ON_NONE = "anchor-on-none"
    ANCHOR_OUTSIDE_WINDOW = "anchor-outside-window"
    UNREAD_CITED_STEP = "unread-cited-step"
    UNREAD_MANDATORY = "unread-mandatory"
    UNREAD_PRIOR = "unread-prior"
    UNREAD_WINDOW = "unread-window"
    UNREAD_CONSEQUENCES = "unread-consequences"


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation. ``sentence`` tells the judge what to read or change; ``entry`` is None where it is the answer's.

    ``unread`` names the records whose reads are incomplete.
    """

    code: ViolationCode
    sentence: str
    entry: str | None = None
    unread: tuple[str, ...] = ()


def codes(violations: Sequence[Violation]) -> tuple[str, ...]:
    """Return the codes of violations, each once, in order."""
    return tuple(dict.fromkeys(violation.code.value for violation in violations))


MOST_TOLD = 30
"""Violations that one message to the judge spells out; an answer can have thousands."""


def feedback(violations: Sequence[Violation]) -> str:
    """Return the message that goes back to the judge. It holds no recorded text."""
    lines = [f"- {violation.code}: {violation.sentence}" for violation in violations[:MOST_TOLD]]
    if len(violations) > MOST_TOLD:
        lines.append(f"- and {len(violations) - MOST_TOLD} more of the same kinds")
    return (
        "Your answer was not accepted:\n" + "\n".join(lines) + "\n"
        "Read what is missing, or leave undetermined (null) what you cannot establish without it. A value that the "
        "evidence supports may stay as it is. Then give the whole answer again, for every entry, as one JSON object."
    )
