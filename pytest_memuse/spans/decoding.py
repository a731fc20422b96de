"""Lossless decodings of placement text: JSON strings, numbered lines, character entities (MemUse A.1.2).

Every function takes time linear in the length of its text, whoever wrote it. A decoded text that is a plain substring
of the text it was decoded from is left out, because a search of the longer text finds everything in it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from pytest_memuse.model import PlacementKind

JSON_LEVELS = 4
"""How many nested JSON-string levels are decoded."""

_ESCAPE_OR_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_NUMBERED_LINE = re.compile(r"^[ \t]*+([0-9]{1,9}+) *+(\t|:|\||→|->)(.*+)", re.MULTILINE)
_TAG = re.compile(r"<[^<>]*+>")
_ENTITY = re.compile(r"&(?:#([0-9]{1,7}+)|#[xX]([0-9a-fA-F]{1,6}+)|(lt|gt|amp|quot|apos));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_MARKDOWN_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_WHITESPACE = re.compile(r"\s++")
_SYNTAX = re.compile("[\"'\\\\\t\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def decoded_texts(text: str, kind: PlacementKind) -> tuple[str, ...]:
    """Return the texts that a placement's text encodes, itself left out, each to be searched separately.

    JSON-string levels come first; line runs (in tool results only) and XML text nodes are then taken from the original
    and from each decoded string, since a tool result in a JSON envelope is still a tool result. The paper names the
    three decodings and does not say whether they combine; this order keeps every character accounted for once.
    """
    strings = list(_json_levels(text))
    decoded = dict.fromkeys(strings)
    for source in (text, *strings):
        if kind is PlacementKind.TOOL_RESULT:
            decoded.update(dict.fromkeys(_line_runs(source)))
        decoded.update(dict.fromkeys(_xml_nodes(source)))
    decoded.pop(text, None)
    return tuple(decoded)


def _json_levels(text: str) -> Iterator[str]:
    level = [text]
    for _ in range(JSON_LEVELS):
        level = [string for source in level for string in _json_strings(source)]
        yield from level


def _json_strings(text: str) -> Iterator[str]:
    """Yield the contents of the JSON string literals of a text, in prose included, that hold an escape.

    A quotation mark in prose upsets which marks open and which close, so every stretch from one unescaped mark to the
    next is tried. A stretch without a backslash decodes to itself and is left out.
    """
    if "\\" not in text or '"' not in text:
        return
    opened = -1
    escaped = False
    for match in _ESCAPE_OR_QUOTE.finditer(text):
        if match.end() - match.start() == 2:
            escaped = True
            continue
        if opened >= 0 and escaped:
            with suppress(ValueError):  # Prose between quotation marks need not be a JSON string.
                yield json.loads(text[opened : match.end()])
        opened = match.start()
        escaped = False


class _Line(NamedTuple):
    number: int
    separator: str
    content: str
    end: int


def _line_runs(text: str) -> Iterator[str]:
    """Yield the contents of each run of two or more consecutively numbered lines with one separator.

    Where every line of a run has a space after its separator, the run is also given without that space: `11: a` and
    `11:a` are both common, and the view alone does not tell which was meant.
    """
    run: list[_Line] = []
    for match in _NUMBERED_LINE.finditer(text):
        line = _Line(int(match[1]), match[2], match[3], match.end())
        follows = (
            run
            and match.start() == run[-1].end + 1
            and line.number == run[-1].number + 1
            and line.separator == run[-1].separator
        )
        if not follows:
            yield from _run_texts(run)
            run = []
        run.append(line)
    yield from _run_texts(run)


def _run_texts(run: list[_Line]) -> Iterator[str]:
    if len(run) < 2:
        return
    yield "\n".join(line.content for line in run)
    if all(line.content[:1] in ("", " ") for line in run) and any(line.content for line in run):
        yield "\n".join(line.content[1:] for line in run)


def _xml_nodes(text: str) -> Iterator[str]:
    """Yield each XML text node that holds a character entity, decoded once.

    A placement may be a slice of one node, so text without any tag counts as a node.
    """
    if "&" not in text or ";" not in text:
        return
    start = 0
    for tag in _TAG.finditer(text):
        yield from _node(text[start : tag.start()])
        start = tag.end()
    yield from _node(text[start:])


def _node(node: str) -> Iterator[str]:
    decoded, count = _ENTITY.subn(_entity, node)
    if count and decoded != node:
        yield decoded


def _entity(match: re.Match[str]) -> str:
    if match[3]:
        return _NAMED[match[3]]
    code = int(match[1]) if match[1] else int(match[2], 16)
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]


def may_be_normalised(value: str) -> bool:
    """Return whether a value has no quotes, backslashes, tabs or line breaks, so that normalising keeps its meaning."""
    return _SYNTAX.search(value) is None


def normalised(text: str) -> str:
    """Return the text with Markdown escapes removed and whitespace collapsed."""
    return _WHITESPACE.sub(" ", _MARKDOWN_ESCAPE.sub(r"\1", text))
