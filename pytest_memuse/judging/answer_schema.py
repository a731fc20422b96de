"""The JSON schema of an answer, for models that are held to one (MemUse A.2.3)."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal

NOTE_LENGTH = 600
"""Characters of a note that the schema lets a model write."""

MOST_STEPS = 40
"""Steps that one list of anchors or evidence may name under the schema."""


def answer_schema(
    entries: Sequence[str], *, note_length: int = NOTE_LENGTH, most_steps: int = MOST_STEPS, bounded: bool = True
) -> dict[str, Any]:
    """Return the schema of an answer for these entries.

    Notes come before the values that they give reasons for. The schema is stricter than the checks: it requires the
    notes, which they do not. Every string and list is bounded, unless ``bounded`` is False: some APIs refuse a schema
    that names lengths.
    """
    longest = {"maxLength": note_length} if bounded else {}
    note = {"type": "string", **longest}
    steps = {"type": "array", "items": {"type": "integer"}, **({"maxItems": most_steps} if bounded else {})}
    assessment = _object(
        {
            "id": {"type": "string", "enum": list(entries)},
            "notes": _object({signal.value: note for signal in Signal}),
            "evidence": steps,
            "relevance": {"type": "boolean"},
            "accuracy": {"type": "string", "enum": [value.value for value in Accuracy]},
            "novelty": _or_null(Novelty),
            "influence": _or_null(Influence),
            "effect": _or_null(Effect),
            "anchors": steps,
        }
    )
    exactly = {"minItems": len(entries), "maxItems": len(entries)} if bounded else {}
    confidence = {"type": "number", **({"minimum": 0, "maximum": 1} if bounded else {})}
    return _object(
        {
            "assessments": {"type": "array", "items": assessment, **exactly},
            "summary": note,
            "confidence": confidence,
        }
    )


def response_format(entries: Sequence[str], *, note_length: int = NOTE_LENGTH, bounded: bool = True) -> dict[str, Any]:
    """Return the schema in the form in which model APIs take it with a request."""
    schema = answer_schema(entries, note_length=note_length, bounded=bounded)
    return {"type": "json_schema", "json_schema": {"name": "span_assessment", "strict": True, "schema": schema}}


def _or_null(kind: type[StrEnum]) -> dict[str, Any]:
    return {"type": ["string", "null"], "enum": [*(value.value for value in kind), None]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
