"""From an accepted answer to the judgment that enters the results (MemUse 3.5, A.3.1)."""

from pytest_memuse.judging.answer_checks import AnswerScope, Coverage, Examined
from pytest_memuse.judging.answer_parsing import EntryAnswer
from pytest_memuse.judging.answers import Assessment, Influence, Judgment
from pytest_memuse.model import MemuseError


def judgment_of(span: str, examined: Examined, scope: AnswerScope, read: Coverage) -> Judgment:
    """Return the judgment of a span from its accepted answer; all five signals are determined.

    Whether a window was read is certified by the reads, not by what the answer says. An effect without an action stays
    as the judge stated it: the verdict rules reset it and count it. Raises `MemuseError` for an answer that was not
    accepted.
    """
    if not examined.accepted:
        found = ", ".join(violation.code for violation in examined.violations)
        raise MemuseError(f"the answer for span {span} was not accepted: {found}", reason="not_accepted")
    answer = examined.answer
    assessments = tuple(_assessment(entry, scope, read) for entry in answer.entries)
    return Judgment(span, assessments, confidence=answer.confidence, summary=answer.summary)


def effects_without_action(examined: Examined) -> int:
    """Return how many effects an answer states of entries that were not acted on."""
    entries = examined.answer.entries
    return sum(entry.effect is not None and entry.influence is not Influence.ACTED_ON for entry in entries)


def _assessment(entry: EntryAnswer, scope: AnswerScope, read: Coverage) -> Assessment:
    return Assessment(
        relevance=entry.relevance,
        accuracy=entry.accuracy,
        novelty=entry.novelty,
        influence=entry.influence,
        effect=entry.effect,
        anchors=entry.anchors,
        window_read=not read.unread(scope.steps_of(scope.windows[entry.id])),
        notes=entry.notes,
    )
