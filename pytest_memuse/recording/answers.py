"""Looking requests up in a recording, and keeping the books: what was used, what was missing, what was never asked for.

Everything that plays a recording answers from here, in the process through vcrpy or for other programs over HTTP.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_memuse.model import Actor
from pytest_memuse.recording.bodies import body_value
from pytest_memuse.recording.matching import DEFAULT_RULES, Matcher, MatchingRule
from pytest_memuse.recording.nearest import nearest_request
from pytest_memuse.recording.recording import Exchange
from pytest_memuse.recording.redaction import REDACTED, Redaction
from pytest_memuse.recording.redaction.redacting import secrets_in
from pytest_memuse.recording.redaction.seen import SHORTEST_SECRET
from pytest_memuse.recording.redaction.standing_in import standing_in

_NEAREST_SOUGHT = 20
"""Misses whose nearest neighbour is looked for; what goes wrong shows in the first ones."""


_OTHERS_TRIED = 50
"""Guesses at what stands for the secrets of a recording, for one request."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A request that the recording does not hold; ``nearest`` tells the nearest recorded one and where they differ."""

    method: str
    uri: str
    nearest: str


@dataclass
class Playback:
    """What a replay has come to so far: requests that were missing, and how many requests were answered.

    ``rules`` are those by which requests were compared; what was delivered is to be compared by them too.
    """

    exchanges: Sequence[Exchange] = ()
    rules: Sequence[MatchingRule] = DEFAULT_RULES
    misses: list[Miss] = field(default_factory=list)
    used: int = 0
    given: set[int] = field(default_factory=set)

    @property
    def unused(self) -> tuple[Exchange, ...]:
        """Exchanges of the memory system and embeddings that were never asked for, in order.

        A replay of an arc's memory operations runs no agent, so the agent's exchanges do not count.
        """
        memory = (Actor.MEMORY, Actor.EMBEDDING)
        return tuple(e for e in self.exchanges if e.actor in memory and e.number not in self.given)


class Answers:
    """Answers requests from recorded exchanges; a look-up costs the same however many there are.

    Requests are told apart by their digests (`matching`), after redaction, since secrets were replaced before the
    recording was made. Equal requests are answered in the order of the recording, and the last answer stands for all
    that come after. Threads may share it.
    """

    def __init__(
        self,
        exchanges: Sequence[Exchange],
        rules: Sequence[MatchingRule] = DEFAULT_RULES,
        redaction: Redaction | None = None,
    ) -> None:
        self.playback = Playback(exchanges, rules)
        # What is looked up is redacted like what was recorded, and is not counted with it.
        self._redaction = (redaction or Redaction()).counting(None)
        self._matcher = Matcher(rules)
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Exchange]] = {}
        self._redacted = tuple(e for e in exchanges if REDACTED in e.uri or REDACTED in repr(e.request))
        for exchange in exchanges:
            kept = exchange.request
            # What is a text in the recording may be a value when it is asked again.
            value = body_value(kept.encode("utf-8", "surrogateescape")) if isinstance(kept, str) else kept
            digest = self._matcher.value_digest(exchange.method, exchange.uri, value)
            self._waiting.setdefault(digest, []).append(exchange)
        for waiting in self._waiting.values():
            waiting.reverse()  # The next one is taken from the end.

    def holds(self, method: str, uri: str, body: bytes | None) -> bool:
        """Tell whether a request could be answered, without answering it."""
        return bool(self._waiting) and self._digest(method, uri, body) in self._waiting

    def answer(self, method: str, uri: str, body: bytes | None, headers: Any = ()) -> Exchange | Miss:
        """Return the exchange that answers a request, or what is nearest where none does; either is noted.

        Where secrets were redacted in the recording, other values may stand in the request: those of its own
        ``headers`` and address, and whatever stands exactly where the recorded request was redacted.
        """
        digest = self._digest(method, uri, body)
        if self._redacted and digest not in self._waiting:
            digest = self._with_other_secrets(method, uri, body, headers) or digest
        with self._lock:
            waiting = self._waiting.get(digest)
            if waiting:
                exchange = waiting.pop() if len(waiting) > 1 else waiting[0]
                self.playback.used += 1
                self.playback.given.add(exchange.number)
                return exchange
        return self._missed(method, self._redaction.uri(uri), self._redaction.body(body))

    def _digest(self, method: str, uri: str, body: bytes | None) -> str:
        return self._matcher.digest(method, self._redaction.uri(uri), self._redaction.body(body))

    def _with_other_secrets(self, method: str, uri: str, body: bytes | None, headers: Any) -> str | None:
        """Return the digest of a request that is a recorded one but for its secrets, which are known from then on."""
        own = secrets_in(uri, headers)
        clean_uri, clean = self._redaction.uri(uri), body_value(self._redaction.body(body))
        tried: set[frozenset[str]] = {frozenset()}
        for exchange in (None, *self._redacted):
            values = frozenset(own)
            if exchange is not None:
                values |= standing_in(exchange.request, clean) | standing_in(exchange.uri, clean_uri)
            if values in tried:
                continue
            tried.add(values)
            other = self._redaction.knowing(values)
            digest = self._matcher.digest(method, other.uri(uri), other.body(body))
            if digest in self._waiting:
                self._redaction.learn_values(value for value in values if len(value) >= SHORTEST_SECRET)
                return digest
            if len(tried) > _OTHERS_TRIED:
                return None
        return None

    def _missed(self, method: str, uri: str, body: bytes | None) -> Miss:
        told = "it is one of many that are missing"
        if len(self.playback.misses) < _NEAREST_SOUGHT:
            told = nearest_request(method, uri, body_value(body), self.playback.exchanges)
        miss = Miss(method, uri, told)
        with self._lock:
            self.playback.misses.append(miss)
        return miss
