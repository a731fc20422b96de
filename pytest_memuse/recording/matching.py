"""What makes two requests the same: method, address and canonical JSON body, after visible rules for what varies.

Headers do not matter at all, nor do the order of keys and of query parameters, escapes, and how a number is written. A
rule names one thing that differs from run to run without changing what is asked. Rules apply to every string of the
body and to the address; they decide matching only and change nothing that is stored.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from pytest_memuse.model.digests import json_digest
from pytest_memuse.model.errors import MemuseError, printable
from pytest_memuse.recording.bodies import body_value
from pytest_memuse.recording.redaction.spans import REDACTED


@dataclass(frozen=True, slots=True)
class MatchingRule:
    """Replaces what ``pattern`` finds by ``replacement`` before two requests are compared.

    ``needs`` are texts one of which, letters' case apart, stands in everything that the pattern finds something in:
    looking for them is much quicker. Without any, the pattern is always tried.
    """

    name: str
    pattern: re.Pattern[str]
    replacement: str
    needs: tuple[str, ...] = ()


_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[+-]\d{2}:?\d{2}))?"
_DATE = (
    r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,? )?"
    rf"(?:\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}})"
)

DEFAULT_RULES: tuple[MatchingRule, ...] = (
    MatchingRule(
        "date-heading",
        re.compile(r"(?im)^(#{1,6} ?(?:observation|current) date ?\n)[^\n]{4,40}$"),
        r"\1<date>",
        ("observation date", "current date"),
    ),
    MatchingRule(
        "current-date",
        re.compile(
            r"(?i)((?:today'?s date|today|current (?:date(?: and time|[ /]time)?|time)|date today)"
            rf"(?: is| \(utc\))?:? ?){_DATE}(?:(?:,| at|t|)? ?{_TIME})?"
        ),
        r"\1<date>",
        ("today", "current ", "date today"),
    ),
    MatchingRule(
        "current-time",
        re.compile(rf"(?i)((?:current time|time now|time)(?: is)?:? ?)(?<!\d){_TIME}"),
        r"\1<time>",
        ("time",),
    ),
    MatchingRule(
        "uuid",
        re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
        "<uuid>",
        ("-",),
    ),
    # Random UUIDs without dashes are told from digests of the same length by their version and variant.
    MatchingRule(
        "uuid-hex", re.compile(r"(?<![0-9a-fA-F])[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-fA-F])"), "<uuid>"
    ),
)
"""Prompts hold today's date, and identifiers are made at random."""

_LOOPBACK = re.compile(r"(?i)^(https?)://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?=[/?#]|$)")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_BOUNDARY = re.compile(r"--([^\r\n]{1,72})\r?\n")
_FORM = re.compile(r"[\w.~*%+-]++=[^\s&=]*+(?:&[\w.~*%+-]++=[^\s&=]*+)*+")
_EXACT = 2**53
"""Whole numbers up to here are the same as integer and as floating-point number."""

_CACHED_TEXT = 256
"""Shorter strings are quicker to normalise than to keep."""


class Matcher:
    """Gives requests the digests under which they are recorded and looked up.

    It keeps what long texts came to, up to ``most`` characters of them: a request repeats every message of its
    conversation, and each is to be searched once.
    """

    def __init__(self, rules: Sequence[MatchingRule] = DEFAULT_RULES, *, most: int = 64_000_000) -> None:
        self._rules = tuple(rules)
        self._known: dict[str, str] = {}
        self._room = self._most = most

    def digest(self, method: str, uri: str, body: bytes | None) -> str:
        """Return the digest of a request as it is asked."""
        return self.value_digest(method, uri, body_value(body))

    def value_digest(self, method: str, uri: str, value: Any) -> str:
        """Return the digest of a request whose body is given as it is kept (`bodies.body_value`)."""
        return json_digest([method.upper(), self._text(canonical_address(uri)), self._normal(_canonical_text(value))])

    def _normal(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._normal(item) for item in value]
        if isinstance(value, dict):
            return {key: self._normal(item) for key, item in value.items()}
        if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
            return int(value)
        return value

    def _text(self, text: str) -> str:
        if len(text) < _CACHED_TEXT:
            return self._replaced(text)
        known = self._known.get(text)
        if known is None:
            known = self._replaced(text)
            self._room -= len(text)
            if self._room < 0:
                # Begun anew rather than aged one by one: threads may share this, and a bound is all that is needed.
                self._known, self._room = {}, self._most
            self._known[text] = known
        return known

    def _replaced(self, text: str) -> str:
        return normal_text(text, self._rules)


