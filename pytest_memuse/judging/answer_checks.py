"""Whether an answer may enter the results: its form, its anchors, and the reads behind its claims (MemUse A.3.1).

The checks establish that the judge had the evidence before it. Whether it drew the right conclusion they do not say.
Of the paper's table of required reads only the caption survives; the requirements follow its sections 3.5 and A.3.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pytest_memuse.judging.answer_parsing import Answer, EntryAnswer, parse_answer
from pytest_memuse.judging.answers import Influence
from pytest_memuse.judging.evidence import EvidencePackage, ReadLedger, step_name
from pytest_memuse.judging.evidence.ledger import Range
from pytest_memuse.judging.evidence.types import PRIOR_INDEX, TARGET, TASK
from pytest_memuse.judging.violations import Violation, ViolationCode
from pytest_memuse.model.errors import inert
from pytest_memuse.spans import Window

_WHOLE_WINDOW = frozenset({Influence.SELECTED, Influence.REFERENCED, Influence.NONE})
_NEEDS_ANCHOR = frozenset({Influence.ACTED_ON, Influence.SELECTED})
_TOLD = 12
"""Unread records that one sentence names."""


@dataclass(frozen=True, slots=True)
class AnswerScope:
    """What an answer is held to: the entries with their credit windows, in order, and the names of what must be read.

    ``first`` is the first consuming step, ``last`` the last step of the episode. ``further`` are mandatory reads beyond
    the paper's: a target that was too long for the prompt.
    """

    windows: Mapping[str, Window | None]
    first: int
    last: int
    prior: tuple[str, ...] = ()
    further: tuple[str, ...] = ()

    @classmethod
    def of(cls, package: EvidencePackage) -> "AnswerScope":
        """Return the scope of a package."""
        further = (TARGET,) if package.unshown else ()
        return cls(package.windows, package.first, package.last, package.prior, further)

    @property
    def mandatory(self) -> tuple[str, ...]:
        """What every answer requires: task, index of the prior context, first consuming step and the one before it."""
        steps = range(max(1, self.first - 1), self.first + 1)
        return (TASK, PRIOR_INDEX, *self.further, *map(step_name, steps))

    def steps_of(self, window: Window | None) -> tuple[str, ...]:
        """Return the records of the steps of a credit window; an empty window has none."""
        return () if window is None else tuple(map(step_name, range(window.first, window.last + 1)))

    def consequences_of(self, window: Window | None) -> tuple[str, ...]:
        """Return the records of the steps from the start of a credit window through the end of the episode."""
        return () if window is None else tuple(map(step_name, range(window.first, self.last + 1)))


@dataclass(frozen=True, slots=True)
class Coverage:
    """What is read in full and retained, and of what is only begun, the characters that are missing."""

    complete: frozenset[str]
    begun: Mapping[str, tuple[Range, ...]] = field(default_factory=dict)

    def unread(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of these records that are not read in full, in order."""
        return tuple(dict.fromkeys(name for name in names if name not in self.complete))


def coverage(package: EvidencePackage, ledger: ReadLedger) -> Coverage:
    """Certify what a ledger covers of a package. Names that hold the same text are read together."""
    complete: set[str] = set()
    begun: dict[str, tuple[Range, ...]] = {}
    for name in package.names():
        record, text = package.record_of(name), package.text(name)
        if record is None or text is None or record not in ledger.read:
            continue
        missing = ledger.missing(record, len(text))
        if missing:
            begun[name] = missing
        else:
            complete.add(name)
    return Coverage(frozenset(complete), begun)


@dataclass(frozen=True, slots=True)
class Examined:
    """An answer after its checks; it is accepted where there are no violations."""

    answer: Answer
    violations: tuple[Violation, ...]

    @property
    def accepted(self) -> bool:
        """Whether the answer may enter the results."""
        return not self.violations


def examine(text: str, scope: AnswerScope, read: Coverage) -> Examined:
    """Parse an answer and check it against what was read. Raises nothing, whatever the text is."""
    parsed = parse_answer(text, tuple(scope.windows))
    unparsed = any(violation.code is ViolationCode.INVALID_JSON for violation in parsed.violations)
    found = () if unparsed else tuple(check_answer(parsed.answer, scope, read))
    return Examined(parsed.answer, (*parsed.violations, *found))


