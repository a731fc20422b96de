"""Observed effect, only where the record forces it (MemUse A.2.2)."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_memuse.judging.actions import Action, Deed
from pytest_memuse.judging.answers import Effect
from pytest_memuse.judging.checks import Run, changes, files_of, outcome, refused, reverts, runs_of, unstashes
from pytest_memuse.judging.content import contents_of
from pytest_memuse.judging.occurrences import Grade, occurrences
from pytest_memuse.judging.reading import Reading, words_of
from pytest_memuse.model.errors import printable

_REGRET = re.compile(
    r"\b(?:wrong|mistake\w*|mistaken|incorrect|(?:did|does)(?:n['’]t| not) (?:help|work|fix)"
    r"|revert\w*|undo\w*|roll(?:ing)? back|misleading|outdated|stale|not the (?:cause|place|problem)|no effect)\b",
    re.I,
)


_IDLE = re.compile(
    r"\b(?:(?:has|have|had|with|of) no effect|no effect (?:on|here|for)|(?:change[sd]?|changing) nothing"
    r"|(?:made|makes) no difference|ignored|unchanged by (?:it|this)|(?:the )?same without (?:it|them))\b",
    re.I,
)
_CLAUSE = re.compile(r"[;\n]|\.\s")


@dataclass(frozen=True, slots=True)
class Consequences:
    """What followed the anchored actions; ``anchored`` are their indices among ``actions``, in order.

    ``used`` are the spellings of the entry's content in them. ``prose`` holds each step's own words.
    """

    actions: tuple[Action, ...]
    anchored: tuple[int, ...]
    used: tuple[str, ...]
    prose: dict[int, str]

    def effect(self) -> tuple[Effect | None, str]:
        """Return the effect that the record forces, None where it forces none, and what shows it. Harm goes first."""
        harm = self._reverted() or self._replaced() or self._broken()
        benefit = self._flipped()
        if harm:
            return Effect.HARMED, harm + (f"; before that {benefit}" if benefit else "")
        if benefit:
            return Effect.IMPROVED, benefit
        if idle := self._idle():
            return Effect.NO_EFFECT, idle
        return None, "no check, revert or replacement in the record forces an effect"

    def _idle(self) -> str:
        """The answer to every anchored action says of what the entry gave that it made no difference.

        What the entry gave must be a part of the action: one that it gave whole was work that it added.
        """
        said = ""
        for i in self.anchored:
            action = self.actions[i]
            used = [value for value in self.used if value in action.text]
            rest = action.text if action.commands else action.text.partition("\n")[2]
            for value in used:
                rest = rest.replace(value, "")
            clauses = [
                c for c in _CLAUSE.split(action.result[:20_000]) if _IDLE.search(c) and any(v in c for v in used)
            ]
            if not clauses or len(words_of(rest[:2000])) < 2 or outcome(action) is False or refused(action):
                return ""
            said = said or f"the answer of step {action.step} says {printable(clauses[0].strip())!r}"
        return said

    def _flipped(self) -> str:
        """A check failed, only anchored actions changed anything, and the same check passed."""
        runs = runs_of(self.actions)
        own = self._derived()
        for position, run in enumerate(runs):
            if not run.passed:
                continue
            before = next((r for r in reversed(runs[:position]) if run.covers(r) and r.at < run.at), None)
            if before is None or before.passed:
                continue
            between = self._changes_between(before, run)
            direct = not between and run.at in self.anchored and before.at not in self.anchored
            led = set(between) & set(self.anchored) or any(self._follows_finding(i) for i in between)
            if (between and all(i in own for i in between) and led) or direct:
                return (
                    f"{' '.join(run.program)} failed at step {self.actions[before.at].step} and passed at step "
                    f"{self.actions[run.at].step}, with only this entry's action between"
                )
        return ""

    def _changes_between(self, before: Run, run: Run) -> list[int]:
        """Return the actions after one run that may have changed the world, up to and with the other run's own."""
        alone = len(self.actions[run.at].commands) == 1 and not self.actions[run.at].commands[0].writes_to
        last = run.at if alone else run.at + 1
        return [i for i in range(before.at + 1, last) if changes(self.actions[i])]

    def _derived(self) -> frozenset[int]:
        """Return the anchored actions and those that run a file which one of them wrote."""
        own = set(self.anchored)
        written: set[str] = set()
        for i, action in enumerate(self.actions):
            if i in self.anchored:
                written.update(t for c in action.commands for t in c.writes_to)
            elif (written and any(word in written for c in action.commands for word in c.words)) or (
                changes(action) and self._follows_finding(i)
            ):
                own.add(i)
        return frozenset(own)

    def _follows_finding(self, index: int) -> bool:
        """Whether an action uses a detail that an anchored action brought to light and that nothing showed before."""
        action = Reading(self.actions[index].text)
        for i in (i for i in self.anchored if i < index):
            found = contents_of(self.actions[i].result[:20_000])
            taken = [c for c in found if any(place.grade is Grade.FULL for place in occurrences(c, action))]
            shown = [self.actions[i].text, *(text for a in self.actions[:i] for text in (a.text, a.result))]
            before = [Reading(text) for text in shown] if taken else []
            if any(not any(occurrences(c, reading) for reading in before) for c in taken):
                return True
        return False

    def _reverted(self) -> str:
        """An anchored change was taken back after a failing check or with regret, and nothing of it was used again."""
        for i in self.anchored:
            action = self.actions[i]
            if not changes(action):
                continue
            files = files_of(action)
            for j in range(i + 1, len(self.actions)):
                later = self.actions[j]
                if not (reverts(later, files) or reverses(later, action)):
                    continue
                if any(unstashes(after) for after in self.actions[j + 1 :]):
                    continue
                if not (self._failure_between(i, j) or self._regret(action.step, later.step)):
                    continue
                if any(k > j for k in self.anchored if not reverts(self.actions[k], files)) or self._finding_reused(
                    i, j
                ):
                    continue
                return f"the change of step {action.step} failed and was taken back at step {later.step}"
        return ""

    def _replaced(self) -> str:
        """An anchored value was followed, failed, and was then replaced by another one at the same place."""
        for i in self.anchored:
            action = self.actions[i]
            for j in range(i + 1, len(self.actions)):
                later = self.actions[j]
                if later.deed is not Deed.WORLD or not any(corrects(later, action, value) for value in self.used):
                    continue
                if not (outcome(action) is False or refused(action) or self._failure_between(i, j)):
                    continue
                if any(k > j for k in self.anchored):
                    continue
                return f"the value of step {action.step} failed and was replaced by another at step {later.step}"
        return ""

    def _broken(self) -> str:
        """A check passed, only anchored actions changed anything, and the check failed from then on."""
        runs = runs_of(self.actions)
        for position, run in enumerate(runs):
            before = next((r for r in reversed(runs[:position]) if run.covers(r) and r.at < run.at), None)
            if run.passed or before is None or not before.passed:
                continue
            between = self._changes_between(before, run)
            again = any(r.passed for r in runs[position + 1 :] if r.covers(run))
            if between and set(between) <= set(self.anchored) and not again:
                return (
                    f"{' '.join(run.program)} passed at step {self.actions[before.at].step} and failed from step "
                    f"{self.actions[run.at].step} on, with only this entry's action between"
                )
        return ""

    def _failure_between(self, first: int, last: int) -> bool:
        """Whether the last check with a known result after an action failed."""
        results = [r.passed for r in self._runs_between(first, last)]
        return bool(results) and not results[-1]

    def _runs_between(self, first: int, last: int) -> Sequence[Run]:
        return [r for r in runs_of(self.actions) if first <= r.at < last or (r.at == last and first == last)]

    def _regret(self, first: int, last: int) -> bool:
        return any(_REGRET.search(self.prose.get(step, "")) for step in range(first + 1, last + 1))

    def _finding_reused(self, first: int, last: int) -> bool:
        """Whether something that the anchored actions brought to light shapes a change after the revert."""
        found = [c for i in self.anchored if first <= i < last for c in contents_of(self.actions[i].result[:20_000])]
        asked = [Reading(self.actions[i].text) for i in range(last)]
        fresh = [c for c in found if not any(occurrences(c, reading) for reading in asked)]
        later = [Reading(a.text) for a in self.actions[last + 1 :] if a.deed is Deed.WORLD]
        return any(occurrences(c, reading) for c in fresh for reading in later)