def normal_text(text: str, rules: Sequence[MatchingRule]) -> str:
    """Return a text with what varies from run to run made equal."""
    folded = text.lower()
    for rule in rules:
        if not rule.needs or any(need in folded for need in rule.needs):
            text = rule.pattern.sub(rule.replacement, text)
    return text


def request_digest(method: str, uri: str, body: bytes | None, rules: Sequence[MatchingRule] = DEFAULT_RULES) -> str:
    """Return the digest under which one request is recorded and looked up."""
    return Matcher(rules).digest(method, uri, body)


def canonical_address(uri: str) -> str:
    """Return an address in its one form.

    The port of a loopback address is left out, since local servers are given a free one at every start, and so are
    default ports and the fragment. Query parameters are put in order; the order of equal names is kept. What was
    redacted in the query and before the host counts as not there: where it replays, there is no key to send.
    """
    try:
        # What stood before the host must not hide that it is the loopback.
        parts = urlsplit(_LOOPBACK.sub(r"\1://localhost", uri.replace(f"://{REDACTED}@", "://", 1)))
    except ValueError:
        return uri
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORTS.get(parts.scheme, ":"))
    try:
        asked = _ordered(parts.query)
    except ValueError:
        asked = parts.query
    return f"{parts.scheme}://{host}{parts.path or '/'}" + (f"?{asked}" if asked else "")


def address_of(uri: str) -> str:
    """Return ``host:port`` of an address, ``localhost`` for every name of the loopback; empty where it has no host."""
    try:
        parts = urlsplit(uri)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    if host in ("127.0.0.1", "::1"):
        host = "localhost"
    return f"{host}:{port or {'https': 443}.get(parts.scheme, 80)}" if host else ""


def parse_rules(lines: Iterable[str]) -> tuple[MatchingRule, ...]:
    """Return the default rules with those of the lines added: ``name: regular expression => replacement``.

    A rule of a default rule's name takes its place, and ``name: off`` leaves it out. Empty lines and those that begin
    with ``#`` mean nothing. Raises `MemuseError` for a line that is none of these.
    """
    rules = {rule.name: rule for rule in DEFAULT_RULES}
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        name, colon, rest = line.partition(":")
        name, rest = name.strip(), rest.strip()
        if colon and rest == "off":
            if name not in rules:
                raise _bad_rule(line, f"there is no rule {name!r} to leave out; there are {', '.join(rules)}")
            del rules[name]
            continue
        found, arrow, replacement = rest.rpartition("=>")
        if not (name and colon and arrow and found.strip()):
            raise _bad_rule(line, "it must be `name: regular expression => replacement`, or `name: off`")
        try:
            pattern = re.compile(found.strip())
            pattern.sub(replacement.strip(), "")  # reads the replacement, whether the pattern finds anything or not
            rules[name] = MatchingRule(name, pattern, replacement.strip())
        except (re.error, IndexError) as error:
            raise _bad_rule(line, f"the regular expression or its replacement is wrong: {error}") from None
    return tuple(rules.values())


def rules_as_data(rules: Sequence[MatchingRule]) -> list[dict[str, str]]:
    """Return the rules as a recording's fingerprint gives them; empty where they are the default ones."""
    if tuple(rules) == DEFAULT_RULES:
        return []
    return [{"name": r.name, "pattern": r.pattern.pattern, "replacement": r.replacement} for r in rules]


def _canonical_text(value: Any) -> Any:
    """Give a multipart body a boundary that is not random, and put a form's fields in order."""
    if not isinstance(value, str):
        return value
    begun = _BOUNDARY.match(value)
    if begun and f"--{begun[1]}--" in value[-len(begun[1]) - 10 :]:
        return value.replace(f"--{begun[1]}", "--boundary")
    return _ordered(value) if _FORM.fullmatch(value) else value


def _ordered(query: str) -> str:
    """Put the parameters of a query or form in order; those of one name keep theirs."""
    pairs = (pair for pair in parse_qsl(query, keep_blank_values=True) if pair[1] != REDACTED)
    return urlencode(sorted(pairs, key=lambda pair: pair[0]))


def _bad_rule(line: str, problem: str) -> MemuseError:
    return MemuseError(f"memuse_matching: {printable(line)!r}: {problem}", reason="option")