def check_answer(answer: Answer, scope: AnswerScope, read: Coverage) -> Iterator[Violation]:
    """Yield what keeps an answer of the right form from being accepted.

    Undetermined values ask for nothing but the mandatory reads. An effect without an action is no violation and asks
    for nothing either: the rules reset it and count that.
    """
    unread = read.unread(scope.mandatory)
    if unread:
        sentence = f"every answer requires complete reads of {_names(unread, read)}"
        yield Violation(ViolationCode.UNREAD_MANDATORY, sentence, unread=unread)
    for entry in answer.entries:
        yield from _anchors(entry, scope, read)
        yield from _reads(entry, scope, read)


def _anchors(entry: EntryAnswer, scope: AnswerScope, read: Coverage) -> Iterator[Violation]:
    window = scope.windows[entry.id]
    if entry.influence in _NEEDS_ANCHOR and not entry.anchors:
        sentence = f"{entry.id}: influence {entry.influence} requires the step of at least one action as an anchor"
        yield Violation(ViolationCode.MISSING_ANCHOR, sentence, entry.id)
    if entry.influence is Influence.NONE and entry.anchors:
        sentence = f"{entry.id}: influence none requires an empty list of anchors"
        yield Violation(ViolationCode.ANCHOR_ON_NONE, sentence, entry.id)
    outside = [step for step in entry.anchors if window is None or step not in window]
    if outside:
        where = "which is empty" if window is None else f"steps {window.first} to {window.last}"
        sentence = f"{entry.id}: {_steps(outside)} is outside its credit window, {where}"
        yield Violation(ViolationCode.ANCHOR_OUTSIDE_WINDOW, sentence, entry.id)
    # An anchor outside the episode is told above; no read could mend it.
    anchored = [step for step in entry.anchors if 1 <= step <= scope.last]
    cited = sorted({*anchored, *entry.evidence})
    unread = read.unread(tuple(map(step_name, cited[:_CITED])))
    if unread:
        beyond = [step for step in entry.evidence if not 1 <= step <= scope.last]
        note = f"; the episode has steps 1 to {scope.last}" if beyond else ""
        sentence = f"{entry.id}: what it cites must be read in full: {_names(unread, read)}{note}"
        yield Violation(ViolationCode.UNREAD_CITED_STEP, sentence, entry.id, unread)


_CITED = 2_000


def _reads(entry: EntryAnswer, scope: AnswerScope, read: Coverage) -> Iterator[Violation]:
    window = scope.windows[entry.id]
    if entry.novelty is not None or entry.influence is Influence.ACTED_ON:
        claims = [f"novelty {entry.novelty}"] if entry.novelty is not None else []
        claims += ["influence acted_on"] if entry.influence is Influence.ACTED_ON else []
        yield from _missing(
            ViolationCode.UNREAD_PRIOR, entry, " and ".join(claims), "all of the prior context", scope.prior, read
        )
    if entry.influence in _WHOLE_WINDOW:
        claim, names = f"influence {entry.influence}", scope.steps_of(window)
        yield from _missing(ViolationCode.UNREAD_WINDOW, entry, claim, "its whole credit window", names, read)
    if entry.influence is Influence.ACTED_ON and entry.effect is not None:
        claim, names = f"effect {entry.effect}", scope.consequences_of(window)
        what = "every step from its window's start to the end of the episode"
        yield from _missing(ViolationCode.UNREAD_CONSEQUENCES, entry, claim, what, names, read)


def _missing(
    code: ViolationCode, entry: EntryAnswer, claim: str, what: str, names: tuple[str, ...], read: Coverage
) -> Iterator[Violation]:
    unread = read.unread(names)
    if unread:
        sentence = f"{entry.id}: {claim} requires complete reads of {what}; unread: {_names(unread, read)}"
        yield Violation(code, sentence, entry.id, unread)


def _names(unread: tuple[str, ...], read: Coverage) -> str:
    """Return names of records with what is missing of those that were begun."""
    told = []
    for name in unread[:_TOLD]:
        missing = read.begun.get(name, ())
        ranges = ", ".join(f"{start} to {end}" for start, end in missing[:3]) + (", ..." if len(missing) > 3 else "")
        told.append(f"{inert(name, 60)} (characters {ranges})" if missing else inert(name, 60))
    return ", ".join(told) + (f" and {len(unread) - _TOLD} more" if len(unread) > _TOLD else "")


def _steps(steps: list[int]) -> str:
    shown = ", ".join(str(step)[:12] for step in steps[:_TOLD])
    return f"anchor {shown}" + (f" and {len(steps) - _TOLD} more" if len(steps) > _TOLD else "")
