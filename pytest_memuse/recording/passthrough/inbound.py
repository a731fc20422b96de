"""A request as it came in, and how what came of it is handed to the record: decoded and without secrets."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pytest_memuse.model import Actor
from pytest_memuse.model.errors import printable
from pytest_memuse.recording.bodies import body_spelling, body_value
from pytest_memuse.recording.content_codings import Unreadable, decoded
from pytest_memuse.recording.passthrough.addresses import Route
from pytest_memuse.recording.passthrough.headers import RawHeaders, header, text_headers
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.response_headers import kept_headers
from pytest_memuse.recording.roles import Asked, RoleRule, role_by_rule
from pytest_memuse.recording.spelling import Spelling

BROKEN_OFF = 499
"""Status under which a response is recorded that did not arrive whole, whatever its own was: such a call failed."""


class ExchangeSink(Protocol):
    """What exchanges are handed to; `recording.session.ArcRecorder` is one. Called from the pass-through's thread."""

    @property
    def redaction(self) -> Redaction:
        """What replaces the secrets of an exchange before it is handed over, and learns those that it shows."""

    def about_to_call(self) -> None:
        """Say that a call is about to go out; raises where none is to go out any more."""

    def exchange(
        self,
        method: str,
        uri: str,
        request: Any,
        status: int,
        reason: str,
        response: Any,
        headers: Any,
        *,
        role: Actor | None = None,
        spelling: Spelling | None = None,
    ) -> None:
        """Note one exchange, whole. ``spelling`` is how a response of JSON was written."""


@dataclass(frozen=True, slots=True)
class Inbound:
    """A request as it came in. ``role`` is what its header or its path says, ``body`` the bytes that were sent."""

    method: str
    route: Route
    role: Actor | None
    headers: RawHeaders
    body: bytes

    def plain_body(self, limit: int) -> bytes | None:
        """Return the body with its content codings undone, None where that cannot be."""
        encoding = (header(self.headers, b"content-encoding") or b"").decode("latin-1")
        try:
            return decoded(self.body, encoding, limit)
        except Unreadable:
            return None


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request as it is recorded, without secrets."""

    uri: str
    body: Any
    role: Actor


class Ledger:
    """Writes exchanges to a sink: addresses and bodies without secrets, and the role that header, path or rules give.

    What comes through the pass-through is the agent's where nothing else is said of it.
    """

    def __init__(self, sink: ExchangeSink, rules: Sequence[RoleRule], limit: int) -> None:
        self._sink = sink
        self._redaction = sink.redaction
        self._rules = rules
        self._limit = limit

    def about_to_call(self) -> None:
        """Say that a call is about to go out; raises where the recording is to end before it."""
        self._sink.about_to_call()

    def read(self, asked: Inbound) -> ReadRequest:
        """Return a request as it is recorded. That takes time, and can be done while the response is waited for."""
        sent = text_headers(asked.headers)
        self._redaction.learn(asked.route.uri, sent)
        request = body_value(self._redaction.body(asked.plain_body(self._limit)))
        return ReadRequest(self._redaction.uri(asked.route.uri), request, self._role(asked, sent, request))

    def write(
        self,
        asked: Inbound,
        status: int,
        reason: str,
        headers: Mapping[str, str],
        body: bytes | None,
        request: ReadRequest | None = None,
    ) -> None:
        """Note an exchange. ``headers`` have lower-case names; a ``body`` of None was not kept.

        ``request`` is what `read` gave, where it was called before.
        """
        request = request or self.read(asked)
        self._redaction.learn(asked.route.uri, headers)
        clean = self._redaction.body(body)
        answered = body_value(clean)
        self._sink.exchange(
            asked.method,
            request.uri,
            request.body,
            status,
            printable(self._redaction.text(reason), 200),
            answered,
            kept_headers(headers, self._redaction),
            role=request.role,
            spelling=body_spelling(clean, answered),
        )

    def _role(self, asked: Inbound, headers: Mapping[str, str], request: Any) -> Actor:
        if asked.role is not None:
            return asked.role
        model = request.get("model") if isinstance(request, dict) else None
        seen = Asked(asked.method, asked.route.uri, model if isinstance(model, str) else "", headers)
        return role_by_rule(seen, self._rules) or Actor.AGENT


def error_body(kind: str, message: str) -> bytes:
    """Return an error of our own, in a form that the clients of OpenAI and Anthropic both read."""
    error = {"message": message, "type": f"memuse_{kind}", "param": None, "code": kind}
    return json.dumps({"type": "error", "error": error}).encode("ascii")
