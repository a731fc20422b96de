"""The judge's two tools over a package's own names: `read_evidence` and `search_evidence` (MemUse A.2.1, A.3.1).

A name is looked up in a mapping and nowhere else, so that none ever reaches a file. What the judge sends is checked
field by field; a call that cannot be answered is answered with why, and changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pytest_memuse.judging.evidence.ledger import ReadLedger
from pytest_memuse.judging.evidence.rendering import escaped_text, rendered_line, rendered_lines
from pytest_memuse.judging.evidence.tool_schemas import READ, SEARCH
from pytest_memuse.judging.evidence.types import MESSAGE, EvidencePackage
from pytest_memuse.model.errors import inert, nearest
from pytest_memuse.model.json_text import parse_object

PAGE = 16_000
"""Characters that one read returns at most, about 4,000 tokens."""

LONGEST_ARGUMENTS = 20_000
LONGEST_QUERY = 200
MOST_MATCHES = 20
MATCHES_OF_ONE_RECORD = 3
BESIDE = 120
"""Characters of an excerpt to either side of what was found."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool call returns to the judge, and the ledger after it: the one before where the call read nothing.

    The text of an answer is one line of JSON; that of a read is followed by exactly the ``characters`` which the line
    states, and nothing else.
    """

    text: str
    ledger: ReadLedger
    failed: bool = False


class _Refused(Exception):
    """A call that cannot be answered, and why."""


def call_tool(package: EvidencePackage, ledger: ReadLedger, tool: str, arguments: str) -> ToolAnswer:
    """Answer a tool call as a model sends it: a name, and arguments as JSON text. Raises nothing, whatever was sent."""
    try:
        given = _arguments(arguments)
        if tool == READ:
            _only(given, ("name", "start", "end"))
            name, start = given.get("name"), given.get("start", 0)
            return read_evidence(package, ledger, name, start, given.get("end"))
        if tool == SEARCH:
            _only(given, ("query", "within"))
            return search_evidence(package, ledger, given.get("query"), given.get("within"))
        raise _Refused(f"there is no tool {inert(tool, 60)!r}; the tools are {READ} and {SEARCH}")
    except _Refused as refused:
        return _failure(ledger, str(refused))


def read_evidence(
    package: EvidencePackage, ledger: ReadLedger, name: object, start: object = 0, end: object = None
) -> ToolAnswer:
    """Return characters ``[start, end)`` of a record, a page at most, and the ledger that counts them.

    Without ``end`` a page is returned, or what is left. A range that would split an escape begins and ends before it:
    the second half of one reads as the end of a string. A read past the end, of nothing, or of a name outside the
    package fails and counts nothing.
    """
    try:
        text, record = _record(package, name)
        first = _position("start", start)
        last = len(text) if end is None else _position("end", end)
        if first >= len(text):
            raise _Refused(f"{record} has {len(text)} characters, so that none is at {first}")
        if last <= first:
            raise _Refused(f"end must be greater than start; got start {first}, end {last}")
    except _Refused as refused:
        return _failure(ledger, str(refused))
    first = _before_escape(text, first)
    last = min(last, len(text), first + PAGE)
    last = whole if (whole := _before_escape(text, last)) > first else last
    head: dict[str, Any] = {"name": name, "start": first, "end": last, "of": len(text), "characters": last - first}
    if last < len(text):
        head["next"] = {"start": last}
    return ToolAnswer(rendered_line(head) + text[first:last], ledger.with_read(record, first, last))


def search_evidence(package: EvidencePackage, ledger: ReadLedger, query: object, within: object = None) -> ToolAnswer:
    """Return where a literal text stands, whatever its case, in all records or within one.

    Nothing of it counts as read. A query with quotation marks or line breaks is found as it stands in the recorded
    text, and as it stands in the records, where these are escaped.
    """
    try:
        if not isinstance(query, str) or not query.strip():
            raise _Refused("query must be a text that is not empty")
        if len(query) > LONGEST_QUERY:
            raise _Refused(f"query may have {LONGEST_QUERY} characters; it has {len(query)}")
        records = [_record(package, within)[::-1]] if within is not None else _distinct(package)
    except _Refused as refused:
        return _failure(ledger, str(refused))
    wanted = tuple(dict.fromkeys((_folded(escaped_text(query)), _folded(query))))
    found: list[dict[str, Any]] = []
    total = 0
    for record, text in records:
        shown = 0
        for start, end in _places(text, wanted):
            total += 1
            if shown < MATCHES_OF_ONE_RECORD and len(found) < MOST_MATCHES:
                shown += 1
                low, high = max(0, start - BESIDE), min(len(text), end + BESIDE)
                found.append({"name": record, "start": start, "end": end, "excerpt": text[low:high]})
            elif total >= _COUNTED:
                break
        if total >= _COUNTED:
            break
    head: dict[str, Any] = {"matches": total if total < _COUNTED else f"{_COUNTED} or more", "shown": len(found)}
    return ToolAnswer(rendered_lines([head, *found]), ledger)


_COUNTED = 1_000


def _arguments(text: object) -> dict[str, Any]:
    if not isinstance(text, str) or len(text) > LONGEST_ARGUMENTS:
        raise _Refused(f"the arguments must be a JSON object of at most {LONGEST_ARGUMENTS} characters")
    try:
        return parse_object(text, unique_keys=True)
    except ValueError as error:
        raise _Refused(f"the arguments must be one JSON object: {inert(str(error), 200)}") from None


def _only(given: dict[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise _Refused(f"there is no argument {inert(name, 60)!r}; the arguments are {', '.join(known)}")


def _record(package: EvidencePackage, name: object) -> tuple[str, str]:
    """Return a record's text and the name under which it is counted."""
    if not isinstance(name, str):
        raise _Refused("name must be a text: the name of a record of this evidence")
    record = package.record_of(name) if len(name) <= _LONGEST_NAME else None
    text = package.text(record) if record is not None else None
    if record is None or text is None:
        close = nearest(name[:_LONGEST_NAME], package.names())
        raise _Refused(f"this evidence has no record {inert(name, 60)!r}{close}")
    return text, record


