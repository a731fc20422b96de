"""The fixed rules from signals to usage labels and triage labels (MemUse 3.5)."""

from collections.abc import Iterable
from dataclasses import replace

from pytest_memuse.judging.answers import Assessment, Effect, Influence
from pytest_memuse.profiles.rows import Triage, Usage

_ACTED_ON = {
    Effect.IMPROVED: Usage.USED,
    Effect.NO_EFFECT: Usage.UNPRODUCTIVE,
    Effect.HARMED: Usage.MISUSED,
    None: Usage.UNCLEAR,
}
_NOT_ACTED_ON = {
    Influence.SELECTED: Usage.SELECTED,
    Influence.REFERENCED: Usage.NOTED,
    Influence.NONE: Usage.IGNORED,
}


def without_unacted_effect(assessment: Assessment) -> Assessment:
    """Return the assessment with the effect reset where the entry was not acted on: only an action has an effect."""
    if assessment.effect is None or assessment.influence is Influence.ACTED_ON:
        return assessment
    return replace(assessment, effect=None)


def usage_label(assessment: Assessment) -> Usage:
    """Return the usage label of an entry (3.5, usage and triage labels)."""
    if assessment.influence is Influence.ACTED_ON:
        return _ACTED_ON[assessment.effect]
    if assessment.influence is None:
        return Usage.AMBIGUOUS if assessment.window_read else Usage.UNCLEAR
    return _NOT_ACTED_ON[assessment.influence]


def triage_label(usages: Iterable[Usage]) -> Triage:
    """Return the triage label of a span by the fixed precedence of equation 2: harm first, then benefit, then doubt."""
    found = set(usages)
    if Usage.MISUSED in found:
        return Triage.NEGATIVE
    if Usage.USED in found:
        return Triage.POSITIVE
    if Usage.UNCLEAR in found:
        return Triage.UNRESOLVED
    return Triage.NEUTRAL
