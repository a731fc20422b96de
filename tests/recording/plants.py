"""Secrets to be planted: by value, each in one place and one encoding, and a search that knows nothing of redaction."""

import base64
import binascii
import gzip
import html
import json
import re
import zlib
from collections.abc import Callable, Iterator
from urllib.parse import quote, quote_plus, unquote, unquote_plus

Encoding = Callable[[str], str]


def _each(shape: str) -> Encoding:
    return lambda secret: "".join(shape.format(ord(c)) for c in secret)


def _bytes_each(shape: str) -> Encoding:
    return lambda secret: "".join(shape.format(byte) for byte in secret.encode())


def _base64(before: str, after: str = "", *, urlsafe: bool = False, padded: bool = True) -> Encoding:
    def encode(secret: str) -> str:
        code = base64.urlsafe_b64encode if urlsafe else base64.b64encode
        text = code(f"{before}{secret}{after}".encode()).decode()
        return text if padded else text.rstrip("=")

    return encode


def _packed(pack: Callable[[bytes], bytes]) -> Encoding:
    return lambda secret: base64.b64encode(pack(json.dumps({"note": secret}).encode())).decode()


def _raw_deflate(data: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(data) + stream.flush()


def _nested(levels: int) -> Encoding:
    def encode(secret: str) -> str:
        text = json.dumps({"note": secret})
        for _ in range(levels):
            text = json.dumps({"inner": text})
        return text

    return encode


ENCODINGS: dict[str, Encoding] = {
    "plain": lambda s: s,
    "inside a sentence": lambda s: f"the value is {s}, keep it",
    "JSON": lambda s: json.dumps(s),
    "JSON with escaped slashes": lambda s: json.dumps(s).replace("/", "\\/"),
    "JSON with every character escaped": _each("\\u{:04x}"),
    "JSON with every character escaped, in capitals": _each("\\u{:04X}"),
    "JSON in JSON": _nested(1),
    "JSON four levels deep": _nested(4),
    "percent": lambda s: quote(s, safe=""),
    "percent, small digits": lambda s: re.sub("%..", lambda m: m.group().lower(), quote(s, safe="")),
    "percent with plus": quote_plus,
    "percent twice": lambda s: quote(quote(s, safe=""), safe=""),
    "percent, every character": _bytes_each("%{:02X}"),
    "percent, every character, small digits": _bytes_each("%{:02x}"),
    "HTML": html.escape,
    "HTML, every character by number": _each("&#{};"),
    "HTML, every character by hexadecimal number": _each("&#x{:x};"),
    "hexadecimal": lambda s: s.encode().hex(),
    "hexadecimal in capitals": lambda s: s.encode().hex().upper(),
    "hexadecimal escapes": _bytes_each("\\x{:02x}"),
    "base64": _base64(""),
    "base64 without padding": _base64("", padded=False),
    "base64 of user and password": _base64("user:"),
    "base64 behind one byte": _base64("x", "and more"),
    "base64 behind two bytes": _base64("xy", "and more"),
    "base64 behind three bytes": _base64("xyz", "and more"),
    "base64 for addresses": _base64("\xff\xfe?>", "?>", urlsafe=True),
    "base64 for addresses, behind one byte": _base64("x", "?>", urlsafe=True, padded=False),
    "base64 of JSON": lambda s: base64.b64encode(json.dumps({"a": [s]}).encode()).decode(),
    "base64 of base64": lambda s: base64.b64encode(base64.b64encode(s.encode())).decode(),
    "base64 in lines": lambda s: base64.encodebytes(f"{'line ' * 30}{s}{' tail' * 30}".encode()).decode(),
    "base64 glued to a path": lambda s: "files/" + _base64("user:")(s),
    "percent of base64": lambda s: quote(_base64("user:")(s), safe=""),
    "base64 of UTF-16": lambda s: base64.b64encode(s.encode("utf-16-le")).decode(),
    "zero bytes between": "\0".join,
    "base64 of gzip": _packed(gzip.compress),
    "base64 of zlib": _packed(zlib.compress),
    "base64 of raw deflate": _packed(_raw_deflate),
}

_RUN = re.compile(r"[A-Za-z0-9+/_-]{12,}")
_HEX = re.compile(r"[0-9a-fA-F]{12,}")
_DEEPEST = 7


def finds(text: str, secrets: frozenset[str]) -> set[str]:
    """Return the secrets that a text holds in any encoding, or ten characters of which it holds as they are."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [(text, 0)]
    while waiting:
        here, depth = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        found |= {s for s in secrets if s in here or any(s[i : i + 10] in here for i in range(len(s) - 9))}
        if depth < _DEEPEST:
            waiting += [(other, depth + 1) for other in _readings(here)]
    return found


def _readings(text: str) -> Iterator[str]:
    for undo in (html.unescape, unquote, unquote_plus, _json_unescaped, _python_unescaped):
        yield undo(text)
    yield text.replace("\0", "")
    for line in text.splitlines():
        yield from _strings(line)
    joined = re.sub(r"(?<=[A-Za-z0-9+/]{60})\n", "", text)
    for run in {*_RUN.findall(text), *_RUN.findall(joined)}:
        for phase in range(4):
            digits = run[phase:].translate(str.maketrans("-_", "+/"))
            raw = base64.b64decode(digits[: len(digits) - (len(digits) % 4 == 1)] + "==")
            yield from _as_text(raw)
    for run in _HEX.findall(text):
        yield from _as_text(bytes.fromhex(run[: len(run) // 2 * 2]))


def _as_text(raw: bytes) -> Iterator[str]:
    # Only what is text somewhere is worth a further look: most runs are words.
    for window in (31, 15, -15):
        try:
            yield zlib.decompressobj(window).decompress(raw, 1_000_000).decode("latin-1")
        except zlib.error:
            continue
    text = raw.decode("latin-1")
    if len(re.findall(r"[\x00\t-~]", text)) * 4 >= 3 * len(text):
        yield text


def _strings(line: str) -> Iterator[str]:
    line = line.removeprefix("data:").strip()
    if line[:1] not in ("{", "[", '"'):
        return
    try:
        waiting = [json.loads(line)]
    except ValueError:
        return
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, list):
            waiting += item


def _json_unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m.group(1), 16)), text).replace("\\/", "/")


def _python_unescaped(text: str) -> str:
    try:
        return re.sub(r"\\x([0-9a-fA-F]{2})", lambda m: chr(int(m.group(1), 16)), text)
    except (ValueError, binascii.Error):
        return text
