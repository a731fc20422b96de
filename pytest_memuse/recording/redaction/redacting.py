"""The redaction of a session: it knows secrets, learns those that it is shown, and replaces them wherever they are."""

import threading
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_memuse.recording.bodies import body_bytes, body_value
from pytest_memuse.recording.redaction.finding import Finder, Rule
from pytest_memuse.recording.redaction.seen import (
    is_secret_field,
    pairs,
    secrets_of_environment,
    secrets_of_headers,
    secrets_of_uri,
)
from pytest_memuse.recording.redaction.shapes import FORM, SECRET_PARAMETER, USER_INFORMATION
from pytest_memuse.recording.redaction.spans import REDACTED, Span, Tally, until_settled
from pytest_memuse.recording.redaction.streams import is_stream, redacted_stream

_BETWEEN = "\x02"
"""Stands between the texts of a body when they are searched at once; no encoding goes over it."""

_DEEPEST = 400
"""What stands deeper in a body that holds a secret is replaced unread."""


class _Knowledge:
    """The values that are known, and the finder made of them; shared by redactions that differ in what they count."""

    def __init__(self, values: Iterable[str], rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self.lock = threading.Lock()
        self.values = dict.fromkeys(values, "known value")
        self.find = Finder.of(self.values, rules)

    def learn(self, values: Iterable[str], kind: str) -> None:
        with self.lock:
            fresh = {value for value in values if value not in self.values}
            if fresh:
                self.values = {**self.values, **dict.fromkeys(sorted(fresh), kind)}
                self.find = Finder.of(self.values, self.rules)


class Redaction:
    """Replaces secrets in texts, bodies and addresses: known values, the shapes of common keys, and what rules find.

    Known are ``values``, given by the user or the environment, and what it is shown with `learn`: one redaction serves
    a whole session, so that what was seen once is known from then on. Values are found however they are encoded. What
    it does is deterministic, and doing it again changes nothing. Threads may share it.
    """

    def __init__(self, values: Iterable[str] = (), rules: Iterable[Rule] = ()) -> None:
        self._knowledge = _Knowledge(values, tuple(rules))
        self._tally: Tally | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], rules: Iterable[Rule] = ()) -> "Redaction":
        """Know the values of variables that are named like secrets; short values are not secrets."""
        return cls(sorted(secrets_of_environment(environment)), rules)

    def counting(self, tally: Tally | None) -> "Redaction":
        """Return a redaction of the same knowledge, now and later, that counts by kind what it replaces."""
        out = Redaction.__new__(Redaction)
        out._knowledge, out._tally = self._knowledge, tally
        return out

    @property
    def known(self) -> int:
        """How many values are known; it grows when one is learned."""
        return len(self._knowledge.values)

    def learn(self, uri: str, *headers: Any) -> None:
        """Know, from now on, the secrets of an exchange's address and headers, given as mappings or as pairs."""
        self._knowledge.learn(secrets_in(uri, *headers), "value seen in a request")

    def learn_values(self, values: Iterable[str]) -> None:
        """Know further values from now on."""
        self._knowledge.learn(values, "known value")

    def knowing(self, values: Iterable[str]) -> "Redaction":
        """Return a redaction that knows further values and counts nothing; this one does not come to know them."""
        out = Redaction((), self._knowledge.rules)
        out._knowledge = _Knowledge((), self._knowledge.rules)
        out._knowledge.values = dict(self._knowledge.values)
        out._knowledge.learn([*values], "known value")
        return out

    def text(self, text: str) -> str:
        """Return the text without secrets."""
        return until_settled(text, self._knowledge.find, self._tally) if text else text

    def value(self, value: Any) -> Any:
        """Return plain data without secrets: every text in it, names of fields too. Tuples become lists."""
        if isinstance(value, str):
            return self.text(value)
        if not isinstance(value, (Mapping, list, tuple)):
            return self._number(value)
        return self._clean(value, 0) if self._holds_any(value) else _plain(value)

    def content(self, value: Any) -> Any:
        """Return a body, as it is kept (`bodies`), without secrets: a JSON value, a stream of events, or a text."""
        if not isinstance(value, str):
            return self._clean(value, 0) if self._holds_any(value) else value
        if not value.isascii():
            kind = self._knowledge.find.in_bytes(body_bytes(value))
            if kind is not None:
                self._count(kind)
                return REDACTED
        if FORM.fullmatch(value):
            return self.uri(f"?{value}")[1:]
        if is_stream(value):
            value = redacted_stream(value, self.value, self._knowledge.find, self._tally)
        return self.text(value)

    def body(self, body: bytes | None) -> bytes | None:
        """Return a body without secrets. One that holds none is returned as it is, byte for byte."""
        if not body:
            return body
        value = body_value(body)
        clean = self.content(value)
        return body if clean == value else body_bytes(clean)

    def uri(self, uri: str) -> str:
        """Return the address without secrets.

        Parameters that are named like secrets, and what stands before the host, are replaced whatever they are.
        """

        def named(text: str) -> list[Span]:
            found = [Span(*m.span(1), "address parameter") for m in SECRET_PARAMETER.finditer(text)]
            found += [Span(*m.span(1), "address password") for m in USER_INFORMATION.finditer(text)]
            return sorted(span for span in found if not text.startswith(REDACTED, span.start))

        return self.text(until_settled(uri, named, self._tally))

    def _holds_any(self, value: Any) -> bool:
        """Search all texts of a value at once: most bodies hold no secret, and need no more than this."""
        texts: list[str] = []
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                texts.append(item)
            elif isinstance(item, Mapping):
                for name, inner in item.items():
                    texts.append(str(name))
                    if _is_secret_field(name, inner):
                        return True
                    waiting.append(inner)
            elif isinstance(item, (list, tuple)):
                waiting.extend(item)
            elif isinstance(item, int):
                texts.append(str(item))
        # What has no escape is not searched a second time for what its neighbours' escapes hide.
        plain = [text for text in texts if "\\" not in text and "%" not in text and "&" not in text]
        escaped = (
            [text for text in texts if "\\" in text or "%" in text or "&" in text] if len(plain) < len(texts) else []
        )
        find = self._knowledge.find
        return bool(find(_BETWEEN.join(plain))) or bool(escaped and find(_BETWEEN.join(escaped)))

    def _clean(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if depth > _DEEPEST:
            self._count("unread value")
            return REDACTED
        if isinstance(value, Mapping):
            out: dict[str, Any] = {}
            for name, item in value.items():
                shown = clean = self.text(str(name))
                while shown in out:  # two names that held secrets stay two
                    shown = f"{clean} {len(out)}"
                if _is_secret_field(name, item):
                    self._count("secret field")
                    out[shown] = REDACTED
                else:
                    out[shown] = self._clean(item, depth + 1)
            return out
        if isinstance(value, (list, tuple)):
            return [self._clean(item, depth + 1) for item in value]
        return self._number(value)

    def _number(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        clean = self.text(str(value))
        return value if clean == str(value) else clean

    def _count(self, kind: str) -> None:
        if self._tally is not None:
            self._tally[kind] = self._tally.get(kind, 0) + 1


def secrets_in(uri: str, *headers: Any) -> set[str]:
    """Return the secret values of an exchange's address and headers, given as mappings or as pairs."""
    return secrets_of_uri(uri).union(*(secrets_of_headers(pairs(each)) for each in headers))


def _is_secret_field(name: Any, value: Any) -> bool:
    return isinstance(value, str) and value not in ("", REDACTED) and is_secret_field(str(name))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
