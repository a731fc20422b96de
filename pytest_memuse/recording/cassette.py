"""vcrpy with a cassette that looks requests up by digest and stores through our recorder, persister and serializer.

Plain vcrpy compares a request with every recorded one; here a lookup costs the same however long the recording is.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vcr.cassette import Cassette, CassetteContextDecorator
from vcr.filters import decode_response
from vcr.record_mode import RecordMode
from vcr.request import Request

from pytest_memuse.recording.matching import DEFAULT_RULES, MatchingRule, body_value, request_digest
from pytest_memuse.recording.nearest import nearest_request
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.redaction import KEPT_RESPONSE_HEADERS, Redaction
from pytest_memuse.recording.session import ArcRecorder


@dataclass(frozen=True, slots=True)
class Miss:
    """A request that the recording does not hold; ``nearest`` tells the nearest recorded one and where they differ."""

    method: str
    uri: str
    nearest: str


@dataclass
class Playback:
    """What a replay has come to so far: requests that were missing, and how many exchanges were used."""

    misses: list[Miss] = field(default_factory=list)
    used: int = 0


class _NoFile:
    """Persister of the cassettes: the recording is in memory, its file is written when the arc is whole."""

    @staticmethod
    def load_cassette(cassette_path: object, serializer: object) -> tuple[list[Request], list[Any]]:
        return [], []

    @staticmethod
    def save_cassette(cassette_path: object, cassette_dict: object, serializer: object) -> None:
        return None


class _RecordingCassette(Cassette):  # type: ignore[misc]  # vcrpy has no types
    """Lets requests through and hands each exchange to the recorder; answers those that are ``known`` itself."""

    def __init__(
        self,
        recorder: ArcRecorder,
        redaction: Redaction,
        known: Sequence[Exchange],
        rules: Sequence[MatchingRule],
        **kwargs: Any,
    ) -> None:
        super().__init__(record_mode=RecordMode.ALL, **kwargs)
        self._recorder = recorder
        self._redaction = redaction
        self._rules = rules
        self._known = {_recorded_digest(exchange, rules): exchange for exchange in known}

    def can_play_response_for(self, request: Request) -> bool:
        return bool(self._known) and self._digest(request) in self._known

    def play_response(self, request: Request) -> dict[str, Any]:
        exchange = self._known[self._digest(request)]
        uri = self._redaction.uri(request.uri)
        self._recorder.exchange(
            request.method, uri, exchange.request, exchange.status, exchange.reason, exchange.response, exchange.headers
        )
        return _response(exchange)

    def _digest(self, request: Request) -> str:
        body = self._redaction.body(_bytes(request))
        return request_digest(request.method, self._redaction.uri(request.uri), body, self._rules)

    def append(self, request: Request, response: dict[str, Any]) -> None:
        plain = decode_response(response)
        self._recorder.exchange(
            request.method,
            self._redaction.uri(request.uri),
            body_value(self._redaction.body(_bytes(request))),
            plain["status"]["code"],
            plain["status"]["message"] or "",
            body_value(self._redaction.body(plain["body"]["string"])),
            {k.lower(): v[0] for k, v in plain["headers"].items() if k.lower() in KEPT_RESPONSE_HEADERS},
        )


class _PlayingCassette(Cassette):  # type: ignore[misc]  # vcrpy has no types
    """Answers from a recording; a request that it does not hold gets a refusal that no client tries again."""

    def __init__(
        self,
        exchanges: Sequence[Exchange],
        playback: Playback,
        rules: Sequence[MatchingRule],
        redaction: Redaction,
        **kwargs: Any,
    ) -> None:
        super().__init__(record_mode=RecordMode.NONE, **kwargs)
        self.rewound = True
        self._exchanges = exchanges
        self._playback = playback
        self._rules = rules
        self._redaction = redaction
        self._by_digest: dict[str, deque[Exchange]] = defaultdict(deque)
        for exchange in exchanges:
            self._by_digest[_recorded_digest(exchange, rules)].append(exchange)

    def can_play_response_for(self, request: Request) -> bool:
        return True

    def play_response(self, request: Request) -> dict[str, Any]:
        body = self._redaction.body(_bytes(request))
        uri = self._redaction.uri(request.uri)
        queue = self._by_digest.get(request_digest(request.method, uri, body, self._rules))
        if not queue:
            found = nearest_request(request.method, uri, body_value(body), self._exchanges)
            self._playback.misses.append(Miss(request.method, uri, found))
            return _refusal()
        self._playback.used += 1
        # Equal requests are answered in the order of the recording; the last answer stands for all that come after.
        exchange = queue.popleft() if len(queue) > 1 else queue[0]
        return _response(exchange)


@contextmanager
def recording_http(
    recorder: ArcRecorder,
    redaction: Redaction,
    known: Sequence[Exchange] = (),
    rules: Sequence[MatchingRule] = DEFAULT_RULES,
) -> Iterator[None]:
    """Record every HTTP exchange of the process inside the block.

    A request that one of the ``known`` exchanges answers is answered by it and recorded all the same.
    """
    with CassetteContextDecorator.from_args(
        _RecordingCassette,
        path=Path("memuse"),
        persister=_NoFile,
        recorder=recorder,
        redaction=redaction,
        known=known,
        rules=rules,
    ):
        yield


@contextmanager
def playing_http(
    recording: Recording, redaction: Redaction, rules: Sequence[MatchingRule] = DEFAULT_RULES
) -> Iterator[Playback]:
    """Answer every HTTP request of the process inside the block from a recording; nothing reaches the network."""
    playback = Playback()
    with CassetteContextDecorator.from_args(
        _PlayingCassette,
        path=Path("memuse"),
        persister=_NoFile,
        exchanges=recording.exchanges,
        playback=playback,
        rules=rules,
        redaction=redaction,
    ):
        yield playback


def _recorded_digest(exchange: Exchange, rules: Sequence[MatchingRule]) -> str:
    body = None if exchange.request is None else _encoded(exchange.request)
    return request_digest(exchange.method, exchange.uri, body, rules)


def _response(exchange: Exchange) -> dict[str, Any]:
    return {
        "status": {"code": exchange.status, "message": exchange.reason},
        "headers": {name: [value] for name, value in exchange.headers.items()},
        "body": {"string": b"" if exchange.response is None else _encoded(exchange.response)},
    }


def _bytes(request: Request) -> bytes | None:
    body = request.body_bytes
    return body.encode("utf-8") if isinstance(body, str) else body


def _encoded(value: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "surrogateescape")


def _refusal() -> dict[str, Any]:
    error = {"message": "not in the recording", "type": "memuse_not_recorded", "code": "not_recorded"}
    return {
        "status": {"code": 400, "message": "Not Recorded"},
        # The official clients try again after most failures; this header tells them not to.
        "headers": {"content-type": ["application/json"], "x-should-retry": ["false"]},
        "body": {"string": _encoded({"error": error})},
    }
