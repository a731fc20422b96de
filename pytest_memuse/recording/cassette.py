"""vcrpy with a cassette that looks requests up by digest and stores through our recorder, persister and serializer.

Plain vcrpy compares a request with every recorded one; here a look-up costs the same however long the recording is.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from vcr.cassette import Cassette
from vcr.record_mode import RecordMode
from vcr.request import Request

from pytest_memuse.recording.answers import Answers, Miss, Playback
from pytest_memuse.recording.bodies import body_bytes, body_spelling, body_value, plain_body
from pytest_memuse.recording.interception import intercepted
from pytest_memuse.recording.matching import DEFAULT_RULES, MatchingRule, address_of
from pytest_memuse.recording.recording import Exchange, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.response_headers import kept_headers
from pytest_memuse.recording.session import ArcRecorder

__all__ = ["Miss", "Playback", "answering_http", "playing_http", "recording_http"]


class _Cassette(Cassette):  # type: ignore[misc]  # vcrpy has no types
    """What both cassettes do: answer what their answers hold, and let ``direct`` addresses through."""

    def __init__(self, answers: Answers, direct: Collection[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._answers = answers
        self._direct = direct

    def _lets_through(self, request: Request) -> bool:
        return bool(self._direct) and address_of(request.uri) in self._direct

    def _answer(self, request: Request) -> Exchange | Miss:
        return self._answers.answer(request.method, request.uri, _asked(request), request.headers)


class _RecordingCassette(_Cassette):
    """Lets requests through and hands each exchange to the recorder; answers those that are known already."""

    def __init__(self, recorder: ArcRecorder, redaction: Redaction, **kwargs: Any) -> None:
        super().__init__(record_mode=RecordMode.ALL, **kwargs)
        self._recorder = recorder
        self._redaction = redaction.counting(recorder.replaced)

    def can_play_response_for(self, request: Request) -> bool:
        if self._lets_through(request):
            return False
        if self._answers.holds(request.method, request.uri, _asked(request)):
            return True
        self._recorder.about_to_call()
        return False

    def play_response(self, request: Request) -> dict[str, Any]:
        found = self._answer(request)
        if isinstance(found, Miss):
            return _refusal()
        uri = self._redaction.uri(request.uri)
        self._recorder.exchange(
            request.method,
            uri,
            found.request,
            found.status,
            found.reason,
            found.response,
            found.headers,
            paid=False,
            spelling=found.spelling,
        )
        return _response(found)

    def append(self, request: Request, response: dict[str, Any]) -> None:
        if self._lets_through(request):
            return
        self._redaction.learn(request.uri, request.headers, response["headers"])
        sent = {name.lower(): values for name, values in response["headers"].items() if values}
        body, coding = plain_body(response["body"].get("string"), ", ".join(sent.get("content-encoding", ())))
        kept = kept_headers({name: values[0] for name, values in sent.items()}, self._redaction)
        if coding:
            kept["content-encoding"] = coding
        clean = self._redaction.body(body)
        answered = body_value(clean)
        self._recorder.exchange(
            request.method,
            self._redaction.uri(request.uri),
            body_value(self._redaction.body(_asked(request))),
            response["status"]["code"],
            self._redaction.text(response["status"]["message"] or ""),
            answered,
            kept,
            spelling=body_spelling(clean, answered),
        )


class _PlayingCassette(_Cassette):
    """Answers from a recording; a request that it does not hold gets a refusal that no client tries again."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(record_mode=RecordMode.NONE, **kwargs)

    @property
    def write_protected(self) -> bool:
        # What is not answered is let through, and there is no file to protect.
        return False

    def can_play_response_for(self, request: Request) -> bool:
        return not self._lets_through(request)

    def play_response(self, request: Request) -> dict[str, Any]:
        found = self._answer(request)
        return _refusal() if isinstance(found, Miss) else _response(found)

    def append(self, request: Request, response: dict[str, Any]) -> None:
        return None


@contextmanager
def recording_http(
    recorder: ArcRecorder,
    redaction: Redaction,
    known: Sequence[Exchange] = (),
    rules: Sequence[MatchingRule] = DEFAULT_RULES,
    *,
    direct: Collection[str] = (),
) -> Iterator[None]:
    """Record every HTTP exchange of the process inside the block.

    A request that one of the ``known`` exchanges answers is answered by it and recorded all the same. Requests to the
    ``direct`` addresses (``host:port``) go on as if nothing recorded. A request that fails without a response leaves
    nothing behind, and its error reaches the client.
    """
    with intercepted(
        _RecordingCassette,
        direct,
        recorder=recorder,
        redaction=redaction,
        answers=Answers(known, rules, redaction),
    ):
        yield


@contextmanager
def playing_http(
    recording: Recording,
    redaction: Redaction,
    rules: Sequence[MatchingRule] = DEFAULT_RULES,
    *,
    direct: Collection[str] = (),
) -> Iterator[Playback]:
    """Answer every HTTP request of the process inside the block from a recording.

    Nothing reaches the network but requests to the ``direct`` addresses (``host:port``).
    """
    with answering_http(Answers(recording.exchanges, rules, redaction), direct=direct) as playback:
        yield playback


@contextmanager
def answering_http(answers: Answers, *, direct: Collection[str] = ()) -> Iterator[Playback]:
    """Answer every HTTP request of the process inside the block from answers that may go on from an earlier block."""
    with intercepted(_PlayingCassette, direct, answers=answers):
        yield answers.playback


def _asked(request: Request) -> bytes | None:
    """Return the body of a request without its content coding."""
    body = request.body_bytes
    plain = body.encode("utf-8") if isinstance(body, str) else body
    return plain_body(plain, str(request.headers.get("content-encoding") or ""))[0]


def _response(exchange: Exchange) -> dict[str, Any]:
    return {
        "status": {"code": exchange.status, "message": exchange.reason},
        "headers": {name: [value] for name, value in exchange.headers.items()},
        "body": {"string": body_bytes(exchange.response, exchange.spelling)},
    }


def _refusal() -> dict[str, Any]:
    error = {"message": "not in the recording", "type": "memuse_not_recorded", "code": "not_recorded"}
    return {
        "status": {"code": 400, "message": "Not Recorded"},
        # The official clients try again after most failures; this header tells them not to.
        "headers": {"content-type": ["application/json"], "x-should-retry": ["false"]},
        "body": {"string": body_bytes({"error": error})},
    }
