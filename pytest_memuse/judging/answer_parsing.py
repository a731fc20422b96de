"""From the text of a judge's answer to values (MemUse A.2.3, A.3.1).

What is accepted: one JSON object and nothing beside it but white space, every key once, no NaN or Infinity. A code
fence, words before or after, a second object: refused. Fields that the form does not know are passed over. Notes,
summary and the evidence list are asked for and not enforced: what is not of their form is left out. A confidence is any
finite number and is drawn into [0, 1].
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from pytest_memuse.judging.answers import Accuracy, Effect, Influence, Novelty, Signal
from pytest_memuse.judging.violations import Violation, ViolationCode
from pytest_memuse.model.errors import inert
from pytest_memuse.model.json_text import parse_object

LONGEST_ANSWER = 400_000
"""Characters; an answer for a hundred entries with full notes has a quarter of them."""

LONGEST_NOTE = 2_000
MOST_CITED = 1_000
"""Steps of one entry's evidence list that are looked at."""


@dataclass(frozen=True, slots=True)
class EntryAnswer:
    """What an answer says of one entry. ``anchors`` and ``evidence`` are step numbers, each once, in order."""

    id: str
    relevance: bool
    accuracy: Accuracy
    novelty: Novelty | None
    influence: Influence | None
    effect: Effect | None
    anchors: tuple[int, ...] = ()
    evidence: tuple[int, ...] = ()
    notes: Mapping[Signal, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an answer says as far as it has the right form: its entries in the order of the span."""

    entries: tuple[EntryAnswer, ...] = ()
    summary: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """An answer and what is wrong with its form. Entries with a wrong value are left out of ``answer``."""

    answer: Answer
    violations: tuple[Violation, ...] = ()


class _Bad(Exception):
    """A value that the form does not allow, and what it allows."""


_Value = TypeVar("_Value", bound=StrEnum)


def parse_answer(text: str, entries: Sequence[str]) -> ParsedAnswer:
    """Return what an answer's text says of the entries that were delivered. Raises nothing, whatever the text is."""
    try:
        value = _json_object(text)
        given = value.get("assessments")
        if not isinstance(given, list):
            raise _Bad('the object has no list "assessments"')
    except _Bad as bad:
        return ParsedAnswer(Answer(), (Violation(ViolationCode.INVALID_JSON, str(bad)),))
    violations: list[Violation] = []
    found = _by_entry(given, entries, violations)
    answers: list[EntryAnswer] = []
    for name in entries:
        if name in found:
            wrong: list[str] = []
            answer = _entry(name, found[name], wrong)
            violations += [Violation(ViolationCode.BAD_VALUE, f"{name}: {sentence}", name) for sentence in wrong]
            if answer is not None:
                answers.append(answer)
    confidence = None
    try:
        confidence = _confidence(value.get("confidence"))
    except _Bad as bad:
        violations.append(Violation(ViolationCode.BAD_VALUE, str(bad)))
    return ParsedAnswer(Answer(tuple(answers), _note(value.get("summary")), confidence), tuple(violations))


def _json_object(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_ANSWER:
        raise _Bad(f"the answer has {len(text)} characters; {LONGEST_ANSWER} are allowed")
    stripped = text.strip(" \t\r\n")
    if not stripped:
        raise _Bad("the answer is empty; give one JSON object")
    if stripped.startswith("```"):
        raise _Bad("the answer stands in a code fence; give the bare JSON object")
    try:
        return parse_object(stripped, unique_keys=True)
    except ValueError as error:
        raise _Bad(f"the answer is not one JSON object and nothing else: {inert(str(error), 200)}") from None


def _by_entry(given: list[Any], entries: Sequence[str], violations: list[Violation]) -> dict[str, dict[str, Any]]:
    """Return the assessments by entry, and note every way in which they are not exactly the delivered ones."""
    found: dict[str, dict[str, Any]] = {}
    twice: list[str] = []
    strange: list[str] = []
    for each in given:
        name = each.get("id") if isinstance(each, dict) else None
        if not isinstance(name, str) or name not in entries:
            strange.append(repr(inert(name, 40)) if isinstance(name, str) else "an assessment without an id")
        elif name in found:
            twice.append(name)
        else:
            found[name] = each
    missing = [name for name in entries if name not in found]
    problems = [
        f"{what} {_listed(names)}"
        for what, names in (("missing:", missing), ("given more than once:", twice), ("not delivered:", strange))
        if names
    ]
    if problems:
        sentence = f"assess exactly {_listed(entries)}, each once; {'; '.join(problems)}"
        violations.append(Violation(ViolationCode.WRONG_ENTRIES, sentence))
    return found


def _listed(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    return ", ".join(shown[:20]) + (f" and {len(shown) - 20} more" if len(shown) > 20 else "")


def _entry(name: str, given: Mapping[str, Any], wrong: list[str]) -> EntryAnswer | None:
    values: dict[str, Any] = {}
    for key, read in (
        ("relevance", _relevance),
        ("accuracy", _accuracy),
        ("novelty", lambda v: _one_of("novelty", v, Novelty)),
        ("influence", lambda v: _one_of("influence", v, Influence)),
        ("effect", lambda v: _one_of("effect", v, Effect)),
        ("anchors", _anchors),
    ):
        try:
            if key not in given:
                raise _Bad(f"the field {key} is missing")
            values[key] = read(given[key])
        except _Bad as bad:
            wrong.append(str(bad))
    if wrong:
        return None
    return EntryAnswer(id=name, evidence=_evidence(given.get("evidence")), notes=_notes(given.get("notes")), **values)


def _relevance(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Bad(f"relevance must be true or false, not {_shown(value)}")
    return value


def _accuracy(value: object) -> Accuracy:
    found = _one_of("accuracy", value, Accuracy)
    if found is None:
        raise _Bad("accuracy must not be null; where neither holds it is uncontradicted")
    return found


def _one_of(signal: str, value: object, kind: type[_Value]) -> _Value | None:
    if value is None:
        return None
    if isinstance(value, str) and value in set(kind):
        return kind(value)
    words = ", ".join(kind)
    hint = "" if kind is Accuracy else ", or null where it is undetermined"
    raise _Bad(f"{signal} must be one of {words}{hint}, not {_shown(value)}")


def _anchors(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise _Bad(f"anchors must be a list of step numbers, not {_shown(value)}")
    for each in value:
        if not isinstance(each, int) or isinstance(each, bool):
            raise _Bad(f"an anchor must be the whole number of a step, not {_shown(each)}")
    return tuple(sorted(set(value)))


def _evidence(value: object) -> tuple[int, ...]:
    """Return the steps that a structured evidence list cites; only its whole numbers and ``step`` fields are read."""
    return tuple(sorted(set(_cited(value[:MOST_CITED])))) if isinstance(value, list) else ()


def _cited(value: Sequence[object]) -> Iterator[int]:
    for each in value:
        step = each.get("step") if isinstance(each, dict) else each
        if isinstance(step, int) and not isinstance(step, bool):
            yield step


def _notes(value: object) -> dict[Signal, str]:
    if not isinstance(value, dict):
        return {}
    return {signal: note for signal in Signal if (note := _note(value.get(signal.value)))}


def _note(value: object) -> str:
    return _HALF.sub("�", value[:LONGEST_NOTE]) if isinstance(value, str) else ""


_HALF = re.compile("[\ud800-\udfff]")
"""Halves of characters, which JSON can spell and no file of text can hold."""


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Bad(f"confidence must be a number from 0 to 1, not {_shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise _Bad("confidence must be a finite number")
    return float(min(max(value, 0), 1))


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(inert(value, 40))
    names = {dict: "an object", list: "a list", type(None): "null", bool: "true or false"}
    if type(value) in names and not isinstance(value, bool):
        return names[type(value)]
    return inert(str(value).lower(), 40) if isinstance(value, (bool, float)) else "a number"
