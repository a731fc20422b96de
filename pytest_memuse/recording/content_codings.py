"""Content codings undone for the record, as bytes come and never past a limit; the wire's bytes stay as they are."""

import importlib
import zlib
from typing import Any, Protocol

_PIECE = 1024
"""Compressed bytes taken at once where what they become cannot be bounded."""


class Unreadable(Exception):
    """A body cannot be decoded, or is larger than what is kept; says why."""


class _Step(Protocol):
    def feed(self, data: bytes, most: int) -> bytes: ...


class ContentDecoder:
    """Undoes a response's or a request's content codings. ``limit`` is the most bytes that may come out.

    `feed` and the constructor raise `Unreadable`, after which the decoder gives nothing more.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        self._left = limit
        words = [word.strip().lower() for word in encoding.split(",")]
        codings = [word for word in words if word not in ("", "identity")]
        if len(codings) > 2:
            raise Unreadable("more than two content codings")
        self._steps = [_step(coding) for coding in reversed(codings)]

    def feed(self, data: bytes) -> bytes:
        """Return what the bytes decode to, which may be nothing yet."""
        for step in self._steps:
            data = step.feed(data, self._left + 1)
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable("it is larger than what is kept")
        return data


def decoded(body: bytes, encoding: str, limit: int) -> bytes:
    """Return a whole body decoded. Raises `Unreadable`."""
    return ContentDecoder(encoding, limit).feed(body)


def readable_codings(accepted: bytes) -> bytes:
    """Return an Accept-Encoding value without the codings that cannot be decoded here, else as it is."""
    words = accepted.split(b",")
    kept = [word for word in words if _readable(word.split(b";")[0].strip().lower().decode("latin-1"))]
    if len(kept) == len(words):
        return accepted
    return b",".join(kept).strip() or b"identity"


class _Zlib:
    def __init__(self, window: int) -> None:
        self._window = window
        self._decoder = zlib.decompressobj(window)
        self._begun = False

    def feed(self, data: bytes, most: int) -> bytes:
        out = b""
        try:
            while data:
                out += self._decoder.decompress(data, most - len(out) or 1)
                if len(out) >= most:
                    break
                data = self._decoder.unconsumed_tail
                if self._decoder.eof and self._decoder.unused_data:
                    # A gzip body may be several members one after the other.
                    data, self._decoder = self._decoder.unused_data, zlib.decompressobj(self._window)
        except zlib.error as error:
            if self._window != zlib.MAX_WBITS or self._begun:
                raise Unreadable(f"it is not what its content coding says ({error})") from None
            # Many servers send raw deflate data under the name of deflate.
            self._window = -zlib.MAX_WBITS
            self._decoder = zlib.decompressobj(self._window)
            return self.feed(data, most)
        self._begun = True
        return out


class _Brotli:
    def __init__(self, module: Any) -> None:
        self._module = module
        self._decoder = module.Decompressor()

    def feed(self, data: bytes, most: int) -> bytes:
        try:
            out = bytes(self._decoder.process(data, output_buffer_limit=most))
            while len(out) < most and not self._decoder.can_accept_more_data():
                more = self._decoder.process(b"", output_buffer_limit=most - len(out))
                if not more:
                    break
                out += more
        except self._module.error as error:
            raise Unreadable(f"it is not what its content coding says ({error})") from None
        return out


def _brotli() -> Any | None:
    try:
        found = importlib.import_module("brotli")
    except ImportError:
        return None
    # Older releases cannot bound what they give out.
    return found if hasattr(getattr(found, "Decompressor", None), "can_accept_more_data") else None


class _Zstd:
    def __init__(self, module: Any) -> None:
        self._error: type[Exception] = module.ZstdError
        self._decoder = module.ZstdDecompressor()
        # The package that Python took over can be told how much to give out; the older one gives it all.
        self._bounded = not hasattr(self._decoder, "decompressobj")
        if not self._bounded:
            self._decoder = self._decoder.decompressobj()

    def feed(self, data: bytes, most: int) -> bytes:
        try:
            if self._bounded:
                return bytes(self._decoder.decompress(data, most)) if data or not self._decoder.needs_input else b""
            out = b""
            for start in range(0, len(data), _PIECE):
                out += self._decoder.decompress(data[start : start + _PIECE])
                if len(out) >= most:
                    break
        except (self._error, EOFError) as error:
            raise Unreadable(f"it is not what its content coding says ({error})") from None
        return out


def _zstd() -> Any | None:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


def _readable(coding: str) -> bool:
    return coding in ("", "identity", "gzip", "x-gzip", "deflate") or _module(coding) is not None


def _step(coding: str) -> _Step:
    if coding in ("gzip", "x-gzip"):
        return _Zlib(zlib.MAX_WBITS | 16)
    if coding == "deflate":
        return _Zlib(zlib.MAX_WBITS)
    module = _module(coding)
    if module is None:
        raise Unreadable(f"its content coding {coding[:20]!r} cannot be read here")
    return _Zstd(module) if coding == "zstd" else _Brotli(module)


def _module(coding: str) -> Any | None:
    """Return the package that reads a coding which Python does not read by itself."""
    return {"br": _brotli, "zstd": _zstd}.get(coding, lambda: None)()
