"""The ledger of recorded calls for a terminal: who called, what for, and what is known of the cost."""

from pytest_memuse.model import Actor
from pytest_memuse.profiles.call_costs import CallCosts, Ledger, Purpose
from pytest_memuse.reports.numbers import counted, quantity
from pytest_memuse.reports.table import table

_PURPOSES = {
    Purpose.AGENT: "the task",
    Purpose.SEARCH: "search",
    Purpose.GENERATION: "writing memory",
    Purpose.UNASSIGNED: "no recorded operation",
}


def cost_lines(ledger: Ledger) -> list[str]:
    """Return the ledger by actor and purpose; a counter that no call reported is unknown, never zero.

    Money at configured rates stands beside the provider's where the ledger was made with rates; they are never added.
    """
    found = [(actor, purpose, ledger.costs(actor=actor, purpose=purpose)) for actor in Actor for purpose in Purpose]
    rows = [_row(actor.value, _PURPOSES[purpose], costs) for actor, purpose, costs in found if costs.calls]
    if not rows:
        return ["", "costs: no model call is recorded"]
    if len(rows) > 1:
        rows.append(_row("all", "", ledger.costs()))
    head = ["costs of", "made for", "calls", "failed", "input", "cached", "output", "reasoning", "US$ reported"]
    if any(recorded.computed is not None for recorded in ledger.calls):
        head.append("US$ computed")
    else:
        rows = [row[:-1] for row in rows]
    searches = counted(ledger.searches, "search")
    note = f"{searches} recorded; cached tokens are a part of the input, reasoning tokens one of the output"
    return ["", *table(head, rows, frozenset(range(2, len(head)))), note]


def _row(actor: str, purpose: str, costs: CallCosts) -> list[str]:
    sums = (costs.input, costs.cached, costs.output, costs.reasoning, costs.reported, costs.computed)
    return [actor, purpose, f"{costs.calls:,}", f"{costs.failed:,}", *(quantity(found) for found in sums)]
