"""Everything of a profile and its items as plain data, for programs: what the terminal shows, unrounded and uncut.

Undefined is null with a reason beside it, never zero. Enumerations are their words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.profiles.call_costs import Ledger, Purpose
from pytest_memuse.profiles.figure import Figure
from pytest_memuse.profiles.histories import Change, HarmfulItem, ItemHistory
from pytest_memuse.profiles.outcomes import OutcomeComparison
from pytest_memuse.profiles.profile import Profile
from pytest_memuse.profiles.quantity import Quantity
from pytest_memuse.profiles.resolve_rates import RateDifference
from pytest_memuse.profiles.share import Share


def plain(value: Any) -> Any:
    """Return a value of frozen types as dicts, lists, texts and numbers; shares and quantities get their value."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        found = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, Share):
            return found | {"value": value.value}
        if isinstance(value, Quantity):
            return found | {"value": value.value, "knowledge": value.knowledge.value}
        return found
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [plain(inner) for inner in value]
    return value


def profile_data(profile: Profile, identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return a profile: its figures and all that stands beside them."""
    run = profile.run
    return {
        "suite": run.suite,
        "identity": plain(identity),
        "arcs": len(run.arcs),
        "episodes": len(run.episodes),
        "profiled_spans": profile.profiled_spans,
        "delivered_tokens": profile.tokens,
        "figures": {figure.name: figure_data(figure) for figure in profile},
        "triage": dict(profile.triage_counts),
        "warnings": list(profile.warnings),
        "forms": plain(profile.forms),
        "routes": plain(profile.routes),
        "volumes": plain(profile.volumes),
        "delays": plain(profile.delays),
        "conditional_effects": plain(profile.conditional_effects),
        "hidden_by_outcomes": plain(profile.hidden_by_outcomes),
        "effects_by_accuracy": plain(profile.effects_by_accuracy),
        "unused": plain(profile.unused),
        "recurring": plain(profile.recurring),
        "corrected_effects": profile.corrected_effects,
    }


def figure_data(figure: Figure) -> dict[str, Any]:
    """Return a figure with its interval, None for both bounds where it has none, and its counts."""
    counts = figure.counts
    lower, upper = figure.interval or (None, None)
    return {
        "value": float(figure) if figure.defined else None,
        "lower": lower,
        "upper": upper,
        "unit": figure.spec.unit,
        "bound": None if figure.bound is None else figure.bound.value,
        "undefined": "" if figure.defined else figure.reason,
        "counts": {
            "part": counts.numerator,
            "counted": counts.counted,
            "whole": counts.denominator,
            "among": counts.among,
        },
    }


def costs_data(ledger: Ledger) -> dict[str, Any]:
    """Return the ledger by actor and purpose, rows without a call left out, and all of it together."""
    found = [(actor, purpose, ledger.costs(actor=actor, purpose=purpose)) for actor in Actor for purpose in Purpose]
    rows = [{"actor": a.value, "purpose": p.value} | plain(costs) for a, p, costs in found if costs.calls]
    return {"by_actor": rows, "all": plain(ledger.costs()), "searches": ledger.searches}


def history_data(history: ItemHistory) -> dict[str, Any]:
    """Return an item's history, its events in order; what is named elsewhere is referred to by its operation."""
    return {
        "arc": history.arc,
        "namespace": history.namespace,
        "item": history.item,
        "origin": _reference(history.origin),
        "events": [_event(event) for event in history.events],
    }


def harmful_data(items: Sequence[HarmfulItem]) -> list[dict[str, Any]]:
    """Return the items to revise or remove, with the places where they harmed."""
    return [
        {
            "arcs": [history.arc for history in item.histories],
            "namespace": item.namespace,
            "item": item.item,
            "uses": item.uses,
            "harmed_in": [plain(recall.place) | {"span": recall.span} for recall in item.recalls],
        }
        for item in items
    ]


def outcomes_data(found: OutcomeComparison, difference: RateDifference) -> dict[str, Any]:
    """Return a comparison with runs without memory."""
    return {
        "runs_with_memory": len(found.memory),
        "runs_without_memory": len(found.baseline),
        "tasks": plain(found.tasks),
        "unmatched": plain(found.unmatched),
        "without_result": found.without_result,
        "difference": plain(difference),
        "changes": plain(found.changes)
        | {"mean_gained": found.changes.mean_gained, "mean_lost": found.changes.mean_lost},
        "changes_without_memory": plain(found.baseline_changes)
        | {"mean_gained": found.baseline_changes.mean_gained, "mean_lost": found.baseline_changes.mean_lost},
        "hidden_by_outcomes": plain(found.hidden),
        "strata": plain(found.strata),
    }


def _event(event: Any) -> dict[str, Any]:
    if isinstance(event, Change):
        return {
            "event": event.kind.value,
            "operation": event.operation,
            "value": event.value,
            "net": event.net,
            "place": plain(event.place),
        }
    return {
        "event": "delivered",
        "span": event.span,
        "outcome": event.outcome.value,
        "deliveries": event.deliveries,
        "after_deletion": event.after_deletion,
        "origin": _reference(event.origin),
        "written": _reference(event.written),
        "entries": plain(event.entries),
        "place": plain(event.place),
    }


def _reference(change: Change | None) -> dict[str, str] | None:
    return None if change is None else {"episode": change.place.episode, "operation": change.operation}