def reverses(later: Action, earlier: Action) -> bool:
    """Whether an action edits back what an earlier one edited in."""
    back = {(new, old) for old, new in earlier.edits if old != new}
    return any(edit in back for edit in later.edits)


def corrects(later: Action, earlier: Action, value: str) -> bool:
    """Whether a later action puts something else where an earlier one put a value."""
    if not value or later.id == earlier.id:
        return False
    put = any(value in new and value not in old for old, new in earlier.edits) or (
        not earlier.edits and value in earlier.text
    )
    taken = any(value in old and value not in new for old, new in later.edits)
    if put and taken:
        return True
    return value not in later.text and any(_same_shape(a, b, value) for a, b in _pairs(earlier, later))


def _pairs(earlier: Action, later: Action) -> Iterable[tuple[str, str]]:
    """Yield what can be the same command or argument twice, once with the value and once with another."""
    if earlier.edits and later.edits:
        yield from ((a_new, b_new) for a_old, a_new in earlier.edits for b_old, b_new in later.edits if a_old == b_old)
    yield earlier.text, later.text


def _same_shape(text: str, other: str, value: str) -> bool:
    head, found, tail = text.partition(value)
    # Two commands of one word each have the same shape by chance.
    if not found or value in tail or len(words_of((head + " " + tail)[:2000].partition("\n")[2])) < 2:
        return False
    middle = other[len(head) : len(other) - len(tail)]
    fits = len(other) > len(head) + len(tail) and other.startswith(head) and other.endswith(tail)
    return fits and middle != value and len(middle) <= 200 and "\n" not in middle