_LONGEST_NAME = 60


def _distinct(package: EvidencePackage) -> Iterator[tuple[str, str]]:
    """Yield what a search looks through. Messages are found where they belong: in the prior context or their steps."""
    yield from package.own.items()
    for name in package.aliases:
        yield name, package.text(name) or ""
    yield from ((name, text) for name, text in package.shared.records.items() if not name.startswith(MESSAGE))


def _before_escape(text: str, place: int) -> int:
    """Return a place in rendered text, or that of the escape which it would split."""
    start = text.rfind("\\", max(0, place - _LONGEST_ESCAPE + 1), place)
    if start < 0:
        return place
    # Of two backslashes in a row the second is escaped, and begins nothing.
    start -= (start - len(text[:start].rstrip("\\"))) % 2
    length = _LONGEST_ESCAPE if text[start + 1 : start + 2] == "u" else 2
    return start if start + length > place else place


_LONGEST_ESCAPE = len(r"\u0000")


def _position(what: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _Refused(f"{what} must be a whole number from 0")
    return value


def _folded(text: str) -> str:
    """Return a text in lower case, every character in its place."""
    folded = text.lower()
    return folded if len(folded) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _places(text: str, wanted: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield where any of these stands, in order and without overlap; time grows with the text, not with its product."""
    folded = _folded(text)
    nexts = [(folded.find(each), each) for each in wanted]
    while any(at >= 0 for at, _ in nexts):
        start, each = min((at, each) for at, each in nexts if at >= 0)
        end = start + len(each)
        yield start, end
        nexts = [(folded.find(other, end) if 0 <= at < end else at, other) for at, other in nexts]


def _failure(ledger: ReadLedger, why: str) -> ToolAnswer:
    return ToolAnswer(rendered_line({"error": why}), ledger, failed=True)
