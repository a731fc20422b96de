"""What must never be written: secrets are replaced before digests are taken, in recording and in replay alike."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REDACTED = "<redacted>"

KEPT_RESPONSE_HEADERS = frozenset({"content-type", "retry-after"})
"""Response headers that a client acts on. All others are dropped, as are all request headers."""

_SECRET_NAME = re.compile(r"(?i)(key|token|secret|passw|credential|auth(?!or))")
_SECRET_QUERY = re.compile(r"(?i)([?&](?:api[-_]?key|key|token|access_token|sig|signature)=)[^&#]+")
_KEY_SHAPE = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{20,}|ghp_[A-Za-z0-9]{30,}|AKIA[A-Z0-9]{16}|xox[abp]-[A-Za-z0-9-]{20,})")


@dataclass(frozen=True, slots=True)
class Redaction:
    """Replaces known secret values and the shapes of common keys in text. ``values`` holds the known ones."""

    values: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Redaction":
        """Know the values of variables that are named like secrets; short values are not secrets."""
        found = {v for name, v in environment.items() if _SECRET_NAME.search(name) and len(v) >= 8 and "/" not in v[:1]}
        return cls(tuple(sorted(found, key=len, reverse=True)))

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        for value in self.values:
            text = text.replace(value, REDACTED)
        return _KEY_SHAPE.sub(REDACTED, text)

    def value(self, value: Any) -> Any:
        """Return plain data without secrets: every text in it, keys apart."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.value(item) for key, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, (list, tuple)) else value

    def uri(self, uri: str) -> str:
        """Return the address without secrets, also those in its query."""
        return self.text(_SECRET_QUERY.sub(rf"\1{REDACTED}", uri))

    def body(self, body: bytes | None) -> bytes | None:
        """Return a body without secrets. Bytes that are not UTF-8 are kept as they are."""
        if not body:
            return body
        return self.text(body.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
