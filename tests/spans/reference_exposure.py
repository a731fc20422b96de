"""The rules of MemUse A.1.2, literally: how much of an entry a placement shows. Part of `tests.spans.reference`."""

import contextlib
import json
import re

from pytest_memuse.model import Entry, Placement, PlacementKind
from pytest_memuse.spans.types import Exposure, ExposureKind

UNKNOWN = Exposure(ExposureKind.UNKNOWN)


def json_strings(text: str) -> list[str]:
    """A placement may hold the entry as a JSON string: whatever JSON itself reads between a quotation mark and the
    first one after it that ends a string. A mark behind a backslash belongs to a string and opens none."""
    found = []
    marks = [place for place, character in enumerate(text) if character == '"']
    for start in [place for place in marks if not ends_in_an_escape(text[:place])]:
        for end in range(start + 1, len(text)):
            if text[end] == '"' and not ends_in_an_escape(text[start + 1 : end]):
                with contextlib.suppress(ValueError):
                    found.append(json.loads(text[start : end + 1]))
                break
    return found


def ends_in_an_escape(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def numbered_runs(text: str) -> list[str]:
    """Or as a line-numbered view: consecutive numbers before a tab, a colon, a bar or an arrow, one kind for a run.

    Silent: what padding belongs to the numbering. A blank behind the separator may, if every line has it.
    """
    runs: list[list[tuple[int, str, str]]] = [[]]
    for line in text.split("\n"):
        parts = re.fullmatch(r"[ \t]*([0-9]+) *(\t|:|\||→|->)(.*)", line, re.DOTALL)
        if parts is None:
            runs.append([])
            continue
        number, separator, rest = int(parts[1]), parts[2], parts[3]
        last = runs[-1][-1] if runs[-1] else None
        if last is not None and (number, separator) != (last[0] + 1, last[1]):
            runs.append([])
        runs[-1].append((number, separator, rest))
    found = []
    for run in runs:
        lines = [rest for _, _, rest in run]
        found.append("\n".join(lines))
        if all(line.startswith(" ") or line == "" for line in lines):
            found.append("\n".join(line[1:] for line in lines))
    return found


ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


def text_nodes(text: str) -> list[str]:
    """Or as text of XML, whose character entities are decoded once in each text node: what stands between two tags, or
    between a tag and an end of the placement, which may be a part of one node."""
    return [decode_entities(node) for node in re.split(r"<[^<>]*>", text)]


def decode_entities(node: str) -> str:
    def character(match: re.Match[str]) -> str:
        name = match[1]
        if not name.startswith("#"):
            return ENTITIES.get(name, match[0])
        code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
        is_character = 0 < code < 0xD800 or 0xE000 <= code <= 0x10FFFF
        return chr(code) if is_character else match[0]

    return re.sub(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[a-z]+);", character, node)


def decoded(text: str, kind: PlacementKind) -> list[str]:
    """Up to four nested strings; numbered lines, in tool results only; one decoding of each text node. Every decoded
    string, run or node is a text of its own.

    Silent: whether they combine. A view or a node may stand in the placement or in a string of it.
    """
    strings, level = [], [text]
    for _ in range(4):
        level = [inner for outer in level for inner in json_strings(outer)]
        strings += level
    found = list(strings)
    for outer in [text, *strings]:
        if kind is PlacementKind.TOOL_RESULT:
            found += numbered_runs(outer)
        found += text_nodes(outer)
    return found


def may_be_normalised(value: str) -> bool:
    """Only values without quotes, backslashes, tabs and line breaks are looked for in normalised texts."""
    return not any(character in "\"'\\\t" or character.splitlines() == [""] for character in value)


def normalised(text: str) -> str:
    """Blanks collapse into one, Markdown's escapes go."""
    return re.sub(r"\s+", " ", re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


def exposure_in_placement(value: str, text: str, kind: PlacementKind) -> Exposure:
    """Full if the text holds the whole value as it is, decoded, or else normalised; clipped if original or decoded
    texts hold a prefix of at least eight characters, the longest of which counts; else unknown."""
    exact = [text, *decoded(text, kind)]
    if any(value in candidate for candidate in exact):
        return Exposure(ExposureKind.FULL, value)
    if may_be_normalised(value) and any(normalised(value) in normalised(candidate) for candidate in exact):
        return Exposure(ExposureKind.FULL, value)
    for length in range(len(value) - 1, 7, -1):
        if any(value[:length] in candidate for candidate in exact):
            return Exposure(ExposureKind.CLIPPED, value[:length])
    return UNKNOWN


def exposure(entry: Entry, placements: tuple[Placement, ...]) -> Exposure:
    """The value is matched with each placement by itself; without a value or a text exposure is unknown."""
    if not entry.value:
        return UNKNOWN
    each = [exposure_in_placement(entry.value, p.text, p.kind) for p in placements if p.text is not None]
    full = [e for e in each if e.kind is ExposureKind.FULL]
    clipped = [e for e in each if e.kind is ExposureKind.CLIPPED]
    return full[0] if full else max(clipped, key=lambda e: len(e.text or ""), default=UNKNOWN)


def displays(key: str | None, placement: Placement) -> bool:
    """A key is displayed where it stands by itself, as no part of a longer identifier (A.2.1).

    Silent: what an identifier is made of. Letters, digits and low lines, and hyphens between them.
    """
    if not key or placement.text is None:
        return False
    word = "[A-Za-z0-9_]"
    alone = re.compile(rf"(?<!{word})(?<!{word}-){re.escape(key)}(?!-?{word})")
    return any(alone.search(text) for text in [placement.text, *decoded(placement.text, placement.kind)])
