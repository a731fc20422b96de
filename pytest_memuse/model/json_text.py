"""JSON that others wrote, parsed within bounds; and the lines that this product writes, inert wherever they are shown.

A text of a few megabytes can ask for gigabytes of values, or nest so deeply that every walk over it fails. Both are
refused before they are parsed, so that whoever holds a parsed value may walk it without a thought.
"""

import json
import re
from typing import Any

MAX_DEPTH = 100
"""Levels of nesting. Requests of model APIs, with their tools' schemas, have fewer than 30."""

MAX_CONTAINERS = 200_000
"""Objects and lists in one text."""

MAX_ITEMS = 4_000_000
"""Commas in one text, those in its strings left out: a batch of a thousand vectors of 3,072 numbers passes."""

_STRING = re.compile(r'"[^"\\]*+(?:\\.?+[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_NOT_INERT = re.compile("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]")
"""What a terminal acts on, what changes the order or hides, and halves of characters, which are no UTF-8."""


def parse_json(raw: bytes | str, *, unique_keys: bool = False, most_containers: int = MAX_CONTAINERS) -> Any:
    """Return the value of a JSON text.

    Raises ValueError, with a short text that says why, for what is no JSON (NaN and the infinities included), for more
    values or levels than the bounds of this module, for bytes that are not UTF-8 (halves of characters, encoded each by
    itself, are let through), and with ``unique_keys`` for a key that stands twice.
    """
    text = raw if isinstance(raw, str) else _decoded(raw)
    check_size(text, most_containers, MAX_ITEMS)
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_unique if unique_keys else None)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(value)
    return value


def parse_object(text: str, *, unique_keys: bool = False) -> dict[str, Any]:
    """Return the JSON object that a text is, as `parse_json` does. Raises ValueError for any other value too."""
    value = parse_json(text, unique_keys=unique_keys)
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value


def check_size(text: str, most_containers: int, most_items: int) -> None:
    """Raise ValueError where a JSON text asks for more objects and lists, or more values in them, than are allowed."""
    if text.count("{") + text.count("[") <= most_containers and text.count(",") <= most_items:
        return
    # What stands in strings is no value. Only a text that is large anyway is looked at so closely.
    bare = _STRING.sub("", text)
    if bare.count("{") + bare.count("[") > most_containers:
        raise ValueError(f"it holds more than {most_containers:,} objects and lists")
    if bare.count(",") > most_items:
        raise ValueError(f"it holds more than {most_items:,} values")


def json_line(value: Any, *, sort_keys: bool = True) -> str:
    """Return a JSON value as one line, its line break included; raise ValueError for a number that is not finite.

    The text is always valid UTF-8, and nothing in it moves a cursor or turns the direction of text; it reads back as
    the same value (two halves of a character, one after the other, as the character that they make).
    """
    text = json.dumps(value, sort_keys=sort_keys, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    if not text.isascii() or "\x7f" in text:
        text = _NOT_INERT.sub(_escaped, text)
    return text + "\n"


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from None


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return
    raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return out


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
