"""Content digests: one function, so that every room addresses the same content by the same name."""

import hashlib
import json
from typing import Any

DIGEST_LENGTH = 32
"""Hexadecimal digits kept of a SHA-256 (128 bits)."""

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def text_digest(text: str) -> str:
    """Return the digest of a text, lone surrogates included."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


def canonical_json(value: Any) -> str:
    """Return the one JSON text of a value: sorted keys, no spaces, characters as they are."""
    return _CANONICAL.encode(value)


def json_digest(value: Any) -> str:
    """Return the digest of a JSON value, whatever order its objects' keys came in."""
    return text_digest(canonical_json(value))
