"""Which values are secrets: those of environment variables, and those that are seen in headers and addresses."""

import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote, unquote_plus

from pytest_memuse.recording.redaction.shapes import SECRET_PARAMETER, USER_INFORMATION

SHORTEST_SECRET = 8
"""A shorter value of a header, an address or an environment variable is not taken for a secret."""

_VARIABLE = re.compile(
    r"(?i)(key|token|secret|passw|passphrase|credential|auth(?!or)|cookie|(?<![a-z])(pass|pwd|pat|dsn|jwt)(?![a-z]))"
)
_HEADER = re.compile(r"(?i)(key|token|secret|passw|credential|auth|cookie|session|signature|jwt)")
_NO_SECRET = re.compile(
    r"(?i)(limit|remaining|reset|idempotency|websocket|access-control|www-auth|proxy-auth.*ate|count)"
)
_FIELD = re.compile(
    r"(?:x_)?api_?key|(?:proxy_)?authorization|(?:access|refresh|auth|id)_token|client_secret|(?:aws_)?secret_(?:access_)?key|"
    r"private_key|passw(?:or)?d|passphrase"
)
_STAND_IN = re.compile(
    r"(?:sk-)?(?:not?|your|dummy|test|fake|unused|example|any|local)[-_]?(?:a[-_]|an[-_])?(?:api[-_]?)?(?:key|token)?"
    r"(?:[-_]?(?:needed|required|used|set|here))?|placeholder|change[-_]?me|disabled|required|optional|undefined|anonymous"
)
"""What people write where a key is asked for and none is needed."""

_PATH = re.compile(r"(?:~?/|[A-Za-z]:\\)[\w. ~/\\-]*")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def is_secret_field(name: str) -> bool:
    """Tell whether a field of a JSON object is named like a secret beyond doubt."""
    return len(name) <= 24 and _FIELD.fullmatch(name.lower().replace("-", "_")) is not None


def secrets_of_environment(environment: Mapping[str, str]) -> set[str]:
    """Return the values of variables that are named like secrets, and the passwords in addresses of any variable.

    Paths and addresses are no secrets, nor are the words that stand where no key is needed.
    """
    found: set[str] = set()
    for name, value in environment.items():
        found |= secrets_of_uri(value) if _ADDRESS.match(value) else set()
        if not _VARIABLE.search(name) or _ADDRESS.match(value):
            continue
        if _PATH.fullmatch(value) and not (len(value) == 40 and re.search("[0-9]", value) and "." not in value):
            continue
        found |= {value, value.strip(), *_named_inside(value)}
    return _plausible(found)


def _named_inside(value: str) -> Iterator[str]:
    """Yield the secrets of a variable that holds a JSON object, as credentials of a service account are given."""
    if not value.lstrip().startswith("{"):
        return
    try:
        fields = json.loads(value)
    except (ValueError, RecursionError):
        return
    yield from (str(item) for name, item in fields.items() if _VARIABLE.search(name) and isinstance(item, str))


def secrets_of_headers(headers: Iterable[tuple[str, str]]) -> set[str]:
    """Return the secret values of request or response headers: credentials, keys and cookies."""
    found: set[str] = set()
    for raw_name, value in headers:
        name = raw_name.lower()
        if not _HEADER.search(name) or _NO_SECRET.search(name):
            continue
        if "cookie" in name:
            found |= set(_cookies(value, first_only=name == "set-cookie"))
        elif "authorization" in name:
            found |= set(_credentials(value))
        else:
            found.add(value.strip())
    return _plausible(found)


def secrets_of_uri(uri: str) -> set[str]:
    """Return the secret values of an address: of its parameters, and the password before its host."""
    found = {unquote_plus(match.group(1)) for match in SECRET_PARAMETER.finditer(uri)}
    for match in USER_INFORMATION.finditer(uri):
        user, colon, password = match.group(1).partition(":")
        found.add(unquote(password if colon else user))
    return _plausible(found)


def pairs(headers: Any) -> list[tuple[str, str]]:
    """Return headers as pairs of texts, whichever way a client keeps them: by name, by name with lists, or as pairs."""
    items = headers.items() if hasattr(headers, "items") else headers or ()
    out = []
    for name, values in items:
        for value in values if isinstance(values, (list, tuple)) else (values,):
            out.append((_text(name), _text(value)))
    return out


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _cookies(value: str, *, first_only: bool) -> Iterator[str]:
    parts = value.split(";")
    for part in parts[:1] if first_only else parts:
        content = part.partition("=")[2].strip().strip('"')
        yield content
        yield unquote(content)


def _credentials(value: str) -> Iterator[str]:
    scheme, _, rest = value.strip().partition(" ")
    if not rest:
        yield scheme
        return
    yield rest.strip()
    if scheme.lower() == "basic":
        try:
            plain = base64.b64decode(rest.strip() + "=" * (-len(rest.strip()) % 4)).decode("utf-8")
        except (binascii.Error, ValueError):
            return
        yield plain
        yield plain.partition(":")[2]
        return
    # Schemes with fields: `AWS4-HMAC-SHA256 Credential=…, Signature=…`.
    for field in re.split(r"[,\s]+", rest):
        name, equals, content = field.partition("=")
        if equals and _HEADER.search(name) and content:
            yield content.strip('"')


def _plausible(values: Iterable[str]) -> set[str]:
    return {v for v in values if len(v) >= SHORTEST_SECRET and not _STAND_IN.fullmatch(v.lower()) and not v.isspace()}
