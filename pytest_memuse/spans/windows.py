"""Per-entry credit windows (MemUse 3.3, A.1.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_memuse.spans.types import Window


@dataclass(frozen=True, slots=True)
class Claim:
    """What the boundary rule needs to know of one entry of an attributed span.

    ``span`` is the span's index in order of first delivery, ``entry`` the entry's index in it. ``text`` is the exposed
    text, None where the exposure is unknown. ``resident`` is set where an earlier owner keeps the credit, ``adds``
    where the entry brings verified text or an identifier that no visible copy has.
    """

    span: int
    entry: int
    first: int
    last: int
    text: str | None
    resident: bool
    adds: bool


def credit_windows(claims: Mapping[object, Sequence[Claim]], last_step: int) -> dict[tuple[int, int], Window | None]:
    """Return the window of each claim by its span and entry; None is the empty window.

    ``claims`` groups the entries of one item, in order of their spans; an entry whose item is not known stands alone.
    """
    windows: dict[tuple[int, int], Window | None] = {}
    for group in claims.values():
        ends, after_shared_step = _boundaries(group, last_step)
        for claim, end in zip(group, ends, strict=True):
            place = (claim.span, claim.entry)
            start = claim.first + (1 if place in after_shared_step and not claim.adds else 0)
            windows[place] = None if claim.resident or start > end else Window(start, end)
    return windows


def _boundaries(group: Sequence[Claim], last_step: int) -> tuple[list[int], set[tuple[int, int]]]:
    """Return the last credited step of each claim, and the claims that took over at a step which both were read in."""
    ends: list[int] = []
    shared: set[tuple[int, int]] = set()
    for position, claim in enumerate(group):
        takers = _takers(claim, group[position + 1 :])
        if not takers:
            ends.append(last_step)
        elif takers[0].first > claim.last:
            ends.append(takers[0].first - 1)
        else:
            ends.append(takers[0].first)
            shared.update((taker.span, taker.entry) for taker in takers)
    return ends, shared


def _takers(claim: Claim, later: Sequence[Claim]) -> list[Claim]:
    """Return the entries of the earliest later span that take over the credit of a claim.

    A span that starts before the claim's last consuming step is no boundary (A.1.5). Grouping lets none arise, since a
    related delivery ends the current span; the condition stands so that this rule holds by itself.
    """
    takers: list[Claim] = []
    for other in later:
        if takers and other.span != takers[0].span:
            break
        if other.span != claim.span and other.first >= claim.last and not other.resident and _contains(other, claim):
            takers.append(other)
    return takers


def _contains(other: Claim, claim: Claim) -> bool:
    """Return whether the other's verified text contains the claim's; unknown exposure leaves item identity alone."""
    return other.text is None or claim.text is None or claim.text in other.text
