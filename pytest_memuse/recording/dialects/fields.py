"""Reading JSON whose shape somebody else decided: every function takes any value and none raises."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object as it is, and an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list; what else stands in it is passed over, and so is what is no list."""
    return (item for item in value if isinstance(item, Mapping)) if isinstance(value, list) else iter(())


def string(value: Any) -> str:
    """Return a text as it is, and an empty one for anything else."""
    return value if isinstance(value, str) else ""


def count(value: Any) -> int | None:
    """Return a number of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def dollars(value: Any) -> float | None:
    """Return an amount of money; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    with suppress(OverflowError):
        return float(value) if math.isfinite(value) and value >= 0 else None
    return None


def json_text(value: Any) -> str:
    """Return the JSON text of a value; empty for what has none."""
    with suppress(ValueError, TypeError, RecursionError):
        return json.dumps(value, ensure_ascii=False)
    return ""


def parsed(text: str) -> Any:
    """Return the value of a JSON text, None for what is none."""
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def text_of(content: Any) -> str:
    """Return the text of a message's content; the texts of its parts are joined by line breaks."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in mappings(content) if isinstance(part.get("text"), str))
