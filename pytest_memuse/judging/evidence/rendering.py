"""One rendering of everything a judge reads: JSON lines in which no recorded text can leave its string.

Recorded text holds whatever its writers wanted: closing delimiters, imitated tool results, control characters, text
that runs backwards or cannot be seen. It stands only inside JSON strings, one value a line, and whatever hides, ends or
reorders text is written as an escape, so that a model and a person see the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_memuse.model import Message
from pytest_memuse.model.json_text import json_line, parse_json

# What `json_line` leaves as it is, and what is not to be seen all the same: marks that only select, join or tag.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufdd0-\ufdef\ufe00-\ufe0f\uffa0"
    "\ufff0-\ufff8\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def rendered_line(value: Any) -> str:
    """Return a JSON value as one line with its line break; whoever parses the line gets the same value back."""
    line = json_line(value, sort_keys=False)
    return line if line.isascii() else _UNSEEN.sub(_escaped, line)


def rendered_lines(values: Iterable[Any]) -> str:
    """Return JSON values as lines."""
    return "".join(rendered_line(value) for value in values)


def escaped_text(text: str) -> str:
    """Return a text as it stands between the quotation marks of a rendered line."""
    return rendered_line(text)[1:-2]


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code - 0x10000 & 0x3FF):04x}"


def message_fields(message: Message, text: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as plain data; ``text`` holds its text in the form that the record gives it."""
    fields: dict[str, Any] = {"role": message.role}
    if message.tool_call_id is not None:
        fields["result_of"] = message.tool_call_id
    fields.update(text)
    if message.tool_calls:
        fields["tool_calls"] = [
            {"id": call.id, "tool": call.name, "arguments": _arguments(call.arguments)} for call in message.tool_calls
        ]
    return fields


def _arguments(text: str) -> Any:
    """Return a call's arguments as the value that they are where that is the same, else as the text that was sent.

    A value spares the reader a second layer of escapes. Numbers with a fraction stay text: 1.10 would become 1.1.
    """
    try:
        value = parse_json(text, unique_keys=True)
    except ValueError:
        return text
    return value if isinstance(value, dict) and _is_exact(value) else text


def _is_exact(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_exact(inner) for inner in value.values())
    if isinstance(value, list):
        return all(_is_exact(inner) for inner in value)
    return not isinstance(value, float)


def ranges(numbers: Sequence[int], prefix: str) -> list[str]:
    """Return names that end in numbers with neighbours drawn together: ``step 3 .. step 7``."""
    out: list[str] = []
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    for first, last in runs:
        if last - first < 2:
            out += [f"{prefix}{number}" for number in range(first, last + 1)]
        else:
            out.append(f"{prefix}{first} .. {prefix}{last}")
    return out
