"""Which headers are passed on: all but those of one hop (RFC 9110, 7.6.1) and our own, in order, as they were sent."""

from collections.abc import Iterable, Sequence

from pytest_memuse.recording.content_codings import readable_codings

RawHeaders = Sequence[tuple[bytes, bytes]]

ROLE_HEADER = b"x-memuse-role"

_HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    }
)


def request_headers(headers: RawHeaders, authority: str, length: int | None) -> list[tuple[bytes, bytes]]:
    """Return the headers that a request is passed on with; ``length`` is that of its body, None where it has none.

    Only codings that can be read here are asked for: what cannot be read could be neither recorded nor redacted.
    """
    dropped = _of_this_hop(headers) | {b"host", b"content-length", b"expect", ROLE_HEADER}
    out = [(b"Host", authority.encode("ascii"))]
    for name, value in headers:
        if name.lower() in dropped:
            continue
        out.append((name, readable_codings(value) if name.lower() == b"accept-encoding" else value))
    if length is not None:
        out.append((b"Content-Length", str(length).encode("ascii")))
    return out


def response_headers(headers: RawHeaders) -> list[tuple[bytes, bytes]]:
    """Return the headers that a response is passed on with."""
    dropped = _of_this_hop(headers)
    return [(name, value) for name, value in headers if name.lower() not in dropped]


def header(headers: RawHeaders, name: bytes) -> bytes | None:
    """Return the value of a header, None where it was not sent; the first one where it was sent twice."""
    return next((value for sent, value in headers if sent.lower() == name), None)


def text_headers(headers: RawHeaders, kept: Iterable[str] | None = None) -> dict[str, str]:
    """Return headers as text by lower-case name, only the ``kept`` ones where that is given."""
    out: dict[str, str] = {}
    for name, value in headers:
        key = name.decode("latin-1").lower()
        if kept is None or key in kept:
            out.setdefault(key, value.decode("latin-1"))
    return out


def _of_this_hop(headers: RawHeaders) -> set[bytes]:
    named = (value for name, value in headers if name.lower() == b"connection")
    return {word.strip().lower() for value in named for word in value.split(b",")} | _HOP_BY_HOP
