"""What must never be written: secrets are replaced before digests are taken, in recording and in replay alike."""

from pytest_memuse.recording.redaction.finding import Rule
from pytest_memuse.recording.redaction.redacting import Redaction
from pytest_memuse.recording.redaction.rules import parse_rules
from pytest_memuse.recording.redaction.spans import REDACTED

__all__ = ["KEPT_RESPONSE_HEADERS", "REDACTED", "Redaction", "Rule", "parse_rules"]

KEPT_RESPONSE_HEADERS = frozenset({"content-type", "location", "retry-after", "retry-after-ms", "x-should-retry"})
"""Response headers that are kept: type of the body, where a redirect leads, whether and when to try again.

All others are dropped, as are all request headers: so no cookie is ever kept.
"""
