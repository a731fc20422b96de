"""The user's own rules, as they are written in the ini file: a line each, `name: regular expression`."""

import re
from collections.abc import Iterable

from pytest_memuse.model.errors import MemuseError
from pytest_memuse.recording.redaction.finding import Rule

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 _-]{0,39}")


def parse_rules(lines: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules that the lines give; empty lines are passed over.

    Raises `MemuseError` for a line without a name, an expression that is none, and one that matches the empty text.
    """
    return tuple(_rule(line.strip()) for line in lines if line.strip())


def _rule(line: str) -> Rule:
    name, colon, expression = (part.strip() for part in line.partition(":"))
    if not colon or not _NAME.fullmatch(name) or not expression:
        raise _error(line, "it has no name, or no expression")
    try:
        pattern = re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise _error(line, f"the expression is none: {error}") from None
    if pattern.match(""):
        raise _error(line, "the expression matches the empty text, and so everywhere")
    return Rule(name, pattern)


def _error(line: str, problem: str) -> MemuseError:
    return MemuseError(
        f"memuse_redact: {line!r}: {problem}",
        reason="redaction-rule",
        mend="a rule is a line `name: regular expression`, such as `ticket: TICKET-[0-9]{8}`; the part of the match in "
        "the first group is replaced, all of it where there is no group",
    )
