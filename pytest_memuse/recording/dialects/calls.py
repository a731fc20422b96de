"""Reading recorded exchanges as model calls, whichever API they speak."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pytest_memuse.model import Message, Usage
from pytest_memuse.recording.dialects import anthropic, chat, responses
from pytest_memuse.recording.dialects.events import StreamEvent, is_stream, stream_events
from pytest_memuse.recording.dialects.fields import count, dollars, mapping
from pytest_memuse.recording.dialects.types import Api, Exchanged, Folded, ReadAnswer, ReadCall, Readings, ReadRequest

MOST_CARRIED = 2_000_000
"""Messages that the calls of one recording may take over from earlier exchanges, together; behind it, inputs are gaps.

A request that names the response before it is short, and what it stands for grows with the conversation."""


@dataclass(frozen=True, slots=True)
class _Dialect:
    request: Callable[[Mapping[str, Any], Readings], ReadRequest]
    answer: Callable[[Mapping[str, Any]], ReadAnswer]
    fold: Callable[[Iterable[StreamEvent]], Folded]


def api_of(uri: str) -> Api | None:
    """Return the API that an address speaks, whatever stands before the end of its path; None for any other."""
    try:
        path = urlsplit(uri).path.rstrip("/")
    except ValueError:  # Such as brackets that enclose no address.
        return None
    return next((api for api in Api if path.endswith(api.value)), None)


def read_request(request: Any, uri: str = "", readings: Readings | None = None) -> ReadRequest:
    """Read the messages of a request body; without an address, its shape tells the API.

    ``readings`` saves reading again what earlier requests of the same recording held.
    """
    dialect = _DIALECTS.get(api_of(uri) or _api_by_shape(request))
    if dialect is None or not isinstance(request, Mapping):
        return ReadRequest(whole=False)
    return dialect.request(request, readings or Readings())


def read_call(exchange: Exchanged) -> ReadCall:
    """Read a recorded model call by itself; where it goes on from an earlier response, its input is a gap."""
    return CallReader().read(exchange)


class CallReader:
    """Reads the calls of one recording, in order, and remembers the responses that later requests may go on from."""

    def __init__(self) -> None:
        self._earlier: dict[str, _Conversation] = {}
        self._carried = 0
        # One for each API: the same value may be read differently.
        self._readings = {api: Readings() for api in Api}

    def read(self, exchange: Exchanged) -> ReadCall:
        """Read a call.

        A request that names an earlier response has the input and the answer of that response before what it holds
        itself; where no earlier exchange gave that response, the input has a gap.
        """
        request = mapping(exchange.request)
        answer = _read_answer(exchange)
        model = answer.model or str(request.get("model") or "")
        api = api_of(exchange.uri)
        if api is Api.EMBEDDINGS:
            return ReadCall((), None, model, answer.usage, readable=False, cost=answer.cost)
        read = ReadRequest(whole=False) if api is None else read_request(request, exchange.uri, self._readings[api])
        messages, pointers, readable = read.messages, read.pointers, read.whole and not answer.edited
        if read.previous is not None:
            before = self._earlier.get(read.previous)
            if before is None or self._carried + len(before.messages) > MOST_CARRIED:
                readable = False
            else:
                self._carried += len(before.messages)
                messages = (*messages[: read.instructions], *before.messages, *messages[read.instructions :])
                unplaced = ("",) * len(before.messages)
                pointers = (*pointers[: read.instructions], *unplaced, *pointers[read.instructions :])
                readable = readable and before.readable
        if answer.message is not None and answer.id:
            said = (*messages[read.instructions :], answer.message)
            self._earlier[answer.id] = _Conversation(said, readable)
        return ReadCall(messages, answer.message, model, answer.usage, readable, pointers, answer.cost, read.failures)


class _Conversation(NamedTuple):
    messages: tuple[Message, ...]
    readable: bool


def completes(exchange: Exchanged) -> bool:
    """Return whether a whole answer came, so that the call completed a step; a stream that broke off completes none."""
    return _read_answer(exchange).message is not None


def conversation(exchanges: Sequence[Exchanged]) -> list[dict[str, str]]:
    """Return what user and assistant said in an episode, from its last call; tool calls and outputs are left out.

    This is what memories are extracted from (MemUse 4.1).
    """
    whole: list[ReadCall] | None = None
    for position in reversed(range(len(exchanges))):
        call = read_call(exchanges[position])
        if not call.readable and mapping(exchanges[position].request).get("previous_response_id") is not None:
            if whole is None:
                reader = CallReader()
                whole = [reader.read(exchange) for exchange in exchanges]
            call = whole[position]
        if call.readable and call.response is not None:
            spoken = [m for m in (*call.messages, call.response) if m.role in ("user", "assistant") and m.text.strip()]
            return [{"role": m.role, "content": m.text} for m in spoken]
    return []


def answering_models(exchanges: Iterable[Exchanged]) -> tuple[str, ...]:
    """Return the model names that the responses give, streams included, in order of appearance."""
    return tuple(dict.fromkeys(name for name in map(_answering_model, exchanges) if name))


def _answering_model(exchange: Exchanged) -> str:
    """Return the model that a response names: every API does so in the same place, and only a stream must be folded."""
    if is_stream(exchange.headers, exchange.response):
        return _read_answer(exchange).model
    return str(mapping(exchange.response).get("model") or "")


def _read_answer(exchange: Exchanged) -> ReadAnswer:
    api = api_of(exchange.uri)
    dialect = _DIALECTS.get(api)
    done = 200 <= exchange.status < 300
    body, ended = mapping(exchange.response), done
    if dialect is None:
        # Another API: the call completed a step, and what it carried cannot be read.
        said = Message("assistant", "") if done else None
        return ReadAnswer(said, model=str(body.get("model") or ""), usage=_embedded(body), cost=_spent(body))
    if is_stream(exchange.headers, exchange.response):
        folded = dialect.fold(stream_events(exchange.response))
        body, ended = folded.body, done and folded.ended
    answer = dialect.answer(body)
    return answer if ended else ReadAnswer(None, "", answer.model, answer.usage, answer.cost)


def _embedded(body: Mapping[str, Any]) -> Usage:
    return Usage(input=count(mapping(body.get("usage")).get("prompt_tokens")))


def _spent(body: Mapping[str, Any]) -> float | None:
    return dollars(mapping(body.get("usage")).get("cost"))


def _api_by_shape(request: Any) -> Api:
    """Tell the API of a request body. Where Chat and Anthropic's blocks look the same, they are read the same."""
    body = mapping(request)
    if "input" in body or "previous_response_id" in body:
        return Api.RESPONSES
    if "system" in body:
        return Api.ANTHROPIC
    messages = body.get("messages")
    contents = (m.get("content") for m in messages if isinstance(m, Mapping)) if isinstance(messages, list) else ()
    kinds = (str(block.get("type")) for c in contents if isinstance(c, list) for block in c if isinstance(block, dict))
    return Api.ANTHROPIC if any(kind.endswith(("tool_use", "tool_result")) for kind in kinds) else Api.CHAT


_DIALECTS: Mapping[Api | None, _Dialect] = {
    Api.CHAT: _Dialect(chat.read_request, chat.read_answer, chat.fold),
    Api.RESPONSES: _Dialect(responses.read_request, responses.read_answer, responses.fold),
    Api.ANTHROPIC: _Dialect(anthropic.read_request, anthropic.read_answer, anthropic.fold),
}
