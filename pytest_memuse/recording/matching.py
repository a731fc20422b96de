"""What makes two requests the same: method, address and canonical JSON body, after visible rules for what varies.

A rule names one thing that differs from run to run without changing what is asked. Rules apply to every string of the
body and to the address; they decide matching only and change nothing that is stored.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pytest_memuse.model.digests import json_digest


@dataclass(frozen=True, slots=True)
class MatchingRule:
    """Replaces what ``pattern`` finds by ``replacement`` before two requests are compared."""

    name: str
    pattern: re.Pattern[str]
    replacement: str


DEFAULT_RULES: tuple[MatchingRule, ...] = (
    MatchingRule(
        "date-heading",
        re.compile(r"(?im)^(#{1,6} ?(?:observation|current) date ?\n)[^\n]{4,40}$"),
        r"\1<date>",
    ),
    MatchingRule("todays-date", re.compile(r"(?i)(today'?s date is:? )\d{4}-\d{2}-\d{2}"), r"\1<date>"),
    MatchingRule(
        "uuid",
        re.compile(r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
        "<uuid>",
    ),
)
"""Prompts hold today's date, and identifiers are made at random."""

_LOOPBACK = re.compile(r"^(https?)://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?")


def request_digest(method: str, uri: str, body: bytes | None, rules: Sequence[MatchingRule] = DEFAULT_RULES) -> str:
    """Return the digest under which a request is recorded and looked up.

    The port of a loopback address is left out, since local servers are given a free one at every start. A body that is
    not JSON is compared as text.
    """
    address = _LOOPBACK.sub(r"\1://localhost", uri)
    return json_digest([method.upper(), _normal(address, rules), _normal(body_value(body), rules)])


def body_value(body: bytes | None) -> Any:
    """Return a body as its JSON value, None where there is none.

    A body that is no JSON, or a single JSON string, is returned as the text that was sent, so that a value that is a
    string always is that text.
    """
    if not body:
        return None
    text = body.decode("utf-8", "surrogateescape")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _normal(value: Any, rules: Sequence[MatchingRule]) -> Any:
    if isinstance(value, str):
        for rule in rules:
            value = rule.pattern.sub(rule.replacement, value)
        return value
    if isinstance(value, list):
        return [_normal(item, rules) for item in value]
    if isinstance(value, dict):
        return {key: _normal(item, rules) for key, item in value.items()}
    return value
