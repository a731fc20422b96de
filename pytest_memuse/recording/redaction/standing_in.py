"""What stands in a request where the recorded one has a replaced secret: another key, on another machine.

It is only a guess at values: whether the request is the recorded one is decided by its digest, once they are replaced.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from pytest_memuse.recording.redaction.spans import REDACTED

_LONGEST = 4096
_MOST = 16
_DEEPEST = 200


def standing_in(recorded: Any, asked: Any) -> frozenset[str]:
    """Return the values that stand in ``asked`` where ``recorded`` was redacted, at most 16.

    Both are bodies or addresses as they are kept. What differs otherwise is passed over.
    """
    return frozenset(islice(_values(recorded, asked, 0), _MOST))


def _values(recorded: Any, asked: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(recorded, str) and isinstance(asked, str):
        if REDACTED in recorded and recorded != asked:
            yield from _between(recorded.split(REDACTED), asked)
    elif isinstance(recorded, dict) and isinstance(asked, dict):
        for name, item in recorded.items():
            if name in asked:
                yield from _values(item, asked[name], depth + 1)
    elif isinstance(recorded, list) and isinstance(asked, list) and len(recorded) == len(asked):
        for left, right in zip(recorded, asked, strict=True):
            yield from _values(left, right, depth + 1)


def _between(parts: list[str], asked: str) -> list[str]:
    """Return what stands between the parts of a text, none where they do not follow each other in it."""
    if not asked.startswith(parts[0]) or not asked.endswith(parts[-1]):
        return []
    found, at, end = [], len(parts[0]), len(asked) - len(parts[-1])
    for part in parts[1:-1]:
        place = asked.find(part, at + 1, end) if part else at
        if place < 0:
            return []
        found.append(asked[at:place])
        at = place + len(part)
    found.append(asked[at:end] if end > at else "")
    values = [value for value in found if value and value != REDACTED]
    return values if all(len(v) <= _LONGEST and not any(c.isspace() for c in v) for v in values) else []
