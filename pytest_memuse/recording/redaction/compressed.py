"""Compressed bytes, read with bounds: what they hold is looked into, and what cannot be read to its end is not kept."""

import zlib
from collections.abc import Iterator
from typing import Any

try:
    import brotli as _brotli
except ImportError:  # it comes with the clients that ask for it
    _brotli = None
_BROTLI: Any = _brotli

MAX_INFLATED = 4 * 1024 * 1024
"""Bytes that one compressed blob may hold."""

_GZIP = b"\x1f\x8b\x08"
_UNREADABLE = (b"\x28\xb5\x2f\xfd", b"\x1f\x9d", b"BZh", b"\xfd7zXZ\0")
"""How zstd, compress, bzip2 and xz begin, which are not read here."""
_SHORTEST = 16
_TRIES = 8
"""Places at which a stream is tried to begin in one blob."""


class Unread(Exception):
    """A compressed blob cannot be looked into, or holds more than `MAX_INFLATED` bytes."""


def inflated(raw: bytes, *, whole: bool) -> Iterator[tuple[int, bytes]]:
    """Yield where compressed streams begin in the bytes, and what they hold.

    gzip is seen anywhere; zlib, raw deflate and brotli, which have no clear mark, only where the bytes are ``whole``.
    Raises `Unread` for a stream that holds too much, and for a whole one of a kind that is not read.
    """
    if whole and raw.startswith(_UNREADABLE):
        raise Unread
    at, tries = raw.find(_GZIP), 0
    while at >= 0 and tries < _TRIES:
        found = _deflated(raw[at:], 31)
        if found:
            yield at, found
        at, tries = raw.find(_GZIP, at + 1), tries + 1
    if not whole or len(raw) < _SHORTEST:
        return
    if raw[0] & 0x0F == 8 and (raw[0] << 8 | raw[1]) % 31 == 0:
        found = _deflated(raw, 15)
        if found:
            yield 0, found
            return
    found = _deflated(raw, -15)
    if found:
        yield 0, found
        return
    found = _brotlied(raw)
    if found:
        yield 0, found


def _deflated(raw: bytes, window: int) -> bytes:
    stream = zlib.decompressobj(window)
    try:
        found = stream.decompress(raw, MAX_INFLATED + 1)
    except zlib.error:
        # A damaged stream shows what stands before the damage.
        found = _as_far_as_it_goes(raw, window) if window == 31 else b""
    if len(found) > MAX_INFLATED:
        raise Unread
    return found


def _as_far_as_it_goes(raw: bytes, window: int) -> bytes:
    stream, out = zlib.decompressobj(window), b""
    try:
        for start in range(0, len(raw), 64):
            out += stream.decompress(raw[start : start + 64], MAX_INFLATED + 1 - len(out))
            if len(out) > MAX_INFLATED:
                break
    except (zlib.error, ValueError):
        pass
    return out


def _brotlied(raw: bytes) -> bytes:
    if _BROTLI is None:
        return b""
    stream, found = _BROTLI.Decompressor(), b""
    try:
        more = stream.process(raw, output_buffer_limit=MAX_INFLATED)
        while more and len(found) <= MAX_INFLATED:
            found += more
            more = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=MAX_INFLATED)
    except (_BROTLI.error, TypeError):  # no brotli, or a release of the package that cannot be bounded
        return b""
    if len(found) > MAX_INFLATED:
        raise Unread
    return found
