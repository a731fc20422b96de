"""How a JSON response was written, so that a replay gives its text as it was: agents read, quote and search it.

The order of keys is that of the kept value. Spaces, escapes and the end are told here; what is told wrongly, a number's
odd form for one, changes nothing but the text.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

Spelling = Mapping[str, Any]
"""What differs from `json.dumps` with characters as they are: ``compact``, ``indent``, ``ascii``, ``end``."""

_BEGIN = re.compile(r'\s*+[{\[](?P<line>\n *+)?+[\s{\[]*+(?:"(?:[^"\\]|\\.)*+"(?P<colon>\s*+:\s*+))?+', re.DOTALL)
_MOST_INDENT = 8
_MOST_END = 4


def spelling_of(text: str) -> Spelling | None:
    """Return how a JSON text is written; None where it is as `json.dumps` would write it."""
    begun = _BEGIN.match(text)
    if begun is None:
        return None
    out: dict[str, Any] = {}
    if begun["line"]:
        out["indent"] = min(len(begun["line"]) - 1, _MOST_INDENT)
    if begun["colon"] == ":" if begun["colon"] else "," in text and ", " not in text:
        out["compact"] = True
    if "\\u" in text and text.isascii():
        out["ascii"] = True
    end = text[len(text.rstrip(" \r\n")) :]
    if 0 < len(end) <= _MOST_END:
        out["end"] = end
    return out or None


def spelled(value: Any, spelling: Spelling | None) -> str:
    """Return the JSON text of a value. A spelling that a file tells wrongly is passed over."""
    told = spelling or {}
    indent, end = told.get("indent"), told.get("end")
    indented = type(indent) is int and 0 <= indent <= _MOST_INDENT
    colon = ":" if told.get("compact") is True else ": "
    comma = "," if indented or colon == ":" else ", "
    text = json.dumps(
        value,
        ensure_ascii=told.get("ascii") is True,
        indent=indent if indented else None,
        separators=(comma, colon),
    )
    return text + (end if isinstance(end, str) and len(end) <= _MOST_END and not end.strip() else "")
