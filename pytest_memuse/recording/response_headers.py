"""Which headers of a response are kept: those that a client acts on. All others are dropped, as are all of a request.

So no cookie is ever kept, nor what a server says of itself or of the connection.
"""

from collections.abc import Mapping

from pytest_memuse.recording.redaction import KEPT_RESPONSE_HEADERS, Redaction

__all__ = ["KEPT_RESPONSE_HEADERS", "kept_headers"]


def kept_headers(headers: Mapping[str, str], redaction: Redaction) -> dict[str, str]:
    """Return the headers that are kept, without secrets. Names must be in lower case."""
    return {
        name: redaction.uri(value) if name == "location" else redaction.text(value)
        for name, value in headers.items()
        if name in KEPT_RESPONSE_HEADERS
    }
