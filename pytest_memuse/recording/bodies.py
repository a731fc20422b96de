"""Bodies as they are kept: JSON objects and lists as values, everything else as the text that was sent.

Bytes that are no UTF-8 are kept as halves of characters (``surrogateescape``), so that every body comes back as it was.
"""

from typing import Any

from pytest_memuse.model.json_text import parse_json
from pytest_memuse.recording.content_codings import Unreadable, decoded
from pytest_memuse.recording.spelling import Spelling, spelled, spelling_of

MAX_BODY_BYTES = 32 * 1024 * 1024
"""A body that decodes to more is not decoded."""


def body_value(body: bytes | None) -> Any:
    """Return a body as its JSON object or list, else as the text that was sent; None where there is none.

    A single number, text, or null stays the text that it was sent as, and so does JSON beyond the bounds of
    `model.json_text`: a value that is a string always is what was sent.
    """
    if not body:
        return None
    text = body.decode("utf-8", "surrogateescape")
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return parse_json(text)
    except ValueError:
        return text


def body_spelling(body: bytes | None, value: Any) -> Spelling | None:
    """Return how the body of a JSON object or list ``value`` is written; None for every other body."""
    if not body or value is None or isinstance(value, str):
        return None
    return spelling_of(body.decode("utf-8", "surrogateescape"))


def body_bytes(value: Any, spelling: Spelling | None = None) -> bytes:
    """Return the bytes of a kept body: those that were sent, or the JSON text of its value, written as it was."""
    if value is None:
        return b""
    text = value if isinstance(value, str) else spelled(value, spelling)
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        # A half of a character that the JSON text had as an escape, and not a byte that is no UTF-8.
        return spelled(value, {**(spelling or {}), "ascii": True}).encode("ascii")


def plain_body(body: bytes | None, encoding: str) -> tuple[bytes | None, str]:
    """Return a body without its content coding, and what is left of the coding.

    A client may have decoded the body already, and a body may not be what its coding says: both are returned as they
    are, the first without the coding.
    """
    if not body or not encoding:
        return body, ""
    try:
        return decoded(body, encoding, MAX_BODY_BYTES), ""
    except Unreadable:
        return body, "" if _is_plain(body) else encoding


def _is_plain(body: bytes) -> bool:
    """Tell whether a body is text, which no compressed one is."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return "\0" not in text[:1000]
