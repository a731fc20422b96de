"""Episodes for the tests of the evidence: every annotation carries a mark that must never be seen by a judge."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_memuse.judging.evidence import EpisodeCase, EvidencePackage
from pytest_memuse.model import Episode, Operation, OperationKind, Outcome
from pytest_memuse.spans import Span, build_spans, replay_inputs
from tests.judging.labelled import labelled_episode

HIDDEN = "UNSEEN"
"""Stands in every name and label that the agent never saw."""


def message(role: str, text: str) -> dict[str, str]:
    return {"role": role, "text": text}


def entry(value: str | None, item: str = "item", **fields: Any) -> dict[str, Any]:
    return {"item": f"{HIDDEN}-{item}", "namespace": HIDDEN, "version": f"{HIDDEN}-v1", "value": value, **fields}


def delivery(step: int, host: str, text: str | None, *entries: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a delivery of one placement."""
    return delivered(step, [(host, text)], *entries, **fields)


def delivered(
    step: int, places: Sequence[tuple[str, str | None]], *entries: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    placements = [
        {"slot": f"{HIDDEN}-slot-{n}", "message": host, "text": text} for n, (host, text) in enumerate(places)
    ]
    kind = fields.pop("kind", None)
    if kind:
        placements = [{**placement, "kind": kind} for placement in placements]
    name = fields.pop("id", f"{step}-{places[0][0]}-{len(entries)}")
    return {
        "id": f"{HIDDEN}-{name}",
        "step": step,
        "form": f"{HIDDEN}-form",
        "entries": list(entries),
        "placements": placements,
        **fields,
    }


def episode(
    messages: Mapping[str, Any],
    steps: Sequence[Mapping[str, Any]],
    deliveries: Sequence[Mapping[str, Any]],
    *,
    task: str = "Fix the retries.",
    references: Sequence[Mapping[str, Any]] = (),
) -> Episode:
    """Return an episode with an outcome, operations and names of its own, none of which is evidence."""
    case = {
        "case": f"{HIDDEN}-harm-case",
        "task": task,
        "references": list(references),
        "messages": dict(messages),
        "steps": list(steps),
        "deliveries": list(deliveries),
    }
    made = labelled_episode(case, "made")
    operation = Operation(f"{HIDDEN}-op", OperationKind.SEARCH, HIDDEN, query=f"{HIDDEN} host query")
    return replace(
        made,
        arc=f"{HIDDEN}-arc",
        suite=f"{HIDDEN}-suite",
        scope=HIDDEN,
        operations=(operation,),
        outcome=Outcome(False, f"{HIDDEN}: 3 of 9 checks failed"),
    )


def simple(text: str = "Wait between retries.", *, result: str = "ok", task: str = "Fix the retries.") -> Episode:
    """Return an episode of three steps whose second reads one entry."""
    messages = {
        "u": message("user", task),
        "r1": message("tool", result),
        "m": message("user", f"Notes:\n{text}\nEnd."),
        "r2": message("tool", "edited"),
    }
    return episode(
        messages,
        [
            {"sees": ["u"], "says": "I look.", "does": [{"tool": "bash", "args": {"command": "ls"}, "result": "r1"}]},
            {
                "sees": ["u", "r1", "m"],
                "says": "I edit.",
                "does": [{"tool": "bash", "args": {"command": "edit"}, "result": "r2"}],
            },
            {"sees": ["u", "r1", "m", "r2"], "says": "Done."},
        ],
        [delivery(2, "m", f"Notes:\n{text}\nEnd.", entry(text))],
        task=task,
    )


def packages(made: Episode, **options: Any) -> list[tuple[Span, EvidencePackage]]:
    """Return the package of every span of an episode that has a consuming step."""
    made = replay_inputs(made)
    spans = build_spans(made)
    case = EpisodeCase(made, spans, **options)
    return [(span, case.package(span)) for span in spans if span.first is not None]


def package(made: Episode, number: int = -1, **options: Any) -> EvidencePackage:
    """Return the package of one span, the last one unless said."""
    return packages(made, **options)[number][1]


def everything(found: EvidencePackage) -> str:
    """Return all text that a judge can get to see of a package."""
    return found.shared.overview + "".join(found.text(name) or "" for name in found.names())


def lines(found: EvidencePackage, name: str) -> list[dict[str, Any]]:
    """Return the parsed lines of a record."""
    text = found.text(name)
    assert text is not None, name
    return [json.loads(line) for line in text.split("\n")[:-1]]


def strings(value: Any) -> list[str]:
    """Return every string in a parsed record."""
    if isinstance(value, dict):
        return [s for inner in value.values() for s in strings(inner)]
    if isinstance(value, list):
        return [s for inner in value for s in strings(inner)]
    return [value] if isinstance(value, str) else []
