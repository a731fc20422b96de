"""The controlled language that the scripted model understands: facts, and what a task asks for.

The language is described for users in ``docs/scripted-model.md``. Everything here is plain text in, values out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

_QUOTED = r"`([^`\n]{1,400})`"
_FACT = re.compile(_QUOTED + r" is (?:now )?" + _QUOTED)
_SET = re.compile(r"\bset " + _QUOTED + r" in " + _QUOTED, re.IGNORECASE)
_RUN = re.compile(r"\brun " + _QUOTED, re.IGNORECASE)
_REPLACE = re.compile(r"\bin " + _QUOTED + r", replace " + _QUOTED + r" with " + _QUOTED, re.IGNORECASE)
_READ = re.compile(r"\bread " + _QUOTED + r" first\b", re.IGNORECASE)
_CHECK = re.compile(r"\bcheck with " + _QUOTED, re.IGNORECASE)
_SETTING = re.compile(r"\s{0,80}[\"']?([\w.\-/]{1,200})[\"']?\s{0,80}[:=]")
_LONGEST_LINE = 1000
_POINTER = re.compile(r"\bsee `?([\w.\-/]{1,200}[\w])`?", re.IGNORECASE)
_REMINDER = "keep in mind:"

MOST_NEEDS = 50
"""Needs of one task that are worked on; those after them are passed over."""

MOST_FACTS = 1000
"""Facts of one text that are read; those after them are passed over."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence of the form "`SUBJECT` is `VALUE`", with or without "now", and the whole sentence around it."""

    subject: str
    value: str
    sentence: str


class NeedKind(StrEnum):
    """What is to be done with the value that a task needs."""

    SET = "set"
    RUN = "run"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Need:
    """Something the task asks for whose doing takes a value: of a setting, of a command, or of a path.

    ``file`` is the file to set it in; ``old`` and ``new`` are what to replace in the file that the value names.
    """

    kind: NeedKind
    subject: str
    file: str = ""
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """A line like ``key = value``; the value, without quotes, is ``line[start:end]``."""

    key: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Brief:
    """A task as the scripted model understands it, each part in the order of the text."""

    needs: tuple[Need, ...]
    facts: tuple[Fact, ...]
    reads: tuple[str, ...]
    check: str | None


def brief_of(text: str) -> Brief:
    """Read a task's text."""
    flat = " ".join(text.split())
    needs = sorted(_needs(flat), key=lambda pair: pair[0])
    check = _CHECK.search(flat)
    return Brief(
        needs=tuple(dict.fromkeys(need for _, need in needs))[:MOST_NEEDS],
        facts=tuple(islice(facts_in_prose(text), MOST_FACTS)),
        reads=tuple(dict.fromkeys(m[1] for m in _READ.finditer(flat))),
        check=check[1] if check else None,
    )


def facts_in_prose(text: str) -> Iterator[Fact]:
    """Yield the facts of running text, where a sentence may go over several lines."""
    for sentence in sentences(text):
        yield from _facts(sentence)


def facts_in_lines(text: str) -> Iterator[Fact]:
    """Return the facts of text in which every line stands for itself: memory entries, files, command output."""
    return islice((fact for line in text.splitlines() for fact in _facts(line.strip())), MOST_FACTS)


def values_of(subject: str, facts: Iterable[Fact]) -> list[str]:
    """Return the values stated for a subject, each once, in the order in which they were stated."""
    return list(dict.fromkeys(f.value for f in facts if f.subject == subject))


def setting_in(line: str) -> Setting | None:
    """Read a line like ``key = value  # why`` or ``"key": "value",``; None for any other line."""
    match = _SETTING.match(line) if len(line) <= _LONGEST_LINE else None
    if match is None:
        return None
    value = line[match.end() :].partition(" #")[0].strip().removesuffix(",").rstrip()
    start = line.index(value, match.end()) if value else match.end()
    if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0]:
        value, start = value[1:-1], start + 1
    return Setting(match[1], value, start, start + len(value))


def pointer_in(line: str) -> str | None:
    """Return the path that a line sends its reader to ("see docs/regions.md"), None where there is none."""
    match = _POINTER.search(line[:_LONGEST_LINE])
    return match[1] if match else None


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of running text on one line each; a reminder's "Keep in mind:" is left out.

    A full stop inside backticks ends no sentence; an empty line and a list item do.
    """
    for block in re.split(r"\n[ \t]*\n|\n[ \t]*[-*] ", text):
        start = 0
        flat = " ".join(block.split())
        for end in _ends(flat):
            sentence = _without_reminder(flat[start:end].strip())
            start = end
            if sentence:
                yield sentence


def reminders(text: str) -> Iterator[str]:
    """Yield the sentences that begin with "Keep in mind:", without these words."""
    for block in re.split(r"\n[ \t]*\n|\n[ \t]*[-*] ", text):
        start = 0
        flat = " ".join(block.split())
        for end in _ends(flat):
            sentence = flat[start:end].strip()
            start = end
            if sentence.lower().startswith(_REMINDER):
                yield _without_reminder(sentence)


def _ends(flat: str) -> Iterator[int]:
    quoted = False
    for position, character in enumerate(flat):
        if character == "`":
            quoted = not quoted
        elif character in ".!?" and not quoted and flat[position + 1 : position + 2] in ("", " "):
            yield position + 1
    if flat and flat[-1] not in ".!?":
        yield len(flat)


def _without_reminder(sentence: str) -> str:
    if not sentence.lower().startswith(_REMINDER):
        return sentence
    rest = sentence[len(_REMINDER) :].strip()
    return rest[:1].upper() + rest[1:]


def _facts(sentence: str) -> Iterator[Fact]:
    for match in _FACT.finditer(sentence):
        yield Fact(subject=match[1], value=match[2], sentence=sentence)


def _needs(flat: str) -> Iterator[tuple[int, Need]]:
    for m in _SET.finditer(flat):
        yield m.start(), Need(NeedKind.SET, m[1], file=m[2])
    for m in _RUN.finditer(flat):
        yield m.start(), Need(NeedKind.RUN, m[1])
    for m in _REPLACE.finditer(flat):
        yield m.start(), Need(NeedKind.REPLACE, m[1], old=m[2], new=m[3])
